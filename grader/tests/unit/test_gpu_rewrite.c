// SPDX-License-Identifier: Apache-2.0
// The text that a GPU gets: what a module becomes for each target, and what is
// refused, where. (That it does the right thing: test_gpu_run.c.)
#include "gpu/rewrite.h"
#include "gpu/table.h"
#include "gpu/target.h"
#include "tests/unit/test.h"

#include <dirent.h>

// ---- modules -------------------------------------------------------------

#define HEAD(version, target) \
    ".version " version "\n.target " target "\n.address_size 64\n"
#define CLC "clusterlaunchcontrol."
#define REQUEST(space, mods) \
    CLC "try_cancel.async" space ".mbarrier::complete_tx::bytes" mods ".b128 "
#define KERNEL(body)                                                       \
    HEAD("9.0", "sm_100a")                                                 \
    ".file 1 \"k.cu\"\n"                                                   \
    ".visible .entry k() {\n"                                              \
    ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .b128 %q; " \
    ".reg .b16 %h;"                                                        \
    "\n.shared .align 16 .b8 slot[32]; .shared .align 8 .b64 bar;\n"       \
    ".loc 1 7 3\n" body "\nret;\n}\n"

static PtxModule *parse(Arena *arena, Str text) {
    Diags diags = diags_new(arena);
    PtxModule *module = ptx_parse(arena, STR("test"), text, &diags);
    for (size_t i = 0; i < diags.count; i++)
        printf("# line %u: %.*s\n", diags.items[i].at.line,
               STR_ARG(diags.items[i].what));
    return module;
}

// The text, which parses; empty where it was refused.
static Str rewrite(Arena *arena, const char *text, GpuRewrite how) {
    PtxModule *module = parse(arena, str_from(text));
    Diags diags = diags_new(arena);
    Str ptx = {0};
    if (!CHECK(module) ||
        !CHECK(gpu_rewrite(arena, module, &how, &ptx, &diags)))
        return (Str){0};
    CHECK(parse(arena, ptx));
    return ptx;
}

static Str emulated(Arena *arena, const char *text) {
    return rewrite(arena, text, (GpuRewrite){STR("sm_90a"), .emulate = true});
}

// ---- retargeting ---------------------------------------------------------

static Str printed(Arena *arena, const PtxModule *module) {
    Buf text = {0};
    ptx_print(module, &text);
    Str copy = str_copy(arena, buf_view(&text));
    buf_free(&text);
    return copy;
}

TEST(retargeted_is_the_same_module) {
    Arena arena = {0};
    const char *text = KERNEL(REQUEST("", "") "[slot], [bar];");
    PtxModule *module = parse(&arena, str_from(text));
    module->target = STR("sm_121f");
    CHECK_STR(rewrite(&arena, text, (GpuRewrite){.target = STR("sm_121f")}),
              str_cstring(&arena, printed(&arena, module)));
    arena_free(&arena);
}

TEST(the_version_is_one_that_knows_the_target) {
    Arena arena = {0};
    const char *text = HEAD(
        "8.6", "sm_100a, texmode_independent") ".visible .entry k() { ret; }";
    CHECK_HOLDS(rewrite(&arena, text, (GpuRewrite){.target = STR("sm_103a")}),
                ".version 8.8\n.target sm_103a, texmode_independent\n");
    CHECK_HOLDS(rewrite(&arena, text, (GpuRewrite){.target = STR("sm_90")}),
                ".version 8.6\n.target sm_90, texmode_independent\n");
    arena_free(&arena);
}

TEST(targets_of_devices) {
    CHECK_STR(str_from(gpu_target_of_device(9, 0)->name), "sm_90a");
    CHECK_STR(str_from(gpu_target_of_device(10, 0)->name), "sm_100a");
    CHECK_STR(str_from(gpu_target_of_device(12, 1)->name), "sm_121a");
    CHECK_STR(str_from(gpu_target_of_device(8, 6)->name), "sm_86");
    CHECK(gpu_target_of_device(7, 0) == NULL);
    CHECK(gpu_target_of_device(13, 0) == NULL);
    CHECK(gpu_target_has_clc(gpu_target_find(STR("sm_120"))));
    CHECK(!gpu_target_has_clc(gpu_target_find(STR("sm_90a"))));
    CHECK(gpu_target_find(STR("sm_100b")) == NULL);
    CHECK_STR(str_from(gpu_target_name(0)), "sm_75");
}

