// SPDX-License-Identifier: Apache-2.0
// runtime/: what kernels read through the objects that a program makes of its
// arrays and memory, and what surfaces write: which texel, of which layer,
// plane and level.
#include "tests/unit/cuda_program.h"

typedef unsigned long long Handle;

typedef struct cudaResourceDesc {
    int resType;
    union {
        cudaArray_t array;
        cudaMipmappedArray_t mipmap;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
} cudaResourceDesc;
enum { OF_ARRAY, OF_MIPMAP, OF_LINEAR, OF_PITCH2D };

typedef struct cudaTextureDesc {
    int addressMode[3], filterMode, readMode, sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
} cudaTextureDesc;

cudaError_t cudaMalloc3DArray(cudaArray_t *array,
                              const cudaChannelFormatDesc *desc,
                              cudaExtent extent, unsigned flags);
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmap,
                                     const cudaChannelFormatDesc *desc,
                                     cudaExtent extent, unsigned levels,
                                     unsigned flags);
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *array,
                                       cudaMipmappedArray_t mipmap,
                                       unsigned level);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *copy);
cudaError_t cudaCreateTextureObject(Handle *handle,
                                    const cudaResourceDesc *resource,
                                    const cudaTextureDesc *texture,
                                    const void *view);
cudaError_t cudaCreateSurfaceObject(Handle *handle,
                                    const cudaResourceDesc *resource);

static const cudaChannelFormatDesc WORDS = {32, 0, 0, 0, 1},
                                   BYTES_2 = {8, 8, 0, 0, 0};
enum { LAYERED = 1, SURFACE = 2 };

#define ENTRY(name, body)                                                    \
    ".visible .entry " name "(.param .u64 to, .param .u64 t,\n"              \
    ".param .u32 x, .param .u32 y, .param .u32 z) {\n"                       \
    ".reg .u64 %l<2>; .reg .u32 %r<8>; .reg .f32 %f<3>;\n"                   \
    "ld.param.u64 %l0, [to]; ld.param.u64 %l1, [t];\n"                       \
    "ld.param.u32 %r0, [x]; ld.param.u32 %r1, [y]; ld.param.u32 %r2, [z];\n" \
    "mov.u32 %r3, 0;\n" body "ret; }\n"
// *to = the four channels of a texel.
#define READS(name, body) \
    ENTRY(name, body "st.global.v4.u32 [%l0], {%r4, %r5, %r6, %r7};\n")
#define CHANNELS " {%r4, %r5, %r6, %r7}, "

static const char PTX[] =
    ".version 8.7\n.target sm_100a\n.address_size 64\n" READS(
        "one", "tex.1d.v4.u32.s32" CHANNELS "[%l1, {%r0}];\n")
        READS("two", "tex.2d.v4.u32.s32" CHANNELS "[%l1, {%r0, %r1}];\n")
            READS("three",
                  "tex.3d.v4.u32.s32" CHANNELS "[%l1, {%r0, %r1, %r2, %r3}];\n")
                READS("layers", "tex.a2d.v4.u32.s32" CHANNELS
                                "[%l1, {%r2, %r0, %r1, %r3}];\n")
    // Of level z, at eighths of its size.
    READS("level",
          "cvt.rn.f32.u32 %f0, %r0; cvt.rn.f32.u32 %f1, %r1;\n"
          "mul.f32 %f0, %f0, 0.125; mul.f32 %f1, %f1, 0.125;\n"
          "cvt.rn.f32.u32 %f2, %r2;\n"
          "tex.level.2d.v4.u32.f32" CHANNELS "[%l1, {%f0, %f1}], %f2;\n")
    // texel (x, y) = z
    ENTRY("writes", "shl.b32 %r0, %r0, 2;\n"
                    "sust.b.2d.b32.trap [%l1, {%r0, %r1}], {%r2};\n")
    // Block 0 writes a texel through a surface, block 1 reads it through a
    // texture, whose handle is `to`, and nothing orders the two.
    ENTRY("races", ".reg .pred %p0; mov.u32 %r3, %ctaid.x;\n"
                   "setp.eq.u32 %p0, %r3, 0; @%p0 bra write;\n"
                   "tex.2d.v4.u32.s32" CHANNELS "[%l0, {%r0, %r1}]; ret;\n"
                   "write: shl.b32 %r0, %r0, 2;\n"
                   "sust.b.2d.b32.trap [%l1, {%r0, %r1}], {%r2};\n");

static Program begin(void) {
    Program p = program_watched();
    CHECK_INT(cuModuleLoadData(&p.module, PTX), cudaSuccess);
    return p;
}

