// SPDX-License-Identifier: Apache-2.0
// What comes before the first instruction of a function: read rewrite_enter.
//
// When CLC is emulated, nearly all blocks of a large grid find no index left
// and exit at once, so their path must be short. All threads of a block, and
// all blocks of a cluster, must make the same decision.
//
// INDEX_DRAWN: one thread of the cluster draws an index, which the cluster then
// works on; every read of %ctaid and %clusterid reads OwnBlock instead
// (rewrite_index.c). The blocks of a cluster would need two barriers to find
// that no index is left. Instead each block first looks at the counter and may
// exit by itself. This is safe because the counter only grows and the cluster
// draws only after a barrier that all its blocks have reached or exited before:
// if one block has exited, the others cannot draw a valid index either.
//
// INDEX_CLAIMED: each thread first loads its cluster's claim. A granted cluster
// stays granted, so a thread may trust even an old value that says so and exit.
// Otherwise it goes on to where one thread swaps the claim, and what that
// thread finds decides for all: the others stay only if it tells them to, which
// it cannot do if it has exited. A claim changes only once, so all blocks of a
// cluster make the same decision.
#include "gpu/rewrite_text.h"
#include "gpu/table.h"

// ---- who does it ---------------------------------------------------------

static const char OPEN[] = "\t{\n"
                           "\t.reg .pred ~stays;\n"
                           "\t.reg .b32 ~at;\n";

// ~stays: whether it is thread 0 of its block.
static const char FIRST_THREAD[] = "\t.reg .b32 ~or;\n"
                                   "\tmov.u32 ~at, %tid.x;\n"
                                   "\tmov.u32 ~or, %tid.y;\n"
                                   "\tor.b32 ~at, ~at, ~or;\n"
                                   "\tmov.u32 ~or, %tid.z;\n"
                                   "\tor.b32 ~at, ~at, ~or;\n"
                                   "\tsetp.eq.u32 ~stays, ~at, 0;\n";

static const char UNLESS_STAYS[] = "\t@!~stays bra ~meet;\n";

static const char MEET[] =
    "~meet:\n"
    "\tbarrier.cta.red.or.aligned.pred ~stays, 0, ~stays;\n"
    "\t@!~stays exit;\n";

static const char MEET_ALL[] = "~meet:\n"
                               "\tbarrier.cta.sync 0;\n";

static const char CLOSE[] = "\t}\n";

// ---- an index that is claimed --------------------------------------------

// The claim as a signed number: 0 is pending, < 0 launched, > 0 granted.
static const char FIND_CLAIM[] =
    "\t.reg .b32 ~claim;\n"
    "\t.reg .b64 ~claims;\n"
    "\tld.const.b64 ~claims, [<table.claims>];\n"
    "\tmad.wide.u32 ~claims, ~cluster, 4, ~claims;\n";

static const char LEAVE_GRANTED[] =
    "\tld.relaxed.gpu.global.b32 ~claim, [~claims];\n"
    "\tsetp.gt.s32 ~stays, ~claim, 0;\n"
    "\t@~stays exit;\n";

static const char SWAP_CLAIM[] =
    "\tatom.relaxed.gpu.global.cas.b32 ~claim, [~claims], 0, 0x80000000;\n"
    "\tsetp.le.s32 ~stays, ~claim, 0;\n";

// ---- an index that is drawn ----------------------------------------------

static const char DRAW[] =
    "\tld.const.b64 ~control, [<table.control>];\n"
    "\tatom.relaxed.gpu.global.add.u32 ~index, [~control+<control.next>], 1;\n";

static const char IS_LEFT[] = "\tsetp.lt.u32 ~stays, ~index, ~clusters;\n";

static const char KEEP_PLACE[] =
    "\tst.shared.b32 [~own+<own.clusterid>], ~x;\n"
    "\tst.shared.b32 [~own+<own.clusterid>+4], ~y;\n"
    "\tst.shared.b32 [~own+<own.clusterid>+8], ~z;\n"
    "\tmov.u32 ~of, %cluster_nctaid.x;\n"
    "\tmov.u32 ~at, %cluster_ctaid.x;\n"
    "\tmad.lo.u32 ~x, ~x, ~of, ~at;\n"
    "\tst.shared.b32 [~own+<own.ctaid>], ~x;\n"
    "\tmov.u32 ~of, %cluster_nctaid.y;\n"
    "\tmov.u32 ~at, %cluster_ctaid.y;\n"
    "\tmad.lo.u32 ~y, ~y, ~of, ~at;\n"
    "\tst.shared.b32 [~own+<own.ctaid>+4], ~y;\n"
    "\tmov.u32 ~of, %cluster_nctaid.z;\n"
    "\tmov.u32 ~at, %cluster_ctaid.z;\n"
    "\tmad.lo.u32 ~z, ~z, ~of, ~at;\n"
    "\tst.shared.b32 [~own+<own.ctaid>+8], ~z;\n"
    "\tmov.b32 ~z, 0;\n"
    "\tst.shared.b32 [~own+<own.ctaid>+12], ~z;\n"
    "\tst.shared.b32 [~own+<own.clusterid>+12], ~z;\n";

