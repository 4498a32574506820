// SPDX-License-Identifier: Apache-2.0
// batch/: whose files they are in each platform's names, which of them is
// graded, archives that are hostile, and what a class came to.
#include "batch/batch.h"
#include "tests/unit/test.h"

#include <dlfcn.h>
#include <math.h>

// ---- whose files ---------------------------------------------------------

static BatchFiles files_of(Arena *arena, const char *const *paths,
                           size_t count) {
    BatchFiles files = {.items = arena_new(arena, BatchFile, count),
                        .count = count};
    for (size_t i = 0; i < count; i++)
        files.items[i].path = str_from(paths[i]);
    return files;
}

// "id|student|account|name|problem" of each, with newlines between them.
static Str show(Arena *arena, const BatchRoster *roster) {
    Buf out = {0};
    for (size_t i = 0; i < roster->count; i++) {
        const BatchSubmission *s = &roster->items[i];
        buf_printf(&out, "%.*s|%.*s|%.*s|%.*s|%.*s%s\n", STR_ARG(s->id),
                   STR_ARG(s->student), STR_ARG(s->account), STR_ARG(s->name),
                   STR_ARG(s->problem), s->is_late ? "|late" : "");
    }
    Str text = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return text;
}

#define ROSTER(names, ...)                                             \
    static const char *const paths[] = {__VA_ARGS__};                  \
    Arena arena = {0};                                                 \
    BatchRoster roster;                                                \
    BatchFiles files = files_of(&arena, paths, COUNT_OF(paths));       \
    batch_roster(&arena, &files, names, STR("block_clc.cu"), &roster); \
    Str text = show(&arena, &roster)

TEST(plain_files_and_folders) {
    ROSTER(BATCH_NAMES_AUTO, "ana.cu", "ben/mine.cu", "ben/notes.txt",
           "carl/a.cu", "carl/sub/block_clc.cu", "readme.txt", ".DS_Store",
           "__MACOSX/ana.cu");
    CHECK_INT(roster.names, BATCH_NAMES_PLAIN);
    CHECK_STR(text, "ana|ana||ana.cu|\n"
                    "ben|ben||mine.cu|\n"
                    "carl|carl||block_clc.cu|\n");
    CHECK_INT(roster.ignored_count, 1);
    CHECK_STR(roster.ignored[0], "readme.txt: its name is no submission's");
    arena_free(&arena);
}

// The same choice in a folder that is one student's.
static Str chosen(Arena *arena, const char *const *paths, size_t count) {
    BatchFiles files = files_of(arena, paths, count);
    BatchSubmission s;
    batch_choose(arena, &files, STR("block_clc.cu"), &s);
    CHECK_INT(s.id.len + s.student.len, 0);
    return s.problem.len ? s.problem : s.file->path;
}

#define CHOSEN(...)                                    \
    chosen(&arena, (const char *const[]){__VA_ARGS__}, \
           COUNT_OF(((const char *const[]){__VA_ARGS__})))

// Answers to a quiz are looked for in the same way.
TEST(answers_end_in_txt) {
    static const char *const paths[] = {"ana.txt", "ben/answers.txt",
                                        "ben/x.cu", "cleo/x.cu", "dora.cu"};
    Arena arena = {0};
    BatchRoster roster;
    BatchFiles files = files_of(&arena, paths, COUNT_OF(paths));
    batch_roster(&arena, &files, BATCH_NAMES_AUTO, STR("quiz-answers.txt"),
                 &roster);
    CHECK_STR(show(&arena, &roster),
              "ana|ana||ana.txt|\nben|ben||answers.txt|\n"
              "cleo|cleo|||No file ends in .txt: there is x.cu.\n");
    CHECK_INT(roster.ignored_count, 1);
    CHECK(batch_is_source(STR("a.txt")) && batch_is_source(STR("a.cu")));
    CHECK(!batch_is_source(STR("a.pdf")));
    arena_free(&arena);
}

TEST(one_source_is_chosen) {
    Arena arena = {0};
    CHECK_STR(CHOSEN("a.txt", "work/mine.cu"), "work/mine.cu");
    CHECK_STR(CHOSEN("a.cu", "x/block_clc.cu"), "x/block_clc.cu");
    CHECK_STR(CHOSEN("a.cu", "b.cu"),
              "2 sources (a.cu, b.cu), and none is called block_clc.cu.");
    CHECK_STR(CHOSEN("a.txt"), "No file ends in .cu: there is a.txt.");
    CHECK_STR(CHOSEN("__MACOSX/a.cu", ".b.cu"), "There is no file in it.");
    arena_free(&arena);
}

