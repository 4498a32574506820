// SPDX-License-Identifier: Apache-2.0
// clclab debug: books that are none, what each command shows of a book made by
// hand, and the whole, by a pipe and at a terminal, with PTX that breaks a
// rule.
#include "cli/debug/debug.h"
#include "tests/unit/seat.h"

static const char BOOK[] =
    "book n = 5, plain schedule\ncode CLC006\nmissing a fence\nbefore 12\n"
    "found 3\norigin 1\nparam n 5\nparam sums 0x440000000000\n"
    "source one\nsource two = one\nsource three\n"
    "step 7 0 1 request at slot\nslot *block 7, slot: on its way\n"
    "step 7 1 2 read at slot\nslot *block 7, slot: read\n"
    "reg 2 %r1 3 -5 29 -\nreg 2 %r2 32 0x10\nreg 0 %p1 16 true 16 false\n"
    "step 7 - 0 bytes at bar\nslot block 7, slot: read\n"
    "bar *block 7, bar: the phase of parity 0 lacks 0 arrivals\n"
    "step 7 0 3 CLC006 is found\nbar block 7, bar: as before\n"
    "step 9 1 0 sync\n";

static Book book_of(Arena *arena, const char *text) {
    Book book;
    CHECK(book_read(arena, str_from(text), &book));
    return book;
}

TEST(a_book_is_read) {
    Arena arena = {0};
    Book book = book_of(&arena, BOOK);
    CHECK_STR(book.run, "n = 5, plain schedule");
    CHECK_STR(book.missing, "a fence");
    CHECK_U64(book.before, 12);
    CHECK_U64(book.found, 3);
    CHECK_U64(book.origin, 1);
    CHECK_U64(book.source_count, 3);
    if (!CHECK_U64(book.step_count, 5))
        return;
    CHECK_U64(book.steps[2].warp, DEVICE_EVENT_NONE);
    CHECK_U64(book.steps[2].to - book.steps[2].from, 2);
    CHECK_U64(book.steps[4].cta, 9);
    CHECK_U64(book.steps[4].from, book.steps[4].to);
    arena_free(&arena);
}

TEST(what_is_no_book) {
    static const char *const texts[] = {
        "",
        "Lab 4: Stealing clusters\n",
        "book run\n",                                  // no finding
        "book run\nfound 0\n",                         // no such step
        "book run\nfound 1\nstep 1 2 3 x\n",           // likewise
        "book run\nfound 0\norigin 1\nstep 1 2 3 x\n", // likewise
        "book run\nfound 0\nstep 1 2\n",               // half a step
        "book run\nfound 0\nstep 1 x 3 x\n",           // no warp
        "book run\nfound 0\nstep 4294967295 2 3 x\n",  // no block
        "book run\nfound 0\nstep 1 2 3 x\nstep 1 2\n", // the same, behind a
                                                       // step
        "book run\nfound 0\nstep 1 2 3 x\nstep 1 x 3 x\n",
        "book run\nfound 0\nstep 1 2 3 x\nstep x 2 3 x\n",
        "book run\nfound 0\nstep 1 2 3 x\nstep 1 - x\n",
        "book run\nfound 0\nbar too early\nstep 1 2 3 x\n",
        "book run\nfound 0\nstep 1 2 3 x\nword of another version\n",
        "book run\nfound 0\nstep 1 2 3 x\nreg 1 %r1 31 0\n", // a lane lacks
        "book run\nfound 0\nstep 1 2 3 x\nreg 1 %r1 33 0\n",
        "book run\nfound 0\nstep 1 2 3 x\nreg 1 %r1 16 0 17 0\n",
        "book run\nfound 0\nstep 1 2 3 x\nreg 1 %r1 32\n",
        "book run\nfound 0\nstep 1 2 3 x\nreg 1 %r1 x 0\n",
        "book run\nfound 0\nstep 1 2 3 x\nreg x %r1 32 0\n",
        "book run\nfound 0\nreg 1 %r1 32 0\nstep 1 2 3 x\n", // too early
        "book run\nfound x\nstep 1 2 3 x\n",
        "book run\nfound 0\nbefore -1\nstep 1 2 3 x\n",
    };
    Arena arena = {0};
    Book book;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (!CHECK(!book_read(&arena, str_from(texts[i]), &book)))
            printf("# %s\n", texts[i]);
    arena_free(&arena);
}

