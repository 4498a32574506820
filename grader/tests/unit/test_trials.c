// SPDX-License-Identifier: Apache-2.0
// trials/: what a seed and a number mean, and a client's schedules as they are
// explored, made small and tried in order. The clients here run nothing: what a
// trial shows follows from its number.
#include "tests/unit/test.h"
#include "trials/trials.h"

#include <stdatomic.h>
#include <string.h>

// ---- schedule.c ----------------------------------------------------------

TEST(numbers_give_strategies_in_turn) {
    static const DeviceStrategy after[] = {
        STRATEGY_PCT, STRATEGY_PATIENCE, STRATEGY_PCT, STRATEGY_STALL,
        STRATEGY_PCT, STRATEGY_STALL,    STRATEGY_PCT, STRATEGY_RANDOM,
        STRATEGY_PCT, STRATEGY_RANDOM,   STRATEGY_PCT, STRATEGY_STALL,
        STRATEGY_PCT, STRATEGY_STALL,    STRATEGY_PCT, STRATEGY_RANDOM};
    uint32_t stalls = 0;
    for (uint64_t number = 0; number < 8; number++)
        CHECK_INT(trial_schedule_of(1, number).strategy, number);
    for (uint64_t number = 8; number < 56; number++) {
        DeviceSchedule s = trial_schedule_of(1, number);
        CHECK_INT(s.strategy, after[(number - 8) % 16]);
        CHECK_INT(s.depth,
                  s.strategy == STRATEGY_PCT ? 1 + (number - 8) / 2 % 3 : 0);
        CHECK_INT(s.site, s.strategy == STRATEGY_STALL ? stalls++ : 0);
    }
}

TEST(seed_and_number_give_a_schedule_its_own_seed) {
    CHECK_U64(trial_schedule_of(1, 2).seed, trial_schedule_of(1, 2).seed);
    CHECK(trial_schedule_of(1, 2).seed != trial_schedule_of(1, 3).seed);
    CHECK(trial_schedule_of(1, 2).seed != trial_schedule_of(2, 2).seed);
    CHECK(trial_schedule_of(1, 2).seed != trial_schedule_of(2, 1).seed);
}

TEST(a_schedule_is_named_by_number_and_strategy) {
    Arena arena = {0};
    static const char *const names[] = {
        "round-robin",  "random",   "all-steal", "no-steal",
        "refuse-early", "one-SM",   "late-CTA",  "slow-answer",
        "PCT-0",        "patience", "stall"};
    for (uint32_t i = 0; i < STRATEGY_COUNT; i++)
        CHECK_STR(trial_strategy_name(
                      &arena, &(DeviceSchedule){.strategy = (DeviceStrategy)i}),
                  names[i]);
    DeviceSchedule schedule = trial_schedule_of(7, 10);
    CHECK_STR(trial_name(&arena, 10, &schedule), "schedule 10 (PCT-2)");
    schedule = trial_schedule(
        &(Trial){.seed = 7, .number = 9, .is_limited = true, .switches = 1}, 0);
    CHECK_STR(trial_name(&arena, 9, &schedule),
              "schedule 9 (patience, 1 switch)");
    schedule.switches = 2;
    CHECK_STR(trial_name(&arena, 9, &schedule),
              "schedule 9 (patience, 2 switches)");
    arena_free(&arena);
}

TEST(a_trial_is_a_schedule_with_what_is_asked_besides) {
    Trial trial = {.seed = 5, .number = 8};
    DeviceSchedule plain = trial_schedule_of(5, 8);
    DeviceSchedule asked = trial_schedule(&trial, 77);
    CHECK_U64(asked.seed, plain.seed);
    CHECK_INT(asked.strategy, STRATEGY_PCT);
    CHECK_INT(asked.steps, 77);
    CHECK(!asked.is_limited && !asked.in_order);
    trial.is_limited = true;
    trial.switches = 4;
    CHECK_INT(trial_schedule(&trial, 0).switches, 4);
    CHECK(trial_schedule(&trial, 0).is_limited);
    trial.in_order = true;
    CHECK(trial_schedule(&trial, 0).in_order);
}

