// SPDX-License-Identifier: Apache-2.0
// Parts of check/ that need no run of a kernel: places in a text, schedules and
// their bounds, the search for the fewest switches, sizes and their names, how
// runs are named, and how large variables may be.
#include "check/internal.h"
#include "tests/unit/check_fake.h"

static void bench_cleanup(Bench *bench) {
    bench_close(bench);
}

#define SCOPED_BENCH(name, technique)                   \
    __attribute__((cleanup(bench_cleanup))) Bench name; \
    bench_open(&name, technique)

static Grade grade_of(Bench *bench) {
    Grade grade = {.arena = &bench->arena,
                   .lab = &bench->lab,
                   .submission = &bench->submission,
                   .device = &bench->fake.device,
                   .options = &bench->options,
                   .result = &bench->result,
                   .kernel_at = {STR("my/kernel.cu"), 4, 6},
                   .alpha = 1.5,
                   .blocks_per_sm = FAKE_PER_SM};
    grade.info.sm_count = FAKE_SMS;
    grade_make_checks(&grade);
    return grade;
}

// ---- place.c -------------------------------------------------------------

static void check_place(const char *source, uint32_t line, uint32_t col) {
    Submission s = {.file = STR("my/k.cu"), .source = str_from(source)};
    SrcLoc at = place_find_name(&s, STR("name"));
    CHECK_STR(at.file, "my/k.cu");
    CHECK_INT(at.line, line);
    CHECK_INT(at.col, col);
}

TEST(a_name_is_found_as_a_word) {
    check_place("name", 1, 1);
    check_place("x\n  name(", 2, 3);
    check_place("names _name name9 Aname zname name", 1, 31);
    check_place("(name)", 1, 2);
    check_place("", 0, 0);
    check_place("nam", 0, 0);
    check_place("a\n\nb name name", 3, 3);
}

TEST(a_name_in_a_comment_or_text_is_none) {
    check_place("// name\nname", 2, 1);
    check_place("// name", 0, 0);
    check_place("/* name\n*/ name", 2, 4);
    check_place("/*/ name */name", 1, 12);
    check_place("/**/name", 1, 5);
    check_place("/***/name /* name", 1, 6);
    check_place("/* name *", 0, 0);
    check_place("\"name\" name", 1, 8);
    check_place("\"a\\\" name\" name", 1, 12);
    check_place("'name' name", 1, 8);
    check_place("\"open name\nname", 2, 1);
    check_place("\"name", 0, 0);
    check_place("\"name\\", 0, 0);
    check_place("a / name", 1, 5);
}

TEST(a_place_in_the_submission_has_the_name_that_was_given) {
    Submission s = {.file = STR("my/k.cu")};
    CHECK_STR(place_as_given(&s, (SrcLoc){STR("/tmp/x/k.cu"), 3, 4}).file,
              "my/k.cu");
    CHECK_STR(place_as_given(&s, (SrcLoc){STR("k.cu"), 3, 4}).file, "my/k.cu");
    CHECK_STR(place_as_given(&s, (SrcLoc){STR("/tmp/xk.cu"), 3, 4}).file,
              "/tmp/xk.cu");
    CHECK_STR(place_as_given(&s, (SrcLoc){STR("/tmp/k.cu"), 0, 0}).file,
              "/tmp/k.cu");
    CHECK_INT(place_as_given(&s, (SrcLoc){STR("k.cu"), 3, 4}).col, 4);
    s.file = STR("k.cu");
    CHECK_STR(place_as_given(&s, (SrcLoc){STR("/k.cu"), 1, 1}).file, "k.cu");
}

// ---- shape.c -------------------------------------------------------------

static const LabParam LINE[] = {LAB_PARAM_DATA, LAB_PARAM_N};
static const LabParam BOX[] = {LAB_PARAM_IN, LAB_PARAM_OUT, LAB_PARAM_WIDTH,
                               LAB_PARAM_HEIGHT, LAB_PARAM_DEPTH};
