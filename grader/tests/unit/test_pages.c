// SPDX-License-Identifier: Apache-2.0
// What clclab prints, whole: each grader/tests/pages/*.page is a test of its
// own, a transcript of commands and of all that they wrote. README.md there
// says how a page is read and how a new one is made. No toolkit is needed: what
// is to be compiled has its PTX beside the pages.
//
// A page that came out otherwise is left in build/pages/, to be compared and,
// if the change is meant, to be copied over the old one.
#include "tests/unit/cli_room.h"
#include "tests/unit/golden.h"

#include <ctype.h>
#include <glob.h>
#include <limits.h>

static const char FOLDER[] = "grader/tests/pages";

typedef struct Page {
    Room room;
    char root[PATH_MAX]; // the repository
    Buf out;             // the page as it came out
} Page;

// ---- the surroundings ----------------------------------------------------

// The room is the course: what a command names is found by a link to the
// repository.
static void link_course(Page *page) {
    static const char *const names[] = {"grader", "labs", "solutions", "docs",
                                        "README.md"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        Str from = str_format(&page->room.arena, "%s/%s", page->root, names[i]);
        CHECK_INT(symlink(from.ptr, names[i]), 0);
    }
}

static void open_page(Page *page) {
    memset(page, 0, sizeof *page);
    CHECK(getcwd(page->root, sizeof page->root) != NULL);
    room_open(&page->room);
    link_course(page);
    setenv("HOME", page->room.folder, 1);
    setenv("XDG_CACHE_HOME",
           str_format(&page->room.arena, "%s/cache", page->room.folder).ptr, 1);
    setenv("CLCLAB_TOOLKIT", "/nonexistent", 1); // until a page names a PTX
    CHECK(freopen("/dev/null", "r", stdin) != NULL);
    static const char *const cleared[] = {"COLUMNS", "TERM", "CUDA_HOME",
                                          "CUDA_PATH", "GITHUB_ACTIONS"};
    for (size_t i = 0; i < COUNT_OF(cleared); i++)
        unsetenv(cleared[i]);
}

// ---- what is written -----------------------------------------------------

static size_t hex_run(Str text) {
    size_t len = 0;
    while (len < text.len && isxdigit((unsigned char)text.ptr[len]))
        len++;
    return len;
}

// What a word of a line is called that differs from one machine, or one
// version, to the next: the room's folder, a checksum of the grader. Sets its
// length.
static Str masked(const Page *page, Str line, size_t *len) {
    enum { SHA256 = 64, HASH64 = 16 };
    Str folder = str_from(page->room.folder);
    *len = folder.len;
    if (str_starts(line, folder))
        return STR("ROOM");
    *len = hex_run(line);
    if (*len == SHA256 || *len == HASH64)
        return STR("HASH");
    *len = *len ? *len : 1;
    return str_slice(line, 0, *len);
}

static void add_masked(Page *page, Str line) {
    size_t len;
    while (line.len > 0) {
        buf_str(&page->out, masked(page, line, &len));
        line = str_slice(line, len, line.len);
    }
}

// The ways in which this machine's kernel confines a process, which a result
// lists; and who took how many seconds, the slowest first.
static bool is_of_machine(Str line) {
    Str word = str_trim(line);
    Str seconds =
        str_ends(line, STR("</li>")) ? str_slice(line, 0, line.len - 5) : line;
    return (str_ends(seconds, STR(" s")) && seconds.len > 3 &&
            isdigit((unsigned char)seconds.ptr[seconds.len - 3])) ||
           str_starts(word, STR("\"landlock ")) ||
           str_starts(word, STR("\"seccomp\"")) ||
           str_starts(word, STR("\"bubblewrap"));
}

static void add_lines(Page *page, const char *mark, Str text) {
    while (text.len > 0) {
        bool is_whole = memchr(text.ptr, '\n', text.len) != NULL;
        Str line = str_cut(&text, '\n');
        if (is_of_machine(line))
            continue;
        if (line.len > 0 || mark[0] == '!') {
            buf_str(&page->out, str_from(mark));
            add_masked(page, line);
        }
        buf_str(&page->out, is_whole ? STR("\n") : STR("\\\n"));
    }
}

// ---- commands ------------------------------------------------------------

static void run_command(Page *page, Str command) {
    Room *room = &page->room;
    Arena *arena = &room->arena;
    if (str_starts(command, STR("cat "))) {
        Str path = str_slice(command, 4, command.len);
        add_lines(page, "  ", get(arena, str_cstring(arena, path)));
        return;
    }
    if (!CHECK(str_starts(command, STR("clclab "))))
        return;
    call(room, str_cstring(arena, str_slice(command, 7, command.len)));
    add_lines(page, "  ", room->out);
    add_lines(page, "! ", room->err);
    if (room->code != 0)
        buf_printf(&page->out, "[exit %d]\n", room->code);
}

// What was compiled before is forgotten, as this compiler looks like the last.
static void set_compiler(Page *page, Str path) {
    Arena *arena = &page->room.arena;
    room_compiler(&page->room, get(arena, str_cstring(arena, path)).ptr);
    setenv(
        "XDG_CACHE_HOME",
        str_format(arena, "%s/cache-%zu", page->room.folder, page->out.len).ptr,
        1);
}

// Runs the commands of a page, and writes the page anew.
static void run_page(Page *page, Str old) {
    while (old.len > 0) {
        Str line = str_cut(&old, '\n');
        bool is_compiler = str_starts(line, STR("ptx "));
        bool is_command = str_starts(line, STR("$ "));
        if (!is_compiler && !is_command && !str_starts(line, STR("#")))
            continue;
        buf_printf(&page->out, "%.*s\n", STR_ARG(line));
        if (is_compiler)
            set_compiler(page, str_slice(line, 4, line.len));
        if (is_command)
            run_command(page, str_slice(line, 2, line.len));
    }
}

static void test_page(const char *name) {
    static Page page; // too large for the stack
#ifdef __SANITIZE_ADDRESS__
    SKIP("a sanitized program confines no process, and its reports say so");
#endif
    open_page(&page);
    Arena *arena = &page.room.arena;
    Str was = get(arena, str_format(arena, "%s/%s.page", FOLDER, name).ptr);
    run_page(&page, was);
    Str is = buf_view(&page.out);
    CHECK_INT(chdir(page.root), 0);
    golden_check(arena, FOLDER, str_format(arena, "%s.page", name), is);
    buf_free(&page.out);
    room_close(&page.room);
}

int main(int argc, char **argv) {
    Arena arena = {0};
    glob_t found;
    Str pattern = str_format(&arena, "%s/*.page", FOLDER);
    if (glob(pattern.ptr, 0, NULL, &found) != 0)
        return 1;
    TestCase *cases = arena_new(&arena, TestCase, found.gl_pathc);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *name = strrchr(found.gl_pathv[i], '/') + 1;
        *strrchr(name, '.') = '\0';
        cases[i] = (TestCase){.name = name, .run_named = test_page};
    }
    int code = test_run_all(cases, found.gl_pathc, argc > 1 ? argv[1] : NULL);
    globfree(&found);
    arena_free(&arena);
    return code;
}
