// SPDX-License-Identifier: Apache-2.0
// trials: one launch under many schedules. This room knows what a seed and a
// number mean, explores schedules and shares them out, makes a finding small,
// tries it in order, compares what schedules leave in memory, and writes the
// command that runs a schedule again. It runs nothing itself: a client, which
// is check/ for a lab's kernel and for a kernel of no lab, and runtime/ for a
// program's launch, gives it functions (TrialClient). Read in this order:
//
//   schedule.c    what a seed and a number mean, names, bounds of PCT
//   explore.c     schedules one after another, or shared out
//   share.c       tasks shared out, their results taken in order
//   threads.c     ... among threads
//   copies.c      ... among copies of the process
//   small.c       the fewest context switches that still show a finding
//   order.c       whether a finding needs blocks that are out of order
//   difference.c  what differs in two states of a buffer
//   element.c     the types that its elements may have
//   replay.c      the command that runs a schedule again
#ifndef CLCLAB_TRIALS_H
#define CLCLAB_TRIALS_H

#include "base/base.h"
#include "device/device.h"
#include "result/verdict.h"
#include "trials/element.h"

// ---- schedules: schedule.c -----------------------------------------------

// Which schedule: a seed and a number, and what is asked of it besides.
typedef struct Trial {
    uint64_t seed, number;
    bool is_limited; // as in DeviceSchedule
    uint64_t switches;
    bool in_order;       // likewise
    uint64_t most_steps; // thread-instructions; 0: the client's own limit
} Trial;

// The schedule of a trial. `steps`: how many the plain schedule took, which PCT
// needs; 0 for other strategies.
DeviceSchedule trial_schedule(const Trial *trial, uint64_t steps);
// What the seed and the number alone give.
DeviceSchedule trial_schedule_of(uint64_t seed, uint64_t number);
// "PCT-2"
Str trial_strategy_name(Arena *arena, const DeviceSchedule *schedule);
// "schedule 5 (PCT-2, 3 switches)"
Str trial_name(Arena *arena, uint64_t number, const DeviceSchedule *schedule);
// The bound that a run under this schedule gives; depth 0: it is not PCT.
PctBound trial_bound(const DeviceSchedule *schedule, const DeviceRun *run);
// sums: [PCT_DEPTHS]
void trial_add_bound(PctBound *sums, const PctBound *bound);

// ---- clients -------------------------------------------------------------

// What a trial has shown.
typedef struct TrialSeen {
    bool has_ended; // it ran to its end
    uint64_t steps; // thread-instructions that it took
    void *shown;    // the client's: findings, differences
} TrialSeen;

typedef struct TrialClient {
    void *context;
    // Runs a trial. What it shows, and all that this points to, is in the
    // arena. False: it was refused, or a worker leaves it to the caller.
    // `context` is the client's, or a worker's.
    bool (*run)(void *context, Arena *arena, const Trial *trial,
                TrialSeen *seen);
    // Whether the trial shows the finding too; what a finding is, the client
    // knows.
    bool (*is_alike)(void *context, const void *finding, const TrialSeen *seen);
    // The context of a worker: 0 is the caller's own thread, with its device.
    // Called again when there is something new to know. NULL: the client's.
    void *(*worker)(void *context, size_t number);
    // Takes what a trial has shown, in the order of the numbers. False: no
    // further ones. Only trial_explore needs it.
    bool (*take)(void *context, const Trial *trial, TrialSeen *seen);
} TrialClient;

// ---- tasks shared out: share.c, threads.c, copies.c ----------------------

typedef struct Share Share;

typedef struct ShareWork {
    void *context;
    void *(*worker)(void *context, size_t number); // as in TrialClient; or NULL
    // Does one task; each worker does several, in ascending order. The result,
    // and all that it points to, is in the arena, or was there before. NULL:
    // the task is left to the caller, and none behind it is begun.
    void *(*task)(void *context, void *worker, Arena *arena, size_t task);
} ShareWork;

typedef struct ShareThreads {
    Crew *crew;      // NULL, or of one worker: nothing is shared
    size_t each;     // tasks for each worker between two looks at the caller's
                     // context; 0: all
    uint64_t memory; // bytes that all workers may need together; 0: any
} ShareThreads;