static void run(const Program *p, const char *kernel, void *to, Handle handle,
                uint32_t x, uint32_t y, uint32_t z) {
    void *args[] = {&to, &handle, &x, &y, &z};
    CHECK_INT(program_launch(p, kernel, 1, args), cudaSuccess);
    CHECK_INT(cudaDeviceSynchronize(), cudaSuccess);
}

// The texel's channel.
static uint32_t read_at(const Program *p, const char *kernel, Handle handle,
                        uint32_t x, uint32_t y, uint32_t z, size_t channel) {
    static const uint32_t nothing[4] = {77, 77, 77, 77};
    void *to = program_words(nothing, 4);
    run(p, kernel, to, handle, x, y, z);
    return program_word(to, channel);
}

// An array whose texels are words: 0, 1, 2, ... (+ `from`)
static void fill(cudaArray_t array, cudaExtent extent, uint32_t from) {
    uint32_t words[64];
    for (uint32_t i = 0; i < COUNT_OF(words); i++)
        words[i] = from + i;
    size_t depth = extent.depth ? extent.depth : 1,
           height = extent.height ? extent.height : 1;
    const cudaMemcpy3DParms copy = {
        .srcPtr = {words, extent.width * 4, extent.width, height},
        .dstArray = array,
        .extent = {extent.width, height, depth},
        .kind = cudaMemcpyHostToDevice};
    CHECK_INT(cudaMemcpy3D(&copy), cudaSuccess);
}

static cudaArray_t counting(cudaExtent extent, unsigned flags) {
    cudaArray_t array = NULL;
    CHECK_INT(cudaMalloc3DArray(&array, &WORDS, extent, flags), cudaSuccess);
    fill(array, extent, 0);
    return array;
}

static Handle texture_of(cudaResourceDesc resource, bool is_normalized) {
    Handle handle = 0;
    const cudaTextureDesc desc = {.addressMode = {1, 1, 1},
                                  .normalizedCoords = is_normalized,
                                  .maxMipmapLevelClamp = 9};
    CHECK_INT(cudaCreateTextureObject(&handle, &resource, &desc, NULL),
              cudaSuccess);
    return handle;
}

static Handle of_array(cudaArray_t array) {
    return texture_of(
        (cudaResourceDesc){.resType = OF_ARRAY, .res.array = array}, false);
}

TEST(arrays_are_read_by_row_and_plane) {
    Program p = begin();
    Handle line = of_array(counting((cudaExtent){4, 0, 0}, 0));
    CHECK_U64(read_at(&p, "one", line, 3, 0, 0, 0), 3);
    CHECK_U64(read_at(&p, "one", line, 4, 0, 0, 0), 3); // clamped
    Handle flat = of_array(counting((cudaExtent){4, 3, 0}, 0));
    CHECK_U64(read_at(&p, "two", flat, 1, 2, 0, 0), 9);
    CHECK_U64(read_at(&p, "two", flat, 9, 9, 0, 0), 11);
    Handle cube = of_array(counting((cudaExtent){4, 3, 2}, 0));
    CHECK_U64(read_at(&p, "three", cube, 1, 2, 1, 0), 21);
    CHECK_U64(read_at(&p, "three", cube, 3, 2, 9, 0), 23);
    CHECK_U64(program_told(&p).finding_count, 0);
}

TEST(layers_are_read_by_number) {
    Program p = begin();
    Handle layers = of_array(counting((cudaExtent){4, 3, 2}, LAYERED));
    CHECK_U64(read_at(&p, "layers", layers, 1, 2, 0, 0), 9);
    CHECK_U64(read_at(&p, "layers", layers, 1, 2, 1, 0), 21);
    CHECK_U64(read_at(&p, "layers", layers, 1, 2, 5, 0), 21);
    CHECK_U64(program_told(&p).finding_count, 0);
}

TEST(levels_are_read_by_number) {
    Program p = begin();
    cudaMipmappedArray_t mipmap;
    cudaArray_t level;
    CHECK_INT(
        cudaMallocMipmappedArray(&mipmap, &WORDS, (cudaExtent){4, 4, 0}, 3, 0),
        cudaSuccess);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_INT(cudaGetMipmappedArrayLevel(&level, mipmap, i), cudaSuccess);
        fill(level, (cudaExtent){4u >> i, 4u >> i, 0}, 100 * i);
    }
    Handle handle = texture_of(
        (cudaResourceDesc){.resType = OF_MIPMAP, .res.mipmap = mipmap}, true);
    CHECK_U64(read_at(&p, "level", handle, 5, 3, 0, 0), 6);   // (2, 1) of 4 x 4
    CHECK_U64(read_at(&p, "level", handle, 5, 3, 1, 0), 101); // of 2 x 2
    CHECK_U64(read_at(&p, "level", handle, 5, 7, 1, 0), 103);
    CHECK_U64(read_at(&p, "level", handle, 5, 7, 2, 0), 200);
    CHECK_U64(program_told(&p).finding_count, 0);
}