// Until it is told what was drawn, this block has no index.
static const char LOOK_FIRST[] =
    "\tmov.b32 ~index, 0xffffffff;\n"
    "\tst.shared.b32 [~own+<own.cluster>], ~index;\n"
    "\tld.const.b64 ~control, [<table.control>];\n"
    "\tld.relaxed.gpu.global.b32 ~index, [~control+<control.next>];\n";

// Thread 0 of the cluster's first block draws and tells the other blocks, which
// have not exited if an index was left.
static const char DRAW_FOR_ALL[] =
    "\t.reg .pred ~leads;\n"
    "\t.reg .b32 ~rank, ~ranks, ~there;\n"
    "\tbarrier.cluster.arrive.release;\n"
    "\tbarrier.cluster.wait.acquire;\n"
    "\tmov.u32 ~rank, %cluster_ctarank;\n"
    "\tsetp.eq.and.u32 ~leads, ~rank, 0, ~stays;\n"
    "\t@!~leads bra ~told;\n";

static const char TELL_ALL[] =
    "\tsetp.ge.u32 ~leads, ~index, ~clusters;\n"
    "\t@~leads bra ~told;\n"
    "\tmov.u32 ~ranks, %cluster_nctarank;\n"
    "\tmov.u32 ~at, ~own+<own.cluster>;\n"
    "~each:\n"
    "\tmapa.shared::cluster.u32 ~there, ~at, ~rank;\n"
    "\tst.shared::cluster.b32 [~there], ~index;\n"
    "\tadd.u32 ~rank, ~rank, 1;\n"
    "\tsetp.lt.u32 ~leads, ~rank, ~ranks;\n"
    "\t@~leads bra ~each;\n"
    "~told:\n"
    "\tbarrier.cluster.arrive.release;\n"
    "\tbarrier.cluster.wait.acquire;\n"
    "\tld.shared.b32 ~index, [~own+<own.cluster>];\n"
    "\tsetp.ge.u32 ~leads, ~index, ~clusters;\n"
    "\t@~leads exit;\n";

// For an entry that is not emulated, in a module where other entries are.
static const char KEEP_LAUNCHED[] =
    "\tmov.u32 ~at, %ctaid.x;\n"
    "\tst.shared.b32 [~own+<own.ctaid>], ~at;\n"
    "\tmov.u32 ~at, %ctaid.y;\n"
    "\tst.shared.b32 [~own+<own.ctaid>+4], ~at;\n"
    "\tmov.u32 ~at, %ctaid.z;\n"
    "\tst.shared.b32 [~own+<own.ctaid>+8], ~at;\n"
    "\tmov.u32 ~at, %clusterid.x;\n"
    "\tst.shared.b32 [~own+<own.clusterid>], ~at;\n"
    "\tmov.u32 ~at, %clusterid.y;\n"
    "\tst.shared.b32 [~own+<own.clusterid>+4], ~at;"
    "\n"
    "\tmov.u32 ~at, %clusterid.z;\n"
    "\tst.shared.b32 [~own+<own.clusterid>+8], ~at;"
    "\n"
    "\tmov.b32 ~at, 0;\n"
    "\tst.shared.b32 [~own+<own.ctaid>+12], ~at;\n"
    "\tst.shared.b32 [~own+<own.clusterid>+12], "
    "~at;\n";

// ---- the ledger ----------------------------------------------------------

static const char COUNT_START[] =
    "\t.reg .b64 ~to_control, ~starts;\n"
    "\t.reg .b32 ~order, ~sm;\n"
    "\tld.const.b64 ~to_control, [<table.control>];\n"
    "\tatom.relaxed.gpu.global.add.u32 ~order, "
    "[~to_control+<control.started>], 1;\n"
    "\tadd.u32 ~order, ~order, 1;\n"
    "\tld.const.b64 ~starts, [<table.starts>];\n"
    "\tmad.wide.u32 ~starts, ~block, 8, ~starts;\n"
    "\tmov.u32 ~sm, %smid;\n"
    "\tst.global.v2.b32 [~starts], {~order, ~sm};\n";