// Both: NULL, which the others take, if nothing is shared.
// Tasks are begun when the first is asked for, in rounds.
Share *share_in_threads(const ShareThreads *how, const ShareWork *work,
                        size_t count);
// Tasks are begun at once. What a task changes but its result is lost. The
// process must have one thread; it does not notice its copies.
Share *share_in_copies(const ShareWork *work, size_t count, size_t copies);
// The result of a task, once it is there; it lasts until a task is asked for
// that has not been begun. NULL: nobody does it: the caller does.
void *share_found(Share *share, size_t task);
// Ends what is not done.
void share_end(Share *share);

// ---- exploring: explore.c ------------------------------------------------

typedef struct TrialPlan {
    Trial like; // its seed, its limits
    uint64_t first, end;
    uint64_t alone; // so many of the first are run by the caller
    ShareThreads threads;
    size_t copies; // of the process, instead of threads; less than 2: none
} TrialPlan;

// Runs the trials [first, end) and lets the client take what they show. The
// result does not depend on who runs them. False: one was refused.
bool trial_explore(const TrialClient *client, const TrialPlan *plan);

// ---- a smaller trial: small.c --------------------------------------------

// What may still be spent.
typedef struct TrialBudget {
    uint32_t tries;
    uint64_t steps; // thread-instructions
} TrialBudget;
// For one finding.
#define TRIAL_BUDGET ((TrialBudget){24, 100 * 1000 * 1000})
bool trial_may_try(const TrialBudget *budget);
void trial_spend(TrialBudget *budget, uint64_t steps); // and one try

typedef struct TrialSmall {
    Trial trial;
    TrialSeen seen;
    Arena arena; // of `seen`; the caller frees it
} TrialSmall;

// Searches for the fewest context switches, at most `switches`, under which the
// trial still shows the finding. False: none of those tried does.
bool trial_make_small(const TrialClient *client, const void *finding,
                      const Trial *trial, uint64_t switches,
                      TrialBudget *budget, TrialSmall *small);

// ---- in order: order.c ---------------------------------------------------

// A finding of a schedule that left the order of blocks, and perhaps there for
// that.
typedef struct TrialSuspect {
    const void *finding;
    Trial trial;    // which showed it
    uint64_t steps; // thread-instructions that may be spent on it
    bool is_clear;  // the order is not the cause; else, afterwards, it is
} TrialSuspect;

// Clears the suspects that show in order too, under their own schedules or
// under the first of all, and those for which a schedule does not come to its
// end. What is tried does not depend on how many schedules were asked for, so
// that a replay says the same.
void trial_try_in_order(const TrialClient *client, TrialSuspect *suspects,
                        size_t count);

// ---- memory: difference.c ------------------------------------------------

typedef struct MemoryForm {
    ElementType element;
    bool is_close; // floats may differ by `tolerance`, relative to the larger;
    double tolerance; // a NaN is as good as another
} MemoryForm;

typedef struct MemoryDifference {
    uint64_t words; // that differ, or elements
    uint64_t at;    // byte where the first of them starts
    Str was, now;   // its bytes
} MemoryDifference;

// Adds what differs in a part of a buffer, [at, at + now.len), of which parts
// come in ascending order, each but the last of whole elements. `was` lasts as
// long as the difference; what is kept of `now` is copied to the arena.
void memory_compare(Arena *arena, const MemoryForm *form, Str was, Str now,
                    uint64_t at, MemoryDifference *difference);
// "0x3f800000 (u32 1065353216, f32 1)"; fewer bytes than an element are shown
// in hex only.
Str memory_element(Arena *arena, ElementType type, Str bytes);

// ---- the command again: replay.c -----------------------------------------

// Each appends a blank and then its text, quoted for a shell.
void replay_word(Buf *out, Str word);
void replay_option(Buf *out, const char *name, const char *value); // NULL: none
void replay_number(Buf *out, const char *name, uint64_t value);
void replay_file(Buf *out, Str file);
// The command that runs one trial: `base`, and the options that say which.
// `more`: words between these; empty: none.
Str replay_trial(Arena *arena, Str base, const Trial *trial, Str more);
// The command that runs as many schedules, from the first.
Str replay_trials(Arena *arena, Str base, uint64_t seed, uint64_t schedules);

#endif
