// SPDX-License-Identifier: Apache-2.0
// Changes to one function of a PtxModule. An Edit is a copy of the function
// that may be changed freely; the module does not change before edit_install.
// Label indices are updated when instructions are inserted and removed.
#ifndef CLCLAB_REMEDIES_EDIT_H
#define CLCLAB_REMEDIES_EDIT_H

#include "base/base.h"
#include "ptx/ptx.h"

typedef struct Edit {
    Arena *arena;
    PtxFunc func; // with instructions, operands, labels, registers of its own
    PtxVar *var;  // a new variable of the module; NULL: none
} Edit;

Edit edit_open(Arena *arena, const PtxFunc *from);
// Puts the changed function into the module.
void edit_install(const Edit *edit, PtxFunc *into);
// Makes another function of it, whose variables are its own: the one that was
// opened stays as it is.
void edit_install_apart(const Edit *edit, PtxFunc *into);
// The module, with the new variable.
PtxModule edit_module(const Edit *edit, const PtxModule *module);
// A hash of what the function does, as far as the parser can tell: equal
// functions have the same hash.
uint64_t edit_hash(const PtxFunc *func);

// ---- instructions --------------------------------------------------------

// Removes instruction `at`; a label before it moves to the next instruction.
void edit_remove(Edit *edit, uint32_t at);
// Inserts before instruction `at`, but after its labels.
void edit_insert(Edit *edit, uint32_t at, PtxInstr instr);
// Inserts after instruction `at`, before the labels that follow.
void edit_insert_behind(Edit *edit, uint32_t at, PtxInstr instr);
// Moves it to just before, or just after, the instruction that was `to`.
void edit_move_before(Edit *edit, uint32_t at, uint32_t to);
void edit_move_behind(Edit *edit, uint32_t at, uint32_t to);
// Moves instructions [from, end), which begin with a branch to `end`, to just
// before what was `to`, outside of them. Other branches to `end` or `from` lead
// to what follows there; those of the moved ones, to what follows these.
void edit_move_block(Edit *edit, uint32_t from, uint32_t end, uint32_t to);

// Makes an instruction, as edit_make does, and inserts it before *at, which is
// moved on: what is put one after another stands in that order.
void edit_put(Edit *edit, uint32_t *at, PtxOp op, const PtxMod *mods,
              const PtxOperand *operands, uint32_t count);
// A new register that is given the value of a special register there.
PtxOperand edit_put_special(Edit *edit, uint32_t *at, PtxSreg sreg);

// An instruction of `op` at the place of `like`; suffixes and operands up to
// the first that is PTX_MOD_NONE, and `count` of them.
PtxInstr edit_make(Edit *edit, const PtxInstr *like, PtxOp op,
                   const PtxMod *mods, const PtxOperand *operands,
                   uint32_t count);
PtxInstr edit_copy(Edit *edit, const PtxInstr *instr);
uint32_t edit_new_label(Edit *edit, uint32_t target); // its index
uint32_t edit_new_reg(Edit *edit, PtxType type);
// A word in global memory, zero at first. There can be one.
PtxVar *edit_new_var(Edit *edit);
PtxOperand edit_reg(uint32_t reg);
PtxOperand edit_int(uint64_t value);

// ---- suffixes ------------------------------------------------------------

bool edit_drop_mod(PtxInstr *instr, PtxMod mod);
bool edit_swap_mod(PtxInstr *instr, PtxMod from, PtxMod to);
// In front of the suffix `before`.
void edit_add_mod(PtxInstr *instr, PtxMod before, PtxMod mod);

#endif
