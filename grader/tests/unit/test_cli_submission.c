// SPDX-License-Identifier: Apache-2.0
// From a path to a Submission: which files are refused, how the compiler is
// asked, what its end means for the exit code, and where messages about PTX are
// placed. The compiler is a shell script that lists what it was given. And what
// the commands share: colours, widths, exit codes.
#include "tests/unit/cli_room.h"
#include "trials/trials.h"

#include <pty.h>
#include <sys/ioctl.h>

// PTX that can be parsed, which lists options, headers and source in comments.
static const char listing[] =
    "#!/bin/sh\n"
    "{ echo '.version 9.0'; echo '.target sm_100a'; echo '.address_size 64'\n"
    "for word; do echo \"// option $word\"; done\n"
    "for file in include/*; do echo \"// header $file\"; done\n"
    "sed 's/^/\\/\\/ | /' source.cu; } >output.ptx\n";

typedef struct Desk {
    Room room;
    Cli cli;
    Course course;
    Lab lab;
    Build build;
} Desk;

static void put_script(const char *script) {
    put("toolkit/bin/nvcc", str_from(script));
    CHECK_INT(chmod("toolkit/bin/nvcc", 0700), 0);
}

static void desk_open(Desk *d) {
    *d = (Desk){0};
    room_open(&d->room);
    room_compiler(&d->room, "");
    put_script(listing);
    setenv("XDG_CACHE_HOME", "", 1); // no cache: each script is run
    setenv("HOME", "", 1);
    mkdir("labs", 0700);
    mkdir("labs/common", 0700);
    mkdir("own", 0700);
    put("labs/common/lab.h", STR("// lab.h\n"));
    put("own/mine.h", STR("// mine\n"));
    put("own/k.cu", STR("#include \"mine.h\"\nint x;\n"));
    put("k.cu", STR("int x;\n"));
    d->cli = (Cli){.program = d->room.program, .width = 80};
    d->cli.args.gpu_model = "mini";
    d->cli.args.compiler = COMPILER_ANY;
    d->course = (Course){.labs = STR("labs"), .common = STR("labs/common")};
}

static void desk_close(Desk *d) {
    arena_free(&d->cli.arena);
    room_close(&d->room);
}

#define SCOPED_DESK(name)                           \
    __attribute__((cleanup(desk_close))) Desk name; \
    desk_open(&name)

// Errors go to err.txt meanwhile.
static int build(Desk *d, const char *path, bool is_own) {
    int saved = dup(2),
        file = open("err.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(file, 2);
    int code = is_own ? submission_build_own(&d->cli, &d->course,
                                             str_from(path), &d->build)
                      : submission_build(&d->cli, &d->course, &d->lab,
                                         str_from(path), &d->build);
    dup2(saved, 2);
    close(saved);
    close(file);
    d->room.err = get(&d->room.arena, "err.txt");
    return code;
}

// ---- what is refused -----------------------------------------------------

static void check_refused(Desk *d, bool is_own, const char *path, Str text,
                          const char *what, uint32_t line) {
    put(path, text);
    CHECK_INT(build(d, path, is_own), CLI_FULL_MARKS);
    const Diag *reject = &d->build.submission.reject;
    CHECK_HOLDS(reject->what, what);
    CHECK_STR(reject->at.file, path);
    CHECK_INT(reject->at.line, line);
    CHECK_INT(reject->at.col, line ? 1 : 0);
    CHECK(reject->help.len > 0);
    CHECK(d->build.submission.module == NULL);
    CHECK_INT(d->build.ptx.len, 0);
}

TEST(files_that_are_no_text_are_refused_with_their_line) {
    SCOPED_DESK(d);
    Str large = {heap_alloc(1, (1 << 20) + 1), (1 << 20) + 1};
    memset((char *)large.ptr, 'x', large.len);
    for (int is_own = 0; is_own < 2; is_own++) {
        check_refused(&d, is_own, "e.cu", STR(" \n\t"), "is empty", 1);
        check_refused(&d, is_own, "n.cu", STR("a\nb\0\n"), "NUL byte", 2);
        check_refused(&d, is_own, "m.cu", STR("\0"), "NUL byte", 1);
        check_refused(&d, is_own, "l.cu", large, "larger than 1 MiB", 0);
        CHECK_STR(d.build.submission.source, "");
    }
    check_refused(&d, true, "e.ptx", STR(""), "is empty", 1);
    CHECK_HOLDS(d.build.submission.reject.help, "nvcc -ptx");
    put("l.ptx", large); // PTX may be larger
    CHECK_INT(build(&d, "l.ptx", true), CLI_FULL_MARKS);
    CHECK_INT(d.build.submission.reject.what.len, 0);
    CHECK(d.build.submission.message_count > 0);
    heap_free((char *)large.ptr);
}

TEST(paths_that_are_no_file_are_usage) {
    SCOPED_DESK(d);
    static const char *const endings[] = {"k", "k.c", "k.cub", "ptx", "k.CU"};
    CHECK_INT(build(&d, "none.cu", false), CLI_USAGE);
    CHECK_HOLDS(d.room.err, "none.cu: No such file");
    CHECK_INT(build(&d, "none.cu", true), CLI_USAGE);
    CHECK_INT(build(&d, "none.ptx", true), CLI_USAGE);
    CHECK_INT(build(&d, "own", false), CLI_USAGE);
    CHECK_HOLDS(d.room.err, "it is a directory");
    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        put(endings[i], STR("x"));
        CHECK_INT(build(&d, endings[i], true), CLI_USAGE);
        CHECK_HOLDS(d.room.err, "neither a .cu nor a .ptx file");
    }
    CHECK_INT(build(&d, "k", false), CLI_FULL_MARKS); // a lab's may have any
}

