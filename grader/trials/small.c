// SPDX-License-Identifier: Apache-2.0
// Searches for the fewest of a schedule's own context switches that still show
// a finding, by running it again. All of them show it; with fewer it may come
// and go, so the result is only the least number that was tried and showed it.
// The tries are few: none, then 1, 4, 16, ..., then bisection between the last
// two.
#include "trials/trials.h"

bool trial_may_try(const TrialBudget *budget) {
    return budget->tries > 0 && budget->steps > 0;
}

void trial_spend(TrialBudget *budget, uint64_t steps) {
    budget->tries--;
    budget->steps -= steps < budget->steps ? steps : budget->steps;
}

typedef struct Search {
    const TrialClient *client;
    const void *finding;
    const Trial *trial;
    TrialBudget *budget;
    TrialSmall *small; // the smallest so far
    bool is_found;
} Search;

// Whether the finding is still there with this many context switches; keeps the
// trial then.
static bool shows(Search *search, uint64_t switches) {
    const TrialClient *client = search->client;
    if (!trial_may_try(search->budget))
        return false;
    TrialSmall next = {.trial = *search->trial};
    next.trial.is_limited = true;
    next.trial.switches = switches;
    next.trial.most_steps = search->budget->steps;
    bool ran =
        client->run(client->context, &next.arena, &next.trial, &next.seen);
    trial_spend(search->budget, ran ? next.seen.steps : UINT64_MAX);
    if (ran && client->is_alike(client->context, search->finding, &next.seen)) {
        arena_free(&search->small->arena);
        *search->small = next;
        search->is_found = true;
        return true;
    }
    arena_free(&next.arena);
    return false;
}

// *few are not enough. False: not even `most` are.
static bool grow(Search *search, uint64_t most, uint64_t *few,
                 uint64_t *enough) {
    while (*enough < most && !shows(search, *enough)) {
        *few = *enough;
        *enough *= 4;
    }
    if (*enough < most)
        return true;
    *enough = most;
    return shows(search, most);
}

static void bisect(Search *search, uint64_t few, uint64_t enough) {
    while (enough - few > 1 && trial_may_try(search->budget)) {
        uint64_t middle = few + (enough - few) / 2;
        if (shows(search, middle))
            enough = middle;
        else
            few = middle;
    }
}

bool trial_make_small(const TrialClient *client, const void *finding,
                      const Trial *trial, uint64_t switches,
                      TrialBudget *budget, TrialSmall *small) {
    Search search = {client, finding, trial, budget, small, false};
    uint64_t few = 0, enough = 1;
    *small = (TrialSmall){0};
    if (!shows(&search, 0) && switches > 0 &&
        grow(&search, switches, &few, &enough))
        bisect(&search, few, enough);
    return search.is_found;
}
