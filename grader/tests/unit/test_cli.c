// SPDX-License-Identifier: Apache-2.0
// cli/: arguments, reading and writing files, finding the course, and cli_main
// in a course of its own, made in a temporary folder, up to where a compiler
// would be needed (that is for the Bats tests).
#include "cli/grade.h"
#include "cli/run.h"
#include "tests/unit/check_fake.h"
#include "tests/unit/cli_room.h"

#include <stddef.h>

// ---- a course ------------------------------------------------------------

// A course with one lab, the first that is built in. False: there is none.
static bool make_course(Room *room) {
    if (lab_entry_count == 0)
        return false;
    const char *folder = lab_entries[0].folder;
    mkdir("labs", 0700);
    mkdir("labs/common", 0700);
    put("labs/common/lab.h", STR("// the header\n"));
    Arena *arena = &room->arena;
    mkdir(str_format(arena, "labs/%s", folder).ptr, 0700);
    put(str_format(arena, "labs/%s/lab.conf", folder).ptr, STR(FAKE_CONF));
    return true;
}

// ---- arguments -----------------------------------------------------------

static bool parse(Room *room, const CliCommand *command, const char *line,
                  Args *args, Str *message) {
    char *argv[40];
    int argc = split(room, line, argv, 40);
    *message = (Str){0};
    return args_parse(&room->arena, command, argc, argv, args, message);
}

TEST(arguments_have_defaults) {
    Room room = {0};
    Args args;
    Str message;
    CHECK(parse(&room, &GRADE_COMMAND, "4", &args, &message));
    CHECK_INT(args.word_count, 1);
    const GradeArgs *own = args.own;
    CHECK_INT(own->schedule.seed, 1);
    CHECK_INT(own->schedule.schedules, 64);
    CHECK(strcmp(args.gpu_model, "mini") == 0);
    CHECK_INT(args.compiler, COMPILER_ANY);
    CHECK(!own->solutions && !own->schedule.no_time);
    CHECK(!args.help && !args.out && !args.format);
    arena_free(&room.arena);
}

TEST(arguments_are_stored) {
    Room room = {0};
    Args args;
    Str message;
    CHECK(parse(&room, &GRADE_COMMAND,
                "--seed=0x10 4 --schedules 3 --format json --device vm "
                "--gpu-model b200 --out o.json --compiler nvcc --color never "
                "--compile-flag -a --compile-flag=-b --no-time "
                "--emulation claimed --only-schedule 5 --switches 0 --size "
                "40x20 -- -x.cu",
                &args, &message));
    const GradeArgs *own = args.own;
    CHECK_U64(own->schedule.seed, 16);
    CHECK_INT(own->schedule.schedules, 3);
    CHECK(strcmp(args.format, "json") == 0);
    CHECK_INT(args.device, DEVICE_VM);
    CHECK(strcmp(args.gpu_model, "b200") == 0);
    CHECK(strcmp(args.out, "o.json") == 0);
    CHECK_INT(args.compiler, COMPILER_NVCC);
    CHECK_INT(args.color, COLOR_NEVER);
    CHECK_INT(args.flags.count, 2);
    CHECK(strcmp(args.flags.items[1], "-b") == 0);
    CHECK(own->schedule.no_time);
    CHECK_INT(args.emulation, EMULATION_CLAIMED);
    CHECK(own->schedule.only.given && own->schedule.only.value == 5);
    CHECK(own->schedule.switches.given && own->schedule.switches.value == 0);
    CHECK(own->size.given && own->size.size.dim[1] == 20);
    CHECK(strcmp(args.words[1], "-x.cu") == 0);
    arena_free(&room.arena);
}

// Where an option's field is: in Args, or in the command's own struct.
#define IN_ARGS(field) \
    false, offsetof(Args, field), sizeof(((Args *)NULL)->field)
#define IN_OWN(type, field) \
    true, offsetof(type, field), sizeof(((type *)NULL)->field)

typedef struct StoredIn {
    bool is_own;
    size_t at, size;
} StoredIn;

static uint64_t stored(const Args *args, StoredIn in) {
    uint64_t value = 0;
    const char *base = in.is_own ? args->own : (const char *)args;
    memcpy(&value, base + in.at, in.size); // little-endian
    return value;
}