// ---- how the compiler is asked -------------------------------------------

TEST(a_lab_has_its_header_first_and_no_folder_of_its_own) {
    SCOPED_DESK(d);
    CHECK_INT(build(&d, "own/k.cu", false), CLI_FULL_MARKS);
    CHECK_HOLDS(d.build.ptx, "// header include/lab.h\n");
    CHECK_LACKS(d.build.ptx, "mine.h\n// |");
    CHECK_HOLDS(d.build.ptx,
                "// | #include <lab.h>\n// | #line 1 \"own/k.cu\"");
    CHECK_LACKS(d.build.ptx, "LAUNCH_PLAN");
    CHECK_STR(d.build.submission.compiler, "nvcc 13.0");
    CHECK(d.build.submission.module != NULL);
    d.lab.plan = true;
    CHECK_INT(build(&d, "own/k.cu", false), CLI_FULL_MARKS);
    CHECK_HOLDS(d.build.ptx, "// | #define CLCLAB_LAUNCH_PLAN 1\n");
}

TEST(a_kernel_of_no_lab_may_include_what_lies_beside_it) {
    SCOPED_DESK(d);
    CHECK_INT(build(&d, "own/k.cu", true), CLI_FULL_MARKS);
    // The compiler reads the folders itself, the file's own before others.
    CHECK_HOLDS(d.build.ptx, "/own\n// option -Xcompiler=-idirafter");
    CHECK_HOLDS(d.build.ptx, "/labs/common\n");
    CHECK_LACKS(d.build.ptx, "lab.h");
    CHECK_LACKS(d.build.ptx, "LAUNCH_PLAN");
    put("k.cu", STR("#include \"lab.h\"\n#include \"here.h\"\n"));
    put("here.h", STR("// here\n"));
    CHECK_INT(build(&d, "k.cu", true), CLI_FULL_MARKS);
    CHECK_HOLDS(d.build.ptx, "// option -Xcompiler=-iquote");
    CHECK_HOLDS(d.build.ptx, "/labs/common\n");
    d.course = (Course){0};
    CHECK_INT(build(&d, "k.cu", true), CLI_FULL_MARKS);
    CHECK_LACKS(d.build.ptx, "/labs/common\n");
}