// ---- refusals ------------------------------------------------------------

typedef struct Refusal {
    const char *body, *target;
    bool emulate;
    const char *what; // NULL: none
} Refusal;

#define MULTICAST \
    REQUEST(".shared::cta", ".multicast::cluster::all") "[slot], [bar];"
#define LACKS(name) " has no " name "."

static const Refusal REFUSALS[] = {
    {MULTICAST, "sm_100", false,
     "sm_100" LACKS(CLC "try_cancel.multicast::cluster::all")},
    {MULTICAST, "sm_120", false,
     "sm_120" LACKS(CLC "try_cancel.multicast::cluster::all")},
    {MULTICAST, "sm_120f", false, NULL},
    {MULTICAST, "sm_110a", false, NULL},
    {MULTICAST, "sm_90a", false, "sm_90a" LACKS(CLC "try_cancel")},
    {MULTICAST, "sm_90", true, NULL},
    {CLC "query_cancel.is_canceled.pred.b128 %p0, %q;", "sm_90", false,
     "sm_90" LACKS(CLC "query_cancel")},
    {REQUEST("", "") "[slot], [bar];", "sm_103", false, NULL},
    {"wgmma.fence.sync.aligned;", "sm_90", false, "sm_90" LACKS("wgmma.fence")},
    {"wgmma.fence.sync.aligned;", "sm_90a", true, NULL},
    {"wgmma.fence.sync.aligned;", "sm_100a", false,
     "sm_100a" LACKS("wgmma.fence")},
    {"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;",
     "sm_120a", false, "sm_120a" LACKS("tcgen05.alloc")},
    {"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;",
     "sm_103f", false, NULL},
    {"st.bulk.shared::cta [slot], 16, 0;", "sm_90a", true,
     "sm_90a" LACKS("st.bulk")},
    {"add.rn.f32x2 %rd0, %rd1, %rd1;", "sm_90", false,
     "sm_90" LACKS("add.f32x2")},
    {"mapa.shared::cluster.u32 %r0, %r1, 0;", "sm_80", false,
     "sm_80" LACKS("mapa")},
    {"fence.proxy.async;", "sm_89", false, "sm_89" LACKS("fence.proxy.async")},
    {"mbarrier.init.shared.b64 [bar], 1;", "sm_80", false, NULL},
    {"mbarrier.init.shared.b64 [bar], 1;", "sm_75", false,
     "sm_75" LACKS("mbarrier.init")},
};

static void check_refusal(Arena *arena, const Refusal *row) {
    const char *shell = KERNEL("BODY");
    const char *at = strstr(shell, "BODY");
    Str text = str_format(arena, "%.*s%s%s", (int)(at - shell), shell,
                          row->body, at + 4);
    PtxModule *module = parse(arena, text);
    Diags diags = diags_new(arena);
    const GpuRewrite how = {str_from(row->target), .emulate = row->emulate};
    Str ptx = {0};
    bool is_rewritten =
        CHECK(module) && gpu_rewrite(arena, module, &how, &ptx, &diags);
    if (!CHECK_INT(is_rewritten, row->what == NULL))
        printf("# %s for %s\n", row->body, row->target);
    CHECK_INT(diags.count, row->what ? 1 : 0);
    if (diags.count == 0 || !row->what)
        return;
    CHECK_STR(diags.items[0].what, row->what);
    CHECK_STR(diags.items[0].at.file, "k.cu");
    CHECK_INT(diags.items[0].at.line, 7);
    CHECK_STR(diags.items[0].code, "TARGET");
}

TEST(what_a_target_lacks) {
    Arena arena = {0};
    for (size_t i = 0; i < COUNT_OF(REFUSALS); i++)
        check_refusal(&arena, &REFUSALS[i]);
    arena_free(&arena);
}