TEST(which_of_several_is_not_guessed) {
    ROSTER(BATCH_NAMES_PLAIN, "ada/starter/block_clc.cu", "ada/block_clc.cu",
           "ana/a.cu", "ana/b.cu", "ben/x/block_clc.cu", "ben/y/block_clc.cu",
           "carl/essay.pdf", "dora/1.cu", "dora/2.cu", "dora/3.cu",
           "dora/4.cu");
    CHECK_STR(
        text,
        "ada|ada||block_clc.cu|\n"
        "ana|ana|||2 sources (a.cu, b.cu), and none is called block_clc.cu.\n"
        "ben|ben|||2 files are called block_clc.cu.\n"
        "carl|carl|||No file ends in .cu: there is essay.pdf.\n"
        "dora|dora|||4 sources (1.cu, 2.cu, 3.cu, ...), and none is called "
        "block_clc.cu.\n");
    arena_free(&arena);
}

TEST(two_names_never_share_an_id) {
    ROSTER(BATCH_NAMES_PLAIN, "a b.cu", "a/x.cu", "a_b.cu", "a\tb.cu",
           "-rf/x.cu", "..x/y.cu");
    CHECK_INT(roster.count, 6);
    for (size_t i = 0; i < roster.count; i++) {
        CHECK(batch_is_id(roster.items[i].id));
        for (size_t k = 0; k < i; k++)
            CHECK(!str_equal(roster.items[i].id, roster.items[k].id));
    }
    CHECK_HOLDS(text, "a_b|a_b||a_b.cu|\n");
    CHECK(!batch_is_id(STR("")));
    CHECK(!batch_is_id(STR("a/b")));
    CHECK(!batch_is_id(STR(".x")));
    arena_free(&arena);
}

TEST(names_of_canvas) {
    ROSTER(BATCH_NAMES_AUTO, "jonesbob_4712_90211_mine.cu",
           "smithana_LATE_4711_90210_block_clc-12.cu",
           "smithana_LATE_4711_90210_notes.pdf");
    CHECK_INT(roster.names, BATCH_NAMES_CANVAS);
    CHECK_STR(text, "jonesbob-4712|jonesbob|4712|mine.cu|\n"
                    "smithana-4711|smithana|4711|block_clc.cu||late\n");
    arena_free(&arena);
}

TEST(names_of_moodle) {
    ROSTER(BATCH_NAMES_AUTO,
           "Ana Smith_4711_assignsubmission_file/block_clc.cu",
           "Bob_4712_assignsubmission_file_mine.cu",
           "Bob_4712_assignsubmission_onlinetext/onlinetext.html");
    CHECK_INT(roster.names, BATCH_NAMES_MOODLE);
    CHECK_HOLDS(text, "|Ana Smith|4711|block_clc.cu|\n");
    CHECK_HOLDS(text, "Bob-4712|Bob|4712|mine.cu|\n");
    CHECK_INT(roster.count, 2);
    arena_free(&arena);
}

TEST(names_of_gradescope) {
    static const char *const paths[] = {"submission_12/block_clc.cu",
                                        "submission_7/mine.cu",
                                        "submission_metadata.yml"};
    Arena arena = {0};
    BatchRoster roster;
    BatchFiles files = files_of(&arena, paths, COUNT_OF(paths));
    files.items[2].bytes = STR("---\n"
                               "submission_12:\n"
                               "  :submitters:\n"
                               "  - :name: 'Ana Smith'\n"
                               "    :sid: \"s1\"\n"
                               "  - :name: Bob\n"
                               "    :sid: ''\n"
                               "submission_121:\n"
                               "  :submitters:\n"
                               "  - :name: Carl\n");
    batch_roster(&arena, &files, BATCH_NAMES_AUTO, STR("block_clc.cu"),
                 &roster);
    CHECK_INT(roster.names, BATCH_NAMES_GRADESCOPE);
    CHECK_STR(show(&arena, &roster),
              "submission_12|Ana Smith, Bob|s1|block_clc.cu|\n"
              "submission_7|submission_7|7|mine.cu|\n");
    arena_free(&arena);
}

