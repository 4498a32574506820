// SPDX-License-Identifier: Apache-2.0
// What a register of the entry holds, as far as its definitions say: numbers,
// and addresses in shared memory. What is not found is not known.
#ifndef CLCLAB_REMEDIES_VALUES_H
#define CLCLAB_REMEDIES_VALUES_H

#include "ptx/ptx.h"
#include "remedies/remedies.h"

// An address: `offset` bytes in a variable, and something more if `varies`.
typedef struct Place {
    PtxVar *var;
    uint64_t offset;
    bool varies;
} Place;

// False: it is not one number, the same for everybody.
bool value_of(const RemedySite *site, const PtxOperand *operand,
              uint64_t *value);
// False: its variable is not known.
bool place_of(const RemedySite *site, const PtxOperand *operand, Place *place);
// The only instruction of the entry that sets the register; NULL: there is
// none, or another one.
const PtxInstr *setter_of(const RemedySite *site, uint32_t reg);

// ---- of mbarriers --------------------------------------------------------

// The operand that is an mbarrier's address; NULL: the instruction has none.
PtxOperand *mbarrier_operand(const PtxInstr *instr);

#endif
