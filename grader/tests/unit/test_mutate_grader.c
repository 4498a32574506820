// SPDX-License-Identifier: Apache-2.0
// The tool that makes small mistakes in the grader: it finds the places, and
// only these; names them so that they are found again; draws, counts and runs.
#include "tests/mutate-grader/suite.h"
#include "tests/mutate-grader/table.h"
#include "tests/unit/test.h"

#include <sys/stat.h>

static Sites find(Arena *arena, const char *path, const char *text) {
    Sites sites = {0};
    sites_find(arena, str_from(path), str_from(text), &sites);
    return sites;
}

// "kind: after" of each site, in lines.
static Str show(Arena *arena, const Sites *sites) {
    Buf out = {0};
    for (size_t i = 0; i < sites->count; i++)
        buf_printf(&out, "%s: %.*s\n", sites->items[i].kind,
                   STR_ARG(sites->items[i].after));
    Str text = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return text;
}

// What is found in a function of vm/ that has this body and result.
static Str changes(Arena *arena, const char *type, const char *body) {
    Str text = str_format(arena, "%s f(int a) {\n%s\n}\n", type, body);
    Sites sites = find(arena, "grader/vm/a.c", str_cstring(arena, text));
    return show(arena, &sites);
}

TEST(changes_operators) {
    Arena arena = {0};
    CHECK_STR(changes(&arena, "void", "if (a < b && !c) a = d;"),
              "compare: if (a <= b && !c) a = d;\n"
              "logic: if (a < b || !c) a = d;\n"
              "negation: if (a < b && c) a = d;\n");
    CHECK_STR(changes(&arena, "void", "p->a = b << c >> d;"), "");
    CHECK_STR(changes(&arena, "void",
                      "a = b <= c;\na = b > c;\na = b >= c;\na = b == c;\n"
                      "a = b != c;\na = b || c;"),
              "compare: a = b < c;\ncompare: a = b >= c;\n"
              "compare: a = b > c;\ncompare: a = b != c;\n"
              "compare: a = b == c;\nlogic: a = b && c;\n");
    arena_free(&arena);
}

TEST(changes_numbers_but_not_sizes) {
    Arena arena = {0};
    CHECK_STR(changes(&arena, "void", "a = 0x1fu;"),
              "constant: a = (0x1fu + 1);\n");
    CHECK_STR(changes(&arena, "void", "a = 1.5 + 1e-3 + 0x1p-3;"), "");
    CHECK_STR(
        changes(&arena, "void", "char text[64];\nstatic const T *b[4] = {0};"),
        "");
    CHECK_STR(changes(&arena, "void", "T *b = c + 1;"),
              "constant: T *b = c + (1 + 1);\n");
    Sites sites = find(&arena, "grader/vm/a.c",
                       "enum { MOST = 4 };\nstatic const int t[] = {1, 2};\n");
    CHECK_STR(show(&arena, &sites), "constant: enum { MOST = (4 + 1) };\n");
    arena_free(&arena);
}

TEST(leaves_words_comments_and_assertions_alone) {
    Arena arena = {0};
    CHECK_STR(changes(&arena, "void",
                      "// a < 1\n/* g();\n b == 2 */ a = \"c < \\\" 3\";\n"
                      "a = '\\'' + '<';\nassert(a < 4);\n#define B 5 \\\n 6"),
              "");
    Sites sites = find(&arena, "grader/vm/a.c",
                       "#include <stdio.h>\nint f(int a, int b[3]);\n");
    CHECK_INT(sites.count, 0);
    arena_free(&arena);
}

TEST(drops_calls_whose_value_is_not_used) {
    Arena arena = {0};
    CHECK_STR(changes(&arena, "void", "g(a);\nif (a)\n  b->c[d].e(a);"),
              "call: ;\ncall: ;\n");
    CHECK_STR(changes(&arena, "void",
                      "(void)g(a);\nswitch (a) {\n"
                      "case B: h(); break;\n}"),
              "call: ;\ncall: case B: ; break;\n");
    CHECK_STR(changes(&arena, "void", "a = g(b);\nint c = h();\nreturn;"), "");
    CHECK_STR(changes(&arena, "void", "for (i(); j(); k()) ;"), "");
    CHECK_STR(changes(&arena, "void", "arena_free(b);"), "");
    CHECK_STR(changes(&arena, "void", "vm_order_fence(w, in);"), "order: ;\n");
    arena_free(&arena);
}

