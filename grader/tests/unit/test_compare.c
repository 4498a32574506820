// SPDX-License-Identifier: Apache-2.0
// The comparison: what a source is asked, that its data is judged, what is made
// of its figures; and the reports, with figures that are not known.
#include "check/compare.h"
#include "report/report.h"
#include "tests/unit/json_scan.h"
#include "tests/unit/test.h"

#include <math.h>

// ---- a source that computes on the CPU -----------------------------------

typedef struct Fake {
    CompareCase cases[COMPARE_GROUPS * COMPARE_TECHNIQUE_COUNT];
    size_t count;
    int spoil_at;  // the case whose data gets a wrong element; -1: none
    int32_t wrong; // the element
    size_t fail_at;
    bool knows; // times and what follows from them
    uint32_t fit;
} Fake;

static uint32_t fake_fit(CompareSource *source, Str kernel, uint32_t threads) {
    const Fake *fake = source->context;
    (void)threads;
    return str_equal(kernel, STR("compare_cluster")) && fake->fit > 1
               ? fake->fit - 1
               : fake->fit;
}

static float rounds_of(float x, int rounds) {
    for (int i = 0; i < rounds; i++)
        x = fmaf(x, -0.96f, 2.9498f);
    return x;
}

// As in compare.cu: from the lowest bit of the hash that is set.
static int units(uint32_t block) {
    uint32_t hash = block * 0x9e3779b9u;
    hash = (hash ^ hash >> 15) * 0x2c1b3c6du;
    hash ^= hash >> 13;
    return 1 << (__builtin_ffs((int)(hash | 16)) - 1);
}

static bool fake_run(CompareSource *source, const CompareCase *what,
                     float *data, CompareSample *sample, Diags *diags) {
    Fake *fake = source->context;
    size_t number = fake->count++;
    fake->cases[number] = *what;
    if (number == fake->fail_at) {
        diag_add(diags, DIAG_ERROR, (SrcLoc){0}, "the card fell off the bus");
        return false;
    }
    float alpha = rounds_of(what->secret.seed, what->secret.rounds);
    for (int32_t i = 0; i < what->work.n; i++) {
        uint32_t block = (uint32_t)i / what->threads;
        int rounds = what->work.uneven ? units(block) : 3;
        data[i] =
            fmaf(alpha, rounds_of(0, rounds * what->work.rounds), data[i]);
    }
    if ((int)number == fake->spoil_at)
        data[fake->wrong] += 1;
    sample->started = (CompareFigure){true, what->grid};
    sample->prologues = sample->started;
    if (!fake->knows)
        return true;
    double time = what->technique == COMPARE_FIXED ? 40 : 10;
    sample->time = (CompareFigure){true, time};
    sample->q1 = (CompareFigure){true, time - 1};
    sample->q3 = (CompareFigure){true, time + 1.5};
    sample->imbalance = (CompareFigure){
        true, what->work.uneven && what->technique == COMPARE_STRIDE ? 1.4 : 1};
    sample->first_free = (CompareFigure){true, 0};
    sample->all_free = (CompareFigure){
        true, what->technique == COMPARE_STRIDE ? time / 2 : time / 10};
    return true;
}

static CompareSource make_source(Fake *fake) {
    *fake =
        (Fake){.spoil_at = -1, .fail_at = SIZE_MAX, .knows = true, .fit = 3};
    return (CompareSource){.info = {.kind = COMPARE_MEASURED,
                                    .device = STR("Card <7>, \"B\" & co\x1b"),
                                    .how = STR("Median of 9 launches."),
                                    .sms = 2,
                                    .copy = {true, 100}},
                           .context = fake,
                           .blocks_per_sm = fake_fit,
                           .run = fake_run};
}

static const CompareSizes SIZES = {
    .n = 1000, .threads = 64, .work = 2, .light = 1, .heavy = 5};

typedef struct Bench {
    Arena arena;
    Fake fake;
    CompareSource source;
    Comparison result;
    Diags diags;
} Bench;

static void open_bench(Bench *bench) {
    *bench = (Bench){0};
    bench->source = make_source(&bench->fake);
    bench->diags = diags_new(&bench->arena);
}

static bool run_bench(Bench *bench) {
    return compare_run(&bench->source, &SIZES, &bench->result, &bench->diags);
}

// ---- check/ --------------------------------------------------------------