TEST(memory_is_read_as_texels) {
    Program p = begin();
    uint8_t bytes[64];
    char *memory;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(0x80 + i);
    cudaMalloc((void **)&memory, sizeof bytes);
    cudaMemcpy(memory, bytes, sizeof bytes, cudaMemcpyHostToDevice);
    Handle linear = texture_of(
        (cudaResourceDesc){.resType = OF_LINEAR,
                           .res.linear = {memory, BYTES_2, sizeof bytes}},
        false);
    CHECK_U64(read_at(&p, "one", linear, 3, 0, 0, 0), 0xffffff86); // signed
    CHECK_U64(read_at(&p, "one", linear, 3, 0, 0, 1), 0xffffff87);
    CHECK_U64(read_at(&p, "one", linear, 3, 0, 0, 2), 0);
    CHECK_U64(read_at(&p, "one", linear, 31, 0, 0, 1), 0xffffffbf);
    Handle rows =
        texture_of((cudaResourceDesc){.resType = OF_PITCH2D,
                                      .res.pitch2D = {memory, WORDS, 2, 2, 32}},
                   false);
    CHECK_U64(read_at(&p, "two", rows, 1, 0, 0, 0), 0x87868584);
    CHECK_U64(read_at(&p, "two", rows, 1, 1, 0, 0), 0xa7a6a5a4);
    CHECK_U64(read_at(&p, "two", rows, 9, 9, 0, 0), 0xa7a6a5a4);
    CHECK_U64(program_told(&p).finding_count, 0);
}

TEST(surfaces_write_what_textures_read_later) {
    Program p = begin();
    cudaArray_t array = counting((cudaExtent){4, 3, 0}, SURFACE);
    Handle surface = 0, texture = of_array(array);
    const cudaResourceDesc resource = {.resType = OF_ARRAY, .res.array = array};
    CHECK_INT(cudaCreateSurfaceObject(&surface, &resource), cudaSuccess);
    run(&p, "writes", NULL, surface, 2, 1, 55);
    CHECK_U64(read_at(&p, "two", texture, 2, 1, 0, 0), 55);
    CHECK_U64(read_at(&p, "two", texture, 1, 1, 0, 0), 5);
    CHECK_U64(program_told(&p).finding_count, 0);
}

// The order of accesses is checked where both kinds of objects are of one
// array.
static uint64_t race(Program *p, Handle texture, Handle surface) {
    uint32_t x = 1, y = 1, z = 7;
    void *args[] = {&texture, &surface, &x, &y, &z};
    CHECK_INT(cudaLaunchKernel(program_kernel(p, "races"), (dim3){2, 1, 1},
                               (dim3){1, 1, 1}, args, 0, NULL),
              cudaSuccess);
    CHECK_INT(cudaDeviceSynchronize(), cudaSuccess);
    return program_told(p).finding_count;
}

static Handle surface_of(cudaArray_t array) {
    Handle surface = 0;
    const cudaResourceDesc resource = {.resType = OF_ARRAY, .res.array = array};
    CHECK_INT(cudaCreateSurfaceObject(&surface, &resource), cudaSuccess);
    return surface;
}

TEST(a_surface_and_a_texture_of_one_array_may_race) {
    Program p = begin();
    cudaArray_t array = counting((cudaExtent){4, 3, 0}, SURFACE),
                other = counting((cudaExtent){4, 3, 0}, SURFACE);
    Handle texture = of_array(array), elsewhere = surface_of(other);
    CHECK_U64(race(&p, texture, elsewhere), 0);
    CHECK_U64(race(&p, texture, surface_of(array)), 1);
    CHECK_STR(program_told(&p).findings[0].cause.code, "RACE001");
}

TEST_MAIN(TESTCASE(arrays_are_read_by_row_and_plane),
          TESTCASE(layers_are_read_by_number),
          TESTCASE(levels_are_read_by_number),
          TESTCASE(memory_is_read_as_texels),
          TESTCASE(surfaces_write_what_textures_read_later),
          TESTCASE(a_surface_and_a_texture_of_one_array_may_race))
