// SPDX-License-Identifier: Apache-2.0
// Guesses. An ordinary load may read what others change by compare-and-swap, if
// its value is only the one that the thread's own compare-and-swap expects:
// when it is old by then, nothing is swapped, and the thread tries again. The
// CUDA C++ Programming Guide makes every other atomic operation in this way.
#ifndef CLCLAB_VM_DECODE_GUESS_H
#define CLCLAB_VM_DECODE_GUESS_H

#include "vm/machine/machine.h"

// Whether a compare-and-swap at location `swap` expects what a load at location
// `load` has read. Registers that are moved are followed; false also if they
// are too many.
bool vm_guess_is_checked(const VmFunc *func, uint32_t load, uint32_t swap);

#endif
