// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces in the virtual machine: each test makes an object over
// a few texels, runs one instruction in a thread for each value, and compares
// with a formula that stands here.
#include "result/finding.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

#include <math.h>

#define HEAD ".version 9.0\n.target sm_100a\n.address_size 64\n"
#define PARAMS "(.param .u64 handle, .param .u64 in, .param .u64 out)"
// Thread i has in[4 i] to in[4 i + 3] in %f0 to %f3, as bits in %r0 to %r3, and
// leaves %r4 to %r7 in out.
#define BEGIN                                                      \
    HEAD ".visible .entry k" PARAMS "{\n"                          \
         ".reg .b64 %l<9>; .reg .b32 %r<20>; .reg .f32 %f<20>;\n"  \
         ".reg .b16 %h<9>; .reg .pred %p<4>;\n"                    \
         "ld.param.u64 %l0, [handle]; ld.param.u64 %l1, [in];\n"   \
         "ld.param.u64 %l2, [out]; mov.u32 %r8, %tid.x;\n"         \
         "mul.wide.u32 %l3, %r8, 16; add.u64 %l1, %l1, %l3;\n"     \
         "add.u64 %l2, %l2, %l3;\n"                                \
         "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%l1];\n"         \
         "mov.b32 %f0, %r0; mov.b32 %f1, %r1; mov.b32 %f2, %r2;\n" \
         "mov.b32 %f3, %r3; mov.b32 %r4, 0; mov.b32 %r5, 0;\n"     \
         "mov.b32 %r6, 0; mov.b32 %r7, 0;\n"
#define END "st.global.v4.b32 [%l2], {%r4, %r5, %r6, %r7};\nret;\n}\n"

enum { THREADS = 8, TEXELS = 5, IN = 8, OUT = 9, LONG = 4096 };

typedef struct Bench {
    Arena arena;
    Device *device;
    VmTexture texture;
    VmTextures table;
    _Alignas(16) uint8_t texels[LONG];
    union {
        float f[THREADS][4];
        uint32_t u[THREADS][4];
    } in, out;
    uint64_t handle;
    uint32_t threads;
    DeviceRun run;
} Bench;

// A texture of 32-bit floats that are their own index.
static void bench_open(Bench *b, uint32_t width, uint32_t height,
                       uint32_t planes) {
    memset(b, 0, sizeof *b);
    b->threads = THREADS;
    b->handle = VM_TEXTURE_HANDLE(UINT64_C(0));
    b->table = (VmTextures){&b->texture, 1};
    b->texture = (VmTexture){
        .kind = TEXTURE_FETCHED,
        .axes = planes   ? 3
                : height ? 2
                         : 1,
        .layers = 1,
        .texel = TEXEL_FLOAT,
        .channels = 1,
        .channel_bytes = 4,
        .level_count = 1,
        .levels = {{.address = TEXELS * VM_STRIDE,
                    .size = {width, height ? height : 1, planes ? planes : 1},
                    .pitch = width * 4,
                    .slice = width * 4 * (height ? height : 1)}},
        .sampler = {.address = {ADDRESS_CLAMP, ADDRESS_CLAMP, ADDRESS_CLAMP}}};
    for (uint32_t i = 0; i < LONG / 4; i++)
        memcpy(b->texels + 4 * (size_t)i, &(float){(float)i}, 4);
}

static void bench_run(Bench *b, const char *text) {
    Diags diags = diags_new(&b->arena);
    PtxModule *module =
        ptx_parse(&b->arena, STR("text"), str_from(text), &diags);
    const uint64_t args[] = {b->handle, IN * VM_STRIDE, OUT * VM_STRIDE};
    DeviceLaunch launch = {.kernel = STR("k"),
                           .grid = {1, 1, 1},
                           .block = {b->threads, 1, 1},
                           .args = args,
                           .arg_bytes = sizeof args};
    if (!CHECK(module != NULL))
        return;
    b->device = vm_open(vm_model_find(STR("mini")));
    CHECK(b->device->ops->load(b->device, module, &diags));
    vm_map(b->device, TEXELS, b->texels, LONG - VM_SPARE, NULL);
    vm_map(b->device, IN, &b->in, sizeof b->in, NULL);
    vm_map(b->device, OUT, &b->out, sizeof b->out, NULL);
    vm_textures(b->device, &b->table);
    b->device->ops->launch(b->device, &b->arena, &launch, &b->run);
}