TEST(a_bound_multiplies_warps_and_steps) {
    DeviceRun run = {.warps = 10};
    DeviceSchedule s = {.strategy = STRATEGY_PCT, .depth = 3, .steps = 100};
    PctBound bound = trial_bound(&s, &run);
    CHECK_INT(bound.depth, 3);
    CHECK_INT(bound.runs, 1);
    CHECK_INT(bound.one_in, 100000);
    CHECK_INT(bound.all_one_in, 100000);
    s.depth = 1;
    CHECK_INT(trial_bound(&s, &run).one_in, 10);
    run.warps = 0;
    s.steps = 0;
    s.depth = 2;
    bound = trial_bound(&s, &run);
    CHECK_INT(bound.one_in, 1);
    CHECK_INT(bound.warps, 1);
    CHECK_INT(bound.steps, 1);
    s.strategy = STRATEGY_RANDOM;
    CHECK_INT(trial_bound(&s, &run).depth, 0);
    s = (DeviceSchedule){
        .strategy = STRATEGY_PCT, .depth = 3, .steps = UINT64_C(1) << 40};
    CHECK_U64(trial_bound(&s, &run).one_in, UINT64_C(1) << 53);
}

TEST(bounds_of_several_runs_add_up) {
    PctBound sums[PCT_DEPTHS] = {{0}};
    DeviceRun run = {.warps = 2};
    DeviceSchedule s = {.strategy = STRATEGY_PCT, .depth = 2, .steps = 3};
    PctBound bound = trial_bound(&s, &run);
    trial_add_bound(sums, &bound);
    CHECK_INT(sums[1].one_in, 6);
    CHECK_INT(sums[1].all_one_in, 6);
    run.warps = 4;
    bound = trial_bound(&s, &run);
    trial_add_bound(sums, &bound);
    CHECK_INT(sums[1].runs, 2);
    CHECK_INT(sums[1].warps, 4);
    CHECK_INT(sums[1].steps, 3);
    CHECK_INT(sums[1].one_in, 12);
    // 1/6 + 1/12 * 5/6 = 17/72, a little more than 1 in 4.23.
    CHECK_INT(sums[1].all_one_in, 5);
    CHECK_DOUBLE(sums[1].all, 17.0 / 72);
    run.warps = 1;
    s.steps = 9;
    bound = trial_bound(&s, &run);
    trial_add_bound(sums, &bound);
    CHECK_INT(sums[1].warps, 4);
    CHECK_INT(sums[1].steps, 9);
    trial_add_bound(sums, &(PctBound){0});
    CHECK_INT(sums[0].depth, 0);
    CHECK_INT(sums[2].depth, 0);
    CHECK_INT(sums[1].depth, 2);
}

// ---- small.c ----------------------------------------------------------

typedef struct Needs {
    uint64_t least; // switches that show it
    uint64_t steps; // that each run takes; 0: none
    uint64_t tried[64];
    size_t count;
} Needs;

static bool try_switches(void *context, Arena *arena, const Trial *trial,
                         TrialSeen *seen) {
    Needs *needs = context;
    (void)arena;
    CHECK(trial->is_limited);
    CHECK_INT(trial->number, 9);
    if (needs->count < COUNT_OF(needs->tried))
        needs->tried[needs->count++] = trial->switches;
    seen->steps = needs->steps;
    seen->shown = trial->switches >= needs->least ? needs : NULL;
    return true;
}

static bool is_shown(void *context, const void *finding,
                     const TrialSeen *seen) {
    (void)context;
    return seen->shown == finding;
}

static uint64_t fewest(Needs *needs, uint64_t most, uint32_t tries) {
    TrialBudget budget = {tries, needs->steps ? 1000 : UINT64_MAX};
    TrialSmall small;
    TrialClient client = {
        .context = needs, .run = try_switches, .is_alike = is_shown};
    Trial trial = {.seed = 3, .number = 9};
    needs->count = 0;
    bool found =
        trial_make_small(&client, needs, &trial, most, &budget, &small);
    CHECK_INT(needs->count, tries - budget.tries);
    CHECK_INT(found, small.trial.is_limited);
    arena_free(&small.arena);
    return found ? small.trial.switches : UINT64_MAX;
}

TEST(the_fewest_switches_are_found) {
    for (uint64_t least = 0; least <= 70; least++) {
        Needs needs = {.least = least};
        CHECK_INT(fewest(&needs, 70, 100), least);
        CHECK_INT(needs.tried[0], 0);
    }
    Needs needs = {.least = 5};
    fewest(&needs, 100, 100);
    static const uint64_t order[] = {0, 1, 4, 16, 10, 7, 5};
    CHECK_INT(needs.count, COUNT_OF(order));
    CHECK(memcmp(needs.tried, order, sizeof order) == 0);
}