TEST(every_technique_gets_the_same_work) {
    Bench bench;
    open_bench(&bench);
    CHECK(run_bench(&bench));
    CHECK_INT(bench.fake.count, 16);
    CHECK_INT(bench.result.blocks, 16);
    for (size_t i = 0; i < 16; i++) {
        const CompareCase *what = &bench.fake.cases[i];
        CHECK_INT(what->technique, i % 4);
        CHECK_INT(what->work.n, 1000);
        CHECK_INT(what->work.rounds, 2);
        CHECK_INT(what->work.uneven, i / 8);
        CHECK_INT(what->secret.rounds, i / 4 % 2 ? 5 : 1);
        CHECK_INT(what->threads, 64);
        CHECK_INT(what->cluster, i % 4 == 3 ? 2 : 1);
        CHECK_INT(what->grid, i % 4 == 1 ? 6 : 16); // stride: what fits
    }
    CHECK_INT(bench.result.places[COMPARE_CLC], 6);
    CHECK_INT(bench.result.places[COMPARE_CLUSTER], 4);
    arena_free(&bench.arena);
}

TEST(grids_are_whole_clusters_and_never_more_than_the_work) {
    Bench bench;
    open_bench(&bench);
    CompareSizes sizes = SIZES;
    sizes.n = 2 * 64 + 1;
    CHECK(compare_run(&bench.source, &sizes, &bench.result, &bench.diags));
    CHECK_INT(bench.fake.cases[COMPARE_FIXED].grid, 3);
    CHECK_INT(bench.fake.cases[COMPARE_STRIDE].grid, 3);
    CHECK_INT(bench.fake.cases[COMPARE_CLUSTER].grid, 4);
    arena_free(&bench.arena);
}

TEST(a_wrong_element_ends_it) {
    for (int at = 0; at < 16; at += 5) {
        Bench bench;
        open_bench(&bench);
        bench.fake.spoil_at = at;
        bench.fake.wrong = at ? 999 : 0;
        CHECK(!run_bench(&bench));
        CHECK_INT(bench.fake.count, at + 1);
        CHECK_INT(bench.diags.count, 1);
        CHECK_HOLDS(bench.diags.items[0].what, "1 of 1000 elements are wrong");
        CHECK_HOLDS(bench.diags.items[0].what,
                    at ? "data[999], of block 15" : "data[0], of block 0");
        arena_free(&bench.arena);
    }
}

TEST(a_source_that_fails_ends_it) {
    Bench bench;
    open_bench(&bench);
    bench.fake.fail_at = 2;
    CHECK(!run_bench(&bench));
    CHECK_INT(bench.fake.count, 3);
    CHECK_HOLDS(bench.diags.items[0].what, "fell off the bus");
    bench.fake.fit = 0;
    CHECK(!run_bench(&bench));
    CHECK_HOLDS(bench.diags.items[1].what, "no block of 64 threads");
    arena_free(&bench.arena);
}

TEST(sizes_follow_the_kind_of_source) {
    Fake fake;
    CompareSource source = make_source(&fake);
    CompareSizes sizes = compare_sizes(&source, 0);
    CHECK_INT(sizes.n, 1 << 27);
    CHECK_INT(sizes.threads, 1024);
    CHECK_INT(sizes.heavy, 4096); // rounds of the prologue: docs/compare.md
    CHECK_INT(compare_sizes(&source, 77).n, 77);
    source.info.kind = COMPARE_MODELLED;
    sizes = compare_sizes(&source, 0);
    CHECK(sizes.n > 0);
    CHECK_INT(sizes.heavy, 512);
    CHECK_INT(sizes.n % (6 * (int)sizes.threads), 0); // as many for each place
    source.info.sms = 1 << 24;
    CHECK_INT(compare_sizes(&source, 0).n, 1 << 27);
    fake.fit = 0;
    CHECK_INT(compare_sizes(&source, 0).n, 1);
}

TEST(bandwidth_and_the_guides_table_follow_from_the_figures) {
    Bench bench;
    open_bench(&bench);
    CHECK(run_bench(&bench));
    const CompareGroup *first = &bench.result.groups[0];
    // 8000 bytes in 10 us are 0.8 GB/s, of 100.
    CHECK_DOUBLE(first->samples[COMPARE_CLC].of_copy.value, 0.008);
    const CompareClaim *claims = bench.result.claims;
    CHECK_DOUBLE(claims[CLAIM_OVERHEADS].figures[COMPARE_FIXED].value, 1);
    CHECK_DOUBLE(claims[CLAIM_OVERHEADS].figures[COMPARE_STRIDE].value,
                 6.0 / 16);
    CHECK_DOUBLE(claims[CLAIM_PREEMPTION].figures[COMPARE_STRIDE].value, 0.5);
    CHECK_DOUBLE(claims[CLAIM_PREEMPTION].figures[COMPARE_CLC].value, 0.1);
    CHECK_DOUBLE(claims[CLAIM_BALANCE].figures[COMPARE_STRIDE].value, 1.4);
    bench.fake.knows = false;
    bench.fake.count = 0;
    CHECK(run_bench(&bench));
    CHECK(!first->samples[COMPARE_CLC].of_copy.known);
    CHECK(claims[CLAIM_OVERHEADS].figures[COMPARE_CLC].known);
    CHECK(!claims[CLAIM_PREEMPTION].figures[COMPARE_CLC].known);
    CHECK(!claims[CLAIM_BALANCE].figures[COMPARE_CLC].known);
    arena_free(&bench.arena);
}

