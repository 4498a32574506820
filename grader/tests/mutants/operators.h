// SPDX-License-Identifier: Apache-2.0
// The operators: each makes one small mistake at one instruction. A row has a
// name, its variants, and a function that makes the change or says that it does
// not apply to the instruction.
//
//   op_sync.c    fences, barriers, mbarriers, requests and their answers
//   op_behind.c  what belongs before a release comes behind it
//   op_plain.c   branches, guards, numbers, addresses, loads and stores
//   op_work.c    who works on what: shown only by some rounds, grids, orders
//
// These only remove or change what the program relies on. What makes it
// stronger (a wider scope, one more fence) is not a mistake; such changes are
// in
//
//   op_safe.c    and must keep full marks
#ifndef CLCLAB_TESTS_MUTANTS_OPERATORS_H
#define CLCLAB_TESTS_MUTANTS_OPERATORS_H

#include "remedies/edit.h"
#include "remedies/what.h"

enum { MAX_VARIANTS = 6 };

typedef struct Operator {
    const char *name;
    // False: it does not apply here, and the Edit is discarded.
    bool (*apply)(Edit *edit, uint32_t at, uint32_t variant);
    const char *variants[MAX_VARIANTS]; // up to the first NULL; none: one
} Operator;

extern const Operator SYNC_OPERATORS[], PLAIN_OPERATORS[], WORK_OPERATORS[],
    SAFE_OPERATORS[];
extern const size_t SYNC_OPERATOR_COUNT, PLAIN_OPERATOR_COUNT,
    WORK_OPERATOR_COUNT, SAFE_OPERATOR_COUNT;

// ---- what an instruction is, beside remedies/what.h -----------------------

bool is_release(const PtxInstr *instr); // a strong store, an atomic, an arrival

// ---- op_behind.c, a row of op_sync.c's table ------------------------------

bool behind_release(Edit *edit, uint32_t at, uint32_t variant);

#endif
