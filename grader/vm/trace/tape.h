// SPDX-License-Identifier: Apache-2.0
// tape: records a trace (result/trace.h) from what it is told. It does not know
// the virtual machine.
//
//   tape_start ─┬─ tape_enter ─┬─ tape_block, tape_event, tape_step, ...
//               │              └─ tape_leave
//               └─ tape_finish: the RunTrace
//
// Its memory has limits, whatever happens. When the lists of stays and events
// are full, half of the stays are dropped with their events, and of those to
// come half are left out; so what is listed is spread over the whole launch and
// over all places. Of the steps around a finding, the latest are kept.
#ifndef CLCLAB_VM_TRACE_TAPE_H
#define CLCLAB_VM_TRACE_TAPE_H

#include "base/base.h"
#include "result/wish.h"

enum { TAPE_STAYS = 4096, TAPE_EVENTS = 16384 };

typedef struct Tape Tape;

// The result lives as long as the arena.
Tape *tape_start(Arena *arena, const TraceWish *wish, uint32_t sm_count,
                 uint32_t places);
// A CTA starts on an SM that has a free place. Returns its place, a number for
// the calls below; numbers are reused after tape_leave.
uint32_t tape_enter(Tape *t, uint32_t sm, uint32_t cta, uint64_t at);
// It goes on with another block; the same block again is no news.
void tape_block(Tape *t, uint32_t place, uint32_t block, uint64_t at);
void tape_leave(Tape *t, uint32_t place, uint64_t at);
// Something happened to the CTA's mbarriers or slots. `stay` is filled in.
void tape_event(Tape *t, uint32_t place, TraceEvent event);

// The moment: a step of a CTA that is looked at. The same step again, such as
// a poll, is counted. Returns the step on the tape, which is overwritten when
// it is no longer among the latest; NULL: there is no room after the finding.
TraceEvent *tape_step(Tape *t, const TraceEvent *step);
// What the registers of its warp hold after it; they are copied.
void tape_values(Tape *t, TraceEvent *step, const TraceValue *values,
                 size_t count);
// The finding has been made; only the first call counts. Few more steps follow.
void tape_found(Tape *t, const TraceEvent *found);
bool tape_has_found(const Tape *t);

// Ends the stays of those that never left. The lists are copied to `arena`.
RunTrace *tape_finish(Tape *t, Arena *arena, uint64_t end);

#endif