TEST(what_no_number_of_switches_shows_is_not_found) {
    Needs needs = {.least = 71};
    CHECK_U64(fewest(&needs, 70, 100), UINT64_MAX);
    CHECK_INT(needs.tried[needs.count - 1], 70);
    needs.least = 1;
    CHECK_U64(fewest(&needs, 0, 100), UINT64_MAX);
    CHECK_INT(needs.count, 1);
    needs.least = 0;
    CHECK_INT(fewest(&needs, 0, 100), 0);
}

TEST(a_search_ends_with_its_budget) {
    Needs needs = {.least = 5};
    CHECK_U64(fewest(&needs, 100, 0), UINT64_MAX);
    CHECK_U64(fewest(&needs, 100, 3), UINT64_MAX);
    CHECK_INT(fewest(&needs, 100, 4), 16);
    CHECK_INT(fewest(&needs, 100, 5), 10);
    CHECK_INT(fewest(&needs, 100, 7), 5);
    needs.steps = 250; // of 1000
    CHECK_INT(fewest(&needs, 100, 100), 16);
    CHECK_INT(needs.count, 4);
}

// ---- order.c -------------------------------------------------------------

// Shows its findings, numbers from 1, in order under these schedules.
typedef struct InOrder {
    uint64_t shows_at[3]; // by finding - 1; 0: never
    uint64_t stops_at;    // does not come to its end; 0: it always does
    uint64_t refuses_at;
    uint64_t steps; // each
    uint64_t ran[80];
    size_t count;
} InOrder;

static bool run_in_order(void *context, Arena *arena, const Trial *trial,
                         TrialSeen *seen) {
    InOrder *o = context;
    (void)arena;
    CHECK(trial->in_order);
    if (o->count < COUNT_OF(o->ran))
        o->ran[o->count++] = trial->number;
    seen->has_ended = trial->number != o->stops_at;
    seen->steps = o->steps;
    seen->shown = (void *)(uintptr_t)trial->number;
    return trial->number != o->refuses_at;
}

static bool shows_in_order(void *context, const void *finding,
                           const TrialSeen *seen) {
    const InOrder *o = context;
    return o->shows_at[(uintptr_t)finding - 1] == (uintptr_t)seen->shown;
}

static const TrialClient IN_ORDER = {.run = run_in_order,
                                     .is_alike = shows_in_order};

// A bit for each finding that needs blocks out of order.
static unsigned blamed(InOrder *o, size_t count, const uint64_t *numbers,
                       uint64_t steps) {
    TrialClient client = IN_ORDER;
    TrialSuspect suspects[3];
    unsigned bits = 0;
    client.context = o;
    o->count = 0;
    for (size_t i = 0; i < count; i++)
        suspects[i] = (TrialSuspect){.finding = (void *)(uintptr_t)(i + 1),
                                     .trial = {.number = numbers[i]},
                                     .steps = steps};
    trial_try_in_order(&client, suspects, count);
    for (size_t i = 0; i < count; i++)
        bits |= (unsigned)!suspects[i].is_clear << i;
    return bits;
}

TEST(the_order_is_blamed_for_what_no_schedule_shows_in_order) {
    static const uint64_t numbers[] = {40, 40, 41};
    InOrder o = {.steps = 0};
    CHECK_INT(blamed(&o, 3, numbers, UINT64_MAX), 7);
    CHECK_INT(o.count, 2 + 31); // its own two, and 1 ... 31
    CHECK_INT(o.ran[0], 40);
    CHECK_INT(o.ran[1], 41);
    CHECK_INT(o.ran[2], 1);
    CHECK_INT(o.ran[32], 31);
}

TEST(what_shows_in_order_has_another_cause) {
    static const uint64_t numbers[] = {40, 40, 41};
    InOrder o = {.shows_at = {40, 31, 40}}; // 41 is not seen at 40
    CHECK_INT(blamed(&o, 3, numbers, UINT64_MAX), 4);
    o = (InOrder){.shows_at = {31, 31, 31}};
    CHECK_INT(blamed(&o, 3, numbers, UINT64_MAX), 0);
    o = (InOrder){.shows_at = {32, 32, 41}};
    CHECK_INT(blamed(&o, 3, numbers, UINT64_MAX), 3);
    o = (InOrder){.shows_at = {40, 40, 41}};
    CHECK_INT(blamed(&o, 3, numbers, UINT64_MAX), 0);
    CHECK_INT(o.count, 2); // nobody is left
}

