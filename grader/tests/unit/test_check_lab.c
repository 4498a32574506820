// SPDX-License-Identifier: Apache-2.0
// check_parse_lab: a right lab.conf, and each way in which one can be wrong,
// with the line and column of the message.
#include "check/check.h"
#include "tests/unit/check_fake.h"

typedef struct Parse {
    Arena arena;
    Lab lab;
    Diags diags;
    bool ok;
} Parse;

static Parse parse(Str text) {
    Parse parse = {0};
    parse.diags = diags_new(&parse.arena);
    parse.ok = check_parse_lab(&parse.arena, STR("x/lab.conf"), text,
                               &parse.lab, &parse.diags);
    return parse;
}

// FAKE_CONF with the first `from` replaced by `to`.
static Str edited(Arena *arena, const char *from, const char *to) {
    const char *hit = strstr(FAKE_CONF, from);
    CHECK(hit != NULL);
    return str_format(arena, "%.*s%s%s", (int)(hit - FAKE_CONF), FAKE_CONF, to,
                      hit + strlen(from));
}

// The edited text gives one error, at line:col (0: not looked at).
static void wrong(const char *from, const char *to, uint32_t line, uint32_t col,
                  const char *what) {
    Arena arena = {0};
    Parse p = parse(edited(&arena, from, to));
    CHECK(!p.ok);
    if (CHECK(p.diags.count >= 1)) {
        const Diag *diag = &p.diags.items[0];
        CHECK_HOLDS(diag->what, what);
        CHECK(diag->help.len > 0);
        CHECK_STR(diag->code, "CONF");
        CHECK_STR(diag->at.file, "x/lab.conf");
        CHECK(diag->at.line > 0 && diag->at.col > 0);
        if (line)
            CHECK_INT(diag->at.line, line);
        if (col)
            CHECK_INT(diag->at.col, col);
    }
    arena_free(&p.arena);
    arena_free(&arena);
}

TEST(reads_every_key) {
    Parse p = parse(STR(FAKE_CONF));
    CHECK(p.ok);
    CHECK_INT(p.diags.count, 0);
    CHECK_STR(p.lab.title, "Clusters that steal");
    CHECK_STR(p.lab.kernel, "kernel");
    CHECK_STR(p.lab.file, "kernel.cu");
    CHECK_INT(p.lab.threads, 128);
    CHECK_INT(p.lab.cluster, 2);
    CHECK_INT(p.lab.technique, TECHNIQUE_CLC);
    CHECK(!p.lab.plan);
    CHECK_INT(p.lab.size_count, 6);
    CHECK_INT(p.lab.sizes[5].dim[0], 20000);
    CHECK_INT(p.lab.check_count, 8);
    CHECK_STR(p.lab.checks[2].id, "correct");
    CHECK_STR(p.lab.checks[2].title, "Every element is right.");
    CHECK_DOUBLE(p.lab.checks[2].points, 25);
    arena_free(&p.arena);
}

TEST(requests_in_flight_may_be_asked_for) {
    Arena arena = {0};
    Parse p = parse(STR(FAKE_CONF));
    Parse q = parse(
        edited(&arena, "plan      = no\n", "plan      = no\nin_flight = 4\n"));
    CHECK_INT(p.lab.in_flight, 0);
    CHECK(q.ok);
    CHECK_INT(q.lab.in_flight, 4);
    wrong("plan      = no\n", "plan      = no\nin_flight = 0\n", 9, 13,
          "not a number in range");
    arena_free(&p.arena);
    arena_free(&q.arena);
    arena_free(&arena);
}