TEST(an_archives_own_folder_is_no_student) {
    static const char *const paths[] = {"class/ana.cu", "class/ben.cu"};
    Arena arena = {0};
    BatchRoster roster;
    BatchFiles files = files_of(&arena, paths, COUNT_OF(paths));
    files.has_bytes = true;
    batch_roster(&arena, &files, BATCH_NAMES_AUTO, STR("x.cu"), &roster);
    CHECK_STR(show(&arena, &roster), "ana|ana||ana.cu|\nben|ben||ben.cu|\n");
    files.count = 1; // one source: the folder is hers
    batch_roster(&arena, &files, BATCH_NAMES_AUTO, STR("x.cu"), &roster);
    CHECK_STR(show(&arena, &roster), "class|class||ana.cu|\n");
    files.has_bytes = false; // so it is in a folder, always
    files.count = 2;
    batch_roster(&arena, &files, BATCH_NAMES_AUTO, STR("ana.cu"), &roster);
    CHECK_STR(show(&arena, &roster), "class|class||ana.cu|\n");
    arena_free(&arena);
}

TEST(what_is_not_taken_is_told) {
    static const char *const paths[] = {"../ana.cu", "ben/x.cu"};
    Arena arena = {0};
    BatchRoster roster;
    BatchFiles files = files_of(&arena, paths, COUNT_OF(paths));
    files.items[0].is_lost = true;
    files.items[1].problem = STR("It is a link.");
    batch_roster(&arena, &files, BATCH_NAMES_AUTO, STR("x.cu"), &roster);
    CHECK_STR(show(&arena, &roster), "ben|ben||x.cu|x.cu: It is a link.\n");
    CHECK_STR(roster.ignored[0], "../ana.cu: its path is none");
    arena_free(&arena);
}

// ---- folders and archives ------------------------------------------------

// What is read of a folder that these commands have filled.
static BatchFiles read_made(Arena *arena, const char *commands) {
    char folder[] = "/tmp/clclab-batch.XXXXXX", command[300];
    BatchFiles files = {0};
    Str why;
    if (!CHECK(mkdtemp(folder) != NULL))
        return files;
    snprintf(command, sizeof command, "cd %s && %s", folder, commands);
    CHECK_INT(system(command), 0);
    CHECK_INT(batch_read_tree(arena, str_from(folder), &files, &why),
              BATCH_READ);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_INT(system(command), 0);
    return files;
}

TEST(links_and_folders_that_lie_too_deep) {
    Arena arena = {0};
    Str why;
    BatchFiles files = read_made(
        &arena, "mkdir -p 1/2/3/4/5/6/7/8 && echo x >a.cu && "
                "ln -s /etc/passwd b.cu && mkfifo c.cu && echo x >.hidden");
    if (CHECK_INT(files.count, 4)) {
        CHECK_STR(files.items[0].path, "1/2/3/4/5/6/7");
        CHECK_HOLDS(files.items[0].problem, "too deep");
        CHECK_STR(files.items[1].path, "a.cu");
        CHECK_STR(files.items[1].problem, "");
        CHECK_HOLDS(files.items[2].problem, "symbolic link");
        CHECK_HOLDS(files.items[3].problem, "not a regular file");
    }
    CHECK_INT(batch_read_tree(&arena, STR("/nowhere/at/all"), &files, &why),
              BATCH_NOT_THERE);
    arena_free(&arena);
}

TEST(an_empty_folder_is_who_gave_nothing) {
    Arena arena = {0};
    BatchRoster roster;
    BatchFiles files = read_made(
        &arena, "mkdir -p ana/objects ben/.git carl/a/b && echo x >ana/k.cu");
    batch_roster(&arena, &files, BATCH_NAMES_AUTO, STR("k.cu"), &roster);
    if (CHECK_INT(roster.count, 3)) {
        CHECK_STR(roster.items[0].id, "ana");
        CHECK_STR(roster.items[0].problem, "");
        CHECK_STR(roster.items[1].id, "ben");
        CHECK_STR(roster.items[1].problem, "There is no file in it.");
        CHECK_STR(roster.items[2].id, "carl");
        CHECK_STR(roster.items[2].problem, "There is no file in it.");
    }
    CHECK_INT(roster.ignored_count, 0);
    arena_free(&arena);
}

