// SPDX-License-Identifier: Apache-2.0
// setmaxnreg (PTX ISA): the registers of a CTA are a pool. The threads of a
// kernel begin with what ptxas gives them, and that is known only where a
// directive says it: otherwise the instruction may have no effect, and has none
// here. A warp that has left gives its registers back: the text does not say
// so, nor otherwise. All warps of a warpgroup execute the same ones.
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/turns/turns.h"
#include "vm/units/families.h"
#include "vm/units/units.h"

enum {
    OF_AN_SM = 65536, // registers
    MOST_OF_A_THREAD = 256,
    GROUP = 4, // warps
};

static uint32_t threads_of(PtxDim3 size) {
    return size.x * (size.y ? size.y : 1) * (size.z ? size.z : 1);
}

// Registers of a thread at the start, a multiple of 8; 0: no directive says.
static uint32_t at_start(const PtxFunc *kernel) {
    uint32_t threads = threads_of(kernel->req_threads.x ? kernel->req_threads
                                                        : kernel->max_threads);
    uint32_t ctas = kernel->min_ctas ? kernel->min_ctas : 1, count;
    if (kernel->max_regs)
        return (uint32_t)round_up(kernel->max_regs, 8);
    if (!threads)
        return 0;
    threads = (uint32_t)round_up(threads, VM_LANES);
    count = OF_AN_SM / threads / ctas / 8 * 8;
    return count < MOST_OF_A_THREAD ? count : MOST_OF_A_THREAD;
}

uint32_t vm_registers_of(const VmWarp *w) {
    return w->regs ? w->regs : at_start(w->vm->program->kernel);
}

static void give_back(VmCta *cta, uint32_t count) {
    cta->free_regs += count;
    for (uint32_t i = 0; count && i < cta->warp_count; i++)
        vm_warp_wake(&cta->warps[i], WAIT_REGISTERS, 0);
}

// A warp has left, and `ahead` of its warpgroup has executed more of these.
static void report_group(const VmWarp *gone, const VmWarp *ahead) {
    vm_found(gone->vm, NULL, ahead->regs_loc, CASE_SYNC002_PART_OF_A_GROUP,
             FINDING_ERROR,
             FACTS(FACT(THREAD, fact_thread(ahead->cta->linear,
                                            ahead->index * VM_LANES)),
                   FACT(WARP, gone->index)));
}

static void check_group(VmWarp *w) {
    VmCta *cta = w->cta;
    if (!vm_wants(w->vm, RULE_SYNC002))
        return;
    for (uint32_t i = w->index / GROUP * GROUP;
         i < cta->warp_count && i < w->index / GROUP * GROUP + GROUP; i++) {
        VmWarp *other = &cta->warps[i];
        if (!w->live && other->regs_sets > w->regs_sets)
            report_group(w, other);
        if (!other->live && w->regs_sets > other->regs_sets)
            report_group(other, w);
    }
}

void vm_registers_exit(VmWarp *w) {
    give_back(w->cta, vm_registers_of(w) * VM_LANES);
    check_group(w);
}

static VmNext op_setmaxnreg(VmWarp *w, const VmInstr *in, uint32_t mask) {
    VmNext next;
    if (!vm_warp_is_whole(w, in, mask, &next))
        return next;
    uint32_t own = vm_registers_of(w), wanted = in->registers.count;
    if (own && in->registers.grows && wanted > own) {
        uint32_t more = (wanted - own) * VM_LANES;
        if (more > w->cta->free_regs)
            return vm_wait(w, WAIT_REGISTERS, 0, 0);
        w->cta->free_regs -= more;
        w->regs = wanted;
    } else if (own && !in->registers.grows && wanted < own) {
        w->regs = wanted;
        give_back(w->cta, (own - wanted) * VM_LANES);
    }
    w->vm->turns.progress++;
    w->regs_sets++;
    w->regs_loc = vm_learner_loc(w->vm, w, in->loc);
    check_group(w);
    return VM_GO;
}

// ptxas rejects other numbers.
void vm_decode_registers(VmDecoder *d) {
    const PtxOperand *op = &d->in->operands[0];
    d->taken = UINT32_MAX; // accepts all suffixes
    if (op->kind != PTX_OPND_INT || op->imm % 8 || op->imm < 24 ||
        op->imm > MOST_OF_A_THREAD)
        vm_unsupported(d, "a register count that is no multiple of 8 from 24 "
                          "to 256");
    VmInstr *in = vm_emit(d, op_setmaxnreg);
    in->aligned = !(d->vm->launch->unchecked >> RULE_SYNC002 & 1);
    in->registers.count = (uint32_t)op->imm;
    in->registers.grows = ptx_has(d->in, PTX_MOD_INC);
}

// ---- who holds them ------------------------------------------------------

static bool is_like(const VmWarp *a, const VmWarp *b) {
    return vm_registers_of(a) == vm_registers_of(b) &&
           a->regs_loc == b->regs_loc;
}

static bool is_first(const VmCta *cta, const VmWarp *w) {
    for (const VmWarp *other = cta->warps; other < w; other++)
        if (other->live && is_like(other, w))
            return false;
    return w->live != 0;
}

static void relate_holders(Vm *vm, const VmCta *cta, Finding *finding) {
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        const VmWarp *w = &cta->warps[i];
        uint32_t threads = 0;
        for (uint32_t k = i; is_first(cta, w) && k < cta->warp_count; k++)
            if (cta->warps[k].live && is_like(w, &cta->warps[k]))
                threads += vm_count(cta->warps[k].all);
        if (threads)
            vm_relate(
                vm, finding, PLACE_REGISTERS_HELD,
                w->regs_loc ? w->regs_loc : vm->program->entry->code[0].loc,
                FACTS(FACT(THREADS, threads), FACT(COUNT, vm_registers_of(w))));
    }
}

Finding *vm_report_registers(Vm *vm, VmWarp *w, const VmFragment *f) {
    const VmInstr *in = &f->frame->func->code[f->pc];
    VmCta *cta = w->cta;
    uint32_t lacks = (in->registers.count - vm_registers_of(w)) * VM_LANES;
    Finding *finding = vm_found(
        vm, w, in->loc, CASE_DEADLOCK_REGISTERS, FINDING_ERROR,
        FACTS(FACT_LANE(w, vm_first(f->mask)), FACT(COUNT, in->registers.count),
              FACT(PENDING, lacks), FACT(LIMIT, cta->free_regs),
              FACT(SIZE, at_start(vm->program->kernel) * VM_LANES *
                             cta->warp_count)));
    relate_holders(vm, cta, finding);
    return finding;
}