TEST(what_is_asked_of_the_file_may_be_said) {
    Arena arena = {0};
    Parse p = parse(STR(FAKE_CONF));
    Parse q = parse(edited(&arena, "plan      = no\n",
                           "plan = no\nown-asm = yes\nforbid = a b_2\n"
                           "strict-regions = yes\n"));
    CHECK(!p.lab.own_asm && !p.lab.strict_regions);
    CHECK_INT(p.lab.forbidden_count, 0);
    CHECK(q.ok && q.lab.own_asm && q.lab.strict_regions);
    CHECK_INT(q.lab.forbidden_count, 2);
    CHECK_STR(q.lab.forbidden[1], "b_2");
    wrong("plan      = no\n", "plan = no\nforbid = a::b\n", 9, 10,
          "\"a::b\" is not a name");
    wrong("plan      = no\n", "plan = no\nown-asm = 1\n", 9, 11,
          "own-asm is \"1\"");
    wrong("plan      = no\n", "plan = no\nstrict-regions = maybe\n", 9, 18,
          "strict-regions is \"maybe\"");
    arena_free(&p.arena);
    arena_free(&q.arena);
    arena_free(&arena);
}

TEST(edits_are_tried_unless_lab_conf_says_no) {
    Arena arena = {0};
    Parse p = parse(STR(FAKE_CONF));
    Parse no =
        parse(edited(&arena, "plan      = no\n", "plan = no\nadvice = no\n"));
    Parse yes =
        parse(edited(&arena, "plan      = no\n", "plan = no\nadvice = yes\n"));
    CHECK(p.ok && !p.lab.no_advice);
    CHECK(no.ok && no.lab.no_advice);
    CHECK(yes.ok && !yes.lab.no_advice);
    wrong("plan      = no\n", "plan = no\nadvice = none\n", 9, 10,
          "advice is \"none\"");
    arena_free(&p.arena);
    arena_free(&no.arena);
    arena_free(&yes.arena);
    arena_free(&arena);
}

TEST(no_more_names_are_forbidden_than_there_is_room_for) {
    Arena arena = {0};
    Str names = STR("plan = no\nforbid =");
    for (int i = 0; i < LAB_MAX_FORBIDDEN; i++)
        names = str_format(&arena, "%.*s n%d", STR_ARG(names), i);
    Str most = str_format(&arena, "%.*s\n", STR_ARG(names)),
        more = str_format(&arena, "%.*s more\n", STR_ARG(names));
    Parse p = parse(edited(&arena, "plan      = no\n", most.ptr));
    CHECK(p.ok);
    CHECK_INT(p.lab.forbidden_count, LAB_MAX_FORBIDDEN);
    wrong("plan      = no\n", more.ptr, 9, 0, "name more is one too many");
    arena_free(&p.arena);
    arena_free(&arena);
}

TEST(sizes_come_out_ascending) {
    Arena arena = {0};
    Parse p = parse(edited(&arena, "0 1 127", "127 0x10 0 1"));
    CHECK(p.ok);
    CHECK_INT(p.lab.sizes[0].dim[0], 0);
    CHECK_INT(p.lab.sizes[1].dim[0], 1);
    CHECK_INT(p.lab.sizes[2].dim[0], 16);
    CHECK_INT(p.lab.sizes[3].dim[0], 127);
    arena_free(&p.arena);
    arena_free(&arena);
}

TEST(windows_line_ends_and_no_newline_at_the_end) {
    Arena arena = {0};
    Parse p = parse(edited(&arena, "128\n", "128\r\n"));
    CHECK(p.ok);
    Str text = STR(FAKE_CONF);
    Parse q = parse(str_slice(text, 0, text.len - 1));
    CHECK(q.ok);
    arena_free(&p.arena);
    arena_free(&q.arena);
    arena_free(&arena);
}

TEST(keys_are_known_and_given_once) {
    wrong("threads ", "colour ", 5, 1, "no key \"colour\"");
    wrong("cluster ", "threads ", 6, 1, "threads is given twice");
    wrong("plan      = no", "plan no", 8, 1, "has no \"=\"");
    wrong("threads   = 128", "  threads = ", 5, 3, "threads has no value");
    wrong("title     =", "          =", 2, 0, "no key");
}