// ---- report/ -------------------------------------------------------------

static bool holds(Str text, const char *part) {
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

static Buf text_of(Bench *bench) {
    Buf out = {0};
    bench->fake.count = 0;
    CHECK(run_bench(bench));
    report_compare_text(&bench->result, (ReportStyle){.width = 80}, &out);
    return out;
}

TEST(the_table_has_the_figures_and_what_they_show) {
    Bench bench;
    open_bench(&bench);
    Buf out = text_of(&bench);
    Str text = buf_view(&out);
    CHECK_HOLDS(text, "Median of 9 launches.");
    CHECK_HOLDS(text, "A copy moves 100 GB/s.");
    CHECK_HOLDS(text, "4 blocks of cluster CLC at once");
    CHECK_HOLDS(text, "  fixed work       16       16   40.00   39.00   41.50  "
                      "1.00   0%   0.00    4.00\n");
    CHECK_HOLDS(text, "  grid stride       6        6   10.00    9.00   11.50  "
                      "1.40   1%   0.00    5.00\n");
    CHECK_HOLDS(text, "Fastest: grid stride (CLC, cluster CLC within 5%); "
                      "fixed work takes 4.00");
    CHECK_HOLDS(text, "and runs 16 prologues instead of 6");
    CHECK_HOLDS(text, "least evenly with\n  grid stride, the last at 1.40");
    CHECK_HOLDS(text, "latest from\n  grid stride, after 5.00 us.");
    CHECK_HOLDS(text, "  load balancing         yes  1.00      no  1.40");
    CHECK(!holds(text, "\x1b"));
    for (Str rest = text; rest.len > 0;)
        CHECK(str_cut(&rest, '\n').len <= 80);
    buf_free(&out);
    arena_free(&bench.arena);
}

TEST(the_name_of_a_gpu_may_be_longer_than_a_line) {
    Bench bench;
    open_bench(&bench);
    bench.source.info.device =
        STR("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition (compute "
            "capability 12.0)");
    Buf out = text_of(&bench);
    Str text = buf_view(&out);
    CHECK_HOLDS(text, "four techniques\nOn NVIDIA RTX PRO");
    CHECK_HOLDS(text, "12.0). Median of 9 launches.\n");
    CHECK_HOLDS(text, "(compute capability\n12.0). Median");
    for (Str rest = text; rest.len > 0;)
        CHECK(str_cut(&rest, '\n').len <= 80);
    buf_free(&out);
    arena_free(&bench.arena);
}

TEST(what_is_not_known_is_a_dash_and_not_spoken_of) {
    Bench bench;
    open_bench(&bench);
    bench.fake.knows = false;
    bench.source.info.copy.known = false;
    Buf out = text_of(&bench);
    Str text = buf_view(&out);
    CHECK_HOLDS(text, "  CLC              16       16       -       -       -  "
                      "   -    -      -       -\n");
    CHECK_HOLDS(text, "  preemption                     -             -");
    CHECK(!holds(text, "Fastest"));
    CHECK(!holds(text, "other kernel"));
    CHECK(!holds(text, "0.00"));
    CHECK(!holds(text, "A copy moves"));
    buf_free(&out);
    arena_free(&bench.arena);
}

TEST(figures_that_are_none_are_not_shown) {
    Bench bench;
    open_bench(&bench);
    CHECK(run_bench(&bench));
    CompareSample *sample = &bench.result.groups[0].samples[COMPARE_CLC];
    sample->time.value = NAN;
    sample->q1.value = INFINITY;
    sample->q3.value = -1;
    Buf out = {0};
    report_compare_csv(&bench.result, &out);
    CHECK_HOLDS(buf_view(&out), "even,light,CLC,16,16,,,,1.000,");
    out.len = 0;
    report_compare_svg(&bench.result, &out);
    CHECK(!holds(buf_view(&out), "nan"));
    buf_free(&out);
    arena_free(&bench.arena);
}

// The fields of a line of CSV: commas outside quotes.
static size_t fields_of(Str line) {
    size_t fields = 1;
    bool quoted = false;
    for (size_t i = 0; i < line.len; i++) {
        quoted ^= line.ptr[i] == '"';
        fields += line.ptr[i] == ',' && !quoted;
    }
    return quoted ? 0 : fields;
}

TEST(csv_has_a_line_for_each_case) {
    Bench bench;
    open_bench(&bench);
    CHECK(run_bench(&bench));
    Buf out = {0};
    report_compare_csv(&bench.result, &out);
    Str rest = buf_view(&out);
    CHECK_HOLDS(rest,
                "measured,\"Card <7>, \"\"B\"\" & co \",1000,64,16,uneven,"
                "heavy,grid stride,6,6,10.000,9.000,11.500,1.400,0.008,"
                "0.000,5.000\n");
    size_t lines = 0;
    for (; rest.len > 0; lines++)
        CHECK_INT(fields_of(str_cut(&rest, '\n')), 17);
    CHECK_INT(lines, 17);
    buf_free(&out);
    arena_free(&bench.arena);
}

TEST(json_is_json_with_null_for_what_is_not_known) {
    Bench bench;
    open_bench(&bench);
    bench.fake.knows = false;
    CHECK(run_bench(&bench));
    Buf out = {0};
    report_compare_json(&bench.result, &out);
    CHECK(is_json(buf_view(&out)));
    CHECK_HOLDS(buf_view(&out), "\"schema\": \"clclab/compare/v1\"");
    CHECK_HOLDS(buf_view(&out), "\"time_us\": null");
    CHECK_HOLDS(buf_view(&out), "\"prologues\": 16");
    CHECK_HOLDS(buf_view(&out), "\"row\": \"load balancing\"");
    buf_free(&out);
    arena_free(&bench.arena);
}

// The bars, row by row: blue of the first two techniques, green of those that
// steal.
static void check_fills(Str text) {
    const char *const begin = "height=\"18.0\" fill=\"";
    size_t count[2] = {0};
    while (text.len > 0) {
        const char *at = memmem(text.ptr, text.len, begin, strlen(begin));
        if (!at)
            break;
        text =
            str_slice(text, (size_t)(at - text.ptr) + strlen(begin), text.len);
        bool is_green = str_starts(text, STR("#dcedc8"));
        if (is_green || CHECK(str_starts(text, STR("#cfe2f5"))))
            count[is_green]++;
    }
    CHECK_INT(count[0], count[1]);
    CHECK(count[0] > 0);
}

TEST(the_chart_leaves_out_bytes_that_are_no_text) {
    Bench bench;
    open_bench(&bench);
    CHECK(run_bench(&bench));
    bench.result.info.device = STR("A\xff"
                                   "B\x80"
                                   "C\x01"
                                   "D\"");
    Buf out = {0};
    report_compare_svg(&bench.result, &out);
    CHECK_HOLDS(buf_view(&out), ">On ABCD\"</text>");
    buf_free(&out);
    arena_free(&bench.arena);
}

TEST(the_chart_escapes_and_shows_the_spread_where_there_is_one) {
    Bench bench;
    open_bench(&bench);
    CHECK(run_bench(&bench));
    Buf out = {0};
    report_compare_svg(&bench.result, &out);
    Str text = buf_view(&out);
    CHECK_HOLDS(text, ">On Card &lt;7&gt;, \"B\" &amp; co</text>");
    CHECK_HOLDS(text, "four techniques: measured</text>");
    CHECK(!holds(text, "\x1b"));
    CHECK_HOLDS(text, "the median");
    CHECK_HOLDS(text, ">40.00</text>");
    CHECK_HOLDS(text, "height=\"18.0\" fill=\"#cfe2f5\"");
    CHECK_HOLDS(text, ">its blocks do what they were started for</text>");
    CHECK_HOLDS(text, "height=\"18.0\" fill=\"#dcedc8\"");
    CHECK_HOLDS(text, ">its blocks steal what others have not begun</text>");
    CHECK(str_ends(text, STR("</svg>\n")));
    check_fills(text);
    bench.fake.knows = false;
    bench.fake.count = out.len = 0;
    CHECK(run_bench(&bench));
    report_compare_svg(&bench.result, &out);
    CHECK(!holds(buf_view(&out), "<line"));
    CHECK_HOLDS(buf_view(&out), ">-</text>");
    buf_free(&out);
    arena_free(&bench.arena);
}

TEST_MAIN(TESTCASE(every_technique_gets_the_same_work),
          TESTCASE(grids_are_whole_clusters_and_never_more_than_the_work),
          TESTCASE(a_wrong_element_ends_it),
          TESTCASE(a_source_that_fails_ends_it),
          TESTCASE(sizes_follow_the_kind_of_source),
          TESTCASE(bandwidth_and_the_guides_table_follow_from_the_figures),
          TESTCASE(the_table_has_the_figures_and_what_they_show),
          TESTCASE(the_name_of_a_gpu_may_be_longer_than_a_line),
          TESTCASE(what_is_not_known_is_a_dash_and_not_spoken_of),
          TESTCASE(figures_that_are_none_are_not_shown),
          TESTCASE(csv_has_a_line_for_each_case),
          TESTCASE(json_is_json_with_null_for_what_is_not_known),
          TESTCASE(the_chart_escapes_and_shows_the_spread_where_there_is_one),
          TESTCASE(the_chart_leaves_out_bytes_that_are_no_text))