// A header of a tarball (POSIX ustar): a name, a size, a type.
static void add_header(Buf *tar, const char *name, size_t size, char type) {
    char block[512] = {0};
    unsigned sum = 0;
    snprintf(block, 100, "%s", name);
    snprintf(block + 100, 8, "0000644");
    snprintf(block + 108, 8, "0000000");
    snprintf(block + 116, 8, "0000000");
    snprintf(block + 124, 12, "%011o", (unsigned)size);
    snprintf(block + 136, 12, "%011o", 0U);
    memset(block + 148, ' ', 8);
    block[156] = type;
    if (type == '1' || type == '2')
        snprintf(block + 157, 100, "/etc/passwd");
    memcpy(block + 257, "ustar\00000", 8);
    for (size_t i = 0; i < sizeof block; i++)
        sum += (unsigned char)block[i];
    snprintf(block + 148, 8, "%06o", sum);
    buf_bytes(tar, block, sizeof block);
}

static void add_member(Buf *tar, const char *name, size_t size) {
    static const char zeros[512];
    add_header(tar, name, size, '0');
    for (size_t i = 0; i < size; i += 512)
        buf_bytes(tar, zeros, sizeof zeros);
}

static bool has_library(void) {
    void *library = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
    if (library)
        dlclose(library);
    return library != NULL;
}

TEST(a_hostile_tarball_is_refused_one_by_one) {
    static const char end[1024];
    Arena arena = {0};
    Buf tar = {0};
    BatchFiles files;
    Str why;
    add_member(&tar, "./good/x.cu", 600);
    add_member(&tar, "../up.cu", 5);
    add_member(&tar, "/root.cu", 5);
    add_member(&tar, "big/x.cu", BATCH_MOST_SOURCE + 1);
    add_member(&tar, "notes/x.pdf", 10);
    add_header(&tar, "link/x.cu", 0, '2');
    add_header(&tar, "hard/x.cu", 0, '1');
    add_header(&tar, "fifo/x.cu", 0, '6');
    add_header(&tar, "./good/", 0, '5'); // a folder with a file in it, and
    add_header(&tar, ".git/refs/", 0, '5'), add_header(&tar, "../up/", 0, '5');
    add_header(&tar, "zoe/", 0, '5'); // an empty one
    buf_bytes(&tar, end, sizeof end);
    BatchSource source =
        batch_read_archive(&arena, buf_view(&tar), &files, &why);
    if (!has_library()) {
        CHECK_INT(source, BATCH_NO_LIBRARY);
        CHECK_HOLDS(why, "libarchive13");
        return;
    }
    CHECK_INT(source, BATCH_READ);
    if (!CHECK_INT(files.count, 9))
        return;
    CHECK(files.items[8].is_none);
    CHECK_STR(files.items[8].path, "zoe/*");
    CHECK(files.items[0].is_lost && files.items[1].is_lost);
    CHECK_STR(files.items[2].path, "big/x.cu");
    CHECK_HOLDS(files.items[2].problem, "larger than 1 MiB");
    CHECK_HOLDS(files.items[3].problem, "not a regular file");
    CHECK_STR(files.items[4].path, "good/x.cu");
    CHECK_INT(files.items[4].bytes.len, 600);
    CHECK_STR(files.items[4].problem, "");
    CHECK_HOLDS(files.items[5].problem, "link");
    CHECK_HOLDS(files.items[6].problem, "link");
    CHECK_INT(files.items[7].bytes.len, 0);
    source = batch_read_archive(&arena, STR("no archive at all"), &files, &why);
    CHECK_INT(source, BATCH_NOT_THERE);
    CHECK(why.len > 0);
    buf_free(&tar);
    arena_free(&arena);
}

// ---- archives of students ------------------------------------------------

TEST(an_archive_of_a_student_is_a_folder_of_its_name) {
    static const char end[1024];
    Arena arena = {0};
    Buf tar = {0};
    Str why = {0};
    add_member(&tar, "src/x.cu", 600);
    add_member(&tar, "in.tar", 10); // not looked into
    add_member(&tar, "../up.cu", 5);
    buf_bytes(&tar, end, sizeof end);
    BatchFile items[] = {{.path = STR("ana.tar"), .bytes = buf_view(&tar)},
                         {.path = STR("ben.cu")},
                         {.path = STR("cara/x.tgz"), .bytes = STR("none")},
                         {.path = STR("dan.zip"), .problem = STR("A link.")}};
    BatchFiles files = {.items = items, .count = COUNT_OF(items)};
    BatchSource source = batch_unpack(&arena, &files, &why);
    if (!has_library()) {
        CHECK_INT(source, BATCH_NO_LIBRARY);
        return;
    }
    CHECK_INT(source, BATCH_READ);
    if (!CHECK_INT(files.count, 6))
        return;
    CHECK_STR(files.items[0].path, "ana.tar/in.tar");
    CHECK_STR(files.items[1].path, "ana.tar/src/x.cu");
    CHECK_INT(files.items[1].bytes.len, 600);
    CHECK(files.items[1].is_inner && !files.items[3].is_inner);
    CHECK_STR(files.items[2].path, "ana.tar/up.cu"); // hers, and not taken
    CHECK_HOLDS(files.items[2].problem, "leads out of the archive");
    CHECK_HOLDS(files.items[4].problem, "It cannot be read: ");
    BatchRoster roster;
    batch_roster(&arena, &files, BATCH_NAMES_AUTO, STR("x.cu"), &roster);
    CHECK_STR(
        show(&arena, &roster),
        str_format(&arena,
                   "ana|ana||x.cu|\nben|ben||ben.cu|\n"
                   "cara|cara|||x.tgz: %.*s\ndan|dan|||dan.zip: A link.\n",
                   STR_ARG(files.items[4].problem))
            .ptr);
    buf_free(&tar);
    arena_free(&arena);
}