static Str refused(Arena *arena, const char *text, GpuRewrite how) {
    PtxModule *module = parse(arena, str_from(text));
    Diags diags = diags_new(arena);
    Str ptx;
    if (!CHECK(module) ||
        !CHECK(!gpu_rewrite(arena, module, &how, &ptx, &diags)) ||
        !CHECK_INT(diags.count, 1))
        return (Str){0};
    return diags.items[0].what;
}

TEST(other_refusals) {
    Arena arena = {0};
    const char *text = KERNEL("");
    CHECK_STR(refused(&arena, text, (GpuRewrite){.target = STR("sm_95")}),
              "There is no target sm_95.");
    CHECK_HOLDS(
        refused(&arena, text, (GpuRewrite){STR("sm_100a"), .emulate = true}),
        "not for sm_100a");
    CHECK_STR(refused(&arena,
                      HEAD("9.0", "sm_100a") ".visible .entry k()\n"
                                             ".reqnctapercluster 2, 1, 1\n"
                                             "{ ret; }",
                      (GpuRewrite){.target = STR("sm_80")}),
              "sm_80 has no clusters, which k asks for.");
    arena_free(&arena);
}

TEST(each_way_to_ask_for_clusters_is_refused_without_them) {
    static const char *const ways[] = {
        ".reqnctapercluster 2, 1, 1", ".explicitcluster",
        ".explicitcluster .reqnctapercluster 2", ".maxclusterrank 4"};
    Arena arena = {0};
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        Str text = str_format(&arena,
                              HEAD("9.0", "sm_100a") ".visible .entry k()\n"
                                                     "%s\n{ ret; }",
                              ways[i]);
        CHECK_HOLDS(
            refused(&arena, text.ptr, (GpuRewrite){.target = STR("sm_80")}),
            "sm_80 has no clusters");
        rewrite(&arena, text.ptr, (GpuRewrite){.target = STR("sm_90a")});
    }
    arena_free(&arena);
}

// Line 7 of k.cu calls a header's function, which has the instruction.
TEST(what_a_header_uses_is_refused_where_the_kernel_calls_it) {
    Arena arena = {0};
    PtxModule *module = parse(
        &arena, str_from(HEAD("9.0", "sm_100a") ".file 1 \"k.cu\"\n"
                                                ".file 2 \"/x/lib.h\"\n"
                                                ".visible .entry k() {\n"
                                                ".reg .b32 %r<2>;\n"
                                                ".loc 1 5 1\n"
                                                "mov.u32 %r0, 0;\n"
                                                ".loc 2 90 1, function_name f, "
                                                "inlined_at 1 7 3\n"
                                                "mapa.shared::cluster.u32 %r1, "
                                                "%r0, 0;\n"
                                                "ret;\n}\n"
                                                ".section .debug_str\n{\n"
                                                "f:\n.b8 102\n.b8 0\n}\n"));
    Diags diags = diags_new(&arena);
    const GpuTarget *target = gpu_target_find(STR("sm_80"));
    if (CHECK(module) && CHECK(target))
        CHECK(!gpu_target_check(target, module, false, &diags));
    if (CHECK_INT(diags.count, 1)) {
        CHECK_STR(diags.items[0].at.file, "k.cu");
        CHECK_INT(diags.items[0].at.line, 7);
    }
    arena_free(&arena);
}

TEST(the_name_of_the_table_is_taken) {
    Arena arena = {0};
    const GpuRewrite ledger = {STR("sm_100a"), .ledger = true};
    const char *var = HEAD(
        "9.0",
        "sm_100a") ".global .b32 clclab_gpu;\n.visible .entry k() { ret; }";
    const char *func = HEAD(
        "9.0",
        "sm_100a") ".func clclab_gpu() { ret; }\n.visible .entry k() { ret; }";
    CHECK_STR(refused(&arena, var, ledger), "The name clclab_gpu is taken.");
    CHECK_STR(refused(&arena, func, ledger), "The name clclab_gpu is taken.");
    CHECK_HOLDS(rewrite(&arena, var, (GpuRewrite){.target = STR("sm_100a")}),
                "clclab_gpu");
    // In a function it is another one.
    Str local =
        rewrite(&arena,
                HEAD("9.0", "sm_100a") ".visible .entry k() {\n"
                                       ".shared .b32 clclab_gpu;\n"
                                       "st.shared.b32 [clclab_gpu], 1;\n"
                                       "ret;\n}",
                ledger);
    CHECK_HOLDS(local, "st.shared.b32 [clclab_gpu$1], 1;");
    CHECK_HOLDS(local, ".visible .const .align 8 .b8 clclab_gpu[64];");
    arena_free(&arena);
}