TEST(flags_reach_the_compiler_but_none_changes_what_a_lab_fixes) {
    SCOPED_DESK(d);
    static const char *const options[] = {
        "-D", "-U", "--define-macro=", "--undefine-macro="};
    static const char *const names[] = {
        "clclab_x",       "CLCLAB_X",      "CLC_LAB_H",  "LabSecret",
        "compute_scalar", "launch_plan=x", "LaunchPlan", " launch_plan"};
    CliValues *flags = &d.cli.args.flags;
    flags->items[0] = "--fmad=false";
    for (size_t i = 0; i < COUNT_OF(options); i++)
        for (size_t k = 0; k < COUNT_OF(names); k++) {
            Str flag = str_format(&d.room.arena, "%s%s", options[i], names[k]);
            flags->items[1] = flag.ptr;
            flags->count = 2;
            CHECK_INT(build(&d, "k.cu", false), CLI_USAGE);
            CHECK_HOLDS(d.room.err, "the lab fixes that name");
            CHECK_HOLDS(d.room.err, flag.ptr);
        }
    flags->items[1] = "-DMINE=launch_plan";
    CHECK_INT(build(&d, "k.cu", false), CLI_FULL_MARKS);
    CHECK_HOLDS(d.build.ptx, "// option --fmad=false\n");
    CHECK_HOLDS(d.build.ptx, "// | #define MINE launch_plan\n");
    flags->items[1] = "-DLaunch=1"; // of no lab
    CHECK_INT(build(&d, "own/k.cu", true), CLI_FULL_MARKS);
    CHECK_HOLDS(d.build.ptx, "#define Launch 1\n");
}

TEST(results_are_kept_in_the_users_cache) {
    SCOPED_DESK(d);
    Arena *arena = &d.room.arena;
    setenv("XDG_CACHE_HOME", "/one", 1);
    setenv("HOME", "/two", 1);
    CHECK_STR(submission_cache(arena), "/one/clclab");
    setenv("XDG_CACHE_HOME", "one", 1);
    CHECK_STR(submission_cache(arena), "/two/.cache/clclab");
    unsetenv("XDG_CACHE_HOME");
    CHECK_STR(submission_cache(arena), "/two/.cache/clclab");
    setenv("HOME", "", 1);
    CHECK_STR(submission_cache(arena), "");
    unsetenv("HOME");
    CHECK_STR(submission_cache(arena), "");
}

// ---- how the compiler ends -----------------------------------------------

TEST(the_end_of_the_compiler_decides_the_exit_code) {
    SCOPED_DESK(d);
    put_script("#!/bin/sh\necho 'k.cu(3): error: no such thing'; exit 1\n");
    CHECK_INT(build(&d, "k.cu", false), CLI_FULL_MARKS); // graded, with 0
    CHECK(d.build.submission.module == NULL);
    if (CHECK_INT(d.build.submission.message_count, 1)) {
        CHECK_STR(d.build.submission.messages[0].what, "no such thing");
        CHECK_INT(d.build.submission.messages[0].at.line, 3);
    }
    put_script("#!/bin/sh\necho 'No space left on device'; exit 1\n");
    CHECK_INT(build(&d, "k.cu", false), CLI_TRY_LATER);
    CHECK_HOLDS(d.room.err, "temporary files");
    d.cli.args.compiler = COMPILER_NVRTC; // the toolkit has none
    CHECK_INT(build(&d, "k.cu", false), CLI_MISSING);
    CHECK_HOLDS(d.room.err, "has no NVRTC");
    d.cli.args.compiler = COMPILER_NVCC;
    d.cli.args.flags = (CliValues){{"-arch=sm_90"}, 1};
    CHECK_INT(build(&d, "k.cu", false), CLI_USAGE);
    CHECK_HOLDS(d.room.err, "-arch=sm_90");
}

// ---- where messages about PTX are placed ---------------------------------

// The line and column of the first message about this PTX, whose fourth line
// only reads like one that names a file; the fifth is `.file 1 "other.cu"`, the
// sixth `.file 2 "x/k.cu"`.
static SrcLoc place_of(Desk *d, const char *body) {
    put_script(str_format(&d->room.arena,
                          "#!/bin/sh\ncat >output.ptx <<'END'\n.version 9.0\n"
                          ".target sm_100a\n.address_size 64\n"
                          "// f 7 \"k.cu\"\n"
                          ".file 1 \"other.cu\"\n.file\t2 \"x/k.cu\"\n"
                          ".visible .entry k() {\n%s\n}\nEND\n",
                          body)
                   .ptr);
    CHECK_INT(build(d, "own/k.cu", false), CLI_FULL_MARKS);
    if (!CHECK(d->build.submission.message_count > 0))
        return (SrcLoc){0};
    const Diag *message = &d->build.submission.messages[0];
    CHECK_STR(message->at.file, "own/k.cu");
    CHECK_HOLDS(message->what, "The PTX of this line is malformed: ");
    CHECK_HOLDS(message->help, "Inline assembly (asm) is PTX");
    return message->at;
}