TEST(skips_early_ends) {
    Arena arena = {0};
    CHECK_STR(changes(&arena, "void", "if (a)\n  return;"),
              "guard: if (0 && (a))\n");
    CHECK_STR(changes(&arena, "void", "if (a) {\n  b = c;\n  continue;\n}"),
              "guard: if (0 && (a)) {\n");
    CHECK_STR(changes(&arena, "void", "if (a)\n  b = c;"), "");
    CHECK_STR(changes(&arena, "bool", "if (a) return false;"),
              "permission: if (0 && (a)) return false;\n"
              "result: if (a) return true;\n");
    Sites sites =
        find(&arena, "grader/sandbox/a.c", "void f(void) {\nif (a) return;\n}");
    CHECK_STR(show(&arena, &sites), "permission: if (0 && (a)) return;\n");
    arena_free(&arena);
}

TEST(returns_constants_of_the_functions_type) {
    Arena arena = {0};
    CHECK_STR(changes(&arena, "static bool", "return g(a);"),
              "result: return true;\nresult: return false;\n");
    CHECK_STR(changes(&arena, "uint32_t", "return g(a);"),
              "result: return 0;\n");
    CHECK_STR(changes(&arena, "const Vm *", "return g(a);"),
              "result: return NULL;\n");
    CHECK_STR(changes(&arena, "Str", "return g(a);"), "");
    CHECK_STR(changes(&arena, "int", "return 3;"),
              "constant: return (3 + 1);\n");
    CHECK_STR(changes(&arena, "T *", "return NULL;"), "");
    arena_free(&arena);
}

TEST(a_change_keeps_the_lines_below_in_place) {
    Arena arena = {0};
    const char *text = "void f(void) {\n  g(a,\n    b);\n  if (c\n   ) return;"
                       "\n}\n";
    Sites sites = find(&arena, "grader/vm/a.c", text);
    if (!CHECK_INT(sites.count, 2))
        return;
    CHECK_STR(sites.items[0].before, "g(a, b);");
    CHECK_STR(site_apply(&arena, str_from(text), &sites.items[0]),
              "void f(void) {\n  \n;\n  if (c\n   ) return;\n}\n");
    CHECK_STR(site_apply(&arena, str_from(text), &sites.items[1]),
              "void f(void) {\n  g(a,\n    b);\n  if (0 && (c\n   )\n   ) "
              "return;\n}\n");
    arena_free(&arena);
}

// The name of a site does not hold where it is, only what it is in.
TEST(a_moved_site_has_its_name) {
    Arena arena = {0};
    const char *function = "void f(void) {\n a = b < c;\n d = b < c;\n"
                           " a = b < c;\n}\n";
    Sites here = find(&arena, "grader/vm/a.c", function);
    Str later = str_format(&arena, "int g;\n\n%s", function);
    Sites there =
        find(&arena, "grader/vm/order/a.c", str_cstring(&arena, later));
    if (!CHECK_INT(here.count, 3) || !CHECK_INT(there.count, 3))
        return;
    for (size_t i = 0; i < 3; i++) {
        CHECK_U64(here.items[i].id, there.items[i].id);
        CHECK_INT(here.items[i].line + 2, there.items[i].line);
    }
    CHECK_STR(there.items[0].file, "vm/a.c");
    CHECK_STR(there.items[0].function, "f");
    CHECK_INT(here.items[2].same, 2);
    CHECK(here.items[0].id != here.items[2].id);
    Sites other = find(&arena, "grader/gpu/a.c", function);
    CHECK(other.items[0].id != here.items[0].id);
    arena_free(&arena);
}

// ---- drawing -------------------------------------------------------------

// Sites of vm/ and of gpu/, in functions of their own.
static Sites two_rooms(Arena *arena, unsigned vm, unsigned gpu) {
    Sites sites = {0};
    for (unsigned i = 0; i < vm + gpu; i++)
        sites_find(arena, i < vm ? STR("grader/vm/a.c") : STR("grader/gpu/b.c"),
                   str_format(arena, "void f%u(void) {\na = b < c;\n}", i),
                   &sites);
    return sites;
}