static void bench_close(Bench *b) {
    b->device->ops->close(b->device);
    arena_free(&b->arena);
}

#define FETCH(what) BEGIN what "\n" END

static const char FETCH_1D[] = FETCH(
    "tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {%f0}];\n"
    "mov.b32 %r4, %f4; mov.b32 %r5, %f5; mov.b32 %r6, %f6; mov.b32 %r7, %f7;");
static const char FETCH_2D[] = FETCH(
    "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {%f0, %f1}];\n"
    "mov.b32 %r4, %f4; mov.b32 %r5, %f5; mov.b32 %r6, %f6; mov.b32 %r7, %f7;");
static const char FETCH_3D[] = FETCH(
    "tex.3d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {%f0, %f1, %f2, %f2}];\n"
    "mov.b32 %r4, %f4;");

static const char FETCH_CUBE[] = FETCH(
    "tex.cube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {%f0, %f1, %f2, %f2}];\n"
    "mov.b32 %r4, %f4;");

// ---- coordinates ---------------------------------------------------------

// out[i][0] is wanted[i].
static void gives(Bench *b, const char *text, const float *wanted) {
    bench_run(b, text);
    CHECK_INT(b->run.status, RUN_DONE);
    CHECK_INT(b->run.finding_count, 0);
    for (uint32_t i = 0; i < THREADS; i++)
        CHECK_DOUBLE((double)b->out.f[i][0], (double)wanted[i]);
    bench_close(b);
}

static void at_1d(Bench *b, const float *at) {
    for (uint32_t i = 0; i < THREADS; i++)
        b->in.f[i][0] = at[i];
}

TEST(nearest_texel_in_every_address_mode) {
    static const float at[] = {-1.1f, -0.1f, 0, 0.24f, 0.99f, 1, 1.3f, 2.6f};
    static const float wanted[4][THREADS] = {
        [ADDRESS_WRAP] = {3, 3, 0, 0, 3, 0, 1, 2},
        [ADDRESS_CLAMP] = {0, 0, 0, 0, 3, 3, 3, 3},
        [ADDRESS_MIRROR] = {3, 0, 0, 0, 3, 3, 2, 2},
        [ADDRESS_BORDER] = {7, 7, 0, 0, 3, 7, 7, 7},
    };
    for (VmAddressMode mode = ADDRESS_WRAP; mode <= ADDRESS_BORDER; mode++) {
        Bench b;
        bench_open(&b, 4, 0, 0);
        b.texture.sampler.address[0] = mode;
        b.texture.sampler.is_normalized = true;
        b.texture.sampler.border[0] = 7;
        at_1d(&b, at);
        gives(&b, FETCH_1D, wanted[mode]);
    }
}

TEST(coordinates_in_texels_are_never_wrapped) {
    static const float at[] = {-3, -0.1f, 0, 1.5f, 3.9f, 4, 9, NAN};
    Bench b;
    bench_open(&b, 4, 0, 0);
    b.texture.sampler.address[0] = ADDRESS_WRAP;
    at_1d(&b, at);
    gives(&b, FETCH_1D, (float[]){0, 0, 0, 1, 3, 3, 3, 0});
}