static const LabParam ROWS[] = {LAB_PARAM_OUT, LAB_PARAM_STARTS,
                                LAB_PARAM_ROWS};

static void set_shape(Bench *bench, const LabParam *params, size_t count) {
    bench->lab.params = arena_new(&bench->arena, LabParam, count);
    memcpy(bench->lab.params, params, count * sizeof *params);
    bench->lab.param_count = count;
    bench->lab.block[0] = 8;
    bench->lab.block[1] = 4;
    bench->lab.block[2] = 2;
}

TEST(sizes_are_one_to_three_numbers) {
    LabSize size;
    CHECK(check_parse_size(STR("1000"), &size));
    CHECK(size.dim[0] == 1000 && size.dim[1] == 1 && size.dim[2] == 1);
    CHECK(check_parse_size(STR("40x20x3"), &size));
    CHECK(size.dim[0] == 40 && size.dim[1] == 20 && size.dim[2] == 3);
    CHECK(check_parse_size(STR("40x20"), &size));
    CHECK(size.dim[1] == 20 && size.dim[2] == 1);
    CHECK(check_parse_size(STR("0"), &size));
    CHECK(check_parse_size(STR("134217728"), &size));
    CHECK(check_parse_size(STR("134217728x1x1"), &size));
    CHECK(check_parse_size(STR("0x134217728x134217728"), &size));
    static const char *const bad[] = {"",
                                      "x",
                                      "5x",
                                      "x5",
                                      "5xx5",
                                      "5x5x5x5",
                                      "5x5x5x",
                                      "-5",
                                      "5 ",
                                      "134217729",
                                      "134217728x2",
                                      "16384x16384",
                                      "1x134217729",
                                      "a"};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        CHECK(!check_parse_size(str_from(bad[i]), &size));
}

TEST(a_shape_follows_from_the_parameters) {
    SCOPED_BENCH(b, TECHNIQUE_FIXED);
    LabSize box = {{20, 9, 5}}, flat = {{20, 1, 1}};
    Run run = {.size = box};
    Grade grade = grade_of(&b);
    uint32_t grid[3];
    set_shape(&b, BOX, COUNT_OF(BOX));
    CHECK_INT(shape_of(&b.lab), SHAPE_BOX);
    CHECK(check_fits_size(&b.lab, box));
    shape_grid(&b.lab, box, grid);
    CHECK(grid[0] == 3 && grid[1] == 3 && grid[2] == 3);
    CHECK_INT(shape_blocks(&b.lab, box), 27);
    CHECK_STR(shape_size_text(&b.arena, &b.lab, box), "size = 20x9x5");
    CHECK_STR(shape_block_name(&grade, &run, 14), "(2, 1, 1)");
    CHECK_STR(shape_element_name(&grade, &run, 205 + 20 * 9),
              str_format(&b.arena, "%.*s[385] (x = 5, y = 1, z = 2)",
                         STR_ARG(b.lab.data_name))
                  .ptr);
    set_shape(&b, ROWS, COUNT_OF(ROWS));
    CHECK_INT(shape_of(&b.lab), SHAPE_ROWS);
    CHECK(!check_fits_size(&b.lab, box));
    CHECK(check_fits_size(&b.lab, flat));
    CHECK(!check_fits_size(&b.lab, (LabSize){{20, 1, 2}}));
    CHECK(!check_fits_size(&b.lab, (LabSize){{20, 2, 1}}));
    CHECK_INT(shape_blocks(&b.lab, flat), 20);
    CHECK_STR(shape_size_text(&b.arena, &b.lab, flat), "rows = 20");
    set_shape(&b, LINE, COUNT_OF(LINE));
    CHECK_INT(shape_of(&b.lab), SHAPE_LINE);
    CHECK_INT(shape_blocks(&b.lab, flat), 3);
    CHECK_INT(shape_blocks(&b.lab, (LabSize){{16, 1, 1}}), 2);
    CHECK_INT(shape_blocks(&b.lab, (LabSize){{0, 1, 1}}), 0);
    CHECK_STR(shape_size_text(&b.arena, &b.lab, flat), "n = 20");
    CHECK_STR(shape_block_name(&grade, &run, 14), "14");
    CHECK(shape_has_param(&b.lab, LAB_PARAM_N));
    CHECK(!shape_has_param(&b.lab, LAB_PARAM_IN));
    CHECK_INT(shape_of(NULL), SHAPE_LINE);
    CHECK_U64(shape_volume(box), 900);
    CHECK_U64(shape_most_elements(&grade), LAB_MAX_SIZE);
    b.options.max_size = 7;
    CHECK_U64(shape_most_elements(&grade), 7);
}