TEST(a_schedule_in_order_that_does_not_end_blames_nothing) {
    static const uint64_t numbers[] = {40};
    InOrder o = {.stops_at = 40};
    CHECK_INT(blamed(&o, 1, numbers, UINT64_MAX), 0);
    o = (InOrder){.stops_at = 7};
    CHECK_INT(blamed(&o, 1, numbers, UINT64_MAX), 0);
    CHECK_INT(o.count, 8);
    o = (InOrder){.refuses_at = 3};
    CHECK_INT(blamed(&o, 1, numbers, UINT64_MAX), 0);
    CHECK_INT(o.count, 4);
}

TEST(a_suspect_pays_for_what_is_tried_for_it) {
    static const uint64_t numbers[] = {40, 41};
    InOrder o = {.steps = 10};
    CHECK_INT(blamed(&o, 2, numbers, 320), 3); // its own, and 31
    CHECK_INT(blamed(&o, 2, numbers, 319), 3); // the last is cut, or not
    CHECK_INT(blamed(&o, 2, numbers, 310), 0); // nothing is left for the last
    CHECK_INT(blamed(&o, 2, numbers, 0), 0);
    CHECK_INT(o.count, 0);
}

TEST(who_is_clear_is_not_tried) {
    InOrder o = {.steps = 0};
    TrialClient client = IN_ORDER;
    TrialSuspect suspect = {
        .finding = (void *)1, .steps = UINT64_MAX, .is_clear = true};
    client.context = &o;
    trial_try_in_order(&client, &suspect, 1);
    trial_try_in_order(&client, &suspect, 0);
    CHECK_INT(o.count, 0);
    CHECK(suspect.is_clear);
}

// ---- explore.c, threads.c ------------------------------------------------

enum { WORKERS = 4, TRIALS = 50 };

// A client whose trial N shows N, and what it has learnt so far.
typedef struct Explorer {
    struct Explorer *caller; // NULL: it is the caller
    size_t number;
    uint64_t left[3];     // trials that a worker leaves to the caller
    uint64_t refuses_at;  // 0: never
    uint64_t ends_at;     // the client wants no more after it; 0: it does
    uint64_t known;       // trials that were taken
    atomic_size_t helped; // trials that workers have run
    uint64_t taken[TRIALS + 1];
    size_t count;
    struct Explorer *workers; // [WORKERS]
} Explorer;

static bool explore_run(void *context, Arena *arena, const Trial *trial,
                        TrialSeen *seen) {
    Explorer *e = context;
    for (size_t i = 0; e->caller && i < COUNT_OF(e->left); i++)
        if (e->left[i] == trial->number)
            return false;
    if (e->caller)
        atomic_fetch_add(&e->caller->helped, 1);
    uint64_t *shown = arena_new(arena, uint64_t, 2);
    shown[0] = trial->number * 3 + trial->seed;
    shown[1] = e->known;
    *seen = (TrialSeen){.has_ended = true, .shown = shown};
    return trial->number != e->refuses_at;
}

static void *explore_worker(void *context, size_t number) {
    Explorer *e = context, *worker = &e->workers[number];
    *worker = (Explorer){.caller = e, .number = number, .known = e->known};
    memcpy(worker->left, e->left, sizeof e->left);
    worker->refuses_at = e->refuses_at;
    return worker;
}

static bool explore_take(void *context, const Trial *trial, TrialSeen *seen) {
    Explorer *e = context;
    const uint64_t *shown = seen->shown;
    CHECK_INT(shown[0], trial->number * 3 + 5);
    CHECK(shown[1] <= e->known); // of a past, never of the future
    e->taken[e->count++] = trial->number;
    e->known++;
    return trial->number != e->ends_at;
}

static bool explore(Explorer *e, Crew *crew, uint64_t alone) {
    Explorer workers[WORKERS];
    TrialClient client = {.context = e,
                          .run = explore_run,
                          .worker = explore_worker,
                          .take = explore_take};
    TrialPlan plan = {.like = {.seed = 5},
                      .first = 1,
                      .end = TRIALS + 1,
                      .alone = alone,
                      .threads = {.crew = crew, .each = 3}};
    e->workers = workers;
    e->count = 0;
    return trial_explore(&client, &plan);
}

static void check_all_taken(const Explorer *e, size_t count) {
    CHECK_INT(e->count, count);
    for (size_t i = 0; i < e->count; i++)
        CHECK_INT(e->taken[i], i + 1);
}