TEST(missing_keys_are_named) {
    static const char *const lines[][2] = {
        {"title     = Clusters that steal\n", "title is missing"},
        {"kernel    = kernel\n", "kernel is missing"},
        {"file      = kernel.cu   # the learner's\n", "file is missing"},
        {"threads   = 128\n", "threads is missing"},
        {"cluster   = 2\n", "cluster is missing"},
        {"technique = clc\n", "technique is missing"},
        {"plan      = no\n", "plan is missing"},
        {"sizes     = 0 1 127 1000 10240 20000\n", "sizes is missing"},
        {"check rules       10 No rule is broken.\n", "rules is missing"}};
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        wrong(lines[i][0], "", 0, 1, lines[i][1]);
}

TEST(values_are_checked) {
    wrong("= 128", "= many", 5, 13, "\"many\" is not a number");
    wrong("= 128", "= 0", 5, 13, "not a number in range");
    wrong("= 128", "= 1025", 5, 13, "not a number in range");
    wrong("= 128", "= -1", 5, 13, "not a number in range");
    wrong("= 2\n", "= 9\n", 6, 13, "not a number in range");
    wrong("= clc", "= magic", 7, 13, "no technique \"magic\"");
    wrong("= no", "= maybe", 8, 13, "plan is \"maybe\"");
    wrong("127", "1", 9, 17, "Size 1 is given twice");
    wrong("127", "999999999999999999999", 9, 17, "not a number in range");
    wrong("= kernel\n", "= 2kernel\n", 3, 13, "not the name of a kernel");
    wrong("= kernel.cu", "= ../kernel.cu", 4, 13, "plain name");
    wrong("= kernel.cu", "= .hidden", 4, 13, "plain name");
}

TEST(too_many_sizes) {
    Arena arena = {0};
    Str many = {0};
    for (int i = 0; i < 40; i++)
        many = str_format(&arena, "%.*s %d", STR_ARG(many), i);
    wrong("0 1 127", str_cstring(&arena, many), 9, 0, "one too many");
    arena_free(&arena);
}

// The help of the first error says how many; the last is of the whole file.
TEST(sizes_have_a_number_and_a_value) {
    Arena arena = {0};
    Str many = {0};
    for (int i = 0; i <= LAB_MAX_SIZES; i++)
        many = str_format(&arena, "%.*s %d", STR_ARG(many), i);
    Parse p = parse(edited(&arena, "0 1 127", str_cstring(&arena, many)));
    CHECK_STR(p.diags.items[0].what, "Size 32 is one too many.");
    CHECK_STR(p.diags.items[0].help, "At most 32 sizes are run.");
    Parse q = parse(edited(&arena, "0 1 127 1000 10240 20000", "x"));
    if (CHECK_INT(q.diags.count, 2))
        CHECK_STR(q.diags.items[1].what, "There is no valid value in sizes.");
    arena_free(&p.arena);
    arena_free(&q.arena);
    arena_free(&arena);
}

TEST(checks_are_checked) {
    wrong("builds       5", "bulids       5", 10, 7, "no check \"bulids\"");
    wrong("builds       5", "builds       6", 0, 0, "points sum to 101");
    wrong("builds       5", "builds       x", 10, 20, "\"x\" is not a number");
    wrong("builds       5 It compiles.", "builds       5", 10, 1, "lacks");
    wrong("check signature", "check builds   ", 11, 7, "given twice");
    wrong("check rules ", "check device ", 16, 7, "no check \"device\"");
    wrong("check rules       10 No rule is broken.\n", "", 0, 0,
          "rules is missing");
}

TEST(checks_have_an_order) {
    wrong("check builds       5 It compiles.\ncheck signature    5 It has the "
          "name.\n",
          "check signature 5 It has the name.\ncheck builds 5 It compiles.\n",
          11, 7, "builds is out of order");
}

TEST(launch_plan_goes_with_plan) {
    wrong("plan      = no", "plan      = yes", 0, 0, "launch_plan is missing");
    wrong("check correct     25",
          "check launch_plan 5 The grid.\ncheck correct "
          "20",
          0, 0, "launch_plan needs");
}

// ---- shapes --------------------------------------------------------------