TEST(a_filling_size_has_the_blocks_and_one_element_more) {
    SCOPED_BENCH(b, TECHNIQUE_FIXED);
    set_shape(&b, LINE, COUNT_OF(LINE));
    LabSize size = shape_filling(&b.lab, 12);
    CHECK_INT(size.dim[0], 97);
    set_shape(&b, ROWS, COUNT_OF(ROWS));
    CHECK_INT(shape_filling(&b.lab, 12).dim[0], 13);
    set_shape(&b, BOX, COUNT_OF(BOX));
    size = shape_filling(&b.lab, 12);
    CHECK(size.dim[0] == 17 && size.dim[1] == 12 && size.dim[2] == 4);
    CHECK_INT(shape_blocks(&b.lab, size), 18);
}

TEST(a_box_is_divided_among_blocks_along_each_axis) {
    SCOPED_BENCH(b, TECHNIQUE_FIXED);
    Grade grade = grade_of(&b);
    set_shape(&b, BOX, COUNT_OF(BOX));
    Run run = {.size = {{20, 9, 5}}};
    shape_make(&grade, &b.arena, &run);
    CHECK_INT(run.n, 900);
    CHECK_INT(run.blocks, 27);
    for (int32_t i = 0; i < run.n; i++) {
        uint32_t x = (uint32_t)i % 20 / 8, y = (uint32_t)i / 20 % 9 / 4,
                 z = (uint32_t)i / 180 / 2;
        if (run.owner[i] != x + 3 * y + 9 * z)
            CHECK_INT(i, -1);
    }
    CHECK(run.in != NULL);
    CHECK(run.starts == NULL);
    LabProblem p = shape_problem(&grade, &run, run.before);
    CHECK(p.n == 900 && p.width == 20 && p.height == 9 && p.depth == 5);
    CHECK(p.in == run.in && p.data == run.before);
    CHECK_DOUBLE(p.scalar, 1.5);
}

TEST(inputs_are_secret_and_the_same_for_a_seed) {
    SCOPED_BENCH(b, TECHNIQUE_FIXED);
    Grade grade = grade_of(&b);
    set_shape(&b, BOX, COUNT_OF(BOX));
    Run one = {.size = {{20, 9, 5}}}, again = one, other = one;
    Run smaller = {.size = {{19, 9, 5}}};
    shape_make(&grade, &b.arena, &one);
    shape_make(&grade, &b.arena, &again);
    shape_make(&grade, &b.arena, &smaller);
    b.options.seed = 8;
    shape_make(&grade, &b.arena, &other);
    CHECK(memcmp(one.before, again.before, 900 * sizeof(float)) == 0);
    CHECK(memcmp(one.in, again.in, 900 * sizeof(float)) == 0);
    CHECK(memcmp(one.before, other.before, 64) != 0);
    CHECK(memcmp(one.in, other.in, 64) != 0);
    CHECK(memcmp(one.before, smaller.before, 64) != 0);
    CHECK(memcmp(one.before, one.in, 64) != 0);
    int negative = 0;
    for (int32_t i = 0; i < 900; i++) {
        float magnitude = fabsf(one.before[i]);
        if (!(magnitude >= 1 && magnitude < 2))
            CHECK_INT(i, -1);
        negative += one.before[i] < 0;
    }
    CHECK(negative > 350 && negative < 550);
}