// ---- the emulation -------------------------------------------------------

TEST(a_guarded_request) {
    Arena arena = {0};
    Str is = emulated(
        &arena, KERNEL("@%p1 " REQUEST(".shared::cta", "") "[slot], [bar];"));
    Str is_not = emulated(
        &arena, KERNEL("@!%p1 " REQUEST(".shared::cta", "") "[slot], [bar];"));
    Str always = emulated(&arena, KERNEL(REQUEST("", "") "[slot], [bar];"));
    CHECK_HOLDS(is, "\t@!%p1 bra gpu_done;\n");
    CHECK_HOLDS(is_not, "\t@%p1 bra gpu_done;\n");
    CHECK_LACKS(always, "bra gpu_done");
    CHECK_LACKS(is, "try_cancel");
    CHECK_HOLDS(is, "\t.loc 1 7 3\n\t{\n");
    arena_free(&arena);
}

TEST(addresses_of_requests) {
    Arena arena = {0};
    Str symbol = emulated(&arena, KERNEL(REQUEST("", "") "[slot+16], [bar];"));
    CHECK_HOLDS(symbol, "\tmov.u32 gpu_slot, slot+16;\n");
    CHECK_HOLDS(symbol, "\tmov.u32 gpu_barrier, bar;\n");
    Str generic =
        emulated(&arena, KERNEL(REQUEST("", "") "[%rd1+-16], [%rd2];"));
    CHECK_HOLDS(generic, "\tcvta.to.shared.u64 gpu_place, %rd1;\n"
                         "\tcvt.u32.u64 gpu_slot, gpu_place;\n"
                         "\tadd.u32 gpu_slot, gpu_slot, -16;\n");
    CHECK_HOLDS(generic, "\tcvta.to.shared.u64 gpu_place, %rd2;\n"
                         "\tcvt.u32.u64 gpu_barrier, gpu_place;\n");
    Str wide =
        emulated(&arena, KERNEL(REQUEST(".shared::cta", "") "[%rd1], [%rd2];"));
    CHECK_HOLDS(wide, "\tmov.b64 gpu_place, %rd1;\n");
    CHECK_LACKS(wide, "cvta");
    Str narrow =
        emulated(&arena, KERNEL(REQUEST(".shared::cta", "") "[%r1+8], [%r2];"));
    CHECK_HOLDS(narrow, "\tmov.u32 gpu_slot, %r1;\n"
                        "\tadd.u32 gpu_slot, gpu_slot, 8;\n");
    CHECK_HOLDS(narrow, "\tmov.u32 gpu_barrier, %r2;\n");
    Str half =
        emulated(&arena, KERNEL(".reg .b8 %c; " REQUEST("", "") "[%h], [%c];"));
    CHECK_HOLDS(half, "\tcvt.u32.u16 gpu_slot, %h;\n");
    CHECK_HOLDS(half, "\tcvt.u32.u8 gpu_barrier, %c;\n");
    arena_free(&arena);
}

TEST(who_gets_the_answer) {
    Arena arena = {0};
    Str one = emulated(&arena, KERNEL(REQUEST("", "") "[slot], [bar];"));
    Str all = emulated(&arena, KERNEL(MULTICAST));
    CHECK_LACKS(one, "st.async");
    CHECK_HOLDS(all, "st.async.shared::cluster.mbarrier::complete_tx::bytes"
                     ".v4.b32");
    CHECK_HOLDS(all, "mov.pred gpu_p, %is_explicit_cluster;");
    CHECK_HOLDS(all, "mbarrier.complete_tx.relaxed.cta.shared::cta.b64");
    arena_free(&arena);
}