#define BOX "params = out in width height depth\n"
#define SIZES "0 1 127 1000 10240 20000"

// FAKE_CONF with these parameters, block and sizes, without clusters.
static Str shaped(Arena *arena, const char *params, const char *threads,
                  const char *sizes) {
    const char *checks = strstr(FAKE_CONF, "check builds");
    return str_format(arena,
                      "%stitle = T\nkernel = kernel\nfile = kernel.cu\n"
                      "threads = %s\ncluster = 1\ntechnique = clc\n"
                      "plan = no\nsizes = %s\n%s",
                      params, threads, sizes, checks);
}

TEST(a_lab_without_params_is_a_line) {
    Parse p = parse(STR(FAKE_CONF));
    CHECK_INT(p.lab.param_count, 2);
    CHECK_INT(p.lab.params[0], LAB_PARAM_DATA);
    CHECK_INT(p.lab.params[1], LAB_PARAM_N);
    CHECK_STR(p.lab.data_name, "data");
    CHECK_HOLDS(p.lab.work, "data[i] *= alpha");
    CHECK_INT(p.lab.block[0], 128);
    CHECK_INT(p.lab.block[1], 1);
    arena_free(&p.arena);
}

TEST(a_box_has_sizes_and_blocks_of_three_numbers) {
    Arena arena = {0};
    Parse p = parse(shaped(&arena, BOX "work = out[i] += 1\n", "16x8x1",
                           "40x20x3 0x5x5 7"));
    CHECK(p.ok);
    CHECK_INT(p.lab.param_count, 5);
    CHECK_STR(p.lab.data_name, "out");
    CHECK_STR(p.lab.work, "out[i] += 1");
    CHECK_INT(p.lab.threads, 128);
    CHECK_INT(p.lab.block[0], 16);
    CHECK_INT(p.lab.block[1], 8);
    CHECK_INT(p.lab.block[2], 1);
    CHECK_INT(p.lab.sizes[0].dim[0], 0);
    CHECK_INT(p.lab.sizes[0].dim[1], 5);
    CHECK_INT(p.lab.sizes[1].dim[0], 7);
    CHECK_INT(p.lab.sizes[1].dim[2], 1);
    CHECK_INT(p.lab.sizes[2].dim[2], 3);
    arena_free(&p.arena);
    arena_free(&arena);
}

TEST(rows_have_sizes_of_one_number) {
    Arena arena = {0};
    const char *params = "params = data starts rows\n";
    Parse p = parse(shaped(&arena, params, "96", "0 1 33"));
    CHECK(p.ok);
    CHECK_INT(p.lab.sizes[2].dim[0], 33);
    Parse q = parse(shaped(&arena, params, "96", "0 1x1 33"));
    CHECK(!q.ok);
    CHECK_HOLDS(q.diags.items[0].what, "\"1x1\" is not a number in range");
    CHECK_INT(q.diags.items[0].at.line, 9);
    CHECK_INT(q.diags.items[0].at.col, 11);
    arena_free(&p.arena);
    arena_free(&q.arena);
    arena_free(&arena);
}

TEST(a_batch_may_have_several_seeds) {
    Arena arena = {0};
    Parse p = parse(edited(&arena, "plan ", "seeds = 3 worst\nplan "));
    CHECK(p.ok);
    CHECK_INT(p.lab.seeds, 3);
    CHECK(!p.lab.seeds_mean);
    arena_free(&p.arena);
    p = parse(edited(&arena, "plan ", "seeds = 2 mean\nplan "));
    CHECK(p.ok && p.lab.seeds == 2 && p.lab.seeds_mean);
    wrong("plan ", "seeds = 17 mean\nplan ", 8, 9, "not a number in range");
    wrong("plan ", "seeds = 3 best\nplan ", 8, 11, "which result counts");
    wrong("plan ", "seeds = 3\nplan ", 8, 9, "which result counts");
    arena_free(&p.arena);
    arena_free(&arena);
}