// INDEX_DRAWN: no other thread writes this claim.
static const char STORE_CLAIM[] =
    "\t.reg .b64 ~claims;\n"
    "\tld.const.b64 ~claims, [<table.claims>];\n"
    "\tmad.wide.u32 ~claims, ~index, 4, ~claims;\n"
    "\tst.relaxed.gpu.global.b32 [~claims], 0x80000000;\n";

// On a card with CLC: counts a block that starts although it was granted.
static const char COUNT_CONFLICT[] =
    "\t@~stays bra ~meet;\n"
    "\tred.relaxed.gpu.global.add.u32 [~to_control+<control.conflicts>], 1;\n"
    "~meet:\n";

static const char COUNT_CALL[] = "\t{\n"
                                 "\t.reg .pred ~none;\n"
                                 "\t.reg .b64 ~calls, ~word;\n"
                                 "\t.reg .b32 ~count;\n"
                                 "\tld.const.b64 ~calls, [<table.calls>];\n"
                                 "\tsetp.eq.u64 ~none, ~calls, 0;\n"
                                 "\t@~none bra ~counted;\n";

static const char ADD_CALL[] =
    "\tcvt.u64.u32 ~word, ~thread;\n"
    "\tmad.wide.u32 ~word, ~block, ~threads, ~word;\n"
    "\tshl.b64 ~word, ~word, 2;\n"
    "\tadd.u64 ~calls, ~calls, ~word;\n"
    "\tld.global.b32 ~count, [~calls];\n"
    "\tadd.u32 ~count, ~count, 1;\n"
    "\tst.global.b32 [~calls], ~count;\n"
    "~counted:\n";

// ---- kernels -------------------------------------------------------------

static void emit(const Rewriter *rewriter, Buf *out, const char *text) {
    const Snippet snippet = {.rewriter = rewriter, .out = out};
    snippet_emit(&snippet, text);
}

static void emit_start(const Rewriter *rewriter, Buf *out) {
    if (!rewriter->how->ledger)
        return;
    emit(rewriter, out, SNIPPET_BLOCK);
    emit(rewriter, out, COUNT_START);
}

// Thread 0 of a block that has drawn ~index records the block's place.
static void emit_place(const Rewriter *rewriter, Buf *out) {
    emit(rewriter, out, SNIPPET_PLACE);
    emit(rewriter, out, KEEP_PLACE);
    if (rewriter->how->ledger)
        emit(rewriter, out, STORE_CLAIM);
    emit_start(rewriter, out);
}

static void draw_for_block(const Rewriter *rewriter, Buf *out) {
    emit(rewriter, out, OPEN);
    emit(rewriter, out, FIRST_THREAD);
    emit(rewriter, out, UNLESS_STAYS);
    emit(rewriter, out, DRAW);
    emit(rewriter, out, SNIPPET_CLUSTERS);
    emit(rewriter, out, IS_LEFT);
    emit(rewriter, out, UNLESS_STAYS);
    emit_place(rewriter, out);
    emit(rewriter, out, MEET);
    emit(rewriter, out, CLOSE);
}

static void leave_if_none_is_left(const Rewriter *rewriter, Buf *out) {
    emit(rewriter, out, OPEN);
    emit(rewriter, out, FIRST_THREAD);
    emit(rewriter, out, UNLESS_STAYS);
    emit(rewriter, out, LOOK_FIRST);
    emit(rewriter, out, SNIPPET_CLUSTERS);
    emit(rewriter, out, IS_LEFT);
    emit(rewriter, out, MEET);
    emit(rewriter, out, CLOSE);
}

static void draw_for_cluster(const Rewriter *rewriter, Buf *out) {
    leave_if_none_is_left(rewriter, out);
    emit(rewriter, out, OPEN);
    emit(rewriter, out, FIRST_THREAD);
    emit(rewriter, out, SNIPPET_CLUSTERS);
    emit(rewriter, out, DRAW_FOR_ALL);
    emit(rewriter, out, DRAW);
    emit(rewriter, out, TELL_ALL);
    emit(rewriter, out, UNLESS_STAYS);
    emit_place(rewriter, out);
    emit(rewriter, out, MEET_ALL);
    emit(rewriter, out, CLOSE);
}