// Each option that is a switch, a number or one of several words; each is at
// the end of what it takes.
TEST(each_option_is_stored_where_it_belongs) {
    static const struct {
        const CliCommand *command;
        const char *line;
        StoredIn in;
        uint64_t value;
    } cases[] = {
        {&GRADE_COMMAND, "4 --device auto", {IN_ARGS(device)}, DEVICE_AUTO},
        {&GRADE_COMMAND, "4 --device gpu", {IN_ARGS(device)}, DEVICE_GPU},
        {&GRADE_COMMAND, "4 --color always", {IN_ARGS(color)}, COLOR_ALWAYS},
        {&GRADE_COMMAND,
         "4 --compiler nvrtc",
         {IN_ARGS(compiler)},
         COMPILER_NVRTC},
        {&GRADE_COMMAND,
         "4 --emulation drawn",
         {IN_ARGS(emulation)},
         EMULATION_DRAWN},
        {&GRADE_COMMAND,
         "4 --emulation claimed",
         {IN_ARGS(emulation)},
         EMULATION_CLAIMED},
        {&GRADE_COMMAND, "4 --deadline 3600", {IN_ARGS(deadline)}, 3600},
        {&GRADE_COMMAND, "4 --deadline 1", {IN_ARGS(deadline)}, 1},
        {&GRADE_COMMAND, "--help", {IN_ARGS(help)}, true},
        {&GRADE_COMMAND,
         "4 --schedules 100000",
         {IN_OWN(GradeArgs, schedule.schedules)},
         100000},
        {&GRADE_COMMAND,
         "4 --schedules 1",
         {IN_OWN(GradeArgs, schedule.schedules)},
         1},
        {&GRADE_COMMAND,
         "4 --seed 18446744073709551615",
         {IN_OWN(GradeArgs, schedule.seed)},
         UINT64_MAX},
        {&GRADE_COMMAND,
         "4 --only-schedule 100000",
         {IN_OWN(GradeArgs, schedule.only.value)},
         100000},
        {&GRADE_COMMAND,
         "4 --only-schedule 0",
         {IN_OWN(GradeArgs, schedule.only.given)},
         true},
        {&GRADE_COMMAND,
         "4 --switches 9",
         {IN_OWN(GradeArgs, schedule.switches.value)},
         9},
        {&GRADE_COMMAND,
         "4 --switches 0",
         {IN_OWN(GradeArgs, schedule.switches.given)},
         true},
        {&GRADE_COMMAND,
         "4 --no-time",
         {IN_OWN(GradeArgs, schedule.no_time)},
         true},
        {&GRADE_COMMAND, "4 --size 7", {IN_OWN(GradeArgs, size.given)}, true},
        {&GRADE_COMMAND,
         "4 --size 40x20x3",
         {IN_OWN(GradeArgs, size.size.dim[2])},
         3},
        {&GRADE_COMMAND, "4 --solutions", {IN_OWN(GradeArgs, solutions)}, true},
        {&RUN_COMMAND, "k --device gpu", {IN_ARGS(device)}, DEVICE_GPU},
        {&RUN_COMMAND, "k --exhaustive", {IN_OWN(RunArgs, exhaustive)}, true},
        {&RUN_COMMAND,
         "k --max-runs 1000000",
         {IN_OWN(RunArgs, max_runs)},
         1000000},
        {&RUN_COMMAND, "k --max-runs 1", {IN_OWN(RunArgs, max_runs)}, 1},
        {&RUN_COMMAND,
         "k --dynamic-smem 4294967295",
         {IN_OWN(RunArgs, dynamic_smem)},
         UINT32_MAX},
        {&RUN_COMMAND, "k --max-steps 5", {IN_OWN(RunArgs, max_steps)}, 5},
        {&RUN_COMMAND, "k --time-model", {IN_OWN(RunArgs, time_model)}, true},
        {&RUN_COMMAND,
         "k --time-set a=1",
         {IN_OWN(RunArgs, time_sets.count)},
         1},
        {&RUN_COMMAND, "k --seed 7", {IN_OWN(RunArgs, schedule.seed)}, 7},
        {&RUN_COMMAND,
         "k --schedules 8",
         {IN_OWN(RunArgs, schedule.schedules)},
         8},
        {&RUN_COMMAND,
         "k --switches 0",
         {IN_OWN(RunArgs, schedule.switches.given)},
         true},
        {&RUN_COMMAND,
         "k --no-time",
         {IN_OWN(RunArgs, schedule.no_time)},
         true},
        {&RUN_COMMAND,
         "k --grid 2147483647,65535,65535",
         {IN_OWN(RunArgs, grid[2])},
         65535},
        {&RUN_COMMAND, "k --block 1024", {IN_OWN(RunArgs, block[0])}, 1024},
        {&RUN_COMMAND, "k --block 1,16,64", {IN_OWN(RunArgs, block[2])}, 64},
        {&RUN_COMMAND, "k --cluster 4,2,2", {IN_OWN(RunArgs, cluster[2])}, 2},
        {&CLINIC_COMMAND, "--seed 7", {IN_OWN(ScheduleArgs, seed)}, 7},
        {&CLINIC_COMMAND,
         "--schedules 8",
         {IN_OWN(ScheduleArgs, schedules)},
         8},
    };
    Room room = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Args args;
        Str message;
        if (!CHECK(parse(&room, cases[i].command, cases[i].line, &args,
                         &message)) ||
            !CHECK_U64(stored(&args, cases[i].in), cases[i].value))
            printf("# of: %s: %.*s\n", cases[i].line, STR_ARG(message));
    }
    arena_free(&room.arena);
}