TEST(rows_are_of_very_different_length) {
    SCOPED_BENCH(b, TECHNIQUE_CLC);
    Grade grade = grade_of(&b);
    set_shape(&b, ROWS, COUNT_OF(ROWS));
    Run run = {.size = {{600, 1, 1}}};
    shape_make(&grade, &b.arena, &run);
    CHECK_INT(run.blocks, 600);
    CHECK_INT(run.n, run.starts[600]);
    CHECK(run.in == NULL);
    int longest[2] = {0}, empty = 0, longer = 0;
    for (int32_t row = 0; row < 600; row++) {
        int length = run.starts[row + 1] - run.starts[row];
        int half = row >= 300;
        longest[half] = length > longest[half] ? length : longest[half];
        empty += length == 0;
        longer += length > 128 / 4;
        for (int32_t i = run.starts[row]; i < run.starts[row + 1]; i++)
            if (run.owner[i] != (uint32_t)row)
                CHECK_INT(i, -1);
    }
    CHECK(longest[0] > 1024 && longest[0] < 2048); // 16 * threads
    CHECK(longest[1] > 192 && longest[1] < 256);   // 2 * threads
    CHECK(empty > 5 && empty < 60);
    CHECK(longer > 80 && longer < 240);
}

// When it begins, some 70 are left, of a small problem as of a large one.
TEST(timed_rows_have_one_long_row_near_the_end) {
    SCOPED_BENCH(b, TECHNIQUE_CLC);
    Grade grade = grade_of(&b);
    set_shape(&b, ROWS, COUNT_OF(ROWS));
    Run runs[2];
    for (uint32_t problem = 0; problem < 2; problem++) {
        Run *run = &runs[problem];
        *run = (Run){
            .size = {{400, 1, 1}}, .is_timed = true, .problem = problem + 1};
        shape_make(&grade, &b.arena, run);
        int lengthy = 0, empty = 0;
        for (int32_t row = 0; row < 400; row++) {
            int length = run->starts[row + 1] - run->starts[row];
            if (length > 96) {
                lengthy++;
                CHECK(length > 7 * 128 && length <= 8 * 128);
                CHECK(row >= 400 - 72 && row <= 400 - 67);
            }
            empty += length == 0;
        }
        CHECK_INT(lengthy, 1);
        CHECK(empty > 8 && empty < 50);
    }
    CHECK(memcmp(runs[0].starts, runs[1].starts, 401 * sizeof(int32_t)) != 0);
}

// ---- cause.c -------------------------------------------------------------

TEST(runs_have_names) {
    SCOPED_BENCH(b, TECHNIQUE_CLC);
    Arena *arena = &b.arena;
    Run run = {.plain = true};
    CHECK_STR(cause_run_name(arena, &run), "plain schedule");
    run.has_other_grid = true;
    CHECK_STR(cause_run_name(arena, &run),
              "plain schedule, in another grid than launch_plan's");
    run.is_relaunch = true;
    CHECK_STR(cause_run_name(arena, &run),
              "plain schedule, in a second launch of the same kernel");
    run.is_timed = true;
    CHECK_STR(cause_run_name(arena, &run), "modelled time");
    run.arrival = 77;
    CHECK_STR(cause_run_name(arena, &run),
              "modelled time, arrival at cycle 77");
    run =
        (Run){.number = 12, .schedule = {.strategy = STRATEGY_PCT, .depth = 3}};
    CHECK_STR(cause_run_name(arena, &run), "schedule 12 (PCT-3)");
    run.schedule.is_limited = true;
    CHECK_STR(cause_run_name(arena, &run), "schedule 12 (PCT-3, 0 switches)");
    run.schedule.switches = 1;
    CHECK_STR(cause_run_name(arena, &run), "schedule 12 (PCT-3, 1 switch)");
    run.schedule.strategy = STRATEGY_REFUSE_EARLY;
    CHECK_STR(cause_run_name(arena, &run),
              "schedule 12 (refuse-early, 1 switch)");
    run.explored = true;
    CHECK_STR(cause_run_name(arena, &run), "schedule 12 of the search");
}