// ---- commands ------------------------------------------------------------

typedef struct Session {
    Arena arena;
    Book book;
    Walk walk;
    Buf out;
} Session;

static void begin(Session *s) {
    *s = (Session){0};
    s->book = book_of(&s->arena, BOOK);
    s->walk = (Walk){.book = &s->book, .width = 60};
    walk_begin(&s->walk, &s->out);
}

static void end(Session *s) {
    buf_free(&s->out);
    arena_free(&s->arena);
}

static Str says(Session *s, const char *line) {
    s->out.len = 0;
    CHECK(walk_do(&s->walk, str_from(line), &s->out));
    return buf_view(&s->out);
}

TEST(it_begins_at_the_finding) {
    Session s;
    begin(&s);
    Str text = buf_view(&s.out);
    CHECK_HOLDS(text, "Run: n = 5, plain schedule\n");
    CHECK_HOLDS(text, "CLC006, with 3 steps before it and 1 after it.");
    CHECK_HOLDS(text, "12 earlier steps");
    CHECK_HOLDS(text, "step 4 of 5: block 7, warp 0\n  CLC006 is found\n"
                      "  missing: a fence\n      3 | three\n");
    CHECK_LACKS(text, "\x1b");
    end(&s);
}

TEST(forward_and_back_and_to_a_step) {
    Session s;
    begin(&s);
    CHECK_HOLDS(says(&s, "b"), "step 3 of 5: block 7, async proxy\n");
    CHECK_HOLDS(says(&s, ""), "step 2 of 5: block 7, warp 1; it began here\n");
    CHECK_HOLDS(says(&s, "back 9"), "step 1 of 5");
    CHECK_STR(says(&s, "b"), "this is the first step\n");
    CHECK_HOLDS(says(&s, "s 2"), "step 3 of 5");
    CHECK_HOLDS(says(&s, "  step  "), "step 4 of 5");
    CHECK_HOLDS(says(&s, ""), "step 5 of 5: block 9, warp 1\n  sync\n");
    CHECK_STR(says(&s, "s"), "this is the last step\n");
    CHECK_HOLDS(says(&s, "g 2"), "step 2 of 5");
    CHECK_STR(says(&s, "g 6"), "there are steps 1 to 5\n");
    CHECK_STR(says(&s, "go"), "there are steps 1 to 5\n");
    CHECK_HOLDS(says(&s, "f"), "step 4 of 5");
    CHECK_HOLDS(says(&s, "origin"), "step 2 of 5");
    s.book.origin = BOOK_NO_STEP;
    CHECK_HOLDS(says(&s, "o"), "no other step is known");
    CHECK_U64(s.walk.now, 1);
    end(&s);
}

TEST(one_warp_alone) {
    Session s;
    begin(&s);
    CHECK_HOLDS(says(&s, "w"), "block 7, warp 0 is followed");
    CHECK_HOLDS(says(&s, "b"), "step 1 of 5");
    CHECK_STR(says(&s, "b"), "this is the first step of this warp\n");
    CHECK_HOLDS(says(&s, "w 1"), "block 7, warp 1 is followed");
    CHECK_HOLDS(says(&s, "s"), "step 2 of 5");
    CHECK_STR(says(&s, "s"), "this is the last step of this warp\n");
    CHECK_HOLDS(says(&s, "warp 9.1"), "block 9, warp 1 is followed");
    CHECK_HOLDS(says(&s, "s"), "step 5 of 5");
    CHECK_HOLDS(says(&s, "w 7.async"), "block 7, async proxy is followed");
    CHECK_HOLDS(says(&s, "b"), "step 3 of 5");
    static const char *const none[] = {"w 5", "w x",   "w 9.0",
                                       "w .", "w x.1", "w 4294967303.0"};
    for (size_t i = 0; i < COUNT_OF(none); i++)
        CHECK_HOLDS(says(&s, none[i]), "no step here is that warp's");
    CHECK_HOLDS(says(&s, "w all"), "all warps");
    CHECK_HOLDS(says(&s, "s"), "step 4 of 5");
    end(&s);
}

