// SPDX-License-Identifier: Apache-2.0
// Trying edits for a failure, whatever it is the failure of: advise.c chooses
// them, has them run, and fills in the cause's advice. advise_grade.c and
// launch_advise.c say what running means for a grade, and for a launch.
#ifndef CLCLAB_CHECK_ADVISE_H
#define CLCLAB_CHECK_ADVISE_H

#include "check/internal.h"
#include "remedies/remedies.h"

// What a whole trial of an edited kernel has shown. All false: what fails now
// may come of the edit.
typedef struct AdviseSeen {
    bool heals;
    bool helps; // the failure is gone, and an edit heals what follows
    // The following last no longer than the trial.
    Str follows; // the code of another failure or, where it has none, its
                 // check; empty: none follows
    const Cause *behind; // that failure's, with its advice if `helps`
} AdviseSeen;

typedef struct Advise {
    Arena *arena; // of the result
    Cause *cause; // the first of a failure
    RemedySite site;
    const Submission *submission;
    const PtxModule **advised; // [ADVICE_MOST_EDITS]: with each edit told
    size_t most;               // edits that are tried, at most
    bool is_one_enough;        // the first that heals is told alone
    uint64_t schedules;        // of a whole trial
    Crew *crew;                // NULL: there is none
    uint64_t memory;           // as in ShareThreads
    void *context;
    // Called once there are edits to try.
    void (*begin)(void *context);
    // Likewise by each worker, and once without a crew, as worker 0.
    void *(*worker)(void *context, size_t number);
    // Whether the run that showed the failure gets past it. remedy: NULL: the
    // kernel as it is.
    bool (*is_past)(const struct Advise *advise, void *worker, Arena *scratch,
                    const Remedy *remedy);
    // A whole trial, as the submission had. Where another failure follows, it
    // is asked again for the likeliest, with is_deeper: edits are tried for
    // that one, and with it the first edit helps or not.
    AdviseSeen (*judge)(const struct Advise *advise, Arena *scratch,
                        const Remedy *remedy, bool is_deeper);
} Advise;

// Whether both are the same rule, or none, at the same line.
bool advise_is_same(const Cause *a, const Cause *b);

// A device keeps its module until the next one: an edited one is to go before
// its memory does.
void advise_unload(const Advise *advise, Device *device);

// Sets the cause's advice.
void advise(Advise *advise);

#endif