// Each option that is a name or a path.
TEST(each_text_is_stored_where_it_belongs) {
    static const struct {
        const CliCommand *command;
        const char *line;
        StoredIn in;
    } cases[] = {
        {&GRADE_COMMAND, "4 --gpu-model word", {IN_ARGS(gpu_model)}},
        {&GRADE_COMMAND, "4 --out word", {IN_ARGS(out)}},
        {&GRADE_COMMAND, "4 --root word", {IN_ARGS(root)}},
        {&GRADE_COMMAND, "4 --labs word", {IN_ARGS(labs)}},
        {&GRADE_COMMAND, "4 --compile-flag word", {IN_ARGS(flags.items[0])}},
        {&RUN_COMMAND, "k --kernel word", {IN_ARGS(kernel)}},
        {&RUN_COMMAND, "k --arch word", {IN_ARGS(arch)}},
        {&PTX_COMMAND, "k --compile-commands word", {IN_ARGS(database)}},
        {&RUN_COMMAND, "k --check word", {IN_OWN(RunArgs, check)}},
        {&RUN_COMMAND, "k --arg word", {IN_OWN(RunArgs, arguments.items[0])}},
        {&RUN_COMMAND, "k --dump word", {IN_OWN(RunArgs, dumps.items[0])}},
        {&RUN_COMMAND, "k --prologue word", {IN_OWN(RunArgs, prologue)}},
        {&RUN_COMMAND,
         "k --time-set word",
         {IN_OWN(RunArgs, time_sets.items[0])}},
    };
    Room room = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Args args;
        Str message;
        if (!CHECK(
                parse(&room, cases[i].command, cases[i].line, &args, &message)))
            continue;
        const char *text = (const char *)(uintptr_t)stored(&args, cases[i].in);
        if (!CHECK(text && strcmp(text, "word") == 0))
            printf("# of: %s\n", cases[i].line);
    }
    arena_free(&room.arena);
}

// As many as there is room for, and one more.
TEST(repeated_options_have_a_limit) {
    static char *argv[2 * CLI_MAX_ARGUMENTS + 3];
    static const struct {
        const CliCommand *command;
        const char *option;
        int most;
    } cases[] = {{&GRADE_COMMAND, "--compile-flag", CLI_MAX_FLAGS},
                 {&RUN_COMMAND, "--arg", CLI_MAX_ARGUMENTS},
                 {&RUN_COMMAND, "--dump", CLI_MAX_ARGUMENTS},
                 {&RUN_COMMAND, "--time-set", CLI_MAX_ARGUMENTS},
                 {&COMPARE_COMMAND, "--time-set", CLI_MAX_ARGUMENTS}};
    static char word[] = "4";
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const CliCommand *command = cases[i].command;
        Arena arena = {0};
        Args args;
        Str message;
        int count = 0;
        if (command->least_words > 0)
            argv[count++] = word;
        for (int k = 0; k <= cases[i].most; k++) {
            argv[count++] = str_cstring(&arena, str_from(cases[i].option));
            argv[count++] = word;
        }
        CHECK(args_parse(&arena, command, count - 2, argv, &args, &message));
        CHECK(!args_parse(&arena, command, count, argv, &args, &message));
        CHECK_HOLDS(message, "too many of them");
        arena_free(&arena);
    }
}

