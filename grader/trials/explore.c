// SPDX-License-Identifier: Apache-2.0
// Runs schedules one after another, or takes what workers have run of them. The
// client is given what they show in the order of their numbers, and so says the
// same for any number of workers.
#include "trials/trials.h"

typedef struct Exploring {
    const TrialClient *client;
    const TrialPlan *plan;
    uint64_t shared; // the first trial that is shared out
} Exploring;

static Trial trial_at(const TrialPlan *plan, uint64_t number) {
    Trial trial = plan->like;
    trial.number = number;
    return trial;
}

// ---- by workers ----------------------------------------------------------

static void *begin_worker(void *context, size_t number) {
    const TrialClient *client = ((const Exploring *)context)->client;
    return client->worker ? client->worker(client->context, number)
                          : client->context;
}

static void *run_task(void *context, void *worker, Arena *arena, size_t task) {
    const Exploring *e = context;
    Trial trial = trial_at(e->plan, e->shared + task);
    TrialSeen *seen = arena_new(arena, TrialSeen, 1);
    return e->client->run(worker, arena, &trial, seen) ? seen : NULL;
}

static Share *share_out(Exploring *e) {
    const TrialPlan *plan = e->plan;
    ShareWork work = {e, begin_worker, run_task};
    size_t count = (size_t)(plan->end - e->shared);
    return plan->copies > 1 ? share_in_copies(&work, count, plan->copies)
                            : share_in_threads(&plan->threads, &work, count);
}

// ---- the whole -----------------------------------------------------------

// *more: the client wants to see further ones.
static bool explore_one(const Exploring *e, Share *share, uint64_t number,
                        bool *more) {
    const TrialClient *client = e->client;
    Trial trial = trial_at(e->plan, number);
    Arena arena = {0};
    TrialSeen own = {0};
    TrialSeen *seen = number < e->shared
                          ? NULL
                          : share_found(share, (size_t)(number - e->shared));
    bool ran = seen || client->run(client->context, &arena, &trial, &own);
    *more = ran && client->take(client->context, &trial, seen ? seen : &own);
    arena_free(&arena);
    return ran;
}

bool trial_explore(const TrialClient *client, const TrialPlan *plan) {
    Exploring e = {client, plan, plan->first + plan->alone};
    Share *share = e.shared < plan->end ? share_out(&e) : NULL;
    bool more = true, ran = true;
    for (uint64_t i = plan->first; i < plan->end && more; i++)
        ran = explore_one(&e, share, i, &more);
    share_end(share);
    return ran;
}