TEST(a_cause_has_the_command_that_shows_it_again) {
    SCOPED_BENCH(b, TECHNIQUE_CLC);
    Grade grade = grade_of(&b);
    Run run = {.size = {{1000, 1, 1}}, .grid = 1, .plain = true};
    Cause cause = {0};
    CHECK_STR(cause_replay(&grade),
              "clclab grade 4 my/kernel.cu --seed 7 --schedules 16");
    cause_in_run(&grade, &run, &cause);
    CHECK_STR(cause.context,
              "n = 1000, 1 block of 128 threads, plain schedule");
    CHECK_STR(cause.replay,
              "clclab grade 4 my/kernel.cu --seed 7 --schedules 16");
    run = (Run){.size = {{1000, 1, 1}}, .grid = 8, .number = 3};
    run.schedule.strategy = STRATEGY_NO_STEAL;
    cause_in_run(&grade, &run, &cause);
    CHECK_STR(cause.context, "n = 1000, 8 blocks of 128 threads, schedule 3 "
                             "(no-steal)");
    CHECK_STR(cause.replay, "clclab grade 4 my/kernel.cu --seed 7 "
                            "--only-schedule 3 --size 1000");
    run.schedule.is_limited = true;
    run.schedule.switches = 5;
    cause_in_run(&grade, &run, &cause);
    CHECK_STR(cause.replay, "clclab grade 4 my/kernel.cu --seed 7 "
                            "--only-schedule 3 --size 1000 --switches 5");
}

TEST(how_a_run_stopped_is_a_cause_of_its_own) {
    SCOPED_BENCH(b, TECHNIQUE_CLC);
    Grade grade = grade_of(&b);
    static const struct {
        RunStatus status;
        FindingCase which;
        const char *code;
    } cases[] = {{RUN_FAULT, CASE_RULES_STOPPED, ""},
                 {RUN_DEADLOCK, CASE_RULES_WAITS, "DEADLOCK"},
                 {RUN_LIMIT, CASE_RULES_STEP_LIMIT, "LIMIT"},
                 {RUN_DONE, CASE_NONE, ""},
                 {RUN_UNSUPPORTED, CASE_NONE, ""},
                 {RUN_REFUSED, CASE_NONE, ""}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Cause cause = {0};
        bool stops = cause_of_stop(&grade, cases[i].status, &cause);
        CHECK_INT(stops, cases[i].which != CASE_NONE);
        if (!stops)
            continue;
        CHECK_INT(cause.finding->which, cases[i].which);
        CHECK_STR(cause.code, cases[i].code);
        CHECK_INT(cause.at.line, 4);
        CHECK_INT(cause.explain.len > 0, cases[i].code[0] != '\0');
    }
}

// ---- static_size.c -------------------------------------------------------

static PtxVar *add_var(Bench *b, PtxSpace space, const char *name,
                       uint64_t size) {
    PtxVar *var = arena_new(&b->arena, PtxVar, 1);
    *var = (PtxVar){.name = str_from(name), .space = space, .size = size};
    arena_grow(&b->arena, b->module.vars, b->module.var_count,
               b->module.var_capacity);
    b->module.vars[b->module.var_count++] = var;
    return var;
}

static FindingCase too_large(Bench *b, Cause *cause) {
    Grade grade = grade_of(b);
    if (static_size_judge(&grade)) {
        CHECK_INT(grade_check(&grade, STR("builds"))->status, CHECK_SKIP);
        return CASE_NONE;
    }
    const CheckResult *builds = grade_check(&grade, STR("builds"));
    CHECK_INT(builds->status, CHECK_FAIL);
    *cause = builds->causes[0];
    CHECK_STR(cause->at.file, "my/kernel.cu");
    return cause->finding->which;
}

static uint64_t number_of(const Cause *cause, FactKey key) {
    const Fact *fact = fact_find(cause->finding->facts, key);
    return fact ? fact->number : UINT64_MAX;
}