TEST(mistakes_in_arguments_are_named) {
    static const struct {
        const char *line, *part;
    } cases[] = {
        {"4 --sed 3", "no option --sed; did you mean --seed?"},
        {"4 --frobnicate", "no option --frobnicate"},
        {"4 --seed", "--seed needs a value"},
        {"4 --seed many", "--seed: \"many\" is not a whole number"},
        {"4 --seed -1", "\"-1\" is not a whole number"},
        {"4 --seed 18446744073709551616", "is not a whole number"},
        {"4 --seed 1 --seed 1", "--seed is given twice"},
        {"4 --schedules 0", "at least one schedule"},
        {"4 --schedules 100001", "is not a whole number up to 100000"},
        {"4 --deadline 0", "a second at least"},
        {"4 --deadline 3601", "is not a whole number up to 3600"},
        {"4 --format docx", "\"docx\" is none of text, json"},
        {"4 --device tpu", "\"tpu\" is none of auto, vm, gpu"},
        {"4 --compiler any", "\"any\" is none of nvrtc, nvcc"},
        {"4 --solutions=yes", "--solutions takes no value"},
        {"4 --out=", "an empty path"},
        {"4 --root=", "an empty path"},
        {"4 --labs=", "an empty path"},
        {"4 --size 0", "at least one element"},
        {"4 --size 1x", "a size as in lab.conf"},
        {"4 --only-schedule 100001", "is not a whole number up to 100000"},
        {"4 --emulation true", "\"true\" is none of drawn, claimed"},
        {"4 a.cu two.cu", "unexpected argument \"two.cu\""},
    };
    Room room = {0};
    Args args;
    Str message;
    CHECK(!parse(&room, &HINT_COMMAND, "", &args, &message));
    CHECK_HOLDS(message, "usage: clclab hint LAB");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CHECK(!parse(&room, &GRADE_COMMAND, cases[i].line, &args, &message));
        CHECK_HOLDS(message, cases[i].part);
    }
    static const char *const flags[] = {"-I", "-isystem", "-D", "-U",
                                        "-include"};
    for (size_t i = 0; i < COUNT_OF(flags); i++) {
        char *words[] = {"k.cu", (char *)flags[i], ""};
        CHECK(!args_parse(&room.arena, &RUN_COMMAND, COUNT_OF(words), words,
                          &args, &message));
        CHECK_HOLDS(message, "an empty value");
    }
    arena_free(&room.arena);
}

TEST(options_belong_to_commands) {
    Room room = {0};
    Args args;
    Str message;
    CHECK(!parse(&room, &LIST_COMMAND, "--seed 1", &args, &message));
    CHECK(parse(&room, &LIST_COMMAND, "--color=always", &args, &message));
    CHECK(parse(&room, &GRADE_COMMAND, "-h", &args, &message));
    CHECK(args.help);
    arena_free(&room.arena);
}

TEST(suggestions_are_near) {
    static const char *const names[] = {"grade", "list", "version"};
    CHECK(strcmp(args_suggest("grad", names, 3), "grade") == 0);
    CHECK(strcmp(args_suggest("vresion", names, 3), "version") == 0);
    CHECK(args_suggest("frobnicate", names, 3) == NULL);
    static const char *const longest[] = {"abcdefghijklmnopqrstuvw"};
    CHECK(args_suggest("abcdefghijklmnopqrstuvx", longest, 1) == longest[0]);
    CHECK(args_suggest("abcdefghijklmnopqrstuvwx", longest, 1) == NULL);
    CHECK(args_suggest("a-word-of-more-letters-than-there-is-room-for", names,
                       3) == NULL);
}

TEST(every_option_is_in_the_help) {
    Buf out = {0};
    usage_command(&GRADE_COMMAND, &out);
    CHECK_HOLDS(buf_view(&out), "  --seed N");
    CHECK_HOLDS(buf_view(&out), "  --gpu-model mini|b200|rtx5090");
    CHECK_HOLDS(buf_view(&out), "  --format FORMAT ");
    CHECK_HOLDS(buf_view(&out),
                " text, json, junit, sarif, github, gradescope,\n ");
    buf_free(&out);
    usage_command(&QUIZ_COMMAND, &out);
    CHECK_HOLDS(buf_view(&out), "  --format text|json");
    buf_free(&out);
    usage_command(&COMPARE_COMMAND, &out);
    CHECK_HOLDS(buf_view(&out), "  --format text|csv|svg|json ");
    buf_free(&out);
    static const CliCommand *const commands[] = {&GRADE_COMMAND, &HINT_COMMAND};
    usage_all(commands, COUNT_OF(commands), &out);
    CHECK_HOLDS(buf_view(&out), "usage");
    CHECK_HOLDS(buf_view(&out), "  hint ");
    CHECK_HOLDS(buf_view(&out), "\nExit status: 0 full marks, 1 below");
    buf_free(&out);
    usage_command(&HINT_COMMAND, &out);
    CHECK_HOLDS(buf_view(&out),
                "usage: clclab hint LAB [" CLI_REGION " [RUNG]]");
    buf_free(&out);
}

// ---- files ---------------------------------------------------------------

static void unreadable(Room *room, const char *path, const char *part) {
    Str text, why = {0};
    CHECK_INT(file_read(&room->arena, path, 100, &text, &why), FILE_UNREADABLE);
    CHECK_HOLDS(why, part);
}