static size_t of_room(const Plan *plan, const char *room) {
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++)
        count += str_equal(site_room(plan->items[i]->path), str_from(room));
    return count;
}

TEST(draws_in_proportion_and_from_each_room) {
    Arena arena = {0};
    Sites sites = two_rooms(&arena, 90, 10);
    Results none = {0};
    Plan plan = plan_draw(&arena, &sites, &none, 20, 1);
    CHECK_INT(plan.count, 20);
    CHECK_INT(of_room(&plan, "vm"), 18);
    plan = plan_draw(&arena, &sites, &none, 3, 1);
    CHECK_INT(plan.count, 3);
    CHECK_INT(of_room(&plan, "gpu"), 1);
    plan = plan_draw(&arena, &sites, &none, 15, 1); // shares 13.5 and 1.5
    CHECK_INT(plan.count, 15);
    plan = plan_draw(&arena, &sites, &none, 1000, 1);
    CHECK_INT(plan.count, 100);
    sites_find(&arena, STR("grader/cli/c.c"),
               STR("void f(void) { a = b < c; }"), &sites);
    plan = plan_draw(&arena, &sites, &none, 3, 1); // shares 2.7, 0.3 and 0.03
    CHECK_INT(of_room(&plan, "vm"), 1);
    CHECK_INT(of_room(&plan, "cli"), 1);
    CHECK_INT(plan.count, 3);
    arena_free(&arena);
}

TEST(a_seed_draws_the_same_and_another_does_not) {
    Arena arena = {0};
    Sites sites = two_rooms(&arena, 60, 40);
    Results none = {0};
    Plan a = plan_draw(&arena, &sites, &none, 10, 1);
    Plan b = plan_draw(&arena, &sites, &none, 10, 1);
    Plan c = plan_draw(&arena, &sites, &none, 10, 2);
    size_t alike = 0;
    for (size_t i = 0; i < 10; i++) {
        CHECK(a.items[i] == b.items[i]);
        alike += a.items[i] == c.items[i];
    }
    CHECK(alike < 10);
    arena_free(&arena);
}

// The others stay drawn: nothing that was tried is for nothing.
TEST(what_does_not_compile_gives_way) {
    Arena arena = {0};
    Sites sites = two_rooms(&arena, 30, 0);
    Results results = {0};
    Plan before = plan_draw(&arena, &sites, &results, 5, 1);
    Str line = str_format(&arena, "%016llx\tnobuild\t\t\n",
                          (unsigned long long)before.items[1]->id);
    results_read(&arena, line, &results);
    Plan after = plan_draw(&arena, &sites, &results, 5, 1);
    CHECK_INT(after.count, 5);
    CHECK(after.items[0] == before.items[0]);
    CHECK(after.items[1] == before.items[2]);
    CHECK(after.items[3] == before.items[4]);
    arena_free(&arena);
}

// ---- what came of them ---------------------------------------------------

TEST(the_last_whole_line_of_a_mutant_counts) {
    Arena arena = {0};
    Results results = {0};
    results_read(&arena,
                 STR("00000000000000aa\tpast-unit\t\t\tvm\n"
                     "nonsense\n"
                     "00000000000000aa\tslow\thung\trun\tvm\n"
                     "00000000000000bb\tunit\tfailed\ttest_vm"),
                 &results);
    Result a = results_find(&results, 0xaa);
    CHECK_INT(a.verdict, VERDICT_SLOW);
    CHECK_STR(a.how, "hung");
    CHECK_STR(a.suite, "run");
    CHECK_INT(results_find(&results, 0xbb).verdict, VERDICT_NONE);
    arena_free(&arena);
}

