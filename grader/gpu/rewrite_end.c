// SPDX-License-Identifier: Apache-2.0
// Records when the blocks of each SM began and ended. With a ledger, the first
// thread of a block reads the GPU's clock (%globaltimer, nanoseconds) before
// the kernel's first instruction and again before it returns. The latest end on
// each SM is kept, and the earliest beginning of all. The beginning is kept as
// the maximum of complements, so that its memory can start as zero.
#include "gpu/rewrite_text.h"
#include "gpu/table.h"

static const char FIRST_THREAD[] = "\t{\n"
                                   "\t.reg .pred ~other;\n"
                                   "\t.reg .b32 ~at, ~or;\n"
                                   "\t.reg .b64 ~clock, ~ends;\n"
                                   "\tmov.u32 ~at, %tid.x;\n"
                                   "\tmov.u32 ~or, %tid.y;\n"
                                   "\tor.b32 ~at, ~at, ~or;\n"
                                   "\tmov.u32 ~or, %tid.z;\n"
                                   "\tor.b32 ~at, ~at, ~or;\n"
                                   "\tsetp.ne.u32 ~other, ~at, 0;\n"
                                   "\t@~other bra ~noted;\n"
                                   "\tld.const.b64 ~ends, [<table.ends>];\n"
                                   "\tmov.u64 ~clock, %globaltimer;\n";

static const char NOTE_BEGIN[] =
    "\tnot.b64 ~clock, ~clock;\n"
    "\tred.relaxed.gpu.global.max.u64 [~ends], ~clock;\n";

// SMs beyond the size of the table are left out.
static const char NOTE_END[] =
    "\tmov.u32 ~at, %smid;\n"
    "\tsetp.ge.u32 ~other, ~at, <sms>;\n"
    "\t@~other bra ~noted;\n"
    "\tmad.wide.u32 ~ends, ~at, 8, ~ends;\n"
    "\tred.relaxed.gpu.global.max.u64 [~ends+8], ~clock;\n";

static const char CLOSE[] = "~noted:\n"
                            "\t}\n";

static void emit(const Rewriter *rewriter, Buf *out, Str unless,
                 const char *text) {
    const SnippetArgument arguments[] = {
        {"sms", str_format(rewriter->arena, "%d", GPU_TABLE_SMS)},
        {"unless", unless},
    };
    const Snippet snippet = {rewriter, out, arguments, COUNT_OF(arguments)};
    snippet_emit(&snippet, text);
}

static bool notes(const Rewriter *rewriter, const PtxFunc *func) {
    const GpuRewrite *how = rewriter->how;
    return how->ledger && func->is_entry &&
           (how->kernel.len == 0 || str_equal(func->name, how->kernel));
}

void rewrite_begin(const Rewriter *rewriter, const PtxFunc *func, Buf *out) {
    if (!notes(rewriter, func))
        return;
    emit(rewriter, out, (Str){0}, FIRST_THREAD);
    emit(rewriter, out, (Str){0}, NOTE_BEGIN);
    emit(rewriter, out, (Str){0}, CLOSE);
}

// "@!%p1 " of an instruction with the guard "@%p1"; empty: it has none.
static Str inverse_guard(const Rewriter *rewriter, const PtxPrinter *printer,
                         const PtxInstr *instr) {
    if (instr->guard == 0)
        return (Str){0};
    Str name = ptx_printed_reg(printer, instr->guard - 1);
    return str_format(rewriter->arena, "@%s%.*s ",
                      instr->guard_negated ? "" : "!", STR_ARG(name));
}

void rewrite_end(const Rewriter *rewriter, const PtxPrinter *printer,
                 const PtxFunc *func, const PtxInstr *instr, Buf *out) {
    uint8_t next = PTX_TRAITS[instr->op].next;
    bool ends = next == PTX_NEXT_RETURN || next == PTX_NEXT_EXIT;
    if (!ends || !notes(rewriter, func))
        return;
    Str unless = inverse_guard(rewriter, printer, instr);
    emit(rewriter, out, unless, FIRST_THREAD);
    if (unless.len)
        emit(rewriter, out, unless, "\t<unless>bra ~noted;\n");
    emit(rewriter, out, unless, NOTE_END);
    emit(rewriter, out, unless, CLOSE);
}