TEST(only_regular_files_are_read) {
    Room room;
    room_open(&room);
    mkdir("folder", 0700);
    mkfifo("fifo", 0600);
    CHECK_INT(symlink("b", "a"), 0);
    CHECK_INT(symlink("a", "b"), 0);
    unreadable(&room, "nothing", "No such file");
    unreadable(&room, "folder", "directory");
    unreadable(&room, "fifo", "not a regular file");
    unreadable(&room, "/dev/zero", "not a regular file");
    unreadable(&room, "a", "symbolic links");
    unreadable(&room, "nothing/at/all", "No such file");
    CHECK(file_exists("folder"));
    CHECK(!file_exists("nothing"));
    room_close(&room);
}

TEST(files_are_read_up_to_the_limit) {
    Room room;
    room_open(&room);
    Str text, why;
    put("file", STR("12345"));
    CHECK_INT(file_read(&room.arena, "file", 5, &text, &why), FILE_READ);
    CHECK_STR(text, "12345");
    CHECK_INT(file_read(&room.arena, "file", 4, &text, &why), FILE_TOO_LARGE);
    put("file", STR(""));
    CHECK_INT(file_read(&room.arena, "file", 4, &text, &why), FILE_READ);
    CHECK_INT(text.len, 0);
    room_close(&room);
}

TEST(output_file_is_whole_or_not_at_all) {
    Room room;
    room_open(&room);
    Cli cli = {0};
    CHECK_INT(output_file(&cli, "--out", "r.json", STR("one")), 0);
    CHECK_INT(output_file(&cli, "--out", "r.json", STR("two")), 0);
    CHECK_STR(get(&room.arena, "r.json"), "two");
    struct stat status;
    umask(022);
    CHECK_INT(output_file(&cli, "--out", "s.json", STR("x")), 0);
    CHECK_INT(stat("s.json", &status), 0);
    CHECK_INT(status.st_mode & 0777, 0644);
    CHECK_INT(system("test $(ls -A | wc -l) = 2"), 0);
    arena_free(&cli.arena);
    room_close(&room);
}

TEST(writing_notices_errors) {
    CHECK(!output_write(-1, STR("x")));
    int full = open("/dev/full", O_WRONLY);
    CHECK(full >= 0 && !output_write(full, STR("x")));
    int ends[2];
    CHECK_INT(pipe(ends), 0);
    Cli cli = {0};
    output_init(&cli); // ignores SIGPIPE
    close(ends[0]);
    CHECK(output_write(ends[1], STR("x"))); // the reader has had enough
}

// No file that is opened then becomes standard output, say.
TEST(closed_descriptors_are_kept_taken) {
    for (int descriptor = 0; descriptor <= STDERR_FILENO; descriptor++) {
        int saved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        Cli cli = {0};
        close(descriptor);
        output_init(&cli);
        bool taken = fcntl(descriptor, F_GETFD) >= 0;
        bool written = output_write(descriptor, STR("x"));
        dup2(saved, descriptor);
        close(saved);
        CHECK(taken);
        CHECK(!written);
    }
}

// ---- the course ----------------------------------------------------------

TEST(folders_have_numbers) {
    CHECK_INT(course_number(STR("04-cluster-clc")), 4);
    CHECK_INT(course_number(STR("10-scheduler")), 10);
    CHECK_INT(course_number(STR("common")), 0);
    CHECK_INT(course_number(STR("4")), 0);
    CHECK_INT(course_number(STR("x4-y")), 0);
    CHECK_INT(course_number(STR("-y")), 0);
    CHECK_INT(course_number(STR("99999-y")), 0);
}

TEST(course_is_the_one_above_the_program) {
    Room room;
    room_open(&room);
    if (!make_course(&room))
        SKIP("no lab is built in");
    Cli cli = {.program = room.program};
    Course course;
    int code;
    CHECK(course_find(&cli, &course, &code));
    CHECK_STR(course.labs, "labs");
    mkdir("deep", 0700);
    mkdir("deep/er", 0700);
    CHECK_INT(chdir("deep/er"), 0);
    CHECK(course_find(&cli, &course, &code));
    CHECK_STR(course.labs, "../../labs");
    CHECK_STR(course.common, "../../labs/common");
    // A course that is nearer, or the only one above this folder, is no other.
    mkdir("labs", 0700);
    mkdir("labs/common", 0700);
    put("labs/common/lab.h", STR("\n"));
    CHECK(course_find(&cli, &course, &code));
    CHECK_STR(course.labs, "../../labs");
    CHECK(!course.given);
    cli.program = "/nowhere/clclab";
    CHECK(course_find_any(&cli, &course, &code));
    CHECK_STR(course.labs, "");
    CHECK_INT(chdir("/"), 0);
    cli.program = room.program;
    CHECK(course_find(&cli, &course, &code));
    CHECK_HOLDS(course.labs, room.folder);
    CHECK(!course.given);
    cli.args.root = room.folder;
    CHECK(course_find(&cli, &course, &code));
    CHECK_HOLDS(course.labs, room.folder);
    CHECK(course.given);
    cli.args.root = NULL;
    setenv("CLCLAB_ROOT", room.folder, 1);
    CHECK(course_find(&cli, &course, &code));
    CHECK_HOLDS(course.labs, room.folder);
    arena_free(&cli.arena);
    room_close(&room);
}