TEST(queries) {
    Arena arena = {0};
    Str ptx = emulated(
        &arena,
        KERNEL(CLC "query_cancel.is_canceled.pred.b128 %p1, %q;\n"
                   "@!%p2 " CLC "query_cancel.is_canceled.pred.b128 %p3, %q;\n"
                   "@%p1 " CLC
                   "query_cancel.get_first_ctaid::x.b32.b128 %r1, %q;\n" CLC
                   "query_cancel.get_first_ctaid::y.b32.b128 %r2, %q;\n" CLC
                   "query_cancel.get_first_ctaid::z.b32.b128 %r3, %q;\n"
                   "@%p1 " CLC "query_cancel.get_first_ctaid.v4.b32.b128 "
                   "{%r4, _, %r6, %r7}, %q;"));
    CHECK_HOLDS(ptx, "\tmov.b128 {gpu_low, gpu_high}, %q;\n"
                     "\tshr.u64 gpu_high, gpu_high, 32;\n"
                     "\tsetp.ne.u64 %p1, gpu_high, 0;\n");
    CHECK_HOLDS(ptx, "\t@!%p2 setp.ne.u64 %p3, gpu_high, 0;\n");
    CHECK_HOLDS(ptx, "\t@%p1 mov.b64 {%r1, gpu_rest}, gpu_low;\n");
    CHECK_HOLDS(ptx, "\tmov.b64 {gpu_rest, %r2}, gpu_low;\n");
    CHECK_HOLDS(ptx, "\tmov.b64 {%r3, gpu_rest}, gpu_high;\n");
    CHECK_HOLDS(ptx, "\t@%p1 mov.b64 {%r4, gpu_rest}, gpu_low;\n"
                     "\t@%p1 mov.b64 {%r6, gpu_rest}, gpu_high;\n"
                     "\t@%p1 mov.b32 %r7, 0;\n\t}\n");
    CHECK_LACKS(ptx, "query_cancel");
    // One without an axis has four results, so this never comes to be
    // rewritten.
    Diags diags = diags_new(&arena);
    const char *no_axis =
        KERNEL(CLC "query_cancel.get_first_ctaid.b32.b128 %r1, %q;");
    CHECK(!ptx_parse(&arena, STR("test"), str_from(no_axis), &diags));
    CHECK_INT(diags.count, 1);
    CHECK_HOLDS(diags.count ? diags.items[0].what : STR(""),
                "'clusterlaunchcontrol.query_cancel' does not take these "
                "suffixes together");
    arena_free(&arena);
}

#define FUNC_MODULE                                           \
    HEAD("9.0", "sm_100a")                                    \
    ".shared .align 16 .b8 slot[16]; .shared .b64 bar;\n"     \
    ".func ask() {\n" REQUEST(                                \
        "", "") "[slot], [bar];\nret;\n}\n"                   \
                ".visible .entry k() {\n.reg .b32 %r;\n"      \
                "mov.u32 %r, %ctaid.x;\ncall ask;\nret;\n}\n" \
                ".visible .entry other() { ret; }\n"

static size_t count(Str text, const char *part) {
    size_t found = 0, size = strlen(part);
    for (size_t i = 0; i + size <= text.len; i++)
        found += memcmp(text.ptr + i, part, size) == 0;
    return found;
}