TEST(what_there_is_to_see) {
    Session s;
    begin(&s);
    CHECK_STR(says(&s, "bar"), "  block 7, bar: as before\n");
    CHECK_STR(says(&s, "slot"), "no slot has been used so far\n");
    says(&s, "b");
    CHECK_STR(says(&s, "slot"), "  block 7, slot: read\n");
    CHECK_HOLDS(says(&s, "bar"), "  *block 7, bar: the phase of parity 0");
    CHECK_STR(says(&s, "list"), "this step is at no line of the file\n");
    CHECK_STR(says(&s, "list 2"),
              "      1 | one\n      2 | two = one\n      3 | three\n");
    CHECK_STR(says(&s, "list 4"), "the file has no such line\n");
    says(&s, "g 2");
    CHECK_HOLDS(says(&s, "l"), "\n>     2 | two = one\n");
    CHECK_STR(says(&s, "where"), "  block 7, warp 0, line 1: request at slot\n"
                                 "> block 7, warp 1, line 2: read at slot\n");
    end(&s);
}

TEST(registers_and_parameters) {
    Session s;
    begin(&s);
    says(&s, "g 2");
    CHECK_STR(says(&s, "p"),
              "block 7, warp 1, after step 2: what was written last\n"
              "  parameters: n 5, sums 0x440000000000\n"
              "      2 | two = one\n"
              "    %r1    -5 (lanes 0 to 2)\n    %r2    0x10\n"
              "  at no line of the file\n"
              "    %p1    true (lanes 0 to 15), false (lanes 16 to 31)\n");
    CHECK_HOLDS(says(&s, "p 17"), "warp 1, lane 17, after step 2");
    CHECK_HOLDS(says(&s, "print 17"), "    %r1    -\n    %r2    0x10\n");
    CHECK_HOLDS(says(&s, "p 17"), "    %p1    false\n");
    CHECK_STR(says(&s, "p 32"), "there are lanes 0 to 31\n");
    CHECK_STR(says(&s, "p n"),
              "block 7, warp 1, after step 2: what was written last\n"
              "  parameters: n 5\n");
    CHECK_HOLDS(says(&s, "p %r2"),
                "last\n      2 | two = one\n    %r2    0x10");
    CHECK_LACKS(says(&s, "p r2"), "%r1");
    CHECK_HOLDS(says(&s, "p two"), "    %r1    -5 (lanes 0 to 2)\n    %r2");
    CHECK_LACKS(says(&s, "p two"), "%p1");
    CHECK_HOLDS(says(&s, "p one"), "nothing of that name");
    CHECK_HOLDS(says(&s, "p r"), "nothing of that name");
    says(&s, "b"); // warp 0 has no registers so far
    CHECK_STR(says(&s, "p"), "  parameters: n 5, sums 0x440000000000\n"
                             "  no register is known at this step\n");
    end(&s);
}

// What the book has of the warp's latest step that has any.
TEST(registers_of_an_earlier_step) {
    static const char book[] = "book r\ncode X\nfound 2\nsource a\n"
                               "step 1 0 1 x\nreg 1 %r1 1 5 31 6\n"
                               "step 1 1 1 x\nreg 1 %r1 32 9\nstep 1 0 1 x\n";
    Session s = {0};
    s.book = book_of(&s.arena, book);
    s.walk = (Walk){.book = &s.book, .width = 60};
    walk_begin(&s.walk, &s.out);
    CHECK_STR(says(&s, "p"), "block 1, warp 0, after step 1: what was written "
                             "last\n      1 | a\n    %r1    5 (lane 0), 6 "
                             "(lanes 1 to 31)\n");
    end(&s);
}