TEST(trials_are_taken_in_order_whoever_runs_them) {
    Crew *crew = crew_new(WORKERS);
    Explorer alone = {0}, shared = {0}, left = {.left = {1, 9, TRIALS}};
    CHECK(explore(&alone, NULL, 0));
    check_all_taken(&alone, TRIALS);
    CHECK_INT(atomic_load(&alone.helped), 0);
    CHECK(explore(&shared, crew, 0));
    check_all_taken(&shared, TRIALS);
    CHECK_INT(atomic_load(&shared.helped), TRIALS);
    CHECK(explore(&left, crew, 0));
    check_all_taken(&left, TRIALS);
    CHECK_INT(atomic_load(&left.helped), TRIALS - 3);
}

TEST(the_first_trials_are_the_callers_where_it_says_so) {
    Crew *crew = crew_new(WORKERS);
    Explorer e = {0};
    CHECK(explore(&e, crew, 2));
    check_all_taken(&e, TRIALS);
    CHECK_INT(atomic_load(&e.helped), TRIALS - 2);
    e = (Explorer){0};
    CHECK(explore(&e, crew, TRIALS));
    check_all_taken(&e, TRIALS);
    CHECK_INT(atomic_load(&e.helped), 0);
}

TEST(exploring_ends_where_the_client_or_the_device_ends_it) {
    Crew *crew = crew_new(WORKERS);
    for (int shared = 0; shared < 2; shared++) {
        Crew *by = shared ? crew : NULL;
        Explorer e = {.ends_at = 17};
        CHECK(explore(&e, by, 0));
        check_all_taken(&e, 17);
        e = (Explorer){.refuses_at = 17};
        CHECK(!explore(&e, by, 0));
        check_all_taken(&e, 16);
    }
}

// Tasks in one round: what is done stays known while others are begun anew.
typedef struct Tasks {
    atomic_size_t begun[TRIALS];
    size_t left; // this one is left to the caller
} Tasks;

static void *do_task(void *context, void *worker, Arena *arena, size_t task) {
    Tasks *tasks = context;
    CHECK(worker == context);
    atomic_fetch_add(&tasks->begun[task], 1);
    size_t *result = arena_new(arena, size_t, 1);
    *result = task;
    return task == tasks->left ? NULL : result;
}

TEST(a_task_is_begun_once_in_whatever_order_it_is_asked_for) {
    Tasks tasks = {.left = 20};
    ShareThreads how = {.crew = crew_new(WORKERS)};
    Share *share = share_in_threads(
        &how, &(ShareWork){.context = &tasks, .task = do_task}, TRIALS);
    for (size_t i = 0; i < TRIALS; i++) {
        size_t at = (i + 10) % TRIALS;
        const size_t *found = share_found(share, at);
        CHECK_INT(found == NULL, at == tasks.left);
        CHECK(!found || *found == at);
    }
    for (size_t i = 0; i < TRIALS; i++)
        CHECK_INT(atomic_load(&tasks.begun[i]), 1);
    share_end(share);
}

TEST(one_worker_or_one_task_is_not_shared_out) {
    ShareWork work = {.task = do_task};
    ShareThreads how = {.crew = crew_new(WORKERS)};
    CHECK(share_in_threads(&(ShareThreads){0}, &work, TRIALS) == NULL);
    CHECK(share_in_threads(&how, &work, 1) == NULL);
    CHECK(share_found(NULL, 3) == NULL);
    share_end(NULL);
}

// ---- difference.c --------------------------------------------------------

TEST(a_difference_counts_elements_and_shows_the_first) {
    Arena arena = {0};
    MemoryForm words = {.element = ELEMENT_WORD};
    MemoryDifference d = {0};
    char now[] = "aaaabbbbccccdd";
    memory_compare(&arena, &words, STR("aaaabbbbccccdd"), (Str){now, 14}, 64,
                   &d);
    CHECK_INT(d.words, 0);
    now[5] = 'x';
    now[6] = 'x';
    now[13] = 'x';
    memory_compare(&arena, &words, STR("aaaabbbbccccdd"), (Str){now, 14}, 64,
                   &d);
    CHECK_INT(d.words, 2);
    CHECK_INT(d.at, 68);
    memset(now, 'z', sizeof now); // it is copied
    CHECK_STR(d.was, "bbbb");
    CHECK_STR(d.now, "bxxb");
    memory_compare(&arena, &words, STR("eeee"), STR("ffff"), 78, &d);
    CHECK_INT(d.words, 3);
    CHECK_INT(d.at, 68);
    arena_free(&arena);
}