// Weights have 8 bits: 0.3 is 77 / 256.
TEST(linear_filter_blends_with_8_bits) {
    static const float at[] = {0, 0.5f, 0.8f, 1, 1.5f, 2.001f, 3.7f, 1e30f};
    float wanted[THREADS];
    Bench b;
    bench_open(&b, 4, 0, 0);
    b.texture.sampler.is_linear = true;
    at_1d(&b, at);
    for (uint32_t i = 0; i < THREADS; i++) {
        float x = floorf((at[i] - 0.5f) * 256 + 0.5f) / 256;
        wanted[i] = x < 0 ? 0 : x > 3 ? 3 : x;
    }
    gives(&b, FETCH_1D, wanted);
}

TEST(linear_filter_in_two_and_three_dimensions) {
    float wanted[THREADS];
    Bench b;
    bench_open(&b, 4, 4, 0);
    b.texture.sampler.is_linear = true;
    for (uint32_t i = 0; i < THREADS; i++) {
        b.in.f[i][0] = 0.75f + 0.25f * (float)i;
        b.in.f[i][1] = 1.625f;
        wanted[i] = b.in.f[i][0] - 0.5f + 4 * 1.125f;
    }
    gives(&b, FETCH_2D, wanted);
    bench_open(&b, 4, 4, 4);
    b.texture.sampler.is_linear = true;
    for (uint32_t i = 0; i < THREADS; i++) {
        b.in.f[i][0] = 2.25f;
        b.in.f[i][1] = 0.75f;
        b.in.f[i][2] = 1 + 0.25f * (float)i;
        wanted[i] = 1.75f + 4 * 0.25f + 16 * (b.in.f[i][2] - 0.5f);
    }
    gives(&b, FETCH_3D, wanted);
}

TEST(linear_memory_is_0_outside) {
    Bench b;
    bench_open(&b, 4, 0, 0);
    b.texture.is_flat = true;
    b.texels[3] = 0x41; // texel 0: 8
    for (uint32_t i = 0; i < THREADS; i++)
        b.in.u[i][0] = i - 2;
    gives(&b,
          FETCH("tex.1d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%l0, {%r0}];\n"
                "mov.b32 %r4, %f4;"),
          (float[]){0, 0, 8, 1, 2, 3, 0, 0});
}

TEST(layers_are_clamped) {
    Bench b;
    bench_open(&b, 4, 2, 0);
    b.texture.is_layered = true;
    b.texture.layers = 3;
    for (uint32_t i = 0; i < THREADS; i++) {
        b.in.u[i][0] = i;
        b.in.f[i][1] = 1.5f;
        b.in.f[i][2] = 1.5f;
    }
    gives(&b,
          FETCH("tex.a2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {%r0, %f1, "
                "%f2, %f2}];\nmov.b32 %r4, %f4;"),
          (float[]){5, 13, 21, 21, 21, 21, 21, 21});
}

static void bench_cube(Bench *b, uint32_t side) {
    bench_open(b, side, side, 0);
    b->texture.is_cube = true;
    b->texture.axes = 2;
    b->texture.layers = 6;
    b->texture.sampler.is_normalized = true;
}

TEST(directions_choose_the_faces_of_a_cube) {
    static const float at[THREADS][3] = {
        {2, 0.5f, 0}, {-2, 0, 0.5f}, {0.5f, 3, 0}, {0, -3, 1},
        {0, 0, 1},    {0, 0, -1},    {1, 1, 1},    {-4, 1, 1}};
    static const float faces[THREADS] = {0, 1, 2, 3, 4, 5, 4, 1};
    float wanted[THREADS];
    Bench b;
    bench_cube(&b, 1);
    for (uint32_t i = 0; i < THREADS; i++) {
        memcpy(b.in.f[i], at[i], sizeof at[i]);
        wanted[i] = faces[i];
    }
    gives(&b, FETCH_CUBE, wanted);
}