TEST(labs_are_found_by_number_and_folder) {
    Room room;
    room_open(&room);
    if (!make_course(&room))
        SKIP("no lab is built in");
    Str folder = str_from(lab_entries[0].folder);
    uint32_t number = course_number(folder);
    Cli cli = {.program = room.program};
    Course course;
    Str *folders;
    Lab lab;
    int code;
    CHECK(course_find(&cli, &course, &code));
    CHECK_INT(course_list(&cli, &course, &folders), 1);
    CHECK(str_equal(folders[0], folder));
    Str names[] = {folder, str_format(&cli.arena, "%u", number),
                   str_format(&cli.arena, "%03u", number),
                   str_format(&cli.arena, "%.*s/", STR_ARG(folder))};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        CHECK_INT(course_lab(&cli, &course, names[i].ptr, &lab), 0);
        CHECK_INT(lab.number, number);
        CHECK(lab.reference == lab_entries[0].reference);
        CHECK_STR(lab.title, "Clusters that steal");
    }
    arena_free(&cli.arena);
    room_close(&room);
}

// ---- cli_main ------------------------------------------------------------

TEST(commands_without_a_course) {
    Room room;
    room_open(&room);
    call(&room, "version");
    CHECK_INT(room.code, 0);
    CHECK_HOLDS(room.out, "clclab " CLI_VERSION);
    call(&room, "--help");
    CHECK_INT(room.code, 0);
    CHECK_HOLDS(room.out, "grade");
    CHECK_STR(room.err, "");
    call(&room, "grade --help");
    CHECK_INT(room.code, 0);
    CHECK_HOLDS(room.out, "--gpu-model");
    call(&room, "help hint");
    CHECK_HOLDS(room.out, "RUNG");
    call_fails(&room, "", CLI_USAGE, "usage");
    call_fails(&room, "help nothing", CLI_USAGE, "nothing");
    call_fails(&room, "gerade 1", CLI_USAGE, "did you mean grade?");
    call_fails(&room, "frobnicate", CLI_USAGE, "frobnicate");
    call_fails(&room, "hint", CLI_USAGE, "LAB");
    call_fails(&room, "grade", CLI_MISSING, "course");
    call_fails(&room, "grade 1 --device gpu", CLI_MISSING, "--device vm");
    call_fails(&room, "grade 1 --gpu-model h100", CLI_USAGE, "h100");
    call_fails(&room, "grade 1 x.cu --solutions", CLI_USAGE,
               "leave out \"x.cu\"");
    call_fails(&room, "grade 1 --root /nowhere", CLI_USAGE, "/nowhere");
    room_close(&room);
}

TEST(unknown_labs_and_bad_files_are_usage) {
    Room room;
    room_open(&room);
    if (!make_course(&room))
        SKIP("no lab is built in");
    const char *lab = lab_entries[0].folder;
    mkdir("folder.cu", 0700);
    call_fails(&room, "grade 77", CLI_USAGE, lab);
    call_fails(&room, "grade nonsense", CLI_USAGE, "nonsense");
    Str line = str_format(&room.arena, "grade %s nothing.cu", lab);
    call_fails(&room, line.ptr, CLI_USAGE, "nothing.cu: No such file");
    line = str_format(&room.arena, "grade %s folder.cu", lab);
    call_fails(&room, line.ptr, CLI_USAGE,
               "folder.cu: There is no file in it.");
    line = str_format(&room.arena, "grade %s --labs nowhere", lab);
    call_fails(&room, line.ptr, CLI_USAGE, "nowhere");
    room_close(&room);
}

// The lab of make_course has sizes that are one number.
TEST(a_size_is_one_of_the_labs_and_of_one_schedule) {
    Room room;
    room_open(&room);
    if (!make_course(&room))
        SKIP("no lab is built in");
    const char *lab = lab_entries[0].folder;
    put("bad.cu", STR(""));
    Str line = str_format(&room.arena, "grade %s bad.cu --size 7", lab);
    call_fails(&room, line.ptr, CLI_USAGE, "--size goes with --only-schedule");
    line = str_format(&room.arena, "%s --only-schedule 1", line.ptr);
    call(&room, line.ptr);
    CHECK_INT(room.code, CLI_BELOW);
    line = str_format(&room.arena,
                      "grade %s bad.cu --only-schedule 1 --size 7x7", lab);
    call_fails(&room, line.ptr, CLI_USAGE, "this lab's sizes are one number");
    room_close(&room);
}