TEST(floats_may_be_close) {
    Arena arena = {0};
    float was[] = {100, 100, 100, 1}, now[] = {101, 99, 98, -1};
    uint32_t nan = 0x7fc00000, other = 0xffc00001;
    MemoryForm close = {
        .element = ELEMENT_F32, .is_close = true, .tolerance = 0.01};
    MemoryDifference d = {0};
    memcpy(&was[3], &nan, sizeof nan);
    memcpy(&now[3], &other, sizeof other);
    memory_compare(&arena, &close, (Str){(char *)was, sizeof was},
                   (Str){(char *)now, sizeof now}, 0, &d);
    CHECK_INT(d.words, 1);
    CHECK_INT(d.at, 8);
    close.is_close = false;
    d = (MemoryDifference){0};
    memory_compare(&arena, &close, (Str){(char *)was, sizeof was},
                   (Str){(char *)now, sizeof now}, 0, &d);
    CHECK_INT(d.words, 4);
    arena_free(&arena);
}

// ---- replay.c ------------------------------------------------------------

TEST(a_replay_names_the_trial) {
    Arena arena = {0};
    Trial trial = {.seed = 7, .number = 9};
    CHECK_STR(replay_trial(&arena, STR("clclab run k.cu"), &trial, STR("")),
              "clclab run k.cu --seed 7 --only-schedule 9");
    trial.is_limited = true;
    CHECK_STR(replay_trial(&arena, STR("c"), &trial, STR(" --size 5")),
              "c --seed 7 --only-schedule 9 --size 5 --switches 0");
    CHECK_STR(replay_trials(&arena, STR("c"), 3, 16),
              "c --seed 3 --schedules 16");
    arena_free(&arena);
}

static Str words_of(Arena *arena, void (*add)(Buf *out, Str text), Str text) {
    Buf out = {0};
    add(&out, text);
    Str words = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return words;
}

TEST(words_are_quoted_for_a_shell_where_they_need_it) {
    Arena arena = {0};
    CHECK_STR(words_of(&arena, replay_word, STR("a-b_c./=,:@%+9Z")),
              " a-b_c./=,:@%+9Z");
    CHECK_STR(words_of(&arena, replay_word, STR("")), " ''");
    CHECK_STR(words_of(&arena, replay_word, STR("a b")), " 'a b'");
    CHECK_STR(words_of(&arena, replay_word, STR("it's")), " 'it'\\''s'");
    CHECK_STR(words_of(&arena, replay_word, STR("a\nb'\t")),
              " $'a\\nb\\'\\011'");
    CHECK_STR(words_of(&arena, replay_file, STR("-x.cu")), " ./-x.cu");
    CHECK_STR(words_of(&arena, replay_file, STR("x.cu")), " x.cu");
    arena_free(&arena);
}

TEST_MAIN(TESTCASE(numbers_give_strategies_in_turn),
          TESTCASE(seed_and_number_give_a_schedule_its_own_seed),
          TESTCASE(a_schedule_is_named_by_number_and_strategy),
          TESTCASE(a_trial_is_a_schedule_with_what_is_asked_besides),
          TESTCASE(a_bound_multiplies_warps_and_steps),
          TESTCASE(bounds_of_several_runs_add_up),
          TESTCASE(the_fewest_switches_are_found),
          TESTCASE(what_no_number_of_switches_shows_is_not_found),
          TESTCASE(a_search_ends_with_its_budget),
          TESTCASE(the_order_is_blamed_for_what_no_schedule_shows_in_order),
          TESTCASE(what_shows_in_order_has_another_cause),
          TESTCASE(a_schedule_in_order_that_does_not_end_blames_nothing),
          TESTCASE(a_suspect_pays_for_what_is_tried_for_it),
          TESTCASE(who_is_clear_is_not_tried),
          TESTCASE(trials_are_taken_in_order_whoever_runs_them),
          TESTCASE(the_first_trials_are_the_callers_where_it_says_so),
          TESTCASE(exploring_ends_where_the_client_or_the_device_ends_it),
          TESTCASE(a_task_is_begun_once_in_whatever_order_it_is_asked_for),
          TESTCASE(one_worker_or_one_task_is_not_shared_out),
          TESTCASE(a_difference_counts_elements_and_shows_the_first),
          TESTCASE(floats_may_be_close), TESTCASE(a_replay_names_the_trial),
          TESTCASE(words_are_quoted_for_a_shell_where_they_need_it))
