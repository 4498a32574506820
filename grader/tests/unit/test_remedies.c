// SPDX-License-Identifier: Apache-2.0
// The edits of remedies/: a kernel and a finding in, PTX out. One kernel has
// something of all that edits are made of; each row of EDITS names the finding,
// the place of the edit, and what the text holds then. What is printed parses
// again, and ptxas takes it, where there is one. That an edit heals is shown by
// advice.bats.
#include "gpu/assemble.h"
#include "remedies/remedies.h"
#include "sandbox/toolkit.h"
#include "tests/unit/test.h"

#define REQUEST                                                                \
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx:" \
    ":bytes.b128"

#define RELEASING \
    "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;"
#define ACQUIRING                                                        \
    "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster." \
    "cluster;"

static const char KERNEL[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".file 1 \"k.cu\"\n"
    ".visible .entry k(.param .u64 k_param_0)\n"
    ".reqnctapercluster 2, 1, 1\n"
    "{\n"
    ".reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %rd<8>; .reg .b128 %q;\n"
    ".shared .align 16 .b8 _ZZ1kPfE4slot[32];\n"
    ".shared .align 8 .b8 _ZZ1kPfE3bar[24];\n"
    ".shared .align 4 .u32 _ZZ1kPfE5phase;\n"
    ".loc 1 5 1\n"
    "mov.u32 %r1, %tid.x;\n"
    "mov.u64 %rd1, _ZZ1kPfE3bar;\n"
    "cvt.u32.u64 %r2, %rd1;\n"
    "mov.b32 %r3, 0;\n"
    "st.shared.u32 [_ZZ1kPfE5phase], %r3;\n"
    "setp.ne.s32 %p1, %r1, 0;\n"
    "@%p1 bra MADE;\n"
    ".loc 1 6 1\n"
    "mov.b32 %r4, 1;\n"
    "mbarrier.init.shared.b64 [%r2], %r4;\n"
    ".loc 1 7 1\n"
    "mbarrier.init.shared.b64 [%r2+8], 1;\n"
    ".loc 1 8 1\n"
    "bar.sync 0;\n"
    "MADE:\n"
    ".loc 1 9 1\n"
    "bar.sync 1, 64;\n" ACQUIRING "\n"
    "LOOP:\n"
    ".loc 1 20 1\n"
    "@%p1 bra ASKED;\n"
    ".loc 1 21 1\n"
    "mov.u64 %rd2, _ZZ1kPfE4slot;\n"
    "cvt.u32.u64 %r5, %rd2;\n"
    ".loc 1 22 1\n" REQUEST " [%r5], [%r2];\n"
    ".loc 1 23 1\n"
    "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%r2], 16;\n"
    "ASKED:\n"
    ".loc 1 30 1\n"
    "ld.shared.u32 %r6, [_ZZ1kPfE5phase];\n"
    "WAIT:\n"
    ".loc 1 40 1\n"
    "mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p2, [%r2], %r6;\n"
    "@!%p2 bra WAIT;\n"
    ".loc 1 41 1\n"
    "xor.b32 %r7, %r6, 1;\n"
    "st.shared.u32 [_ZZ1kPfE5phase], %r7;\n"
    ".loc 1 42 1\n"
    "mbarrier.arrive.shared::cta.b64 _, [%r2+8];\n"
    ".loc 1 43 1\n"
    "ld.shared.v2.u64 {%rd3, %rd4}, [_ZZ1kPfE4slot];\n"
    "mov.b128 %q, {%rd3, %rd4};\n"
    ".loc 1 44 1\n"
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %q;\n"
    "@%p3 bra LOOP;\n"
    ".loc 1 45 1\n"
    "mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r2+8], 0;\n"
    ".loc 1 46 1\n"
    "barrier.cluster.arrive.relaxed.aligned;\n"
    "barrier.cluster.wait.acquire.aligned;\n"
    ".loc 1 47 1\n" RELEASING "\n"
    "ret;\n"
    "}\n";

// One that works, and takes what it is granted, with nothing right about it:
// the index is computed in front of the loop, the prologue called in it.
static const char WORK[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".file 1 \"k.cu\"\n"
    ".func (.param .b32 out) prologue()\n"
    "{ .reg .f32 %f1; mov.f32 %f1, 0f3F800000; st.param.f32 [out], %f1; ret; "
    "}\n"
    ".visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1)\n"
    ".reqnctapercluster 2, 1, 1\n"
    "{\n"
    ".reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %rd<8>; .reg .b128 %q;\n"
    ".reg .f32 %f<8>;\n"
    ".shared .align 16 .b8 slot[16];\n"
    ".shared .align 8 .b64 bar;\n"
    ".shared .align 8 .b8 ring[64];\n"
    ".shared .align 4 .u32 _ZZ1kPfE5ended;\n"
    ".loc 1 5 1\n"
    "mov.u32 %r1, %ctaid.x;\n"
    "mov.u32 %r2, %tid.x;\n"
    "mov.u32 %r3, %ntid.x;\n"
    ".loc 1 6 1\n"
    "mad.lo.s32 %r4, %r1, %r3, %r2;\n"
    "ld.param.u32 %r5, [k_param_1];\n"
    "ld.param.u64 %rd1, [k_param_0];\n"
    "setp.ne.s32 %p1, %r2, 0;\n"
    "LOOP:\n"
    ".loc 1 10 1\n"
    "bar.sync 0;\n"
    ".loc 1 11 1\n"
    "@%p1 bra ASKED;\n"
    ".loc 1 12 1\n" REQUEST " [slot], [bar];\n"
    ".loc 1 13 1\n"
    "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 16;\n"
    "ASKED:\n"
    ".loc 1 15 1\n"
    "{ .param .b32 given; call.uni (given), prologue, (); "
    "ld.param.f32 %f1, [given]; }\n"
    ".loc 1 16 1\n"
    "setp.ge.s32 %p2, %r4, %r5;\n"
    "@%p2 bra OUT;\n"
    ".loc 1 17 1\n"
    "mul.wide.s32 %rd2, %r4, 4;\n"
    "add.s64 %rd3, %rd1, %rd2;\n"
    "ld.global.f32 %f2, [%rd3];\n"
    "add.f32 %f3, %f2, %f1;\n"
    "st.global.f32 [%rd3], %f3;\n"
    "WAIT:\n"
    ".loc 1 20 1\n"
    "mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], %r6;\n"
    "@!%p3 bra WAIT;\n"
    "xor.b32 %r6, %r6, 1;\n"
    ".loc 1 24 1\n"
    "ld.shared.b128 %q, [slot];\n"
    ".loc 1 25 1\n"
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p4, %q;\n"
    ".loc 1 26 1\n"
    "@!%p4 bra OUT;\n"
    ".loc 1 27 1\n"
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r7, %q;\n"
    ".loc 1 28 1\n"
    "{ .param .b32 given; call.uni (given), prologue, (); "
    "ld.param.f32 %f4, [given]; }\n"
    ".loc 1 29 1\n"
    "ld.shared.u32 %r8, [_ZZ1kPfE5ended];\n"
    "setp.lt.s32 %p5, %r8, %r5;\n"
    "@%p5 bra LOOP;\n"
    ".loc 1 31 1\n"
    "shl.b32 %r9, %r8, 2;\n"
    "setp.lt.u32 %p6, %r9, 5;\n"
    ".loc 1 32 1\n"
    "@%p6 bra OUT;\n"
    "and.pred %p7, %p6, %p1;\n"
    "@%p7 bra OUT;\n"
    ".loc 1 33 1\n"
    "bar.warp.sync 0xffffffff;\n"
    ".loc 1 34 1\n"
    "mul.wide.s32 %rd4, %r9, 8;\n"
    "mov.u64 %rd5, ring;\n"
    "add.s64 %rd6, %rd5, %rd4;\n"
    "cvt.u32.u64 %r10, %rd6;\n"
    "mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r10], %r6;\n"
    ".loc 1 35 1\n"
    "mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r10+32], %r6;\n"
    "OUT:\n"
    ".loc 1 30 1\n"
    "ret;\n"
    "}\n";

static PtxModule *parse(Arena *arena, Str text) {
    Diags diags = diags_new(arena);
    PtxModule *module = ptx_parse(arena, STR("test"), text, &diags);
    for (size_t i = 0; i < diags.count; i++)
        printf("# line %u: %.*s\n", diags.items[i].at.line,
               STR_ARG(diags.items[i].what));
    return module;
}

static Str print(Arena *arena, const PtxModule *module) {
    Buf text = {0};
    ptx_print(module, &text);
    Str copy = str_copy(arena, buf_view(&text));
    buf_free(&text);
    return copy;
}

enum { MOST = 256 };

typedef struct Chosen {
    Finding finding;
    RemedySite site;
    Remedy list[MOST];
    size_t count;
} Chosen;

static Chosen *choose(Arena *arena, const char *kernel, DeviceRule rule,
                      uint32_t line) {
    static const Fact facts[] = {FACT(EXPECTED, 4), FACT(PENDING, 1)};
    Chosen *chosen = arena_new(arena, Chosen, 1);
    PtxModule *module = parse(arena, str_from(kernel));
    if (!CHECK(module))
        exit(1);
    chosen->finding = (Finding){.rule = rule,
                                .facts = {facts, COUNT_OF(facts)},
                                .at = {.file = STR("k.cu"), .line = line}};
    chosen->site = (RemedySite){.module = module,
                                .entry = ptx_find_func(module, STR("k")),
                                .file = STR("k.cu"),
                                .finding = &chosen->finding,
                                .threads = 128,
                                .cluster = 2};
    chosen->count = remedies_choose(arena, &chosen->site, chosen->list, MOST);
    return chosen;
}

typedef struct EditCase {
    DeviceRule rule;
    uint32_t line; // of the finding
    RemedyKind kind;
    uint32_t at;       // line of the edit
    const char *holds; // the first of the kind there whose text holds it
    const char *lacks; // or NULL
} EditCase;

static const EditCase EDITS[] = {
    // What is not ordered.
    {RULE_RACE001, 43, REMEDY_BARRIER_WARP, 43, "bar.warp.sync", NULL},
    {RULE_RACE001, 43, REMEDY_BARRIER_BLOCK, 43, "bar.sync 0;\n\tld", NULL},
    {RULE_RACE001, 43, REMEDY_BARRIER_CLUSTER, 43,
     "barrier.cluster.arrive.release.aligned", NULL},
    {RULE_CLC006, 22, REMEDY_FENCE_CTA, 22, "fence.proxy.async.shared::cta;",
     NULL},
    {RULE_CLC006, 22, REMEDY_FENCE_SLOTS, 22,
     "fence.proxy.async.shared::cluster;", NULL},
    {RULE_RACE002, 22, REMEDY_FENCE_PROXY, 22, "fence.proxy.async;", NULL},
    {RULE_CLC006, 44, REMEDY_FENCE_RELEASING, 44,
     RELEASING "\n\tclusterlaunchcontrol.query", NULL},
    {RULE_CLC006, 22, REMEDY_FENCE_ACQUIRING, 22,
     ACQUIRING "\n\tclusterlaunchcontrol.try", NULL},
    {RULE_BAR004, 8, REMEDY_FENCE_INIT, 8,
     "fence.mbarrier_init.release.cluster;", NULL},
    {RULE_RACE001, 43, REMEDY_FENCE_BLOCK, 43, "fence.acq_rel.cta;", NULL},
    {RULE_RACE001, 43, REMEDY_FENCE_CLUSTER, 43, "fence.acq_rel.cluster;",
     NULL},
    {RULE_RACE001, 43, REMEDY_FENCE_GRID, 43, "fence.acq_rel.gpu;", NULL},
    // Barriers.
    {RULE_SYNC001, 8, REMEDY_BARRIER_BEFORE, 8,
     "bar.sync 0;\n\t.loc 1 5 1\n\t@%p1 bra", NULL},
    {RULE_SYNC001, 8, REMEDY_BARRIER_BEHIND, 8,
     "MADE:\n\t.loc 1 8 1\n\tbar.sync 0", NULL},
    {RULE_DEADLOCK, 9, REMEDY_BARRIER_THREADS, 9, "bar.sync 1, 128", NULL},
    {RULE_DEADLOCK, 8, REMEDY_BARRIER_THREADS, 8, "bar.sync 14, 96", NULL},
    {RULE_DEADLOCK, 9, REMEDY_BARRIER_ALL, 9, "bar.sync 0;", "1, 64"},
    {RULE_DEADLOCK, 9, REMEDY_BARRIER_LESS, 9, "ret", "1, 64"},
    // What an mbarrier counts.
    {RULE_DEADLOCK, 40, REMEDY_INIT_COUNT, 6, "[%r2], 3;", NULL},
    {RULE_DEADLOCK, 40, REMEDY_BYTES, 23, "[%r2], 32;", NULL},
    {RULE_DEADLOCK, 40, REMEDY_ANNOUNCE, 42, "[%r2+8], 16;", NULL},
    {RULE_DEADLOCK, 22, REMEDY_ANNOUNCE_REQUEST, 22,
     "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r2], 16",
     NULL},
    {RULE_DEADLOCK, 22, REMEDY_ANNOUNCE_IN_EACH, 22, "[_ZZ1kPfE3bar], 16;",
     NULL},
    {RULE_BAR001, 42, REMEDY_ARRIVAL_LESS, 42, "ret", "arrive.shared::cta"},
    {RULE_BAR003, 7, REMEDY_INIT_LESS, 7, "ret", "init.shared.b64 [%r2+8]"},
    {RULE_CLC010, 22, REMEDY_REQUEST_LESS, 22, "ret", "try_cancel"},
    // Which one is meant.
    {RULE_CLC010, 22, REMEDY_OTHER_MBARRIER, 22, "[%r5], [_ZZ1kPfE3bar+8];",
     NULL},
    {RULE_CLC010, 22, REMEDY_OTHER_SLOT, 22, "[_ZZ1kPfE4slot+16], [%r2];",
     NULL},
    {RULE_DEADLOCK, 42, REMEDY_OF_RANK_0, 42, "mapa.shared::cluster.u32", NULL},
    {RULE_CLC005, 7, REMEDY_INIT_NEIGHBOUR, 7, "[_ZZ1kPfE3bar+16], 1;", NULL},
    // Waits.
    {RULE_CLC007, 45, REMEDY_WAIT_LOOP, 45, "@!%p4 bra", NULL},
    {RULE_CLC007, 43, REMEDY_WAIT_LIKE, 43,
     "mbarrier.try_wait.parity.shared::cta.b64 edited", NULL},
    {RULE_CLC007, 43, REMEDY_WAIT_FOR_ANSWER, 43, "[_ZZ1kPfE3bar], edited",
     NULL},
    {RULE_DEADLOCK, 45, REMEDY_OTHER_PARITY, 45, "[%r2+8], 1;", NULL},
    {RULE_DEADLOCK, 40, REMEDY_OTHER_PARITY, 40, "xor.b32 edited", NULL},
    {RULE_DEADLOCK, 40, REMEDY_OWN_PARITY, 40, "[%r2], edited", NULL},
    {RULE_DEADLOCK, 41, REMEDY_FLIP_LESS, 41, "mov.b32 %r7, %r6;", "xor"},
    {RULE_RACE001, 41, REMEDY_OWN_VARIABLE, 41, "mov.b32 edited",
     "[_ZZ1kPfE5phase]"},
    // Too weak.
    {RULE_CLC007, 40, REMEDY_ORDERED, 40, "parity.acquire.cta", NULL},
    {RULE_CLC003, 46, REMEDY_ORDERED, 46, "cluster.arrive.release", NULL},
    {RULE_RACE001, 40, REMEDY_ORDERED_ALL, 40, "parity.acquire.cta", "relaxed"},
    {RULE_CLC007, 40, REMEDY_SCOPE_OF_CLUSTER, 40, "parity.relaxed.cluster",
     NULL},
    // Elsewhere.
    {RULE_RACE001, 43, REMEDY_LATER, 42,
     "[_ZZ1kPfE4slot];\n\t.loc 1 42 1\n\tmbarrier.arrive.shared::cta", NULL},
    {RULE_BAR002, 8, REMEDY_EARLIER, 7,
     "[%r2+8], 1;\n\t.loc 1 6 1\n\tmbarrier.init", NULL},
    {RULE_CLC001, 22, REMEDY_REQUEST_MOVED, 22, "edited_label", NULL},
    {RULE_CLC010, 42, REMEDY_FOR_ONE, 42, "%tid.z", NULL},
    {DEVICE_RULE_NONE, 20, REMEDY_FOR_ALL, 20, "ret", "@%p1 bra ASKED"},
};

// Likewise of WORK.
static const EditCase WORK_EDITS[] = {
    // Who does it.
    {RULE_BAR001, 13, REMEDY_FOR_ONE, 13, "%laneid;", NULL},
    {RULE_CLC010, 12, REMEDY_OTHER_CONDITION, 11, "%cluster_ctarank;",
     "@%p1 bra"},
    {RULE_MEM001, 17, REMEDY_WITHIN_BOUND, 17,
     "[k_param_1];\n\tsetp.lt.s32 edited", NULL},
    {DEVICE_RULE_NONE, 17, REMEDY_GO_ON, 16, "bra edited_label", NULL},
    {DEVICE_RULE_NONE, 17, REMEDY_STAY, 16, "ret", "@%p2 bra"},
    {RULE_CLC002, 27, REMEDY_OTHER_WAY, 26, "@%p4 bra", "@!%p4 bra"},
    {DEVICE_RULE_NONE, 17, REMEDY_OTHER_BOUND, 16, "setp.gt.s32 %p2", NULL},
    // What is computed.
    {DEVICE_RULE_NONE, 17, REMEDY_OTHER_OPERATION, 17, "mul.f32 %f3, %f2, %f1",
     "add.f32"},
    {DEVICE_RULE_NONE, 15, REMEDY_CALL_BEFORE, 15,
     "ld.param.f32 %f1, [given];\n", NULL},
    {DEVICE_RULE_NONE, 28, REMEDY_CALL_LESS, 28, "mov.f32 %f4, %f1;", NULL},
    {DEVICE_RULE_NONE, 6, REMEDY_OTHER_INDEX, 6, "%cluster_ctaid.x;", NULL},
    {DEVICE_RULE_NONE, 31, REMEDY_FACTOR_LESS, 31, "shl.b32 %r9, %r8, 0;",
     NULL},
    {DEVICE_RULE_NONE, 32, REMEDY_CONDITION_LESS, 32, "mov.pred %p7, %p6;",
     "and.pred"},
    // Barriers of more threads, and parities of a ring.
    {RULE_RACE001, 33, REMEDY_BARRIER_OF_BLOCK, 33, "bar.sync 0;\n\t.loc 1 34",
     "bar.warp"},
    {RULE_RACE001, 33, REMEDY_BARRIER_OF_CLUSTER, 33,
     "barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;",
     "bar.warp"},
    {RULE_MEM004, 12, REMEDY_BARRIER_CLUSTER, 30,
     "barrier.cluster.wait.acquire.aligned;\n\tret", NULL},
    {RULE_RACE001, 17, REMEDY_BARRIER_BLOCK, 16, "bar.sync 0;\n\t@%p2 bra",
     NULL},
    {RULE_CLC007, 34, REMEDY_RING_PARITY, 34, "div.u32 edited", NULL},
    {RULE_CLC007, 34, REMEDY_RING_PARITIES, 34, "div.u32 edited", NULL},
    // What is done with an answer.
    {RULE_CLC002, 27, REMEDY_LEAVE, 27, "is_canceled.pred.b128 edited", NULL},
    {RULE_CLC001, 12, REMEDY_ASK_NO_MORE, 12, "and.pred edited", NULL},
    {RULE_CLC009, 12, REMEDY_TAKE_GRANTED, 25,
     "@%p4 mad.lo.s32 %r4, %r1, %r3, %r2;", NULL},
    {DEVICE_RULE_NONE, 12, REMEDY_BEGIN_WITH_OWN, 27, "mov.u32 %r7, %ctaid.x;",
     NULL},
};

static const Remedy *find_edit(Arena *arena, const Chosen *chosen,
                               const EditCase *wanted) {
    for (size_t i = 0; i < chosen->count; i++) {
        const Remedy *remedy = &chosen->list[i];
        if (remedy->told.kind != wanted->kind ||
            remedy->told.at.line != wanted->at)
            continue;
        Str text = print(arena, remedy_apply(arena, &chosen->site, remedy));
        Str holds = str_from(wanted->holds);
        for (size_t at = 0; at + holds.len <= text.len; at++)
            if (str_starts(str_slice(text, at, text.len), holds))
                return remedy;
    }
    return NULL;
}

static bool is_assembled(Arena *arena, Str text) {
    GpuAssembler used;
    Str cubin;
    Diags diags = diags_new(arena);
    bool done =
        gpu_assemble(arena, text, STR("sm_100a"), &used, &cubin, &diags);
    for (size_t i = 0; i < diags.count; i++)
        printf("# %.*s %.*s\n", STR_ARG(diags.items[i].what),
               STR_ARG(diags.items[i].help));
    return done || used.status == ASSEMBLY_UNAVAILABLE;
}

static void check_each(const char *kernel, const EditCase *cases,
                       size_t count) {
    for (size_t i = 0; i < count; i++) {
        Arena arena = {0};
        const EditCase *wanted = &cases[i];
        Chosen *chosen = choose(&arena, kernel, wanted->rule, wanted->line);
        Str before = print(&arena, chosen->site.module);
        const Remedy *remedy = find_edit(&arena, chosen, wanted);
        if (!CHECK(remedy)) {
            printf("# %.*s at line %u\n", STR_ARG(remedy_name(wanted->kind)),
                   wanted->at);
            continue;
        }
        Str text = print(&arena, remedy_apply(&arena, &chosen->site, remedy));
        if (wanted->lacks)
            CHECK_LACKS(text, wanted->lacks);
        CHECK(parse(&arena, text));
        if (!CHECK(is_assembled(&arena, text)))
            printf("%.*s\n", STR_ARG(text));
        CHECK(str_equal(before, print(&arena, chosen->site.module)));
        arena_free(&arena);
    }
}

static void check_edits(size_t from, size_t to) {
    check_each(KERNEL, &EDITS[from], to - from);
}

TEST(orders_what_is_not) {
    check_edits(0, 12);
}

TEST(moves_and_counts_barriers) {
    check_edits(12, 18);
}

TEST(mends_what_mbarriers_count) {
    check_edits(18, 30);
}

TEST(mends_waits) {
    check_edits(30, 38);
}

TEST(strengthens_and_moves) {
    check_edits(38, 44);
}

TEST(works_otherwise) {
    check_each(WORK, WORK_EDITS, COUNT_OF(WORK_EDITS));
}

TEST(guards) {
    check_edits(44, COUNT_OF(EDITS));
}

// Of any rule: every edit is another kernel that parses, and no two are equal.
TEST(every_edit_is_another_kernel) {
    for (DeviceRule rule = DEVICE_RULE_NONE; rule < DEVICE_RULE_COUNT; rule++) {
        Arena arena = {0};
        Chosen *chosen = choose(&arena, KERNEL, rule, 22);
        Str *texts = arena_new(&arena, Str, chosen->count + 1);
        texts[chosen->count] = print(&arena, chosen->site.module);
        for (size_t i = 0; i < chosen->count; i++) {
            const PtxModule *edited =
                remedy_apply(&arena, &chosen->site, &chosen->list[i]);
            texts[i] = print(&arena, edited);
            bool whole = CHECK(parse(&arena, texts[i]));
            for (size_t k = 0; k < i; k++)
                whole &= CHECK(!str_equal(texts[i], texts[k]));
            if (!whole || !CHECK(!str_equal(texts[i], texts[chosen->count])))
                printf("# %.*s\n",
                       STR_ARG(remedy_name(chosen->list[i].told.kind)));
        }
        arena_free(&arena);
    }
}

// A loop that the compiler has unrolled: an edit of its wait edits all copies,
// however many there are.
TEST(copies_are_edited_however_many) {
    Arena arena = {0};
    enum { COPIES = 100 };
    Buf text = {0};
    buf_str(&text, STR(".version 9.0\n.target sm_100a\n.address_size 64\n"
                       ".file 1 \"k.cu\"\n.visible .entry k() {\n"
                       ".reg .pred %p<2>; .reg .b32 %r<2>;\n"
                       ".shared .align 8 .b64 bar;\nmov.b32 %r1, 0;\n"));
    for (int i = 0; i < COPIES; i++)
        buf_str(&text, STR(".loc 1 7 3\nmbarrier.try_wait.parity.shared::cta."
                           "b64 %p1, [bar], %r1;\n.loc 1 8 3\nbar.sync 0;\n"));
    buf_str(&text, STR("ret; }\n"));
    Finding finding = {.rule = RULE_CLC007,
                       .at = {.file = STR("k.cu"), .line = 7}};
    PtxModule *module = parse(&arena, buf_view(&text));
    RemedySite site = {.module = module,
                       .entry = ptx_find_func(module, STR("k")),
                       .file = STR("k.cu"),
                       .finding = &finding,
                       .threads = 128,
                       .cluster = 1};
    Remedy *list = arena_new(&arena, Remedy, MOST);
    size_t count = remedies_choose(&arena, &site, list, MOST), loops = 0;
    for (size_t i = 0; i < count; i++) {
        const PtxModule *edited = remedy_apply(&arena, &site, &list[i]);
        CHECK(parse(&arena, print(&arena, edited)));
        if (list[i].told.kind == REMEDY_WAIT_LOOP)
            loops = edited->funcs[site.entry->id]->instr_count -
                    site.entry->instr_count;
    }
    CHECK_INT(loops, COPIES);
    buf_free(&text);
    arena_free(&arena);
}

// Kernels of hostile size. Every look at each of `count` statements would be
// the square of them, and each sum of two sums twice as many terms: this ends
// at once where they are bounded.
static size_t count_edits(const char *statement, int count, const char *before,
                          bool one_line) {
    Arena arena = {0};
    Buf text = {0};
    buf_str(&text, STR(".version 9.0\n.target sm_100a\n.address_size 64\n"
                       ".file 1 \"k.cu\"\n.visible .entry k() {\n"
                       ".reg .pred %p<4>; .reg .b32 %r<64>;\n"
                       ".shared .align 8 .b8 bar[64];\n.loc 1 1 1\n"
                       "mov.b32 %r1, bar;\nmov.b32 %r2, 0;\n"));
    buf_str(&text, str_from(before));
    for (int i = 0; i < count; i++)
        buf_str(&text, str_format(&arena, ".loc 1 %d 1\n%s\n",
                                  one_line ? 7 : 7 + i, statement));
    buf_str(&text, STR("AT_END: ret; }\n"));
    PtxModule *module = parse(&arena, buf_view(&text));
    Remedy *list = arena_new(&arena, Remedy, MOST);
    size_t most = 0;
    static const DeviceRule rules[] = {DEVICE_RULE_NONE, RULE_DEADLOCK,
                                       RULE_CLC006, RULE_RACE001};
    for (size_t i = 0; i < COUNT_OF(rules); i++) {
        Finding finding = {.rule = rules[i],
                           .at = {.file = STR("k.cu"), .line = 7}};
        RemedySite site = {.module = module,
                           .entry = ptx_find_func(module, STR("k")),
                           .file = STR("k.cu"),
                           .finding = &finding,
                           .threads = 128,
                           .cluster = 2};
        size_t found = remedies_choose(&arena, &site, list, MOST);
        most = found > most ? found : most;
    }
    buf_free(&text);
    arena_free(&arena);
    return most;
}

TEST(size_is_bounded) {
    Arena arena = {0};
    Buf sums = {0}; // %r30 is a sum of 2^27 terms
    buf_str(&sums, STR("add.s32 %r3, %r1, 8;\n"));
    for (int i = 4; i <= 30; i++)
        buf_str(&sums, str_format(&arena, "add.s32 %%r%d, %%r%d, %%r%d;\n", i,
                                  i - 1, i - 1));
    buf_byte(&sums, 0);
    const char *chain = buf_view(&sums).ptr;
    CHECK_INT(count_edits("bar.sync 0;", 100 * 1000, "", true), 0);
    CHECK(count_edits("mbarrier.init.shared.b64 [%r30], 1;", 4000, chain,
                      false) > 0);
    CHECK(count_edits("mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], "
                      "%r2;",
                      4000, "", true) > 0);
    CHECK(count_edits("@%p1 bra AT_END;\nst.shared.u32 [%r30], %r2;", 2000,
                      chain, false) > 0);
    buf_free(&sums);
    arena_free(&arena);
}

TEST_MAIN(TESTCASE(size_is_bounded), TESTCASE(copies_are_edited_however_many),
          TESTCASE(orders_what_is_not), TESTCASE(moves_and_counts_barriers),
          TESTCASE(mends_what_mbarriers_count), TESTCASE(mends_waits),
          TESTCASE(strengthens_and_moves), TESTCASE(guards),
          TESTCASE(works_otherwise), TESTCASE(every_edit_is_another_kernel))