TEST(malformed_ptx_is_at_the_last_place_before_it) {
    SCOPED_DESK(d);
    SrcLoc at = place_of(&d, ".loc 2 7 9\nret;\n.loc 2 8 5\nnonsense;");
    CHECK_INT(at.line, 8);
    CHECK_INT(at.col, 5);
    CHECK_HOLDS(d.build.submission.messages[0].help,
                "PTX line 11 is: nonsense;");
    at = place_of(&d, ".loc 2 8 5\nnonsense;\n.loc 2 9 1\nret;");
    CHECK_INT(at.line, 8);
    at = place_of(&d, ".loc 2 8 5\n.loc 1 3 4\nnonsense;");
    CHECK_INT(at.line, 8); // another file's place says nothing
    at = place_of(&d, ".loc 1 3 4, function_name $L, inlined_at 2 11 6\n"
                      "nonsense;");
    CHECK_INT(at.line, 11);
    CHECK_INT(at.col, 6);
    at = place_of(&d, ".loc 1 3 4, function_name $L, inlined_at 1 11 6\n"
                      "nonsense;");
    CHECK_INT(at.line, 0);
    at = place_of(&d, "nonsense;");
    CHECK_INT(at.line, 0);
}

TEST(long_lines_are_quoted_in_part) {
    SCOPED_DESK(d);
    char word[128];
    memset(word, 'a', sizeof word);
    for (size_t len = 119; len <= 121; len++) {
        word[len] = '\0';
        word[len - 1] = ';';
        place_of(&d, word);
        Str help = d.build.submission.messages[0].help;
        CHECK_INT(str_ends(help, STR(";")), len <= 120);
        CHECK_INT(str_ends(help, STR("aaa...")), len > 120);
        word[len - 1] = 'a';
    }
}

TEST(ptx_without_lines_is_its_own_source) {
    SCOPED_DESK(d);
    put("k.ptx", STR(".version 9.0\n.target sm_100a\n.address_size 64\n"
                     ".visible .entry k() {\n    ret;\n}\n"));
    CHECK_INT(build(&d, "k.ptx", true), CLI_FULL_MARKS);
    const PtxModule *module = d.build.submission.module;
    if (!CHECK(module != NULL))
        return;
    SrcLoc at = ptx_src(module, module->funcs[0]->instrs[0].loc);
    CHECK_STR(at.file, "k.ptx");
    CHECK_INT(at.line, 5);
    CHECK_INT(ptx_src(module, module->funcs[0]->loc).line, 4);
    put("k.ptx", STR(".version 9.0\n.target sm_100a\n.address_size 64\n"
                     ".file 1 \"k.cu\"\n.visible .entry k() {\n"
                     ".loc 1 77 3\n    ret;\n}\n"));
    CHECK_INT(build(&d, "k.ptx", true), CLI_FULL_MARKS);
    module = d.build.submission.module;
    at = ptx_src(module, module->funcs[0]->instrs[0].loc);
    CHECK_STR(at.file, "k.cu");
    CHECK_INT(at.line, 77);
}

// ---- the terminal --------------------------------------------------------