// What an H100 gives where no axis, or not each, has a length.
TEST(directions_of_no_length_have_a_face) {
    static const float at[THREADS][3] = {
        {0, 0, 0},         {NAN, 0, 0},      {1, NAN, 0},
        {NAN, 1, 1},       {INFINITY, 0, 0}, {INFINITY, INFINITY, 0},
        {0, -INFINITY, 1}, {-0.0f, 0, 0}};
    static const float texels[THREADS] = {19, 19, 3, 17, 19, 19, 19, 19};
    Bench b;
    bench_cube(&b, 2);
    for (uint32_t i = 0; i < THREADS; i++)
        memcpy(b.in.f[i], at[i], sizeof at[i]);
    gives(&b, FETCH_CUBE, texels);
}

// The weights that an H100 gives each corner, in 256ths, at 154, 60 and 241
// 256ths: 22.5 of 96 is 22 for the corners that are low in x.
TEST(weights_are_shared_along_z_x_and_y) {
    static const float wanted[] = {5, 7, 1, 2, 74, 111, 22, 34};
    for (uint32_t corner = 0; corner < COUNT_OF(wanted); corner++) {
        float texels[8] = {0};
        Bench b;
        bench_open(&b, 2, 2, 2);
        texels[corner] = 256;
        memcpy(b.texels, texels, sizeof texels);
        b.texture.sampler.is_linear = true;
        float each[THREADS];
        for (uint32_t i = 0; i < THREADS; i++) {
            b.in.f[i][0] = 0.5f + 154 / 256.0f;
            b.in.f[i][1] = 0.5f + 60 / 256.0f;
            b.in.f[i][2] = 0.5f + 241 / 256.0f;
            each[i] = wanted[corner];
        }
        gives(&b, FETCH_3D, each);
    }
}

// As on an H100: a row is a plane that is fetched at y = 0, half in the border.
TEST(a_filtered_row_is_half_in_the_border) {
    static const float at[] = {0.5f, 1, 1.5f, 3.5f, 4, 4.5f, -1, 9};
    static const float halves[] = {2, 2.25f, 2.5f, 3.5f, 3.75f, 4, 4, 4};
    static const float whole[] = {0, 0.5f, 1, 3, 3.5f, 4, 4, 4};
    for (int k = 0; k < 2; k++) {
        Bench b;
        bench_open(&b, 4, 0, 0);
        b.texture.sampler.is_linear = true;
        b.texture.sampler.border[0] = 4;
        b.texture.sampler.address[0] = ADDRESS_BORDER;
        b.texture.sampler.address[1] = k ? ADDRESS_CLAMP : ADDRESS_BORDER;
        at_1d(&b, at);
        gives(&b, FETCH_1D, k ? whole : halves);
    }
}

// Level 0 has texels 0 to 3, level 1 has 10 and 11, level 2 has 20.
static void make_levels(Bench *b) {
    bench_open(b, 4, 0, 0);
    VmTexture *t = &b->texture;
    t->level_count = 3;
    for (uint32_t i = 1; i < 3; i++) {
        t->levels[i] = t->levels[0];
        t->levels[i].size[0] = 4 >> i;
        t->levels[i].address += 40 * i;
    }
    t->sampler.is_normalized = true;
    t->sampler.most = 2;
    for (uint32_t i = 0; i < THREADS; i++)
        b->in.f[i][1] = 0.5f * (float)i;
}

