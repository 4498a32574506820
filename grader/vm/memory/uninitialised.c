// SPDX-License-Identifier: Apache-2.0
// MEM003 for local memory, for memory from malloc and for buffers that are
// partly written: a read of bytes that have not been written since the call
// began, since malloc returned them, or since the launch; or, in memory of a
// whole program (vm_map), since it was allocated.
//
// Compilers copy structs including their padding, a whole vector at a time. So
// an element of a load is reported only if none of its bytes was written, and
// only if its function does more than copy it (flow.c) or if it cannot be a
// piece of something larger.
//
// Programs copy arrays with what nobody has written yet, and compute with the
// ends of rows whose results they never look at. So in memory of a whole
// program no copy is reported, the run goes on, and the finding is an advisory
// as long as the value decides nothing: no branch, no address.
//
// For each byte of local memory, a word says which lanes have written it. In
// the common case, where all lanes access the same variable, one operation
// updates or tests all lanes.
#include "vm/decode/doubt.h"
#include "vm/decode/flow.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/memory/memory.h"

enum { PIECES = 32 }; // maximum distance in bytes between the pieces of a copy

// ---- uses ----------------------------------------------------------------

// True if the instruction keeps some bits of the loaded value, which a mask or
// a position says.
static bool keeps_bits(const VmInstr *in, const VmInstr *load) {
    bool masks = in->op == PTX_OP_AND || in->op == PTX_OP_BFI;
    for (uint32_t i = 0; masks && i < in->src_count; i++)
        if (vm_srcs(in)[i].sel == 0 &&
            vm_srcs(in)[i].reg == vm_dsts(load)[0].reg)
            return true;
    return false;
}

static bool stores_back(const VmInstr *in, const VmInstr *load) {
    return ptx_is_store(in->op) && in->src_count &&
           in->offset == load->offset && in->width == load->width &&
           in->src[0].reg == load->src[0].reg;
}

// True if a bit-field is set: a word is read, some of its bits are replaced,
// and it is written back.
static bool sets_bit_field(const VmFunc *func, const VmInstr *load) {
    bool keeps = false, stores = false;
    for (uint32_t pc = 0; pc < func->code_count; pc++) {
        keeps |= keeps_bits(&func->code[pc], load);
        stores |= stores_back(&func->code[pc], load);
    }
    return keeps && stores;
}

// True if a load may read a piece of a struct: it loads single bytes, a vector,
// or a variable by its name, or there are neighbouring loads from the same base
// register; or some of its bits are a bit-field that is set.
static bool may_be_a_piece(const VmFunc *func, const VmInstr *load) {
    uint32_t base = load->src[0].reg;
    if (load->elements > 1 || load->width < 4 || base >= func->ptx->reg_count)
        return true;
    for (uint32_t pc = 0; pc < func->code_count; pc++) {
        const VmInstr *other = &func->code[pc];
        uint64_t distance = other->offset - load->offset;
        if (ptx_is_load(other->op) && other->src_count &&
            other->src[0].reg == base && distance &&
            distance + PIECES <= 2 * PIECES)
            return true;
    }
    return sets_bit_field(func, load);
}

// Whether the program computes with element `e` of this load.
static bool is_computed_with(VmWarp *w, const VmInstr *in, uint32_t e) {
    const VmFunc *func = w->frag->frame->func;
    VmInstr *load = vm_instr_itself(func, w->frag, in);
    uint8_t bit = (uint8_t)(1u << e);
    if (!(load->looked_at & bit)) {
        load->looked_at |= bit;
        if (vm_flow_is_used(w->vm, func, load, e))
            load->computed_with |= bit;
    }
    return load->computed_with & bit;
}

// The same, or copies it though it is no piece of something larger.
static bool is_used(VmWarp *w, const VmInstr *in, uint32_t e) {
    enum { UNKNOWN, NO, YES };
    const VmFunc *func = w->frag->frame->func;
    VmInstr *load = vm_instr_itself(func, w->frag, in);
    if (load->is_piece == UNKNOWN)
        load->is_piece = may_be_a_piece(func, load) ? YES : NO;
    return load->is_piece == NO || is_computed_with(w, in, e);
}

static bool is_load_of(const VmInstr *in, uint32_t bytes) {
    return ptx_is_load(in->op) && (uint32_t)in->width * in->elements == bytes &&
           in->elements <= 8;
}

// ---- local memory --------------------------------------------------------

void vm_local_begin(VmWarp *w, uint32_t lanes, uint32_t from, uint64_t bytes) {
    if (!w->memory.written)
        return;
    for (uint64_t i = 0; i < bytes; i++)
        w->memory.written[from + i] &= ~lanes;
    vm_work_bytes(w->vm, WORK_CLEAR, bytes * sizeof *w->memory.written);
}

// All lanes of `same` access [at, at + bytes).
static bool group_known(uint32_t *at, uint32_t bytes, uint32_t same,
                        bool write) {
    uint32_t all = same;
    for (uint32_t i = 0; i < bytes; i++) {
        if (write)
            at[i] |= same;
        all &= at[i];
    }
    return all == same;
}

// The lanes access different places.
static bool lanes_known(uint32_t *written, const uint32_t *offsets,
                        uint32_t mask, uint32_t bytes, bool write) {
    uint32_t missing = 0;
    EACH_LANE(l, mask) {
        uint32_t *at = written + offsets[l], bit = 1u << l;
        for (uint32_t i = 0; i < bytes; i++) {
            missing |= bit & ~at[i];
            if (write)
                at[i] |= bit;
        }
    }
    return write || !missing;
}

