// SPDX-License-Identifier: Apache-2.0
// What an instruction is, for who edits a kernel: remedies, and the mistakes of
// tests/mutants. "Next" is in the order of the text; the back edge of a loop is
// not followed.
#ifndef CLCLAB_REMEDIES_WHAT_H
#define CLCLAB_REMEDIES_WHAT_H

#include "base/base.h"
#include "ptx/ptx.h"

typedef bool Is(const PtxInstr *instr);

bool is_fence(const PtxInstr *instr);
bool is_barrier(const PtxInstr *instr);      // of a warp, a CTA, a cluster
bool is_cta_barrier(const PtxInstr *instr);  // arrives and waits
bool is_half_barrier(const PtxInstr *instr); // arrives or waits, of a CTA or a
                                             // cluster
bool is_wait(const PtxInstr *instr);         // of an mbarrier
bool is_arrive(const PtxInstr *instr);       // likewise
bool is_request(const PtxInstr *instr);
bool is_query(const PtxInstr *instr);  // of an answer
bool is_access(const PtxInstr *instr); // to memory, but for parameters; a
                                       // request, and all of an mbarrier
// Whether the instruction names the register.
bool names_reg(const PtxInstr *instr, uint32_t reg);
// Whether what the instruction sets is named by the other one.
bool sets_for(const PtxInstr *instr, const PtxInstr *other);

// ---- of a function -------------------------------------------------------

// The next instruction for which `is` holds; instr_count if there is none.
uint32_t next_of(const PtxFunc *func, uint32_t at, Is *is);
// The last instruction of a wait: the branch that repeats it, if one is near;
// otherwise the wait.
uint32_t end_of_wait(const PtxFunc *func, uint32_t at);
// Whether a branch leads here.
bool is_target(const PtxFunc *func, uint32_t at);
// The conditional branch that jumps over the instruction: the nearest of these
// is level 0. instr_count: there is none.
uint32_t jump_over(const PtxFunc *func, uint32_t at, uint32_t level);
// The loop round the instruction, of level 0 the one whose head is nearest: its
// head, and the last branch that leads back there. False: there is none; `head`
// and `end` stay as they are.
bool loop_round(const PtxFunc *func, uint32_t at, uint32_t level,
                uint32_t *head, uint32_t *end);
// The head of the outermost loop round the instruction; 0: there is none.
uint32_t outermost_loop(const PtxFunc *func, uint32_t at);

#endif