TEST(levels_of_a_mipmap) {
    static const char level[] = FETCH(
        "tex.level.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {%f0}], %f1;\n"
        "mov.b32 %r4, %f4;");
    static const char gradient[] = FETCH(
        "tex.grad.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {%f0}], {%f1}, "
        "{%f1};\nmov.b32 %r4, %f4;");
    Bench b;
    make_levels(&b);
    gives(&b, level, (float[]){0, 10, 10, 20, 20, 20, 20, 20});
    make_levels(&b);
    b.texture.sampler.blends_levels = true;
    gives(&b, level, (float[]){0, 5, 10, 15, 20, 20, 20, 20});
    make_levels(&b); // 8 bits: 31 of the bias, and 127 / 256 between the levels
    b.texture.sampler.blends_levels = true;
    b.texture.sampler.bias = 0.123f;
    for (uint32_t i = 0; i < THREADS; i++)
        b.in.f[i][1] = 0.3789f;
    float all[THREADS];
    for (uint32_t i = 0; i < THREADS; i++)
        all[i] = 10 * 127 / 256.0f;
    gives(&b, level, all);
    make_levels(&b);
    b.texture.sampler.least = 1;
    gives(&b, FETCH_1D, (float[]){10, 10, 10, 10, 10, 10, 10, 10});
    make_levels(&b); // steps of 0, 2, 4, ... texels: levels below 0, 1, 2, ...
    gives(&b, gradient, (float[]){0, 10, 20, 20, 20, 20, 20, 20});
}

TEST(gather_has_the_texels_of_a_filter) {
    Bench b;
    bench_open(&b, 4, 4, 0);
    b.in.f[0][0] = b.in.f[0][1] = 2;
    bench_run(&b, FETCH("tld4.r.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, "
                        "{%f0, %f1}];\nmov.b32 %r4, %f4; mov.b32 %r5, %f5;\n"
                        "mov.b32 %r6, %f6; mov.b32 %r7, %f7;"));
    static const float wanted[] = {9, 10, 6, 5}; // from the lower left
    for (uint32_t i = 0; i < 4; i++)
        CHECK_DOUBLE((double)b.out.f[0][i], (double)wanted[i]);
    bench_close(&b);
}

TEST(offsets_and_residency) {
    Bench b;
    bench_open(&b, 4, 4, 0);
    for (uint32_t i = 0; i < THREADS; i++)
        b.in.f[i][0] = b.in.f[i][1] = 0.5f;
    gives(&b,
          FETCH("tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}|%p1, [%l0, {%f0, "
                "%f1}], {2, 1};\n@%p1 mov.b32 %r4, %f4;"),
          (float[]){6, 6, 6, 6, 6, 6, 6, 6});
}

// ---- formats -------------------------------------------------------------

static void format(Bench *b, VmTexel texel, uint8_t channels, uint8_t bytes,
                   bool reads_float) {
    bench_open(b, 1, 0, 0);
    b->texture.texel = texel;
    b->texture.channels = channels;
    b->texture.channel_bytes = bytes;
    b->texture.sampler.reads_float = reads_float;
}

static void values(Bench *b, const void *texel, size_t bytes,
                   const uint32_t wanted[4]) {
    memcpy(b->texels, texel, bytes);
    bench_run(b, FETCH_1D);
    for (uint32_t c = 0; c < 4; c++)
        CHECK_U64(b->out.u[0][c], wanted[c]);
    bench_close(b);
}

