// SPDX-License-Identifier: Apache-2.0
// Whether findings are there only because blocks are launched and granted out
// of order: the schedules are run again in order, and what shows then as well
// has another cause. Read trial_try_in_order.
#include "trials/trials.h"

// How many schedules are tried before the order is blamed: a finding that needs
// luck as well can stay away from a few.
enum { ORDER_TRIES = 32 };

static bool is_same_trial(const Trial *a, const Trial *b) {
    return a->seed == b->seed && a->number == b->number &&
           a->is_limited == b->is_limited && a->switches == b->switches;
}

// The suspects that a trial is run for: those that are not clear; of these, if
// `own` is given, those that it showed.
typedef struct LineUp {
    TrialSuspect *suspects;
    size_t count;
    const Trial *own;
} LineUp;

static bool is_in(const LineUp *line, const TrialSuspect *suspect) {
    return !suspect->is_clear &&
           (!line->own || is_same_trial(line->own, &suspect->trial));
}

// The most that one of them may still cost; 0: there is none.
static uint64_t most_steps(const LineUp *line) {
    uint64_t most = 0;
    for (size_t i = 0; i < line->count; i++)
        if (is_in(line, &line->suspects[i]) && line->suspects[i].steps > most)
            most = line->suspects[i].steps;
    return most;
}

static void look(const TrialClient *client, TrialSuspect *suspect,
                 const TrialSeen *seen) {
    suspect->is_clear =
        !seen->has_ended ||
        client->is_alike(client->context, suspect->finding, seen);
    suspect->steps -=
        seen->steps < suspect->steps ? seen->steps : suspect->steps;
}

// Runs the trial in order. What it costs each of them pays for itself; who
// cannot pay is clear.
static void try_one(const TrialClient *client, LineUp *line, Trial trial) {
    Arena arena = {0};
    TrialSeen seen = {0};
    trial.in_order = true;
    trial.most_steps = most_steps(line);
    bool ran = trial.most_steps > 0 &&
               client->run(client->context, &arena, &trial, &seen);
    for (size_t i = 0; i < line->count; i++) {
        TrialSuspect *suspect = &line->suspects[i];
        if (!is_in(line, suspect))
            continue;
        if (ran && suspect->steps > 0)
            look(client, suspect, &seen);
        else
            suspect->is_clear = true;
    }
    arena_free(&arena);
}

static bool is_any_left(const TrialSuspect *suspects, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!suspects[i].is_clear)
            return true;
    return false;
}

static bool is_first_of_its_trial(const TrialSuspect *suspects, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (is_same_trial(&suspects[i].trial, &suspects[index].trial))
            return false;
    return true;
}

static void try_own(const TrialClient *client, TrialSuspect *suspects,
                    size_t count) {
    for (size_t i = 0; i < count; i++) {
        LineUp line = {suspects, count, &suspects[i].trial};
        if (is_first_of_its_trial(suspects, i) && most_steps(&line) > 0)
            try_one(client, &line, suspects[i].trial);
    }
}

void trial_try_in_order(const TrialClient *client, TrialSuspect *suspects,
                        size_t count) {
    try_own(client, suspects, count);
    for (uint64_t i = 1; i < ORDER_TRIES && is_any_left(suspects, count); i++) {
        LineUp line = {suspects, count, NULL};
        try_one(client, &line,
                (Trial){.seed = suspects[0].trial.seed, .number = i});
    }
}