// Grades a file that is refused before it would be compiled.
static void rejected(Room *room, Str text, const char *part) {
    Str line = str_format(&room->arena, "grade %s bad.cu --color always",
                          lab_entries[0].folder);
    put("bad.cu", text);
    call(room, line.ptr);
    CHECK_INT(room->code, CLI_BELOW);
    CHECK_HOLDS(room->out, part);
    CHECK_HOLDS(room->out, "Score: 0/100");
    CHECK_STR(room->err, "");
}

TEST(files_that_are_no_text_are_graded_zero) {
    Room room;
    room_open(&room);
    if (!make_course(&room))
        SKIP("no lab is built in");
    rejected(&room, STR(""), "The file is empty.");
    rejected(&room, STR(" \n\n"), "The file is empty.");
    rejected(&room, STR("int a;\nint b;\n\0c"), "bad.cu:3:1");
    Str large = {heap_alloc(1, (1 << 20) + 1), (1 << 20) + 1};
    rejected(&room, large, "larger than 1 MiB");
    heap_free((void *)large.ptr);
    room_close(&room);
}

TEST(report_goes_to_a_file) {
    Room room;
    room_open(&room);
    if (!make_course(&room))
        SKIP("no lab is built in");
    put("bad.cu", STR(""));
    const char *lab = lab_entries[0].folder;
    Str line =
        str_format(&room.arena,
                   "grade %s bad.cu --format json --no-time --out o.json", lab);
    call(&room, line.ptr);
    CHECK_INT(room.code, CLI_BELOW);
    CHECK_STR(room.out, "");
    CHECK_HOLDS(get(&room.arena, "o.json"), "\"elapsed_ms\": 0,");
    CHECK_HOLDS(get(&room.arena, "o.json"), "\"score\": 0,");
    line = str_format(&room.arena, "grade %s bad.cu --out no/such/o", lab);
    call_fails(&room, line.ptr, CLI_USAGE, "no/such/o");
    mkfifo("fifo", 0600);
    line = str_format(&room.arena, "grade %s bad.cu --out fifo", lab);
    call_fails(&room, line.ptr, CLI_USAGE, "fifo is there, and is not");
    room_close(&room);
}

TEST(malformed_lab_conf_is_ours_unless_given) {
    Room room;
    room_open(&room);
    if (!make_course(&room))
        SKIP("no lab is built in");
    Arena *arena = &room.arena;
    const char *lab = lab_entries[0].folder;
    Str conf = str_format(arena, "labs/%s/lab.conf", lab);
    put(conf.ptr, STR("colour = blue\n"));
    Str place = str_format(arena, "%s:1:1: error: ", conf.ptr);
    Str line = str_format(arena, "grade %s x.cu", lab);
    call_fails(&room, line.ptr, CLI_OURS, place.ptr);
    call_fails(&room, "list", CLI_OURS, "colour");
    put(conf.ptr,
        (Str){memset(arena_new(arena, char, 65537), '#', 65537), 65537});
    call_fails(&room, "list", CLI_OURS, "larger than 64 KiB");
    put(conf.ptr, STR("colour = blue\n"));
    line = str_format(arena, "grade %s x.cu --labs labs", lab);
    call_fails(&room, line.ptr, CLI_USAGE, "colour");
    room_close(&room);
}

TEST(lab_that_is_not_built_in_is_ours) {
    Room room;
    room_open(&room);
    if (!make_course(&room))
        SKIP("no lab is built in");
    mkdir("labs/88-new", 0700);
    put("labs/88-new/lab.conf", STR(FAKE_CONF));
    call_fails(&room, "grade 88", CLI_OURS, "not built into");
    room_close(&room);
}

TEST(list_names_the_labs) {
    Room room;
    room_open(&room);
    if (!make_course(&room))
        SKIP("no lab is built in");
    call(&room, "list");
    CHECK_INT(room.code, 0);
    CHECK_HOLDS(room.out, lab_entries[0].folder);
    CHECK_HOLDS(room.out, "Clusters that steal");
    room_close(&room);
}

static void hint_says(Room *room, const char *words, const char *part) {
    Str line = str_format(&room->arena, "hint %s", lab_entries[0].folder);
    call(room, str_format(&room->arena, "%.*s%s", STR_ARG(line), words).ptr);
    CHECK_INT(room->code, 0);
    CHECK_HOLDS(room->out, part);
}