// ---- points that people gave ---------------------------------------------

// "id: points note" of each that has some, then the strangers; or the error.
static Str points_of(Arena *arena, const char *text) {
    static const BatchRow rows[] = {
        {.id = STR("ana"), .student = STR("Ana Li"), .account = STR("17")},
        {.id = STR("ben"), .student = STR("Ben"), .account = STR("18")},
        {.id = STR("ben-2"), .student = STR("Ben"), .account = STR("19")},
    };
    BatchTable table;
    Diags diags = diags_new(arena);
    Buf out = {0};
    if (batch_points(arena, STR("oral.csv"), str_from(text), rows,
                     COUNT_OF(rows), &table, &diags)) {
        for (size_t i = 0; i < COUNT_OF(rows); i++)
            if (table.extras[i].is_there)
                buf_printf(&out, "%.*s: %g %.*s\n", STR_ARG(rows[i].id),
                           table.extras[i].points,
                           STR_ARG(table.extras[i].note));
        for (size_t i = 0; i < table.strangers.count; i++)
            buf_printf(&out, "? %.*s\n", STR_ARG(table.strangers.items[i]));
    } else {
        buf_printf(&out, "%.*s:%u: %.*s", STR_ARG(diags.items[0].at.file),
                   diags.items[0].at.line, STR_ARG(diags.items[0].what));
    }
    Str shown = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return shown;
}

