// SPDX-License-Identifier: Apache-2.0
// Changes to one function of a PtxModule. An Edit is a copy of the function
// that may be changed at will; the module stays as it is until edit_install.
// Indices of labels follow what is put in and taken out.
#ifndef CLCLAB_TESTS_MUTANTS_EDIT_H
#define CLCLAB_TESTS_MUTANTS_EDIT_H

#include "base/base.h"
#include "ptx/ptx.h"

typedef struct Edit {
    Arena *arena;
    PtxFunc func; // with instructions, operands, labels, registers of its own
} Edit;

Edit edit_open(Arena *arena, const PtxFunc *from);
// From now on the module has the changed function.
void edit_install(const Edit *edit, PtxFunc *into);
// What the function does, as far as the parser can tell: equal functions have
// the same number.
uint64_t edit_hash(const PtxFunc *func);

// ---- instructions --------------------------------------------------------

// A label in front of instruction `at` goes to the one behind it.
void edit_remove(Edit *edit, uint32_t at);
// In front of instruction `at`, but behind its labels.
void edit_insert(Edit *edit, uint32_t at, PtxInstr instr);
// Behind instruction `at`, in front of the labels that follow.
void edit_insert_behind(Edit *edit, uint32_t at, PtxInstr instr);
// Takes it out and puts it in front of, or behind, what was instruction `to`.
void edit_move_before(Edit *edit, uint32_t at, uint32_t to);
void edit_move_behind(Edit *edit, uint32_t at, uint32_t to);

// An instruction of `op` at the place of `like`; suffixes and operands up to
// the first that is PTX_MOD_NONE, and `count` of them.
PtxInstr edit_make(Edit *edit, const PtxInstr *like, PtxOp op,
                   const PtxMod *mods, const PtxOperand *operands,
                   uint32_t count);
PtxInstr edit_copy(Edit *edit, const PtxInstr *instr);
uint32_t edit_new_reg(Edit *edit, PtxType type);
PtxOperand edit_reg(uint32_t reg);
PtxOperand edit_int(uint64_t value);

// ---- suffixes ------------------------------------------------------------

bool edit_drop_mod(PtxInstr *instr, PtxMod mod);
bool edit_swap_mod(PtxInstr *instr, PtxMod from, PtxMod to);
// In front of the suffix `before`.
void edit_add_mod(PtxInstr *instr, PtxMod before, PtxMod mod);

#endif