TEST(requests_of_functions) {
    Arena arena = {0};
    GpuRewrite how = {STR("sm_90a"), STR("k"), .emulate = true};
    Str drawn = rewrite(&arena, FUNC_MODULE, how);
    how.keeps_index = true;
    Str claimed = rewrite(&arena, FUNC_MODULE, how);
    CHECK_INT(count(drawn, "atom.relaxed.gpu.global.add.u32 gpu_index"), 3);
    CHECK_INT(count(drawn, "atom.relaxed.gpu.global.cas"), 0);
    CHECK_INT(count(drawn, "\tmov.u32 gpu_at, %ctaid.x;\n"), 1);
    CHECK_INT(count(drawn, "mov.u32 %r, %ctaid.x;"), 0);
    CHECK_HOLDS(drawn, "\t.reg .b32 gpu_word0;\n"
                       "\tld.shared.b32 gpu_word0, [gpu_own+0];\n"
                       "\tmov.u32 %r, gpu_word0;\n");
    CHECK_INT(count(claimed, "atom.relaxed.gpu.global.add.u32 gpu_index"), 1);
    CHECK_INT(count(claimed, "atom.relaxed.gpu.global.cas"), 2);
    CHECK_INT(count(claimed, "mov.u32 %r, %ctaid.x;"), 1);
    CHECK_LACKS(claimed, "gpu_own");
    arena_free(&arena);
}

TEST(reads_of_the_index) {
    Arena arena = {0};
    Str ptx = emulated(
        &arena,
        KERNEL(REQUEST("", "") "[slot], [bar];\n"
                               "@%p1 cvt.u64.u32 %rd1, %ctaid.z;\n"
                               "mov.v4.u32 {%r1, %r2, _, _}, %clusterid;\n"
                               "mov.b64 %rd2, {%ctaid.x, %clusterid.y};\n"
                               "mov.b16 %h, %ctaid.y;\n"
                               "mov.u32 %r3, %nctaid.x;"));
    CHECK_HOLDS(ptx, "\tld.shared.b32 gpu_word0, [gpu_own+8];\n"
                     "\t@%p1 cvt.u64.u32 %rd1, gpu_word0;\n");
    CHECK_HOLDS(ptx, "\tld.shared.v4.u32 {%r1, %r2, _, _}, [gpu_own+16];\n");
    CHECK_HOLDS(ptx, "[gpu_own+20];\n"
                     "\tmov.b64 %rd2, {gpu_word0, gpu_word1};\n");
    CHECK_HOLDS(ptx, "\tcvt.u16.u32 %h, gpu_word0;\n");
    CHECK_HOLDS(ptx, "\tmov.u32 %r3, %nctaid.x;\n");
    arena_free(&arena);
}

TEST(nothing_to_grant) {
    Arena arena = {0};
    Str ptx = emulated(&arena, KERNEL("mov.u32 %r1, %ctaid.x;"));
    CHECK_HOLDS(ptx, "mov.u32 %r1, %ctaid.x;");
    CHECK_LACKS(ptx, "gpu_own");
    CHECK_LACKS(ptx, "atom");
    arena_free(&arena);
}

TEST(names_like_ours) {
    Arena arena = {0};
    Str ptx = emulated(
        &arena,
        HEAD("9.0",
             "sm_100a") ".visible .entry k() {\n"
                        ".reg .b32 gpu_slot; .reg .b64 gpu1_<3>;\n"
                        ".shared .align 16 .b8 slot[16]; .shared .b64 bar;\n"
                        "mov.b32 gpu_slot, 1; mov.b64 gpu1_2, 0;\n" REQUEST(
                            "", "") "[slot], [bar];\nret;\n}");
    CHECK_HOLDS(ptx, "\tmov.u32 gpu2_slot, slot;\n");
    CHECK_LACKS(ptx, "mov.u32 gpu_slot");
    CHECK_LACKS(ptx, "gpu1_slot");
    arena_free(&arena);
}

// ---- the ledger ----------------------------------------------------------

TEST(a_ledger_keeps_the_instructions) {
    Arena arena = {0};
    const char *text = KERNEL("@%p1 " REQUEST(
        ".shared::cta",
        "") "[slot], [bar];\n" CLC
            "query_cancel.get_first_ctaid::x.b32.b128 %r1, %q;");
    Str ptx =
        rewrite(&arena, text, (GpuRewrite){STR("sm_100a"), .ledger = true});
    CHECK_HOLDS(ptx, "\t@%p1 red.relaxed.gpu.global.add.u32 ");
    CHECK_HOLDS(ptx, "\t@%p1 " REQUEST(".shared::cta", "") "[slot], [bar];\n");
    CHECK_HOLDS(ptx,
                "\t" CLC "query_cancel.get_first_ctaid::x.b32.b128 %r1, %q;\n");
    CHECK_INT(count(ptx, "clclab_gpu[64]"), 1);
    arena_free(&arena);
}