TEST(reads_the_explained_survivors) {
    Arena arena = {0};
    KnownList list = {0};
    uint32_t wrong = 0;
    CHECK(known_read(&arena,
                     STR("# a comment\n\nequivalent vm/a.c f 2\n- a = b < c;\n"
                         "+ a = b <= c;\n  b is\n  never c\n"
                         "accepted gpu/b.c -\n- x\n+ y\n  z\n"),
                     &list, &wrong));
    if (!CHECK_INT(list.count, 2))
        return;
    CHECK_STR(list.items[0].why, "b is never c");
    CHECK_INT(list.items[0].same, 2);
    CHECK(!list.items[0].accepted && list.items[1].accepted);
    CHECK_STR(list.items[1].function, "");
    Sites sites = find(&arena, "grader/vm/order/a.c",
                       "void f(void) {\na = b < c;\na = b < c;\n}");
    CHECK(known_find(&list, &sites.items[0]) == NULL);
    CHECK(known_find(&list, &sites.items[1]) == &list.items[0]);
    arena_free(&arena);
}

static uint32_t wrong_line(const char *text) {
    Arena arena = {0};
    KnownList list = {0};
    uint32_t wrong = 0;
    bool right = known_read(&arena, str_from(text), &list, &wrong);
    arena_free(&arena);
    return right ? 0 : wrong;
}

TEST(a_survivor_needs_its_reason) {
    CHECK_INT(wrong_line("equivalent a f\n- x\n+ y\n  z\n"), 0);
    CHECK(wrong_line("equivalent a f\n- x\n+ y\n") != 0);
    CHECK_INT(wrong_line("equivalent a f\n- x\n+ y\nequivalent b f\n"), 4);
    CHECK_INT(wrong_line("different a f\n"), 1);
    CHECK_INT(wrong_line("- x\n"), 1);
}

static TableEnd table_of(Arena *arena, const Sites *sites,
                         const char *const *verdicts, const char *known,
                         Str *text) {
    Buf lines = {0}, out = {0};
    for (size_t i = 0; i < sites->count; i++)
        buf_printf(&lines, "%016llx\t%s\n",
                   (unsigned long long)sites->items[i].id, verdicts[i]);
    Results results = {0};
    KnownList list = {0};
    uint32_t wrong;
    results_read(arena, buf_view(&lines), &results);
    CHECK(known_read(arena, str_from(known), &list, &wrong));
    Plan plan = plan_draw(arena, sites, &results, sites->count, 1);
    TableEnd end = table_print(&out, sites, &plan, &results, &list);
    *text = str_copy(arena, buf_view(&out));
    buf_free(&lines);
    buf_free(&out);
    return end;
}

static const char EQUIVALENT_F3[] = "equivalent vm/a.c f3\n- a = b < c;\n"
                                    "+ a = b <= c;\n  the reason\n";

TEST(counts_those_that_are_not_equivalent) {
    Arena arena = {0};
    Str text;
    Sites sites = two_rooms(&arena, 5, 0);
    const char *const verdicts[] = {"unit\tfailed\ttest_vm", "unit\tcrashed\tx",
                                    "slow\thung\trun", "survived", "survived"};
    CHECK_INT(table_of(&arena, &sites, verdicts, EQUIVALENT_F3, &text),
              TABLE_WRONG);
    CHECK_HOLDS(text, "all                5      2      1           1          "
                      "1         0     50.0%     75.0%\n");
    CHECK_HOLDS(text, "1 let a suite crash, 1 hang");
    CHECK_HOLDS(text, "survived: grader/vm/a.c:2 in f4 (compare, ");
    CHECK_HOLDS(text, "    the reason\n");
    arena_free(&arena);
}

TEST(says_when_all_is_well_and_when_not) {
    Arena arena = {0};
    Str text;
    Sites sites = two_rooms(&arena, 4, 0);
    const char *good[] = {"unit", "unit", "unit", "survived"};
    CHECK_INT(table_of(&arena, &sites, good, EQUIVALENT_F3, &text), TABLE_GOOD);
    CHECK_INT(table_of(&arena, &sites, good, "", &text), TABLE_WRONG);
    good[3] = "unit";
    CHECK_INT(table_of(&arena, &sites, good, EQUIVALENT_F3, &text),
              TABLE_WRONG);
    CHECK_HOLDS(text, "listed, but killed: grader/vm/a.c:2 in f3");
    CHECK_INT(table_of(&arena, &sites, good,
                       "equivalent vm/a.c g\n- x\n+ y\n  z\n", &text),
              TABLE_WRONG);
    CHECK_HOLDS(text, "listed, but there is no such place: vm/a.c g");
    CHECK_INT(table_of(&arena, &sites, good,
                       "equivalent gpu/b.c g\n- x\n+ y\n  z\n", &text),
              TABLE_GOOD); // of a room that was not looked at
    good[3] = "past-unit";
    CHECK_INT(table_of(&arena, &sites, good, "", &text), TABLE_OPEN);
    CHECK_HOLDS(text, "         1     75.0%         -\n");
    arena_free(&arena);
}

