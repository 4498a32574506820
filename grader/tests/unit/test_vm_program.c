// SPDX-License-Identifier: Apache-2.0
// Decoded programs are as small as they are meant to be: what is the same for
// all threads leaves no code, and a constant is there once.
#include "tests/unit/test.h"
#include "vm/machine/machine.h"
#include "vm/vm.h"

typedef struct Sizes {
    uint32_t code;        // instructions
    uint32_t const_bytes; // of constant operands
} Sizes;

// Of the kernel k whose body this is, launched.
static Sizes sizes_of(const char *body) {
    Arena arena = {0};
    Diags diags = diags_new(&arena);
    Str text = str_format(&arena,
                          ".version 9.0\n.target sm_100a\n.address_size 64\n"
                          ".visible .entry k(.param .u64 p)\n{\n"
                          ".reg .b32 %%r<99>; .reg .b64 %%l<9>;\n"
                          ".shared .align 4 .b8 x[512];\n%s\nret; }\n",
                          body);
    PtxModule *module = ptx_parse(&arena, STR("k.ptx"), text, &diags);
    Device *device = vm_open(vm_model_find(STR("mini")));
    uint64_t argument = 5;
    DeviceLaunch launch = {.kernel = STR("k"),
                           .grid = {1, 1, 1},
                           .block = {1, 1, 1},
                           .args = &argument,
                           .arg_bytes = sizeof argument};
    DeviceRun run;
    Sizes sizes = {0};
    if (CHECK(module != NULL) &&
        CHECK(device->ops->load(device, module, &diags)) &&
        CHECK(device->ops->launch(device, &arena, &launch, &run))) {
        const VmFunc *entry = ((Vm *)device)->program->entry;
        sizes = (Sizes){entry->code_count, entry->const_bytes};
    }
    device->ops->close(device);
    arena_free(&arena);
    return sizes;
}

TEST(what_all_threads_have_in_common_leaves_no_code) {
    static const char *const alike[] = {
        "mov.u32 %r1, 7;",
        "ld.param.u32 %r1, [p];",
        "ld.param.u32 %r2, [p]; mul.lo.u32 %r1, %r2, 3;",
        "mov.u32 %r1, %ntid.x;",
        "mov.u32 %r1, %ntid.z;",
        "mov.u32 %r1, %nctaid.x;",
        "mov.u32 %r1, %nctaid.z;",
        "mov.u32 %r1, %nclusterid.x;",
        "mov.u32 %r1, %nclusterid.z;",
        "mov.u32 %r1, %cluster_nctaid.x;",
        "mov.u32 %r1, %cluster_nctaid.z;",
        "mov.u32 %r1, %cluster_nctarank;",
        "mov.u32 %r2, %ntid.x; mul.lo.u32 %r1, %r2, 3;",
    };
    static const char store[] = "st.shared.u32 [x], %r1;";
    Sizes least = sizes_of("st.shared.u32 [x], 7;");
    for (size_t i = 0; i < COUNT_OF(alike); i++) {
        Arena arena = {0};
        Str body = str_format(&arena, "%s %s%c", alike[i], store, '\0');
        if (!CHECK_INT(sizes_of(body.ptr).code, least.code))
            printf("# %s\n", alike[i]);
        arena_free(&arena);
    }
    CHECK(sizes_of("mov.u32 %r1, %tid.x; st.shared.u32 [x], %r1;").code >
          least.code);
}

TEST(a_constant_is_there_once) {
    Arena arena = {0};
    Buf body = {0};
    for (int i = 0; i < 300; i++)
        buf_str(&body,
                str_format(&arena, "st.shared.u32 [x], %d;\n", i % 3 + 100));
    buf_byte(&body, '\0');
    Sizes once = sizes_of("st.shared.u32 [x], 100; st.shared.u32 [x], 101;"
                          "st.shared.u32 [x], 102;");
    Sizes often = sizes_of((const char *)buf_view(&body).ptr);
    CHECK_INT(often.code, once.code + 297);
    CHECK_INT(often.const_bytes, once.const_bytes);
    buf_free(&body);
    arena_free(&arena);
}

// ---- launched again ------------------------------------------------------

// out[0] = a * 3 + nctaid.x, out[1] = a sign-extended byte of c times nctaid.y.
static const char AGAIN[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u32 a, .param .b8 c)\n{\n"
    ".reg .b32 %r<9>; .reg .b64 %l<3>;\n"
    "ld.param.u64 %l0, [out]; cvta.to.global.u64 %l1, %l0;\n"
    "ld.param.u32 %r1, [a]; mov.u32 %r2, %nctaid.x;\n"
    "mad.lo.u32 %r3, %r1, 3, %r2; st.global.u32 [%l1], %r3;\n"
    "ld.param.s8 %r4, [c]; mov.u32 %r5, %nctaid.y;\n"
    "mul.lo.u32 %r6, %r4, %r5; st.global.u32 [%l1+4], %r6; ret; }\n";

typedef struct Arguments {
    uint64_t out;
    uint32_t a;
    int8_t c;
} Arguments;

TEST(other_parameters_and_grids_need_no_decoding) {
    Arena arena = {0};
    Diags diags = diags_new(&arena);
    PtxModule *module =
        ptx_parse(&arena, STR("k.ptx"), str_from(AGAIN), &diags);
    Device *device = vm_open(vm_model_find(STR("mini")));
    const VmFunc *entry = NULL;
    uint32_t buffer;
    uint64_t out;
    CHECK(module && device->ops->load(device, module, &diags));
    CHECK(device->ops->alloc(device, 8, &buffer, &out, &diags));
    for (uint32_t i = 0; i < 4; i++) {
        Arguments arguments = {out, 1000 + i, (int8_t) - (int)i};
        DeviceLaunch launch = {.kernel = STR("k"),
                               .grid = {1 + i / 2, 1 + i, 1},
                               .block = {1, 1, 1},
                               .args = &arguments,
                               .arg_bytes = 13};
        DeviceRun run;
        uint32_t got[2] = {0};
        CHECK(device->ops->launch(device, &arena, &launch, &run));
        CHECK(device->ops->read(device, buffer, 0, got, sizeof got));
        CHECK_U64(got[0], (1000 + i) * 3 + 1 + i / 2);
        CHECK_U64(got[1], 0u - i * (1 + i));
        const VmFunc *now = ((Vm *)device)->program->entry;
        CHECK(!entry || entry == now);
        entry = now;
    }
    device->ops->close(device);
    arena_free(&arena);
}

TEST_MAIN(TESTCASE(what_all_threads_have_in_common_leaves_no_code),
          TESTCASE(a_constant_is_there_once),
          TESTCASE(other_parameters_and_grids_need_no_decoding))