TEST(bars_in_modelled_time_may_be_set) {
    Arena arena = {0};
    Parse p =
        parse(edited(&arena, "plan ", "balance = 110\nyield = 300\nplan "));
    CHECK(p.ok);
    CHECK_INT(p.lab.balance, 110);
    CHECK_INT(p.lab.yield, 300);
    wrong("plan ", "balance = 99\nplan ", 8, 11, "not a number in range");
    wrong("plan ", "yield = 10001\nplan ", 8, 9, "not a number in range");
    arena_free(&p.arena);
    arena_free(&arena);
}

TEST(params_are_known_and_fit_one_shape) {
    wrong("plan ", "params = data m\nplan ", 8, 15, "no parameter \"m\"");
    wrong("plan ", "params = n data n\nplan ", 8, 17, "n is one too many");
    static const char *const unfit[] = {
        "data",
        "n",
        "data out n",
        "data n rows",
        "data n rows starts",
        "data rows",
        "data width height",
        "data width height depth n",
    };
    for (size_t i = 0; i < COUNT_OF(unfit); i++) {
        Arena arena = {0};
        Str line = str_format(&arena, "params = %s\nplan ", unfit[i]);
        wrong("plan ", line.ptr, 0, 0, "params fit no shape");
        arena_free(&arena);
    }
}

TEST(a_box_has_neither_clusters_nor_launch_plan) {
    wrong("sizes     = " SIZES "\n", BOX "sizes = 1x1x1\n", 0, 0,
          "cluster does not fit");
    Arena arena = {0};
    Str text = shaped(&arena, BOX, "16x8x1", "1x1x1");
    memcpy(strstr(text.ptr, "plan = no"), "plan =yes", 9);
    Parse p = parse(text);
    CHECK(!p.ok);
    CHECK_HOLDS(p.diags.items[0].what, "needs the parameter n");
    arena_free(&p.arena);
    arena_free(&arena);
}

TEST(sizes_of_boxes_and_blocks_are_checked) {
    static const char *const sizes[] = {
        "1x", "x1", "1x1x1x1", "ax1x1", "1,1", "4096x4096x4096", "-1x1x1"};
    static const char *const blocks[] = {"16x",    "0x8x1",   "32x33x1",
                                         "1x1x65", "1x1x1x1", "16xx1"};
    Arena arena = {0};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        Parse p = parse(shaped(&arena, BOX, "16x8x1", sizes[i]));
        CHECK(!p.ok);
        CHECK_HOLDS(p.diags.items[0].what, "is not a size");
        arena_free(&p.arena);
    }
    for (size_t i = 0; i < COUNT_OF(blocks); i++) {
        Parse p = parse(shaped(&arena, BOX, blocks[i], "1x1x1"));
        CHECK(!p.ok);
        CHECK_HOLDS(p.diags.items[0].what, "is not the size of a block");
        CHECK_HOLDS(p.diags.items[0].help, "at most 1024 in all, 64 along z");
        arena_free(&p.arena);
    }
    arena_free(&arena);
}

TEST(the_largest_blocks_are_taken) {
    static const char *const blocks[] = {"1x1x64", "1024x1x1", "32x32x1"};
    for (size_t i = 0; i < COUNT_OF(blocks); i++) {
        Arena arena = {0};
        Parse p = parse(shaped(&arena, BOX, blocks[i], "1x1x1"));
        CHECK(p.ok);
        arena_free(&p.arena);
        arena_free(&arena);
    }
}

TEST(a_line_has_sizes_of_one_number) {
    Parse p = parse(STR(FAKE_CONF));
    CHECK(check_fits_size(&p.lab, (LabSize){{5, 1, 1}}));
    CHECK(!check_fits_size(&p.lab, (LabSize){{5, 2, 1}}));
    CHECK(!check_fits_size(&p.lab, (LabSize){{5, 1, 2}}));
    arena_free(&p.arena);
}