// What output_init decides where standard output is a terminal of this width;
// 0: it is a pipe.
static Cli on_terminal(unsigned short columns, CliColor color) {
    Cli *shared = mmap(NULL, sizeof(Cli), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    int master = -1, slave = -1, ends[2];
    CHECK_INT(openpty(&master, &slave, NULL, NULL, &size), 0);
    CHECK_INT(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(columns == UINT16_MAX ? ends[1] : slave, STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        shared->args.color = color;
        output_init(shared);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    int all[] = {master, slave, ends[0], ends[1]};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        close(all[i]);
    Cli cli = *shared;
    munmap(shared, sizeof(Cli));
    return cli;
}

enum { NO_TERMINAL = UINT16_MAX };

TEST(text_is_as_wide_as_the_terminal_within_limits) {
    static const unsigned short columns[][2] = {
        {NO_TERMINAL, 80}, {0, 80},  {1, 60},    {59, 60},   {60, 60},
        {61, 61},          {99, 99}, {100, 100}, {101, 100}, {400, 100}};
    for (size_t i = 0; i < COUNT_OF(columns); i++)
        CHECK_INT(on_terminal(columns[i][0], COLOR_AUTO).width, columns[i][1]);
}

static void set_or_unset(const char *name, const char *value) {
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

TEST(colours_are_for_terminals_unless_asked_for) {
    static const struct {
        const char *term, *no_color, *force;
        unsigned short columns;
        CliColor color;
        bool out, err;
    } cases[] = {
        {"xterm", NULL, NULL, 80, COLOR_AUTO, true, false},
        {"xterm", NULL, NULL, NO_TERMINAL, COLOR_AUTO, false, false},
        {"dumb", NULL, NULL, 80, COLOR_AUTO, false, false},
        {"", NULL, NULL, 80, COLOR_AUTO, false, false},
        {NULL, NULL, NULL, 80, COLOR_AUTO, false, false},
        {"xterm", "1", NULL, 80, COLOR_AUTO, false, false},
        {"xterm", "", NULL, 80, COLOR_AUTO, true, false},
        {"dumb", NULL, "1", NO_TERMINAL, COLOR_AUTO, true, true},
        {"xterm", NULL, "0", NO_TERMINAL, COLOR_AUTO, false, false},
        {"xterm", NULL, "", NO_TERMINAL, COLOR_AUTO, false, false},
        {"xterm", "1", "1", 80, COLOR_AUTO, false, false},
        {"dumb", "1", NULL, NO_TERMINAL, COLOR_ALWAYS, true, true},
        {"xterm", NULL, "1", 80, COLOR_NEVER, false, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        set_or_unset("TERM", cases[i].term);
        set_or_unset("NO_COLOR", cases[i].no_color);
        set_or_unset("CLICOLOR_FORCE", cases[i].force);
        Cli cli = on_terminal(cases[i].columns, cases[i].color);
        CHECK_INT(cli.color_out, cases[i].out);
        CHECK_INT(cli.color_err, cases[i].err);
    }
}

// ---- commands that can be typed again --------------------------------------

static void check_file(const char *file, const char *expected) {
    Buf out = {0};
    replay_file(&out, str_from(file));
    CHECK_STR(buf_view(&out), expected);
    buf_free(&out);
}

TEST(words_are_quoted_where_a_shell_would_change_them) {
    static const char changed[] = " !\"#$&()*;<>?[\\]^`{|}~";
    check_file("azAZ09_-./=,:@%+", " azAZ09_-./=,:@%+");
    check_file("", " ''");
    check_file("it's", " 'it'\\''s'");
    check_file("-x.cu", " ./-x.cu");
    check_file("x-", " x-");
    for (size_t i = 0; changed[i]; i++) {
        char word[] = {'k', changed[i], '\0'};
        char quoted[] = {' ', '\'', 'k', changed[i], '\'', '\0'};
        check_file(word, quoted);
    }
}

TEST(a_word_that_would_break_a_line_stays_on_one) {
    check_file("k\n", " $'k\\n'");
    check_file("\tit's", " $'\\011it\\'s'");
    check_file("a\\b\177", " $'a\\\\b\\177'");
}

static void check_options(const Args *args, const char *expected) {
    Buf out = {0};
    replay_options(&out, args, &GRADE_COMMAND);
    CHECK_STR(buf_view(&out), expected);
    buf_free(&out);
}

TEST(options_that_change_a_verdict_are_typed_again) {
    Args args = {.gpu_model = "mini", .compiler = COMPILER_ANY};
    check_options(&args, "");
    args.device = DEVICE_VM;
    check_options(&args, "");
    args.device = DEVICE_GPU;
    args.deadline = 9;
    args.emulation = EMULATION_CLAIMED;
    check_options(&args, " --device gpu --deadline 9 --emulation claimed");
    args = (Args){.gpu_model = "b200", .compiler = COMPILER_NVCC};
    check_options(&args, " --gpu-model b200 --compiler nvcc");
    args.compiler = COMPILER_NVRTC;
    args.flags = (CliValues){{"-a", "-b c"}, 2};
    args.root = "..";
    check_options(&args, " --gpu-model b200 --compiler nvrtc --compile-flag -a "
                         "--compile-flag '-b c' --root ..");
}

TEST(flags_are_given_as_nvcc_has_them_where_the_command_does) {
    Args args = {.gpu_model = "mini", .compiler = COMPILER_ANY};
    Arena arena = {0};
    Buf out = {0};
    Args run = args_default(&arena, &RUN_COMMAND);
    run.flags = (CliValues){{"-Iout", "--maxrregcount=32", "-D", "-DN=2",
                             "-std=c++20", "-std", "-include=a b.h"},
                            7};
    replay_options(&out, &run, &RUN_COMMAND);
    CHECK_STR(buf_view(&out),
              " -Iout -DN=2 '-include=a b.h' -std=c++20 --compile-flag "
              "--maxrregcount=32 --compile-flag -D --compile-flag -std");
    buf_free(&out);
    args.flags = (CliValues){{"-DN=2"}, 1};
    check_options(&args, " --compile-flag -DN=2");
    arena_free(&arena);
}

// What a report's command runs again, it must be able to say.
TEST(each_option_that_is_replayed_can_be_given) {
    static const CliCommand *const commands[] = {&GRADE_COMMAND, &RUN_COMMAND,
                                                 &EXEC_COMMAND};
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        for (size_t k = 0; k < commands[i]->option_count; k++) {
            const Option *option = &commands[i]->options[k];
            CHECK(option->is_not_replayed || replay_can_give(option));
        }
    // grade's replays are those of every command that grades.
    for (size_t k = 0; k < GRADE_COMMAND.option_count; k++)
        CHECK(!GRADE_COMMAND.options[k].is_own ||
              GRADE_COMMAND.options[k].is_not_replayed);
}

TEST(a_command_as_it_is_usually_needs_no_option_again) {
    static const CliCommand *const commands[] = {&GRADE_COMMAND, &RUN_COMMAND,
                                                 &EXEC_COMMAND};
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        Arena arena = {0};
        Buf out = {0};
        Args args = args_default(&arena, commands[i]);
        replay_options(&out, &args, commands[i]);
        CHECK_STR(buf_view(&out), "");
        buf_free(&out);
        arena_free(&arena);
    }
}

// ---- exit codes ----------------------------------------------------------

TEST(verdicts_and_faults_have_exit_codes) {
    CHECK_INT(shared_verdict_code(VERDICT_PASS), 0);
    CHECK_INT(shared_verdict_code(VERDICT_FAIL), 1);
    CHECK_INT(shared_verdict_code(VERDICT_ERROR), 70);
    CHECK_INT(shared_fault_code(STR("UNSUPPORTED"), 7), 70);
    CHECK_INT(shared_fault_code(STR("DEVICE"), 7), 70);
    CHECK_INT(shared_fault_code(STR("TARGET"), 7), 69);
    CHECK_INT(shared_fault_code(STR("BUSY"), 7), 75);
    CHECK_INT(shared_fault_code(STR("CLC001"), 7), 7);
    CHECK_INT(shared_fault_code(STR(""), 7), 7);
}

TEST(a_report_to_a_file_is_coloured_only_if_asked) {
    Cli cli = {.color_out = true, .width = 77};
    CHECK(shared_style(&cli).color);
    CHECK_INT(shared_style(&cli).width, 77);
    cli.args.out = "file";
    CHECK(!shared_style(&cli).color);
    cli.args.color = COLOR_ALWAYS;
    CHECK(shared_style(&cli).color);
}

TEST_MAIN(TESTCASE(files_that_are_no_text_are_refused_with_their_line),
          TESTCASE(paths_that_are_no_file_are_usage),
          TESTCASE(a_lab_has_its_header_first_and_no_folder_of_its_own),
          TESTCASE(a_kernel_of_no_lab_may_include_what_lies_beside_it),
          TESTCASE(flags_reach_the_compiler_but_none_changes_what_a_lab_fixes),
          TESTCASE(results_are_kept_in_the_users_cache),
          TESTCASE(the_end_of_the_compiler_decides_the_exit_code),
          TESTCASE(malformed_ptx_is_at_the_last_place_before_it),
          TESTCASE(long_lines_are_quoted_in_part),
          TESTCASE(ptx_without_lines_is_its_own_source),
          TESTCASE(text_is_as_wide_as_the_terminal_within_limits),
          TESTCASE(colours_are_for_terminals_unless_asked_for),
          TESTCASE(words_are_quoted_where_a_shell_would_change_them),
          TESTCASE(a_word_that_would_break_a_line_stays_on_one),
          TESTCASE(options_that_change_a_verdict_are_typed_again),
          TESTCASE(flags_are_given_as_nvcc_has_them_where_the_command_does),
          TESTCASE(each_option_that_is_replayed_can_be_given),
          TESTCASE(a_command_as_it_is_usually_needs_no_option_again),
          TESTCASE(verdicts_and_faults_have_exit_codes),
          TESTCASE(a_report_to_a_file_is_coloured_only_if_asked))