TEST(points_of_a_table_go_to_those_whose_they_are) {
    static const char *const cases[][2] = {
        {"id,points\nana,7.5\nben-2,-3\n", "ana: 7.5 \nben-2: -3 \n"},
        {"\xef\xbb\xbfnote,id,points\r\n\"says \"\"why\"\",\nand "
         "how\",ben,10\r\n",
         "ben: 10 says \"why\",\nand how\n"},
        {"student;points\nAna Li;7,5\n", "ana: 7.5 \n"},
        {"account,points\n\n18,1\n \n19,0", "ben: 1 \nben-2: 0 \n"},
        {"id,points\nzoe,4\nana,1\n", "ana: 1 \n? zoe\n"},
        {"id,points\n", ""},
        {"id,score\nana,\nben,6\n", "ben: 6 \n"}, // of another batch
        {"id,score,points\nana,1,2\n", "ana: 2 \n"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Arena arena = {0};
        CHECK_STR(points_of(&arena, cases[i][0]), cases[i][1]);
        arena_free(&arena);
    }
}

TEST(table_that_cannot_be_understood_is_an_error_with_its_line) {
    static const char *const cases[][2] = {
        {"", "oral.csv:1: The first line has to name"},
        {"ana,7\n", "oral.csv:1: The first line has to name"},
        {"id,marks\nana,7\n", "oral.csv:1: The first line has to name"},
        {"id,points\nana,much\n", "oral.csv:2: \"much\" is no number"},
        {"id,points\nana,\n", "oral.csv:2: \"\" is no number"},
        {"id,points\nana,nan\n", "oral.csv:2: \"nan\" is no number"},
        {"id,points\nana,1e999\n", "oral.csv:2: \"1e999\" is no number"},
        {"id,points\nana,99999\n", "oral.csv:2: \"99999\" is no number"},
        {"id,points\nana,1\n,2\n", "oral.csv:3: This line does not say whose"},
        {"id,points\nana,1\nana,2\n", "oral.csv:3: \"ana\" has points in an"},
        {"student,points\nBen,1\n", "oral.csv:2: Several submissions are of"},
        {"id,points,note\nben,1,\"a\nb\"\nana,x\n", "oral.csv:4: \"x\" is no"},
        {"id,points\n\"ana,1\n", "oral.csv:2: A quotation mark is never"},
        {"id,points\n\"ana\"b,1\n", "oral.csv:2: Text follows a closing"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Arena arena = {0};
        CHECK_HOLDS(points_of(&arena, cases[i][0]), cases[i][1]);
        arena_free(&arena);
    }
}

// ---- what a class came to ------------------------------------------------

static BatchRow row_of(const char *id, double score, const char *code) {
    return (BatchRow){.id = str_from(id),
                      .score = score,
                      .most = 100,
                      .check = code[0] ? STR("rules") : STR(""),
                      .code = str_from(code),
                      .seconds = score / 10};
}

TEST(points_causes_and_the_slowest) {
    Arena arena = {0};
    BatchTally tally;
    BatchRow rows[9];
    rows[0] = row_of("a", 100, "");
    rows[1] = row_of("b", 95, "CLC006");
    rows[2] = row_of("c", 40, "CLC006");
    rows[3] = row_of("d", 40, "CLC007");
    rows[4] = row_of("e", 0, "CLC006");
    rows[5] = row_of("f", 5, "CLC006");
    rows[6] = row_of("g", 99.9, "CLC001");
    rows[7] = (BatchRow){.id = STR("h"), .status = BATCH_UNGRADABLE};
    rows[8] = (BatchRow){.id = STR("i"), .status = BATCH_FAILED};
    rows[2].has_before = true;
    rows[2].before = 30;
    rows[3].has_before = true;
    rows[3].before = 40; // the same: not told
    batch_tally(&arena, rows, COUNT_OF(rows), &tally);
    CHECK_INT(tally.graded, 7);
    CHECK_INT(tally.ungradable, 1);
    CHECK_INT(tally.failed, 1);
    CHECK_INT(tally.full, 1);
    CHECK(fabs(tally.mean - 379.9 / 7) < 1e-9);
    CHECK(tally.median == 40 && tally.least == 0 && tally.greatest == 100);
    CHECK_INT(tally.bins[0], 2);
    CHECK_INT(tally.bins[4], 2);
    CHECK_INT(tally.bins[9], 2);
    CHECK_INT(tally.bins[10], 1);
    CHECK_INT(tally.cause_count, 3);
    CHECK_STR(tally.causes[0].code, "CLC006");
    CHECK_INT(tally.causes[0].count, 4);
    CHECK_INT(tally.causes[0].sample_count, 3);
    CHECK_STR(tally.causes[1].code, "CLC001");
    CHECK_INT(tally.slowest_count, 5);
    CHECK_STR(tally.slowest[0]->id, "a");
    CHECK_STR(tally.slowest[4]->id, "d");
    CHECK_INT(tally.changed_count, 1);
    CHECK_STR(tally.changed[0]->id, "c");
    arena_free(&arena);
}

TEST(a_class_without_points) {
    Arena arena = {0};
    BatchTally tally;
    BatchRow row = {.id = STR("a"), .status = BATCH_FAILED};
    batch_tally(&arena, &row, 1, &tally);
    CHECK(tally.graded == 0 && tally.mean == 0 && tally.slowest_count == 0);
    batch_tally(&arena, &row, 0, &tally);
    CHECK_INT(tally.count, 0);
    arena_free(&arena);
}

TEST_MAIN(TESTCASE(plain_files_and_folders), TESTCASE(one_source_is_chosen),
          TESTCASE(answers_end_in_txt),
          TESTCASE(which_of_several_is_not_guessed),
          TESTCASE(two_names_never_share_an_id), TESTCASE(names_of_canvas),
          TESTCASE(names_of_moodle), TESTCASE(names_of_gradescope),
          TESTCASE(an_archives_own_folder_is_no_student),
          TESTCASE(what_is_not_taken_is_told),
          TESTCASE(an_empty_folder_is_who_gave_nothing),
          TESTCASE(links_and_folders_that_lie_too_deep),
          TESTCASE(a_hostile_tarball_is_refused_one_by_one),
          TESTCASE(an_archive_of_a_student_is_a_folder_of_its_name),
          TESTCASE(points_causes_and_the_slowest),
          TESTCASE(a_class_without_points),
          TESTCASE(points_of_a_table_go_to_those_whose_they_are),
          TESTCASE(table_that_cannot_be_understood_is_an_error_with_its_line))