static uint32_t bits(float x) {
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

TEST(formats_of_texels) {
    Bench b;
    format(&b, TEXEL_UNSIGNED, 4, 1, true);
    values(&b, (uint8_t[]){0, 51, 128, 255}, 4,
           (uint32_t[]){0, bits(0.2f), bits(128 / 255.0f), bits(1)});
    format(&b, TEXEL_SIGNED, 2, 1, true); // what is missing: 0
    values(&b, (int8_t[]){-128, 127}, 2, (uint32_t[]){bits(-1), bits(1), 0, 0});
    format(&b, TEXEL_SIGNED, 2, 2, false);
    values(&b, (int16_t[]){-5, 300}, 4,
           (uint32_t[]){UINT32_MAX - 4, 300, 0, 0});
    format(&b, TEXEL_FLOAT, 2, 2, false);
    values(&b, (uint16_t[]){0x3C00, 0xC100}, 4,
           (uint32_t[]){bits(1), bits(-2.5f), 0, 0});
    format(&b, TEXEL_UNSIGNED, 1, 4, false);
    values(&b, (uint32_t[]){0xFEDCBA98}, 4, (uint32_t[]){0xFEDCBA98, 0, 0, 0});
    format(&b, TEXEL_UNSIGNED, 4, 1, true);
    b.texture.sampler.is_srgb = true; // 188 is about half the light
    values(&b, (uint8_t[]){188, 1, 255, 188}, 4,
           (uint32_t[]){bits(0.50390625f), bits(5 / 16384.0f), bits(1),
                        bits(188 / 255.0f)});
}

// A border becomes a texel of the format, and of integers the lowest bits.
TEST(formats_of_borders) {
    static const struct {
        VmTexel texel;
        uint8_t channels, bytes;
        uint32_t border[4], wanted[4];
    } cases[] = {
        {TEXEL_UNSIGNED, 4, 1, {5, 0x80000103, 0, 0xFFFFFFFF}, {5, 3, 0, 0xFF}},
        {TEXEL_SIGNED,
         2,
         2,
         {0x12345678, 0xFFFFFFFF, 7, 7},
         {0x5678, 0xFFFFFFFF, 0, 0}},
        {TEXEL_SIGNED, 1, 4, {0x40000000, 1, 1, 1}, {0x40000000, 0, 0, 0}},
        {TEXEL_FLOAT,
         2,
         4,
         {0x40000000, 0x3E800000, 1, 1},
         {0x40000000, 0x3E800000, 0, 0}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Bench b;
        format(&b, cases[i].texel, cases[i].channels, cases[i].bytes, false);
        b.texture.sampler.address[0] = ADDRESS_BORDER;
        memcpy(b.texture.sampler.border, cases[i].border,
               sizeof cases[i].border);
        b.in.f[0][0] = 9;
        values(&b, "", 1, cases[i].wanted);
    }
}

static void border_of_fractions(VmTexel texel, bool is_srgb,
                                const float border[4], const float wanted[4]) {
    Bench b;
    uint32_t all[4];
    format(&b, texel, 4, 1, true);
    b.texture.sampler.is_srgb = is_srgb;
    b.texture.sampler.address[0] = ADDRESS_BORDER;
    memcpy(b.texture.sampler.border, border, 4 * sizeof border[0]);
    b.in.f[0][0] = 9;
    for (int c = 0; c < 4; c++)
        all[c] = bits(wanted[c]);
    values(&b, "", 1, all);
}

TEST(borders_of_fractions_are_rounded_and_clamped) {
    static const float border[] = {2, -3, 0.25f, NAN};
    border_of_fractions(TEXEL_UNSIGNED, false, border,
                        (float[]){1, 0, 64 / 255.0f, 0});
    border_of_fractions(TEXEL_SIGNED, false, border,
                        (float[]){1, -1, 32 / 127.0f, -1});
    border_of_fractions(TEXEL_UNSIGNED, true, (float[]){0.25f, 1, 0, 0.25f},
                        (float[]){0.25f, 1, 0, 64 / 255.0f});
}

// ---- surfaces ------------------------------------------------------------

static void surface(Bench *b, uint32_t width, uint32_t height) {
    bench_open(b, width, height, 0);
    b->texture.kind = TEXTURE_SURFACE;
    b->texture.is_written = true;
    b->threads = 4;
    for (uint32_t i = 0; i < THREADS; i++) {
        b->in.u[i][0] = 4 * i;
        b->in.u[i][1] = 1;
        b->in.f[i][2] = 100.0f + (float)i;
    }
}

#define STORE_2D(mode) "sust.b.2d.b32." mode " [%l0, {%r0, %r1}], {%r2};"

TEST(surfaces_store_and_load_bytes) {
    Bench b;
    float row[4];
    surface(&b, 4, 2);
    bench_run(&b, FETCH(STORE_2D(
                      "trap") "suld.b.2d.b32.trap {%r4}, [%l0, {%r0, %r1}];\n"
                              "suld.b.2d.b8.trap {%h1}, [%l0, {%r0, %r1}];\n"
                              "cvt.u32.u16 %r5, %h1;"));
    CHECK_INT(b.run.status, RUN_DONE);
    CHECK_INT(b.run.finding_count, 0);
    memcpy(row, b.texels + 16, sizeof row);
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_DOUBLE((double)row[i], 100.0 + i);
        CHECK_DOUBLE((double)b.out.f[i][0], 100.0 + i);
        CHECK_INT(b.out.u[i][1], b.out.u[i][0] & 0xff);
    }
    bench_close(&b);
}

TEST(surfaces_outside_are_clamped_or_zero) {
    Bench b;
    float texels[8];
    surface(&b, 2, 2); // of threads 0 to 3, the last two are outside
    bench_run(&b, FETCH("suld.b.2d.b32.zero {%r4}, [%l0, {%r0, %r1}];\n"
                        "suld.b.2d.b32.clamp {%r5}, [%l0, {%r0, %r1}];\n"
                        "bar.sync 0;\n" STORE_2D("zero")));
    CHECK_INT(b.run.status, RUN_DONE);
    static const float zero[] = {2, 3, 0, 0}, clamp[] = {2, 3, 3, 3};
    memcpy(texels, b.texels, sizeof texels);
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_DOUBLE((double)b.out.f[i][0], (double)zero[i]);
        CHECK_DOUBLE((double)b.out.f[i][1], (double)clamp[i]);
    }
    CHECK_DOUBLE((double)texels[3], 101);
    CHECK_DOUBLE((double)texels[4], 4); // as it was
    bench_close(&b);
}