// Labs 1 and 2 run on GPUs that have no clusters: neither has their ledger.
TEST(a_ledger_without_clusters) {
    Arena arena = {0};
    const char *text =
        HEAD("8.6", "sm_100a") ".func f() { ret; }\n.visible .entry k() "
                               "{ call f; ret; }";
    GpuRewrite how = {
        .target = STR("sm_86"), .ledger = true, .calls_of = STR("f")};
    Str old = rewrite(&arena, text, how);
    CHECK_HOLDS(old, "atom.relaxed.gpu.global.cas.b32");
    CHECK_LACKS(old, "cluster_at");
    CHECK_LACKS(old, "clusterid");
    how.target = STR("sm_90a");
    CHECK_HOLDS(rewrite(&arena, text, how), "%nclusterid.x");
    arena_free(&arena);
}

TEST(calls_alone) {
    Arena arena = {0};
    Str ptx = rewrite(&arena, FUNC_MODULE,
                      (GpuRewrite){STR("sm_100a"), .calls_of = STR("ask")});
    CHECK_INT(count(ptx, "gpu_calls, [clclab_gpu+32]"), 1);
    CHECK_INT(count(ptx, "clclab_gpu+"), 1);
    arena_free(&arena);
}

// ---- any module ----------------------------------------------------------

static void rewrite_file(const char *path, unsigned *rewritten) {
    static const GpuRewrite hows[] = {
        {STR("sm_100a"), .ledger = true},
        {STR("sm_90a"), .emulate = true},
        {STR("sm_90a"), .emulate = true, .ledger = true},
        {STR("sm_90a"), .emulate = true, .ledger = true, .keeps_index = true},
    };
    Arena arena = {0};
    PtxModule *module = parse(&arena, test_file(&arena, path));
    for (size_t i = 0; CHECK(module) && i < COUNT_OF(hows); i++) {
        Diags diags = diags_new(&arena);
        Str ptx;
        if (!gpu_rewrite(&arena, module, &hows[i], &ptx, &diags)) {
            CHECK_STR(diags.items[0].code, "TARGET");
            continue;
        }
        *rewritten += 1;
        if (!CHECK(parse(&arena, ptx)))
            printf("# %s, %zu\n", path, i);
    }
    arena_free(&arena);
}

TEST(what_is_rewritten_parses) {
    DIR *folder = opendir("grader/tests/ptx");
    struct dirent *entry;
    unsigned rewritten = 0;
    while (folder && (entry = readdir(folder))) {
        char path[300];
        snprintf(path, sizeof path, "grader/tests/ptx/%s", entry->d_name);
        if (strncmp(entry->d_name, "ok_", 3) == 0)
            rewrite_file(path, &rewritten);
    }
    if (CHECK(folder))
        closedir(folder);
    CHECK(rewritten > 20);
}

TEST_MAIN(TESTCASE(retargeted_is_the_same_module),
          TESTCASE(the_version_is_one_that_knows_the_target),
          TESTCASE(targets_of_devices), TESTCASE(what_a_target_lacks),
          TESTCASE(other_refusals),
          TESTCASE(each_way_to_ask_for_clusters_is_refused_without_them),
          TESTCASE(what_a_header_uses_is_refused_where_the_kernel_calls_it),
          TESTCASE(the_name_of_the_table_is_taken), TESTCASE(a_guarded_request),
          TESTCASE(addresses_of_requests), TESTCASE(who_gets_the_answer),
          TESTCASE(queries), TESTCASE(requests_of_functions),
          TESTCASE(reads_of_the_index), TESTCASE(nothing_to_grant),
          TESTCASE(names_like_ours), TESTCASE(a_ledger_keeps_the_instructions),
          TESTCASE(a_ledger_without_clusters), TESTCASE(calls_alone),
          TESTCASE(what_is_rewritten_parses))
