// SPDX-License-Identifier: Apache-2.0
// CLCLAB_FAKE_CUDA: how the fake driver behaves. Items with ';' between them:
//
//   cc=9.0  sms=132  memory=1024 (MiB)  name=Fake  driver=12040  devices=1
//   mode=0 (a CUcomputemode)  clusters=1  watchdog=0
//                             what the driver says of itself and of the GPU
//   fail=SYMBOL:CODE[@N]      the call (the N-th one alone) gives the error
//   hang=SYMBOL               it never returns
//   hang=query                no kernel ever ends
//   exit=SYMBOL:CODE          it ends the process
//   crash=SYMBOL              it ends the process by SIGSEGV
//   fault=CODE                every launch faults: from then on, all calls give
//                             the error, as a broken context does
//   delay_ms=N                how long a kernel runs; 0
//   apply=double              a launch doubles n floats of (float *, int n)
//   apply=table               it enters each of its clusters and blocks in the
//                             table clclab_gpu as started, as gpu/table.h says
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

// The first item "name=value": a number (0x too), or `otherwise`.
long option_number(const char *name, long otherwise);
// Its text, cut to the room; false, and "", where there is no such item.
bool option_text(const char *name, char *text, size_t room);
// Whether the item "name=value" is there.
bool option_is(const char *name, const char *value);
// The number of the item "name=symbol:number" or "name=symbol:number@call",
// where the call is that one; 0: there is none.
long option_for(const char *name, const char *symbol, long call);

#endif