static void faults(Bench *b, const char *text, FindingCase which) {
    bench_run(b, text);
    CHECK_INT(b->run.status, RUN_FAULT);
    if (CHECK(b->run.finding_count > 0))
        CHECK_INT(b->run.findings[b->run.finding_count - 1].which, which);
    bench_close(b);
}

TEST(surfaces_trap_outside) {
    Bench b;
    surface(&b, 2, 2);
    faults(&b, FETCH(STORE_2D("trap")), CASE_MEM001_SURFACE);
    surface(&b, 4, 1);
    faults(&b, FETCH(STORE_2D("trap")), CASE_MEM001_SURFACE);
    surface(&b, 4, 2);
    b.in.u[3][1] = UINT32_MAX;
    faults(&b, FETCH(STORE_2D("trap")), CASE_MEM001_SURFACE);
    surface(&b, 4, 2);
    b.texture.is_layered = true;
    b.texture.layers = 2;
    b.in.u[1][1] = 2;
    faults(&b, FETCH("suld.b.a2d.b32.trap {%r4}, [%l0, {%r1, %r0, 0, 0}];"),
           CASE_MEM001_SURFACE_PLANE);
    surface(&b, 4, 2);
    b.in.u[1][0] = 2;
    faults(&b, FETCH(STORE_2D("trap")), CASE_MEM002_ADDRESS);
}

TEST(surfaces_race) {
    static const char same[] =
        FETCH("sust.b.2d.b32.trap [%l0, {0, 0}], {%r2};");
    Bench b;
    surface(&b, 4, 2);
    bench_run(&b, same);
    if (CHECK(b.run.finding_count > 0))
        CHECK_INT(b.run.findings[0].rule, RULE_RACE001);
    bench_close(&b);
    surface(&b, 4, 2);
    memset(b.texels, 0, 8);
    bench_run(&b, FETCH("sured.b.add.2d.u32.trap [%l0, {0, 0}], 3;\n"
                        "sured.p.min.2d.b32.trap [%l0, {1, 0}], %r0;"));
    CHECK_INT(b.run.status, RUN_DONE);
    CHECK_INT(b.run.finding_count, 0);
    CHECK_INT(b.texels[0], 12);
    CHECK_INT(b.texels[4], 0);
    bench_close(&b);
}

// ---- what is wrong -------------------------------------------------------