TEST(many_values_are_listed_by_lane) {
    char book[512] = "book r\ncode X\nfound 0\nsource a\nstep 1 0 1 x\n"
                     "reg 1 %r1";
    for (int lane = 0; lane < 32; lane++)
        snprintf(book + strlen(book), sizeof book - strlen(book), " 1 %d",
                 lane + 100);
    snprintf(book + strlen(book), sizeof book - strlen(book), "\n");
    Session s = {0};
    s.book = book_of(&s.arena, book);
    s.walk = (Walk){.book = &s.book, .width = 40};
    walk_begin(&s.walk, &s.out);
    CHECK_HOLDS(says(&s, "p"), "    %r1    by lane: 100 101 102 103 1...\n");
    CHECK_HOLDS(says(&s, "p r1"), " 129 130 131\n"); // all of them
    end(&s);
}

// Which lines set a variable; "w" is in all of them.
TEST(a_variable_is_what_lines_set) {
    static const struct {
        const char *line;
        bool is_set;
    } cases[] = {
        {"int w = 1;", true},     {"w += 2;", true},
        {"w <<= 2;", true},       {"for (;; w++) {", true},
        {"--w;", true},           {"int v = 1, w=v;", true},
        {"if (w == 1) {", false}, {"f(w);", false},
        {"a.w = 1;", false},      {"ww = 1;", false},
        {"// w = 1", false},      {"v = 2; // w = 1", false},
        {"w[1] = 2;", false},     {"if (w <= 2 && w >= 1) {", false},
        {"x = w;", false},        {"v = w != 1;", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char book[256];
        Session s = {0};
        snprintf(book, sizeof book,
                 "book r\ncode X\nfound 0\nsource %s\nstep 1 0 1 x\n"
                 "reg 1 %%r1 32 5\n",
                 cases[i].line);
        s.book = book_of(&s.arena, book);
        s.walk = (Walk){.book = &s.book, .width = 60};
        walk_begin(&s.walk, &s.out);
        if (cases[i].is_set)
            CHECK_HOLDS(says(&s, "p w"), "    %r1    5\n");
        else
            CHECK_HOLDS(says(&s, "p w"), "nothing of that name");
        end(&s);
    }
}

TEST(commands_that_are_none) {
    Session s;
    begin(&s);
    CHECK_HOLDS(says(&s, "jump"), "there is no such command");
    CHECK_HOLDS(says(&s, "\x1b[A"), "there is no such command");
    CHECK_LACKS(says(&s, "\x1b[A"), "\x1b");
    CHECK_STR(says(&s, "s x"), "step takes a whole number\n");
    CHECK_STR(says(&s, "bar 3"), "bar takes nothing\n");
    CHECK_STR(says(&s, ""), "");
    CHECK_HOLDS(says(&s, "?"), "where it began");
    CHECK_U64(s.walk.now, 3);
    CHECK(!walk_do(&s.walk, STR("q"), &s.out));
    CHECK(!walk_do(&s.walk, STR("quit"), &s.out));
    end(&s);
}

TEST(long_lines_are_cut_and_colours_are_closed) {
    Session s;
    begin(&s);
    s.book.steps[0].text = STR(
        "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789");
    Str text = says(&s, "g 1");
    CHECK_HOLDS(text, "  0123456789 0123456789 0123456789 0123456789 012345678"
                      "9 ...\n");
    s.walk.color = true;
    CHECK_HOLDS(says(&s, "f"), "  \x1b[1;31mCLC006 is found\x1b[0m\n");
    end(&s);
}

// ---- the whole -----------------------------------------------------------

// clang-format off
static const char PTX[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n.file 1 \"k.ptx\"\n"
    ".visible .entry careless() {\n"
    ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b128 %q;\n"
    ".shared .align 16 .b8 slot[16]; .shared .align 8 .b64 bar;\n"
    "mbarrier.init.shared::cta.b64 [bar], 1;\nmov.u32 %r9, 0;\nagain:\n"
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_"
    "tx::bytes.b128 [slot], [bar];\n"
    "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 16;\n"
    "wait: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [bar], "
    "%r9;\n@!%p1 bra wait;\nxor.b32 %r9, %r9, 1;\nld.shared.b128 %q, [slot];\n"
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q;\n"
    "@!%p2 ret;\nbra again; }\n";
// clang-format on
#define RUN "run k.ptx --grid 20 --block 1"

static void calls_with(Room *room, const char *line, const char *commands) {
    put("commands", str_from(commands));
    int before = dup(0), file = open("commands", O_RDONLY);
    dup2(file, 0);
    close(file);
    call(room, line);
    dup2(before, 0);
    close(before);
}

TEST(a_run_of_ones_own_by_a_pipe) {
    Room room;
    room_open(&room);
    put("k.ptx", STR(PTX));
    calls_with(&room, RUN " --debug", "bar\nslot\no\nwhere\nq\nbar\n");
    CHECK_INT(room.code, 0);
    CHECK_HOLDS(room.out, "CLC006 is found\n");
    CHECK_HOLDS(room.out,
                "bar: the phase of parity 1 lacks 1 arrival and 0 bytes");
    CHECK_HOLDS(room.out, "slot: an answer is on its way");
    calls_with(&room, RUN " --debug", "b\np\n");
    CHECK_HOLDS(room.out,
                "%r9    1 (lane 0)\n"); // the parity that is waited for
    calls_with(&room, RUN " --debug", "o\n");
    CHECK_HOLDS(room.out, "; it began here\n  reads the answer in "
                          "slot\n");
    CHECK_LACKS(room.out, "(clclab)");
    calls_with(&room, RUN " --debug", "b"); // without the end of its line
    CHECK_HOLDS(room.out, "asks for a block; the answer goes to slot");
    room_close(&room);
}

TEST(a_run_without_a_mistake_shows_its_report) {
    Room room;
    room_open(&room);
    put("k.ptx", STR(".version 9.0\n.target sm_100a\n.address_size 64\n"
                     ".visible .entry right() { ret; }\n"));
    calls_with(&room, RUN " --debug", "bar\n");
    CHECK_INT(room.code, 0);
    CHECK_HOLDS(room.out, "There are no steps to go through");
    room_close(&room);
}

TEST(what_does_not_go_with_debug) {
    static const char *const options[] = {"--format json", "--out x",
                                          "--trace x"};
    Room room;
    room_open(&room);
    put("k.ptx", STR(PTX));
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        char line[128];
        snprintf(line, sizeof line, RUN " --debug %s", options[i]);
        call_fails(&room, line, 2, "are for reports");
        snprintf(line, sizeof line, "debug 1 %s", options[i]);
        call_fails(&room, line, 2, "are for reports");
    }
    room_close(&room);
}

TEST(at_a_terminal_it_asks) {
    Seat seat = {0};
    room_open(&seat.room);
    put("k.ptx", STR(PTX));
    seat_sit(&seat, "xterm", RUN " --debug");
    seat_sees(&seat, "\x1b[1;31mCLC006 is found");
    seat_sees(&seat, "(clclab) ");
    seat_types(&seat, "b\n");
    seat_sees(&seat, "asks for a block");
    seat_sees(&seat, "(clclab) ");
    seat_types(&seat, "\x04"); // the end of the input
    seat_leave(&seat, 0);
}

TEST_MAIN(TESTCASE(a_book_is_read), TESTCASE(what_is_no_book),
          TESTCASE(it_begins_at_the_finding),
          TESTCASE(forward_and_back_and_to_a_step), TESTCASE(one_warp_alone),
          TESTCASE(what_there_is_to_see), TESTCASE(commands_that_are_none),
          TESTCASE(registers_and_parameters),
          TESTCASE(registers_of_an_earlier_step),
          TESTCASE(many_values_are_listed_by_lane),
          TESTCASE(a_variable_is_what_lines_set),
          TESTCASE(long_lines_are_cut_and_colours_are_closed),
          TESTCASE(a_run_of_ones_own_by_a_pipe),
          TESTCASE(a_run_without_a_mistake_shows_its_report),
          TESTCASE(what_does_not_go_with_debug),
          TESTCASE(at_a_terminal_it_asks))