// `first` and `second` fit together, but not with one byte more.
static void check_space(PtxSpace space, FindingCase which, uint64_t limit) {
    SCOPED_BENCH(b, TECHNIQUE_CLC);
    Cause cause;
    PtxVar *one = add_var(&b, space, "one", limit - 10);
    PtxVar *two = add_var(&b, space, "two", 10);
    add_var(&b, PTX_SPACE_SHARED, "other", 100);
    CHECK_INT(too_large(&b, &cause), CASE_NONE);
    two->size = 11;
    CHECK_INT(too_large(&b, &cause), which);
    CHECK_U64(number_of(&cause, FACT_SIZE), limit + 1);
    CHECK_U64(number_of(&cause, FACT_LIMIT), limit);
    CHECK_STR(fact_find(cause.finding->facts, FACT_NAME)->text, "one");
    one->size = 11;
    two->size = UINT64_MAX - 5;
    CHECK_INT(too_large(&b, &cause), which);
    CHECK_U64(number_of(&cause, FACT_SIZE), UINT64_MAX);
    CHECK_STR(fact_find(cause.finding->facts, FACT_NAME)->text, "two");
}

TEST(variables_of_a_file_share_a_space) {
    check_space(PTX_SPACE_CONST, CASE_BUILDS_CONSTANT_SIZE, 65536);
    check_space(PTX_SPACE_GLOBAL, CASE_BUILDS_GLOBAL_SIZE, UINT64_C(4) << 30);
}

TEST(each_shared_variable_fits_a_block) {
    SCOPED_BENCH(b, TECHNIQUE_CLC);
    Cause cause;
    PtxVar *one = add_var(&b, PTX_SPACE_SHARED, "i", 232448);
    add_var(&b, PTX_SPACE_SHARED, "small", 232448);
    CHECK_INT(too_large(&b, &cause), CASE_NONE);
    one->size++;
    CHECK_INT(too_large(&b, &cause), CASE_BUILDS_SHARED_SIZE);
    CHECK_U64(number_of(&cause, FACT_SIZE), 232449);
    CHECK_INT(cause.at.line, 8); // FAKE_SOURCE: int i
}

TEST(variables_of_a_function_fit_a_thread_and_a_block) {
    SCOPED_BENCH(b, TECHNIQUE_CLC);
    Cause cause;
    PtxVar vars[3] = {{.name = STR("a"), .space = PTX_SPACE_LOCAL},
                      {.name = STR("b"), .space = PTX_SPACE_LOCAL, .size = 8},
                      {.name = STR("c"), .space = PTX_SPACE_SHARED}};
    PtxVar *list[] = {&vars[0], &vars[1], &vars[2]};
    b.kernel->vars = list;
    b.kernel->var_count = 3;
    vars[0].size = (512 << 10) - 8;
    vars[2].size = 227 << 10;
    CHECK_INT(too_large(&b, &cause), CASE_NONE);
    vars[2].size++;
    CHECK_INT(too_large(&b, &cause), CASE_BUILDS_SHARED_SIZE);
    vars[0].size++;
    CHECK_INT(too_large(&b, &cause), CASE_BUILDS_LOCAL_SIZE);
    CHECK_STR(fact_find(cause.finding->facts, FACT_NAME)->text, "kernel");
    CHECK_U64(number_of(&cause, FACT_SIZE), (512 << 10) + 1);
    CHECK_INT(cause.at.line, 4);
}

// ---- plan.c --------------------------------------------------------------

TEST(each_query_of_a_plan_is_made) {
    static const int queries[] = {0,      1,       512,  1000, 1024,  1025,
                                  100000, 1 << 24, 5000, 127,  10240, 20000};
    for (int persistent = 0; persistent < 2; persistent++)
        for (size_t i = 0; i < COUNT_OF(queries); i++) {
            SCOPED_BENCH(b,
                         persistent ? TECHNIQUE_PERSISTENT : TECHNIQUE_FIXED);
            b.fake.spoil.plan_n = queries[i];
            b.fake.spoil.plan_off = queries[i] ? 1 : 2;
            b.options.schedules = 1;
            Cause cause = fails_alone(&b, "launch_plan");
            Str query = str_format(&b.arena, "%d", queries[i]);
            CHECK_HOLDS(cause.what, query.ptr);
        }
}

