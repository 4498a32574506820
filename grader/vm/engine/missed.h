// SPDX-License-Identifier: Apache-2.0
// Of a deadlock: barriers that some threads wait at, and others never come to.
#ifndef CLCLAB_VM_ENGINE_MISSED_H
#define CLCLAB_VM_ENGINE_MISSED_H

#include "vm/machine/machine.h"

// The fragment of the warp that waits at a barrier of all threads of its block
// or cluster, in front of something that others wait for, although one of these
// can no longer come to it; NULL: there is none.
VmFragment *vm_missed_at(VmWarp *w);

#endif
