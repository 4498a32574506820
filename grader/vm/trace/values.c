// SPDX-License-Identifier: Apache-2.0
// Notes which registers a warp writes: see values.h. Read vm_written_note.
#include "vm/trace/values.h"

#include <string.h>

#include "vm/machine/lanes.h"

typedef struct Mark { // a register was written
    const VmFrame *frame;
    const PtxReg *reg;
    uint32_t off; // in the frame
    uint32_t bytes, loc, lanes;
    TraceValueKind kind;
} Mark;

struct VmWritten {
    Mark marks[TRACE_MOST_VALUES]; // the latest is the last
    uint32_t count;
};

VmWritten *vm_written_new(Arena *arena, uint32_t warps) {
    return arena_new(arena, VmWritten, warps);
}

// ---- what is written -----------------------------------------------------

static TraceValueKind kind_of(PtxType type, uint32_t bytes) {
    if (bytes == 0)
        return TRACE_VALUE_PRED;
    if ((type == PTX_F32 && bytes == 4) || (type == PTX_F64 && bytes == 8))
        return TRACE_VALUE_FLOAT;
    if (ptx_type_is_float(type))
        return TRACE_VALUE_BITS;
    return ptx_type_is_signed(type) ? TRACE_VALUE_SIGNED : TRACE_VALUE_UNSIGNED;
}

static void forget(VmWritten *written, uint32_t index) {
    written->count--;
    memmove(&written->marks[index], &written->marks[index + 1],
            (written->count - index) * sizeof *written->marks);
}

// Its place has had another value so far, and if it was the same register's,
// lanes that do not write it now still have that. Without lanes it is only
// forgotten what the place has.
static void add_mark(VmWritten *written, Mark mark) {
    for (uint32_t i = written->count; i-- > 0;) {
        const Mark *old = &written->marks[i];
        if (old->frame != mark.frame || old->off != mark.off)
            continue;
        if (old->reg == mark.reg && mark.lanes)
            mark.lanes |= old->lanes;
        forget(written, i);
    }
    if (mark.lanes == 0)
        return;
    if (written->count == TRACE_MOST_VALUES)
        forget(written, 0);
    written->marks[written->count++] = mark;
}

static void note_instr(VmWritten *written, const VmFrame *frame,
                       const VmInstr *in, uint32_t lanes) {
    const PtxFunc *ptx = frame->func->ptx;
    const VmRef *results = vm_dsts(in);
    for (uint32_t i = 0; i < in->dst_count; i++) {
        const VmRef *to = &results[i];
        if (to->sel || to->reg >= ptx->reg_count || to->size > 8)
            continue;
        add_mark(written, (Mark){.frame = frame,
                                 .reg = &ptx->regs[to->reg],
                                 .off = to->off,
                                 .bytes = to->size,
                                 .loc = in->loc,
                                 .lanes = lanes,
                                 .kind = kind_of(in->type, to->size)});
    }
}

// A call has a frame that an earlier one may have had.
static void begin_frame(VmWritten *written, const VmFrame *frame) {
    for (uint32_t i = written->count; i-- > 0;)
        if (written->marks[i].frame == frame)
            forget(written, i);
}

void vm_written_note(VmWritten *written, const VmWarp *w, const VmDone *done) {
    written += w->index;
    if (done->first == done->frame->func->code)
        begin_frame(written, done->frame);
    for (const VmInstr *in = done->first; done->lanes && in <= done->last; in++)
        note_instr(written, done->frame, in,
                   in < done->last || done->is_whole ? done->lanes : 0);
}

// ---- what they hold ------------------------------------------------------

static void read_lanes(const Mark *mark, TraceValue *value) {
    const uint8_t *at = mark->frame->regs + mark->off;
    uint32_t pred;
    memcpy(&pred, at, sizeof pred);
    for (uint32_t lane = 0; lane < TRACE_LANES; lane++) {
        value->at[lane] = mark->bytes ? 0 : pred >> lane & 1;
        memcpy(&value->at[lane], at + (size_t)lane * mark->bytes, mark->bytes);
    }
}

size_t vm_written_values(const VmWritten *written, const VmWarp *w,
                         const VmFrame *frame,
                         TraceValue values[TRACE_MOST_VALUES]) {
    size_t count = 0;
    written += w->index;
    for (uint32_t i = 0; i < written->count; i++) {
        const Mark *mark = &written->marks[i];
        if (mark->frame != frame)
            continue;
        values[count] = (TraceValue){.name = mark->reg->name,
                                     .kind = mark->kind,
                                     .bytes = mark->bytes,
                                     .line = mark->loc,
                                     .lanes = mark->lanes};
        read_lanes(mark, &values[count++]);
    }
    return count;
}

// ---- parameters ----------------------------------------------------------

static TraceParam param_of(const DeviceLaunch *launch, const PtxVar *var,
                           uint32_t index, uint64_t at) {
    TraceParam param = {.name = var->name,
                        .kind = kind_of(var->type, (uint32_t)var->size),
                        .bytes = (uint32_t)var->size,
                        .index = index};
    memcpy(&param.value, (const uint8_t *)launch->args + at, param.bytes);
    return param;
}

// There are as many bytes as the kernel needs, or the launch was refused.
void vm_written_params(const Vm *vm, TraceMoment *moment) {
    const PtxFunc *kernel = vm->program->kernel;
    uint64_t end = 0;
    moment->kernel = kernel->name;
    moment->all_params = (uint32_t)kernel->param_count;
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        const PtxVar *var = kernel->params[i];
        uint64_t at = ptx_place(&end, var);
        if (!var->is_array && var->size <= sizeof(uint64_t) &&
            moment->param_count < TRACE_MOST_PARAMS)
            moment->params[moment->param_count++] =
                param_of(vm->launch, var, i, at);
    }
}