TEST(no_elements_need_no_block_or_one) {
    for (int off = -1; off <= 1; off++) {
        SCOPED_BENCH(b, TECHNIQUE_FIXED);
        b.fake.spoil.plan_n = 0;
        b.fake.spoil.plan_off = off;
        b.options.schedules = 1;
        bench_grade(&b);
        CHECK_INT(bench_check(&b, "launch_plan")->status,
                  off < 0 ? CHECK_FAIL : CHECK_PASS);
    }
}

TEST(a_plan_that_sets_nothing_is_told_from_a_wrong_one) {
    for (int persistent = 0; persistent < 2; persistent++) {
        SCOPED_BENCH(b, persistent ? TECHNIQUE_PERSISTENT : TECHNIQUE_FIXED);
        b.fake.spoil.plan_n = 0;
        b.fake.spoil.plan_off = INT32_MIN;
        b.options.schedules = 1;
        CHECK_HOLDS(fails_alone(&b, "launch_plan").what,
                    "set no number of blocks");
    }
}

static uint32_t grid_for(Bench *b, int32_t n) {
    Grade grade = grade_of(b);
    grade.plan_failed = true;
    Cause cause;
    uint32_t grid = 0;
    CHECK_INT(plan_grid(&grade, (LabSize){{n, 1, 1}}, &grid, &cause),
              OUTCOME_RAN);
    return grid;
}

TEST(the_right_grid_stands_in_for_a_wrong_plan) {
    SCOPED_BENCH(fixed, TECHNIQUE_FIXED);
    CHECK_INT(grid_for(&fixed, 0), 0);
    CHECK_INT(grid_for(&fixed, 1), 1);
    CHECK_INT(grid_for(&fixed, 1280), 10);
    CHECK_INT(grid_for(&fixed, 1281), 11);
    SCOPED_BENCH(persistent, TECHNIQUE_PERSISTENT);
    CHECK_INT(grid_for(&persistent, 1281), 8);
    CHECK_INT(grid_for(&persistent, 1024), 8);
    CHECK_INT(grid_for(&persistent, 896), 7);
    SCOPED_BENCH(clusters, TECHNIQUE_CLC);
    CHECK_INT(grid_for(&clusters, 1281), 12);
    CHECK_INT(grid_for(&clusters, 1280), 10);
}

TEST_MAIN(TESTCASE(a_name_is_found_as_a_word),
          TESTCASE(a_name_in_a_comment_or_text_is_none),
          TESTCASE(a_place_in_the_submission_has_the_name_that_was_given),
          TESTCASE(sizes_are_one_to_three_numbers),
          TESTCASE(a_shape_follows_from_the_parameters),
          TESTCASE(a_filling_size_has_the_blocks_and_one_element_more),
          TESTCASE(a_box_is_divided_among_blocks_along_each_axis),
          TESTCASE(inputs_are_secret_and_the_same_for_a_seed),
          TESTCASE(rows_are_of_very_different_length),
          TESTCASE(timed_rows_have_one_long_row_near_the_end),
          TESTCASE(runs_have_names),
          TESTCASE(a_cause_has_the_command_that_shows_it_again),
          TESTCASE(how_a_run_stopped_is_a_cause_of_its_own),
          TESTCASE(variables_of_a_file_share_a_space),
          TESTCASE(each_shared_variable_fits_a_block),
          TESTCASE(variables_of_a_function_fit_a_thread_and_a_block),
          TESTCASE(each_query_of_a_plan_is_made),
          TESTCASE(no_elements_need_no_block_or_one),
          TESTCASE(a_plan_that_sets_nothing_is_told_from_a_wrong_one),
          TESTCASE(the_right_grid_stands_in_for_a_wrong_plan))