// A kernel that does not specify a cluster may still be launched with one.
static void draw_index(const Rewriter *rewriter, const PtxFunc *func,
                       Buf *out) {
    PtxDim3 size = func->req_cluster;
    uint32_t blocks = size.x * size.y * size.z;
    emit(rewriter, out,
         "\t{\n"
         "\t.reg .pred ~is_one;\n"
         "\t.reg .b32 ~index, ~size;\n"
         "\t.reg .b64 ~control;\n");
    if (blocks == 0)
        emit(rewriter, out,
             "\tmov.u32 ~size, %cluster_nctarank;\n"
             "\tsetp.eq.u32 ~is_one, ~size, 1;\n"
             "\t@~is_one bra ~one;\n");
    if (blocks != 1)
        draw_for_cluster(rewriter, out);
    if (blocks == 0)
        emit(rewriter, out,
             "\tbra ~drawn;\n"
             "~one:\n");
    if (blocks <= 1)
        draw_for_block(rewriter, out);
    emit(rewriter, out,
         "~drawn:\n"
         "\t}\n");
}

static void claim_index(const Rewriter *rewriter, Buf *out) {
    emit(rewriter, out, OPEN);
    emit(rewriter, out, SNIPPET_CLUSTER);
    emit(rewriter, out, FIND_CLAIM);
    emit(rewriter, out, LEAVE_GRANTED);
    emit(rewriter, out, FIRST_THREAD);
    emit(rewriter, out, UNLESS_STAYS);
    emit(rewriter, out, SWAP_CLAIM);
    emit(rewriter, out, UNLESS_STAYS);
    emit_start(rewriter, out);
    emit(rewriter, out, MEET);
    emit(rewriter, out, CLOSE);
}

// Targets without clusters have no special registers for them.
static void find_cluster(const Rewriter *rewriter, Buf *out) {
    if (rewriter->has_clusters) {
        emit(rewriter, out, SNIPPET_CLUSTER);
        return;
    }
    emit(rewriter, out, "\t.reg .b32 ~cluster;\n\t{\n");
    emit(rewriter, out, SNIPPET_BLOCK);
    emit(rewriter, out, "\tmov.b32 ~cluster, ~block;\n\t}\n");
}

static void record_start(const Rewriter *rewriter, Buf *out) {
    emit(rewriter, out, OPEN);
    find_cluster(rewriter, out);
    emit(rewriter, out, FIND_CLAIM);
    emit(rewriter, out, FIRST_THREAD);
    emit(rewriter, out, UNLESS_STAYS);
    emit(rewriter, out, SWAP_CLAIM);
    emit_start(rewriter, out);
    emit(rewriter, out, COUNT_CONFLICT);
    emit(rewriter, out, CLOSE);
}

static void keep_launched(const Rewriter *rewriter, Buf *out) {
    emit(rewriter, out, OPEN);
    emit(rewriter, out, FIRST_THREAD);
    emit(rewriter, out, UNLESS_STAYS);
    emit(rewriter, out, KEEP_LAUNCHED);
    emit(rewriter, out, MEET_ALL);
    emit(rewriter, out, CLOSE);
}

// ---- functions -----------------------------------------------------------

static void enter_kernel(const Rewriter *rewriter, const PtxFunc *func,
                         Buf *out) {
    switch (rewriter->index) {
    case INDEX_LAUNCHED:
        if (rewriter->how->ledger)
            record_start(rewriter, out);
        break;
    case INDEX_CLAIMED:
        claim_index(rewriter, out);
        break;
    case INDEX_DRAWN:
        draw_index(rewriter, func, out);
        break;
    }
}

static bool is_kernel(const GpuRewrite *how, const PtxFunc *func) {
    return how->kernel.len == 0 || str_equal(func->name, how->kernel);
}

static void count_call(const Rewriter *rewriter, Buf *out) {
    emit(rewriter, out, COUNT_CALL);
    emit(rewriter, out, SNIPPET_BLOCK);
    emit(rewriter, out, SNIPPET_THREAD);
    emit(rewriter, out, ADD_CALL);
    emit(rewriter, out, CLOSE);
}

void rewrite_enter(const Rewriter *rewriter, const PtxFunc *func, Buf *out) {
    const GpuRewrite *how = rewriter->how;
    if (func->is_entry && is_kernel(how, func))
        enter_kernel(rewriter, func, out);
    else if (func->is_entry && rewriter->index == INDEX_DRAWN)
        keep_launched(rewriter, out);
    if (how->calls_of.len && str_equal(func->name, how->calls_of))
        count_call(rewriter, out);
    if (how->emulate)
        rewrite_declare_requests(rewriter, func, out);
}