// Boxes of one volume are different sizes.
TEST(a_box_turned_is_another_size) {
    Arena arena = {0};
    Parse p = parse(shaped(&arena, BOX, "16x8x1", "4x2x1 2x4x1"));
    CHECK(p.ok);
    CHECK_INT(p.lab.size_count, 2);
    Parse q = parse(shaped(&arena, BOX, "16x8x1", "4x2x1 4x2"));
    CHECK(!q.ok);
    CHECK_HOLDS(q.diags.items[0].what, "Size 4x2 is given twice");
    arena_free(&p.arena);
    arena_free(&q.arena);
    arena_free(&arena);
}

TEST(regions_have_parts) {
    Arena arena = {0};
    Parse p = parse(edited(&arena, "\ncheck builds",
                           "\nregion 2 declare init\nregion 3 wait\n"
                           "region 4 wait\ncheck builds"));
    CHECK(p.ok);
    CHECK_INT(p.lab.parts[PART_DECLARE], 1u << 2);
    CHECK_INT(p.lab.parts[PART_INIT], 1u << 2);
    CHECK_INT(p.lab.parts[PART_WAIT], 1u << 3 | 1u << 4);
    CHECK_INT(p.lab.parts[PART_RELEASE], 0);
    arena_free(&p.arena);
    arena_free(&arena);
    wrong("\ncheck builds", "\nregion 2\ncheck builds", 0, 1,
          "lacks its number");
    wrong("\ncheck builds", "\nregion\ncheck builds", 0, 1, "lacks its number");
    wrong("\ncheck builds", "\nregion 32 wait\ncheck builds", 0, 8,
          "\"32\" is not a number in range");
    wrong("\ncheck builds", "\nregion two wait\ncheck builds", 0, 8,
          "\"two\" is not a number");
    wrong("\ncheck builds", "\nregion 2 wait here\ncheck builds", 0, 15,
          "A region has no part \"here\"");
}

TEST(hostile_texts_are_errors) {
    static const char nul[] = "title = a\0b\nsizes = \0\n\0\0 = \0";
    Str texts[] = {{0},
                   STR("\n\n\n"),
                   STR("====="),
                   STR("check"),
                   STR("#"),
                   {nul, sizeof nul},
                   STR("\xff\xfe = \xff"),
                   STR("check \n check builds")};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        Parse p = parse(texts[i]);
        CHECK(!p.ok);
        CHECK(p.diags.errors > 0);
        arena_free(&p.arena);
    }
}

TEST_MAIN(TESTCASE(the_largest_blocks_are_taken),
          TESTCASE(a_line_has_sizes_of_one_number), TESTCASE(reads_every_key),
          TESTCASE(what_is_asked_of_the_file_may_be_said),
          TESTCASE(edits_are_tried_unless_lab_conf_says_no),
          TESTCASE(no_more_names_are_forbidden_than_there_is_room_for),
          TESTCASE(sizes_come_out_ascending),
          TESTCASE(windows_line_ends_and_no_newline_at_the_end),
          TESTCASE(keys_are_known_and_given_once),
          TESTCASE(missing_keys_are_named), TESTCASE(values_are_checked),
          TESTCASE(too_many_sizes), TESTCASE(sizes_have_a_number_and_a_value),
          TESTCASE(checks_are_checked), TESTCASE(checks_have_an_order),
          TESTCASE(launch_plan_goes_with_plan),
          TESTCASE(requests_in_flight_may_be_asked_for),
          TESTCASE(a_lab_without_params_is_a_line),
          TESTCASE(a_box_has_sizes_and_blocks_of_three_numbers),
          TESTCASE(rows_have_sizes_of_one_number),
          TESTCASE(a_batch_may_have_several_seeds),
          TESTCASE(bars_in_modelled_time_may_be_set),
          TESTCASE(params_are_known_and_fit_one_shape),
          TESTCASE(a_box_has_neither_clusters_nor_launch_plan),
          TESTCASE(sizes_of_boxes_and_blocks_are_checked),
          TESTCASE(a_box_turned_is_another_size), TESTCASE(regions_have_parts),
          TESTCASE(hostile_texts_are_errors))