TEST(handles_that_are_none) {
    Bench b;
    bench_open(&b, 4, 0, 0);
    b.handle = 0x12345678;
    faults(&b, FETCH_1D, CASE_MEM001_NO_TEXTURE);
    bench_open(&b, 4, 0, 0);
    b.handle++;
    faults(&b, FETCH_1D, CASE_MEM001_NO_TEXTURE);
    bench_open(&b, 4, 2, 0); // a texture is no surface
    faults(&b, FETCH(STORE_2D("trap")), CASE_MEM001_NO_SURFACE);
    bench_open(&b, 4, 4, 4);
    faults(&b, FETCH_2D, CASE_MEM001_OTHER_GEOMETRY);
    bench_open(&b, 4, 4, 0); // its memory is gone
    b.texture.levels[0].address = 7 * VM_STRIDE;
    faults(&b, FETCH_2D, CASE_MEM001_PAST_END);
}

TEST(forms_that_are_missing) {
    static const char *const texts[] = {
        FETCH("tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, %l1, {%f0}];"),
        FETCH("tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {%f0, %f1}], "
              "%f2;"),
        FETCH("sust.p.2d.v4.b32.trap [%l0, {%r0, %r1}], {%r2, %r2, %r2, "
              "%r2};"),
        FETCH("txq.channel_order.b32 %r4, [%l0];"),
        HEAD ".global .texref t;\n.visible .entry k" PARAMS
             "{ .reg .f32 %f<9>;\n"
             "tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [t, {%f0}];\nret;\n}\n",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        Bench b;
        bench_open(&b, 4, 4, 0);
        bench_run(&b, texts[i]);
        CHECK_INT(b.run.status, RUN_UNSUPPORTED);
        bench_close(&b);
    }
}

TEST(queries) {
    Bench b;
    bench_open(&b, 4, 3, 0);
    b.texture.is_layered = true;
    b.texture.layers = 5;
    bench_run(&b, FETCH("txq.width.b32 %r4, [%l0];\n"
                        "txq.height.b32 %r5, [%l0];\n"
                        "txq.depth.b32 %r6, [%l0];\n"
                        "txq.array_size.b32 %r7, [%l0];"));
    static const uint32_t wanted[] = {4, 3, 0, 5};
    for (uint32_t i = 0; i < 4; i++)
        CHECK_INT(b.out.u[0][i], wanted[i]);
    bench_close(&b);
    surface(&b, 4, 3);
    bench_run(&b, FETCH("suq.width.b32 %r4, [%l0];"));
    CHECK_INT(b.out.u[0][0], 4);
    bench_close(&b);
}

TEST_MAIN(TESTCASE(nearest_texel_in_every_address_mode),
          TESTCASE(coordinates_in_texels_are_never_wrapped),
          TESTCASE(linear_filter_blends_with_8_bits),
          TESTCASE(linear_filter_in_two_and_three_dimensions),
          TESTCASE(linear_memory_is_0_outside), TESTCASE(layers_are_clamped),
          TESTCASE(directions_choose_the_faces_of_a_cube),
          TESTCASE(directions_of_no_length_have_a_face),
          TESTCASE(weights_are_shared_along_z_x_and_y),
          TESTCASE(a_filtered_row_is_half_in_the_border),
          TESTCASE(levels_of_a_mipmap),
          TESTCASE(gather_has_the_texels_of_a_filter),
          TESTCASE(offsets_and_residency), TESTCASE(formats_of_texels),
          TESTCASE(formats_of_borders),
          TESTCASE(borders_of_fractions_are_rounded_and_clamped),
          TESTCASE(surfaces_store_and_load_bytes),
          TESTCASE(surfaces_outside_are_clamped_or_zero),
          TESTCASE(surfaces_trap_outside), TESTCASE(surfaces_race),
          TESTCASE(handles_that_are_none), TESTCASE(forms_that_are_missing),
          TESTCASE(queries))
