// SPDX-License-Identifier: Apache-2.0
// CLCLAB_FAKE_CUDA: how the fake driver behaves. Items with ';' between them:
//
//   cc=9.0  sms=132  memory=1024 (MiB)  name=Fake  driver=12040  devices=1
//   mode=0 (a CUcomputemode)  clusters=1  watchdog=0  uuid=N (its last bytes)
//                             what the driver says of itself and of the GPU
//   fits=N                    blocks of any kernel that fit on an SM
//   fail=SYMBOL:CODE[@N]      the call (the N-th one alone) gives the error
//   hang=SYMBOL               it never returns
//   hang=query                no kernel ever ends; other streams go on
//   exit=SYMBOL:CODE          it ends the process
//   crash=SYMBOL              it ends the process by SIGSEGV
//   fault=CODE                every launch faults: from then on, all calls give
//                             the error, as a broken context does
//   delay_ms=N                how long a kernel runs; 0
//   takes=N:MS                how long the N-th launch took, for events; 1
//   copy_ms=N                 how long a copy on the GPU took, for events; 0
//   apply=double              a launch doubles n floats of (float *, int n)
//   apply=table               it enters each of its clusters and blocks in the
//                             table clclab_gpu as started, as gpu/table.h says
//   prologue=BITS             the kernel clclab_prologue stores that word, and
//                             nothing else befalls it: grading goes on to the
//                             lab's kernel; "right": what lab.h's gives
//   claims=INDEX:VALUE        it writes the value there in that array of the
//                             table; orders, taken, starts, calls, control and
//                             ends (64 bits; the others: words) likewise
//   refuse=claims             a launch that finds claims of another one in the
//                             table fails
//   copy=args                 it copies its arguments to where the first
//   points, copy=control              the first words of the table's control,
//   copy=NAME                 or a variable of the module
//   poke=N:OFFSET             it changes that byte of the N-th allocation (from
//                             0)
//   corrupt=guard             it changes the last byte of every allocation,
//                             where a guard would lie
//   corrupt=first             it changes the first byte of every allocation
//   log=PATH                  the symbol of each call is appended as a line,
//                             where a sandbox lets the process write
//
// SYMBOL is the exported name: cuMemAlloc_v2. An item may come more than once.
#ifndef CLCLAB_FAKECUDA_OPTIONS_H
#define CLCLAB_FAKECUDA_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The first item "name=value": a number (0x too), or `otherwise`.
long option_number(const char *name, long otherwise);
// Its text, cut to the room; false, and "", where there is no such item.
bool option_text(const char *name, char *text, size_t room);
// Whether the item "name=value" is there.
bool option_is(const char *name, const char *value);
// The next item "name=first:second", two numbers, behind *at (NULL: the first),
// which moves on; false: there is none.
bool option_pair(const char *name, const char **at, uint64_t *first,
                 uint64_t *second);
// The number of the item "name=symbol:number" or "name=symbol:number@call",
// where the call is that one; 0: there is none.
long option_for(const char *name, const char *symbol, long call);

#endif
