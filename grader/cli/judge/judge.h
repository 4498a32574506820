// SPDX-License-Identifier: Apache-2.0
// Where a file is judged, and whether it may be.
//
//   devices.c    the virtual machines, and the GPU; card.c remembers what it is
//   untrusted.c  whether a stranger's file may be judged here
//   bounded.c    judging in a process with limits (bounded.h)
#ifndef CLCLAB_CLI_JUDGE_H
#define CLCLAB_CLI_JUDGE_H

#include "check/check.h"
#include "cli/core/core.h"

// ---- devices.c -----------------------------------------------------------

// Processors of this machine: 1 at least, `most` at most.
size_t shared_processors(size_t most);
// For --jobs; 0: one for each processor.
size_t shared_workers(uint64_t jobs);
// Whether the machine gives a process fewer addresses than a judge is given.
bool shared_is_short_of_memory(void);
int shared_open_model(Cli *cli, Device **device); // the virtual machine
// One more for each of the crew's workers but the first; NULL: it failed.
Device **shared_open_helpers(Cli *cli);
// For the bars of a lab in modelled time: the virtual machine's small model
// with slow memory, so that a block's work takes longer than a request. NULL:
// the lab has no bars, or there is no machine at all.
Device *shared_open_timed(Arena *arena, const Lab *lab);
// The GPU. is_plain: kernels run as they are, without a ledger.
int shared_open_card(Cli *cli, bool is_plain, Device **card);
// The GPU that --device asks for; NULL: none, which is no error.
int shared_find_card(Cli *cli, Device **card);

// card.c: that the machine's GPUs have no Cluster Launch Control, kept in the
// cache, as to ask the driver takes a third of a second. `proc`: the folder of
// NVIDIA's kernel module; the key is empty where that says nothing.
Str card_key(Arena *arena, Str proc);
bool card_is_remembered(Arena *arena, Str key);
void card_remember(Arena *arena, Str key);

// untrusted.c: whether the file may be judged on this machine, by --untrusted
// and --allow-weak-sandbox. A stranger's file goes to a GPU only if one is
// asked for.
int untrusted_check(Cli *cli);

#endif