// ---- running -------------------------------------------------------------

// In a folder of its own, "own" in an empty one, which it may write to.
static SuiteOutcome run_script(double seconds, const char *script) {
    char folder[256], log[300], own[300];
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/clclab-suite-XXXXXX",
             temporary ? temporary : "/tmp");
    CHECK(mkdtemp(folder) && chdir(folder) == 0);
    snprintf(log, sizeof log, "%s/log", folder);
    snprintf(own, sizeof own, "%s/own", folder);
    CHECK(mkdir(own, 0755) == 0);
    const SuiteLimits limits = {seconds, 0, own, log};
    char *const words[] = {(char *)"/bin/sh", (char *)"-c", (char *)script,
                           NULL};
    SuiteOutcome outcome = suite_run(&limits, words);
    remove(log);
    rmdir(own);
    CHECK(rmdir(folder) == 0);
    return outcome;
}

TEST(tells_how_a_suite_ends) {
    CHECK_INT(run_script(20, "echo ok 1 - a").end, SUITE_PASSED);
    CHECK_INT(run_script(20, "exit 3").end, SUITE_FAILED);
    CHECK_INT(run_script(20, "kill -SEGV $$").end, SUITE_CRASHED);
    CHECK_INT(run_script(1, "sleep 30").end, SUITE_HUNG);
    CHECK_INT(run_script(1, "exec >&- 2>&-; sleep 30").end, SUITE_HUNG);
}

TEST(stops_at_the_first_failed_test) {
    SuiteOutcome outcome = run_script(
        20, "echo ok 1 - a; echo not ok 2 - b; echo not ok 3 - c; sleep 30");
    CHECK_INT(outcome.end, SUITE_FAILED);
    CHECK_STR(str_from(outcome.test), "2 - b");
    CHECK_INT(
        run_script(20, "echo not ok 1 - a; echo '# died of signal 11 (x)'").end,
        SUITE_CRASHED);
    CHECK_INT(
        run_script(20, "echo not ok 1 - a; echo '# died of signal 14 (x)'").end,
        SUITE_HUNG);
}

// A mutant may remove or signal what is not its own.
TEST(holds_a_suite_apart) {
    SuiteOutcome outcome = run_script(
        20, "if touch beside; then rm beside; exit 1; fi;"
            " touch own/a && rm own/a && "
            "touch /tmp/clclab-a && test $(ls /proc | grep -c '^[0-9]') -lt 9");
    if (!outcome.alone)
        SKIP("no namespaces can be made here");
    CHECK_INT(outcome.end, SUITE_PASSED);
    CHECK(access("/tmp/clclab-a", F_OK) != 0);
}

TEST_MAIN(TESTCASE(changes_operators), TESTCASE(changes_numbers_but_not_sizes),
          TESTCASE(leaves_words_comments_and_assertions_alone),
          TESTCASE(drops_calls_whose_value_is_not_used),
          TESTCASE(skips_early_ends),
          TESTCASE(returns_constants_of_the_functions_type),
          TESTCASE(a_change_keeps_the_lines_below_in_place),
          TESTCASE(a_moved_site_has_its_name),
          TESTCASE(draws_in_proportion_and_from_each_room),
          TESTCASE(a_seed_draws_the_same_and_another_does_not),
          TESTCASE(what_does_not_compile_gives_way),
          TESTCASE(the_last_whole_line_of_a_mutant_counts),
          TESTCASE(reads_the_explained_survivors),
          TESTCASE(a_survivor_needs_its_reason),
          TESTCASE(counts_those_that_are_not_equivalent),
          TESTCASE(says_when_all_is_well_and_when_not),
          TESTCASE(tells_how_a_suite_ends),
          TESTCASE(stops_at_the_first_failed_test),
          TESTCASE(holds_a_suite_apart))