bool vm_local_known(VmWarp *w, const uint32_t *offsets, uint32_t mask,
                    uint32_t bytes, bool write) {
    uint32_t offset = offsets[vm_first(mask)], apart = 0;
    EACH_LANE(l, mask) {
        apart |= offsets[l] ^ offset;
    }
    if (apart)
        return lanes_known(w->memory.written, offsets, mask, bytes, write);
    return group_known(w->memory.written + offset, bytes, mask, write);
}

bool vm_local_touch(VmWarp *w, const VmInstr *in, uint32_t lane,
                    uint32_t offset, uint32_t bytes, VmAccess access) {
    uint32_t *at = w->memory.written + offset, bit = 1u << lane;
    if (access != ACCESS_READ) {
        group_known(at, bytes, bit, true);
        return true;
    }
    for (uint32_t e = 0; is_load_of(in, bytes) && e < in->elements; e++) {
        uint32_t any = 0;
        for (uint32_t i = 0; i < in->width; i++)
            any |= at[e * in->width + i];
        if ((any & bit) || !is_used(w, in, e))
            continue;
        bool is_kept = vm_doubt_begin(w, in);
        vm_faulted(w, in, CASE_MEM003_LOCAL,
                   FACTS(FACT_LANE(w, lane), FACT(BYTES, in->width)));
        if (!is_kept)
            return false;
        vm_doubt_end(w, in, lane, 1u << e);
    }
    return true;
}

// ---- malloc's, and buffers ------------------------------------------------

void vm_buffer_begin(VmBuffer *buffer) {
    buffer->written = byteset_new(buffer->size);
}

void vm_buffer_known(VmBuffer *buffer) {
    byteset_free(buffer->written);
    buffer->written = NULL;
}

bool vm_written_known(const VmWarp *w, ByteSet *written, VmSpan span,
                      bool write) {
    if (write)
        byteset_add(written, span.from, span.bytes);
    return write || !vm_wants(w->vm, RULE_MEM003) ||
           byteset_has_all(written, span.from, span.bytes);
}

// The run is over, but in memory of a whole program.
static void tell(VmWarp *w, const VmInstr *in, uint32_t lane,
                 const VmBuffer *buffer, uint32_t bytes, FindingLevel level) {
    if (buffer->heap_size) {
        vm_faulted(w, in, CASE_MEM003_HEAP,
                   FACTS(FACT_LANE(w, lane), FACT(BYTES, bytes)));
        vm_fault_at(w->vm, PLACE_ALLOCATED, buffer->heap_loc);
        return;
    }
    VmBufferName name =
        vm_buffer_name(w->vm, (uint64_t)(buffer - w->vm->memory.buffers));
    Facts facts =
        FACTS(FACT_LANE(w, lane), FACT(BYTES, bytes), BUFFER_FACTS(name));
    if (buffer->is_lent)
        vm_found(w->vm, w, in->loc, CASE_MEM003_BUFFER, level, facts);
    else
        vm_faulted(w, in, CASE_MEM003_BUFFER, facts);
}

// A load of elements, as bits, that have not been written. False: the run is
// over.
static bool load_found(VmWarp *w, const VmInstr *in, uint32_t lane,
                       const VmBuffer *buffer, uint32_t elements) {
    bool is_kept = vm_doubt_begin(w, in);
    if (is_kept || !buffer->is_lent)
        tell(w, in, lane, buffer, in->width, FINDING_ERROR);
    if (!is_kept)
        return buffer->is_lent;
    if (buffer->is_lent && !w->vm->launch->unwritten_is_error)
        vm_doubt_is_mild(w);
    vm_doubt_end(w, in, lane, elements);
    return true;
}

static bool load_touch(VmWarp *w, const VmInstr *in, uint32_t lane,
                       VmBuffer *buffer, uint64_t offset) {
    for (uint32_t e = 0; e < in->elements; e++) {
        if (byteset_has_any(buffer->written, offset + (uint64_t)e * in->width,
                            in->width))
            continue;
        bool is_looked_at =
            buffer->is_lent ? is_computed_with(w, in, e) : is_used(w, in, e);
        if (is_looked_at && !load_found(w, in, lane, buffer, 1u << e))
            return false;
    }
    return true;
}

// An exchange whose result is not computed with takes anything.
static bool is_mere_exchange(VmWarp *w, const VmInstr *in) {
    return ptx_has(in->ptx, PTX_MOD_EXCH) &&
           (in->dst_count == 0 || !is_computed_with(w, in, 0));
}

// An atomic access to what has not been written. False: the run is over.
static bool atomic_found(VmWarp *w, const VmInstr *in, uint32_t lane,
                         const VmBuffer *buffer, uint32_t bytes) {
    bool decides = ptx_has(in->ptx, PTX_MOD_CAS);
    if (!buffer->is_lent || !is_mere_exchange(w, in))
        tell(w, in, lane, buffer, bytes,
             decides || w->vm->launch->unwritten_is_error ? FINDING_ERROR
                                                          : FINDING_ADVISORY);
    return buffer->is_lent;
}

bool vm_buffer_touch(VmWarp *w, const VmInstr *in, uint32_t lane,
                     VmBuffer *buffer, uint64_t offset, uint32_t bytes,
                     VmAccess access) {
    bool wanted = !buffer->is_lent || vm_wants(w->vm, RULE_MEM003);
    if (access == ACCESS_READ)
        return !wanted || !is_load_of(in, bytes) ||
               load_touch(w, in, lane, buffer, offset);
    if (access == ACCESS_ATOMIC && wanted &&
        !byteset_has_any(buffer->written, offset, bytes) &&
        !atomic_found(w, in, lane, buffer, bytes))
        return false;
    byteset_add(buffer->written, offset, bytes);
    return true;
}