TEST(a_hint_without_a_number_goes_one_further) {
    Room room;
    room_open(&room);
    if (!make_course(&room))
        SKIP("no lab is built in");
    put(str_format(&room.arena, "labs/%s/hints.md", lab_entries[0].folder).ptr,
        STR("## " CLI_REGION "(1)\n1. a\n2. b\n## " CLI_REGION
            "(2)\n1. c\n2. d\n3. e\n"));
    hint_says(&room, "", "(1), hint 1 of 2");
    hint_says(&room, "", "(1), hint 2 of 2");
    hint_says(&room, "", "(1), hint 2 of 2"); // there are no more
    hint_says(&room, " 2", "(2), hint 1 of 3");
    hint_says(&room, "", "(2), hint 2 of 3");
    hint_says(&room, " 1 1", "(1), hint 1 of 2");
    hint_says(&room, " 2", "(2), hint 3 of 3");
    hint_says(&room, " 1", "(1), hint 2 of 2");
    call(&room, "list"); // of which they are no part
    CHECK_LACKS(room.out, "/2");
    CHECK_LACKS(room.out, "hint");
    room_close(&room);
}

TEST(hints_come_one_rung_at_a_time) {
    Room room;
    room_open(&room);
    if (!make_course(&room))
        SKIP("no lab is built in");
    const char *lab = lab_entries[0].folder;
    put(str_format(&room.arena, "labs/%s/hints.md", lab).ptr,
        STR("# Hints\n\n## " CLI_REGION
            "(1): the barrier\n\nOf all rungs.\n\n1. Why?\n   Second line.\n"
            "2. So:\n   ```\n# no heading\n   ```\n3. Code: x();\n"
            "## " CLI_REGION "(2)\n1. How?\n"));
    Str line = str_format(&room.arena, "hint %s", lab);
    call(&room, line.ptr);
    CHECK_INT(room.code, 0);
    CHECK_HOLDS(room.out, "  Why?\n  Second line.\n");
    CHECK_HOLDS(room.out, "hint 1 of 3");
    CHECK_LACKS(room.out, "no heading");
    CHECK_LACKS(room.out, "Of all rungs.");
    hint_says(&room, " 1 2", "# no heading");
    line = str_format(&room.arena, "hint %s 1 3", lab);
    call(&room, line.ptr);
    CHECK_HOLDS(room.out, "x();");
    CHECK_HOLDS(room.out, "Next: clclab hint");
    hint_says(&room, " 2", "How?");
    line = str_format(&room.arena, "hint %s 1 4", lab);
    call_fails(&room, line.ptr, CLI_USAGE, "there are 3");
    line = str_format(&room.arena, "hint %s 3", lab);
    call_fails(&room, line.ptr, CLI_USAGE, "last one is " CLI_REGION "(2)");
    line = str_format(&room.arena, "hint %s x", lab);
    call_fails(&room, line.ptr, CLI_USAGE, "\"x\"");
    room_close(&room);
}

TEST_MAIN(TESTCASE(arguments_have_defaults), TESTCASE(arguments_are_stored),
          TESTCASE(each_option_is_stored_where_it_belongs),
          TESTCASE(each_text_is_stored_where_it_belongs),
          TESTCASE(repeated_options_have_a_limit),
          TESTCASE(mistakes_in_arguments_are_named),
          TESTCASE(options_belong_to_commands), TESTCASE(suggestions_are_near),
          TESTCASE(every_option_is_in_the_help),
          TESTCASE(only_regular_files_are_read),
          TESTCASE(files_are_read_up_to_the_limit),
          TESTCASE(output_file_is_whole_or_not_at_all),
          TESTCASE(writing_notices_errors),
          TESTCASE(closed_descriptors_are_kept_taken),
          TESTCASE(folders_have_numbers),
          TESTCASE(course_is_the_one_above_the_program),
          TESTCASE(labs_are_found_by_number_and_folder),
          TESTCASE(commands_without_a_course),
          TESTCASE(unknown_labs_and_bad_files_are_usage),
          TESTCASE(a_size_is_one_of_the_labs_and_of_one_schedule),
          TESTCASE(files_that_are_no_text_are_graded_zero),
          TESTCASE(report_goes_to_a_file),
          TESTCASE(malformed_lab_conf_is_ours_unless_given),
          TESTCASE(lab_that_is_not_built_in_is_ours),
          TESTCASE(list_names_the_labs),
          TESTCASE(hints_come_one_rung_at_a_time),
          TESTCASE(a_hint_without_a_number_goes_one_further))
