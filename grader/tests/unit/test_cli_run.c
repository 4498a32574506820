// SPDX-License-Identifier: Apache-2.0
// clclab run: its command line, --arg against a kernel's parameters, --dump,
// --check; and cli_main on PTX, which needs no compiler, up to the report.
#include "result/rule.h"
#include "tests/unit/run_room.h"

// ---- kernels -------------------------------------------------------------

#define HEAD ".version 9.0\n.target sm_100a\n.address_size 64\n"

// k: out[i] = a + b of the first two words of `in`, in each thread.
static const char ADD[] =
    HEAD ".visible .entry k(.param .u64 .ptr out, .param .u64 .ptr in,\n"
         ".param .u32 a)\n"
         "{\n"
         ".reg .b32 %r<5>; .reg .b64 %l<5>;\n"
         "ld.param.u64 %l0, [out]; ld.param.u64 %l1, [in];\n"
         "ld.param.u32 %r0, [a]; ld.global.u32 %r1, [%l1+4];\n"
         "mov.u32 %r2, %tid.x; mul.wide.u32 %l2, %r2, 4;\n"
         "add.s64 %l0, %l0, %l2; add.s32 %r0, %r0, %r1;\n"
         "st.global.u32 [%l0], %r0;\n"
         "ret;\n"
         "}\n";

// Many kernels: see the tests of names and of arguments.
static const char MANY[] = HEAD
    ".visible .entry _Z5scalePfi(.param .u64 p, .param .u32 n) { ret; }\n"
    ".visible .entry _Z4copyIfEvPT_(.param .u64 p) { ret; }\n"
    ".visible .entry _Z4copyIiEvPT_(.param .u64 p) { ret; }\n"
    ".visible .entry plain(.param .u64 p) { ret; }\n"
    ".visible .entry none() { ret; }\n"
    ".visible .entry clclab_prologue(.param .u64 p) { ret; }\n"
    ".visible .entry all(.param .u64 .ptr p, .param .u8 c,\n"
    "  .param .s16 s, .param .u32 i, .param .f32 f, .param .f64 d,\n"
    "  .param .b32 b, .param .align 4 .b8 q[12], .param .u64 l) { ret; }\n";

// ---- the command line ----------------------------------------------------

TEST(run_has_defaults) {
    Room room = {0};
    Args args;
    Str message;
    CHECK(parse(&room, "k.cu", &args, &message));
    const RunArgs *own = args.own;
    CHECK_INT(own->schedule.schedules, 1);
    CHECK_U64(own->max_steps, UINT64_C(1) << 36);
    CHECK_INT(own->grid[0], 0);
    CHECK_INT(own->cluster[0], 0);
    CHECK(!args.kernel && !own->check && !own->schedule.only.given);
    arena_free(&room.arena);
}

TEST(options_of_run_are_stored) {
    Room room = {0};
    Args args;
    Str message;
    CHECK(parse(&room,
                "--grid 7,6,5 --block=8,4 --cluster 0x2 --arg i32:-1 --arg "
                "buf:4 --dump 1=o --dump 0=p --check CLC --max-steps 0 "
                "--only-schedule 0 --dynamic-smem 1024 --kernel q "
                "--grants in-order k.ptx",
                &args, &message));
    const RunArgs *own = args.own;
    CHECK_INT(own->grid[0] * 100 + own->grid[1] * 10 + own->grid[2], 765);
    CHECK_INT(own->block[0] * 100 + own->block[1] * 10 + own->block[2], 841);
    CHECK_INT(own->cluster[0], 2);
    CHECK_INT(own->arguments.count, 2);
    CHECK(strcmp(own->arguments.items[0], "i32:-1") == 0);
    CHECK_INT(own->dumps.count, 2);
    CHECK_INT(own->dynamic_smem, 1024);
    CHECK_U64(own->max_steps, 0);
    CHECK(own->schedule.only.given && own->schedule.only.value == 0);
    CHECK_INT(own->grants, GRANTS_IN_ORDER);
    CHECK(strcmp(args.kernel, "q") == 0);
    arena_free(&room.arena);
}

TEST(sizes_have_limits) {
    static const char *const wrong[] = {
        "--grid 0",      "--grid 1,",     "--grid ,1",         "--grid 1,1,1,1",
        "--grid x",      "--grid -1",     "--grid 2147483648", "--grid 1,65536",
        "--block 1025",  "--block 33,32", "--block 1,1,65",    "--cluster 17",
        "--cluster 8,4", "--block 0",     "--grid 1x2"};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        Room room = {0};
        Args args;
        Str message;
        if (!CHECK(!parse(&room, wrong[i], &args, &message)))
            printf("# of: %s\n", wrong[i]);
        CHECK_HOLDS(message, wrong[i][2] == 'g'   ? "--grid"
                             : wrong[i][2] == 'b' ? "--block"
                                                  : "--cluster");
        arena_free(&room.arena);
    }
}

// ---- SPEC ----------------------------------------------------------------

TEST(numbers_are_read_exactly) {
    static const struct {
        const char *spec;
        uint64_t bits;
    } right[] = {
        {"i32:-2147483648", UINT64_C(0xffffffff80000000)},
        {"i32:0x7fffffff", 0x7fffffff},
        {"i32:-0x10", UINT64_C(0) - 16},
        {"u32:4294967295", 0xffffffff},
        {"i64:-9223372036854775808", UINT64_C(1) << 63},
        {"i64:9223372036854775807", INT64_MAX},
        {"u64:18446744073709551615", UINT64_MAX},
        {"u64:0xffffffffffffffff", UINT64_MAX},
        {"f32:1.5", 0x3fc00000},
        {"f32:-0", 0x80000000},
        {"f32:inf", 0x7f800000},
        {"f32:0x1.8p0", 0x3fc00000},
        {"f32:0f7fc00001", 0x7fc00001},
        {"f64:-1e-3", UINT64_C(0xbf50624dd2f1a9fc)},
        {"f64:0d3ff0000000000000", UINT64_C(0x3ff0000000000000)},
    };
    Room room;
    room_open(&room);
    for (size_t i = 0; i < COUNT_OF(right); i++) {
        Cli cli = {0};
        RunArguments arguments;
        char line[64];
        snprintf(line, sizeof line, "k.cu --arg %s", right[i].spec);
        CHECK_INT(read_specs(&room, &cli, line, &arguments), 0);
        if (!CHECK_U64(arguments.items[0].bits, right[i].bits))
            printf("# of: %s\n", right[i].spec);
        arena_free(&cli.arena);
    }
    room_close(&room);
}

TEST(numbers_that_do_not_fit_are_refused) {
    static const char *const wrong[] = {
        "i32:2147483648",
        "i32:-2147483649",
        "i32:",
        "i32:1x",
        "i32:+1",
        "i32:--1",
        "i32",
        "u32:-1",
        "u32:4294967296",
        "i64:9223372036854775808",
        "u64:18446744073709551616",
        "f32:1e39",
        "f32:",
        "f32:1.5x",
        "f32:0x3f800000",
        "f32:0f3f80000",
        "f64:1e999",
        "f64:x",
        "i7:1",
        "i8:128",
        "u16:-1",
        "f16:1e6",
        "buf:",
        "buf:-1",
        "buf:4:",
        "buf:4:random",
        "buf:4:random:",
        "buf:4:random:x",
        "buf:4:file=",
        "buf:4:iota",
        "buf:4:same:",
        "buf:4:zero:same",
        "buf:4:same:any",
        "buf:4:close=",
        "buf:4:close=x",
        "buf:4:close=-1",
        "buf:4:close=nan",
        "buf:4:close=inf:zero",
        "buf:99999999999999",
        "buf:18446744073709551616",
        "buf:2147483649",
        "buf:4:zero:f99",
        "buf:4:close=1:iota:i32",
        "buf:iota:f32",
        "buf:8:[f32:1,2,3]",
        "buf:[]",
        "[1,2]",
        "[f32:1,2",
        "[f32:1,2]x",
        "[f32:1;2]",
        "struct:{}",
        "struct:{f32:1]",
        "struct:f32:1",
        "struct:{buf:4:close=1:i32}",
        "[[[[[[[[[[[[[[[[[i8:1]]]]]]]]]]]]]]]]]",
        "fn:",
        "tensormap:x",
        "bytes:",
        "bytes:1",
        "bytes:0g",
        "",
        ":",
    };
    Room room;
    room_open(&room);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        Cli cli = {0};
        RunArguments arguments;
        char line[64];
        snprintf(line, sizeof line, "k.cu --arg=%s", wrong[i]);
        if (!CHECK_INT(read_specs(&room, &cli, line, &arguments), CLI_USAGE))
            printf("# of: %s\n", wrong[i]);
        arena_free(&cli.arena);
    }
    room_close(&room);
}

TEST(buffers_have_fills_and_files) {
    Room room;
    room_open(&room);
    put("in:a.bin", STR("abcd"));
    Cli cli = {0};
    RunArguments all;
    CHECK_INT(read_specs(&room, &cli,
                         "k.cu --arg buf:8 --arg buf:0x8:zero --arg "
                         "buf:8:iota32 --arg buf:8:random:0x11 --arg "
                         "buf:4:file=in:a.bin --arg bytes:01fF",
                         &all),
              0);
    CHECK_INT(all.items[0].launch.fill, FILL_ZERO);
    CHECK_INT(all.items[1].launch.size, 8);
    CHECK_INT(all.items[2].launch.fill, FILL_IOTA);
    CHECK_INT(all.items[3].launch.fill, FILL_RANDOM);
    CHECK_U64(all.items[3].launch.seed, 17);
    CHECK_INT(memcmp(all.items[4].launch.bytes, "abcd", 4), 0);
    CHECK_INT(all.items[5].launch.size, 2);
    CHECK_INT(all.items[5].launch.bytes[1], 0xff);
    arena_free(&cli.arena);
    room_close(&room);
}

TEST(buffers_may_depend_on_the_schedule_or_not) {
    Room room;
    room_open(&room);
    put("in", STR("abcd"));
    Cli cli = {0};
    RunArguments all;
    CHECK_INT(read_specs(&room, &cli,
                         "k.cu --arg buf:8 --arg buf:8:same --arg "
                         "buf:8:any:iota32 --arg buf:8:close=1e-5:random:3 "
                         "--arg buf:4:same:file=in",
                         &all),
              0);
    CHECK_INT(all.items[0].launch.output, OUTPUT_TOLD);
    CHECK_INT(all.items[1].launch.output, OUTPUT_SAME);
    CHECK_INT(all.items[1].launch.fill, FILL_ZERO);
    CHECK_INT(all.items[2].launch.output, OUTPUT_ANY);
    CHECK_INT(all.items[2].launch.fill, FILL_IOTA);
    CHECK_INT(all.items[3].launch.output, OUTPUT_CLOSE);
    CHECK(all.items[3].launch.tolerance == 1e-5);
    CHECK_INT(all.items[3].launch.fill, FILL_RANDOM);
    CHECK_U64(all.items[3].launch.seed, 3);
    CHECK_INT(all.items[4].launch.output, OUTPUT_SAME);
    CHECK_INT(memcmp(all.items[4].launch.bytes, "abcd", 4), 0);
    arena_free(&cli.arena);
    room_close(&room);
}

TEST(buffers_of_too_many_bytes_in_all) {
    Room room;
    room_open(&room);
    put("k.ptx", STR(MANY));
    run_fails(&room,
              "k.ptx" SIZE "--kernel plain --arg buf:2000000000 --arg "
              "buf:2000000000",
              2, "2 GiB");
    room_close(&room);
}

TEST(files_of_another_size_or_kind) {
    Room room;
    room_open(&room);
    put("k.ptx", STR(MANY));
    put("five", STR("12345"));
    run_fails(&room, "k.ptx" SIZE "--arg buf:4:file=five", 2, "more than 4");
    run_fails(&room, "k.ptx" SIZE "--arg buf:6:file=five", 2, "has 5 bytes");
    run_fails(&room, "k.ptx" SIZE "--arg buf:6:file=six", 2, "six");
    run_fails(&room, "k.ptx" SIZE "--arg buf:6:file=.", 2, "directory");
    run_fails(&room, "k.ptx" SIZE "--arg buf:6:file=/dev/zero", 2, "regular");
    room_close(&room);
}

// ---- kernels by name -----------------------------------------------------

TEST(a_kernel_is_found_by_its_name_or_by_its_plain_name) {
    Room room;
    room_open(&room);
    put("k.ptx", STR(MANY));
    static const struct {
        const char *name, *args, *found;
    } right[] = {
        {"plain", "--arg u64:0", "Kernel plain\n"},
        {"scale", "--arg buf:4 --arg i32:1", "Kernel _Z5scalePfi\n"},
        {"_Z5scalePfi", "--arg buf:4 --arg i32:1", "Kernel _Z5scalePfi\n"},
        {"none", "", "Kernel none\n"},
        {"clclab_prologue", "--arg buf:4", "Kernel clclab_prologue\n"},
    };
    for (size_t i = 0; i < COUNT_OF(right); i++) {
        char line[128];
        snprintf(line, sizeof line, "k.ptx" SIZE "--kernel %s %s",
                 right[i].name, right[i].args);
        call_run(&room, line);
        CHECK_INT(room.code, 0);
        CHECK_HOLDS(room.out, right[i].found);
    }
    run_fails(&room, "k.ptx" SIZE, 2, "--kernel: scale, ");
    run_fails(&room, "k.ptx" SIZE "--kernel copy", 2,
              "--kernel: copy<float>, copy<int>");
    run_fails(&room, "k.ptx" SIZE "--kernel plane", 2, "did you mean plain?");
    run_fails(&room, "k.ptx" SIZE "--kernel cale", 2, "did you mean scale?");
    room_close(&room);
}

TEST(the_only_kernel_needs_no_name) {
    Room room;
    room_open(&room);
    put("k.ptx", STR(ADD));
    call_run(&room, "k.ptx" SIZE "--arg buf:16 --arg buf:8:iota32 --arg i32:41 "
                    "--dump 0=o.bin");
    CHECK_INT(room.code, 0);
    CHECK_HOLDS(room.out, "Clean");
    Str out = get(&room.arena, "o.bin");
    CHECK_INT(out.len, 16);
    CHECK_INT(out.ptr[0], 42);
    CHECK_INT(out.ptr[12], 42);
    put("none.ptx", STR(HEAD ".visible .func f() { ret; }\n"));
    run_fails(&room, "none.ptx" SIZE, 2, "no kernel");
    room_close(&room);
}

// ---- arguments against parameters ----------------------------------------

TEST(arguments_are_checked_against_the_parameters) {
    static const char *const right[9] = {
        "buf:4", "i32:-128", "u32:65535", "i32:1",
        "f32:1", "f64:1",    "f32:1",     "bytes:0102030405060708090a0b0c",
        "i64:-1"};
    static const struct {
        int index;
        const char *spec;
        bool fits;
    } cases[] = {
        {0, "u64:0", true},       {0, "i32:0", false},
        {0, "f64:0", false},      {1, "u32:255", true},
        {1, "u32:256", false},    {1, "i32:-129", false},
        {1, "buf:1", false},      {1, "bytes:7f", true},
        {2, "i32:-32768", true},  {2, "i32:65536", false},
        {2, "f32:1", false},      {3, "u32:1", true},
        {3, "f32:1", false},      {3, "i64:1", false},
        {3, "bytes:01", false},   {3, "bytes:01000000", true},
        {4, "i32:1", false},      {4, "f64:1", false},
        {5, "f32:1", false},      {5, "u64:1", false},
        {5, "buf:8", false},      {6, "u32:1", true},
        {7, "bytes:0102", false}, {7, "buf:12", false},
        {8, "buf:0", true},       {8, "f64:1", false},
    };
    Room room;
    room_open(&room);
    put("k.ptx", STR(MANY));
    for (size_t i = 0; i <= COUNT_OF(cases); i++) {
        char line[512] = "k.ptx" SIZE "--kernel all";
        for (int k = 0; k < 9; k++) {
            bool other = i < COUNT_OF(cases) && cases[i].index == k;
            strcat(strcat(line, " --arg "), other ? cases[i].spec : right[k]);
        }
        call_run(&room, line);
        bool fits = i == COUNT_OF(cases) || cases[i].fits;
        if (!CHECK_INT(room.code, fits ? 0 : 2))
            printf("# of: %s\n", line);
        if (!fits)
            CHECK_HOLDS(room.err, "does not fit");
    }
    room_close(&room);
}

TEST(what_a_parameter_takes_is_said) {
    static const struct {
        const char *type, *takes;
    } cases[] = {
        {".u64 .ptr p", "of 8 bytes; it takes buf:BYTES (or u64:ADDRESS)"},
        {".u64 p", "of 8 bytes; it takes buf:BYTES, i64:V or u64:V"},
        {".s32 p", "of 4 bytes; it takes i32:V or u32:V"},
        {".u16 p", "it takes i32:V or u32:V that fits in 2 bytes"},
        {".u8 p", "it takes i32:V or u32:V that fits in 1 byte"},
        {".f64 p", "of 8 bytes; it takes f64:V"},
        {".f32 p", "of 4 bytes; it takes f32:V"},
        {".align 4 .b8 p[12]",
         "it takes bytes:HEX (or struct:{...}, [...]) of 12 bytes"},
        {".align 64 .b8 p[128]",
         "it takes a tensor map (CUtensorMap), which clclab run cannot make "
         "yet"},
    };
    Room room;
    room_open(&room);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        put("k.ptx", str_format(&room.arena,
                                HEAD ".visible .entry k(.param %s) { ret; }\n",
                                cases[i].type));
        call_run(&room, "k.ptx" SIZE "--arg bytes:010203");
        CHECK_INT(room.code, CLI_USAGE);
        Str whole = str_format(&room.arena, "%s\n", cases[i].takes);
        if (!CHECK_HOLDS(room.err, whole.ptr))
            printf("# of: %s\n", cases[i].type);
    }
    put("k.ptx", STR(MANY));
    run_fails(&room, "k.ptx" SIZE "--kernel all --arg buf:4", 2,
              "takes 9 arguments, and 1 is given; it may be --arg buf:BYTES "
              "--arg i32:V --arg i32:V --arg i32:V --arg f32:V --arg f64:V "
              "--arg i32:V --arg bytes:HEX --arg buf:BYTES");
    room_close(&room);
}

// ---- --dump --------------------------------------------------------------

TEST(dumps_are_checked_before_anything_runs) {
    static const struct {
        const char *dump, *part;
    } wrong[] = {
        {"--dump 3=o", "not there"},
        {"--dump 2=o", "no buffer"},
        {"--dump o", "K=PATH"},
        {"--dump 0=", "K=PATH"},
        {"--dump =o", "K=PATH"},
        {"--dump 0=o --dump 0=p", "already, to o"},
        {"--dump 0=o --dump 1=o", "--arg 0 goes to that file"},
        {"--dump 0=o --out o", "report"},
    };
    Room room;
    room_open(&room);
    put("k.ptx", STR(ADD));
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        char line[128];
        snprintf(line, sizeof line,
                 "k.ptx" SIZE "--arg buf:16 --arg buf:8 --arg i32:1 %s",
                 wrong[i].dump);
        run_fails(&room, line, 2, wrong[i].part);
    }
    CHECK(!file_exists("o"));
    room_close(&room);
}

TEST(a_dump_that_fails_loses_nothing_else) {
    Room room;
    room_open(&room);
    put("k.ptx", STR(ADD));
    call_run(&room, "k.ptx" SIZE "--arg buf:16 --arg buf:8 --arg i32:1 --dump "
                    "0=no/such/o --dump 1=p");
    CHECK_INT(room.code, 2);
    CHECK_HOLDS(room.err, "no/such/o");
    CHECK_HOLDS(room.out, "Clean");
    CHECK_INT(get(&room.arena, "p").len, 8);
    CHECK_INT(mkdir("d", 0700), 0);
    call_run(&room,
             "k.ptx" SIZE "--arg buf:16 --arg buf:8 --arg i32:1 --dump 0=d");
    CHECK_INT(room.code, 2);
    CHECK_HOLDS(room.err, "not a regular file");
    room_close(&room);
}

// ---- --check, schedules --------------------------------------------------

static void read_checks(Room *room, const char *line, int code,
                        uint64_t *unchecked, LaunchCompare *compare) {
    Cli cli = {0};
    Str message;
    CHECK(parse(room, line, &cli.args, &message));
    CHECK_INT(run_read_check_list(&cli, "run", run_own(&cli)->check, unchecked,
                                  compare),
              code);
    arena_free(&cli.arena);
}

TEST(lists_of_rules) {
    Room room = {0};
    uint64_t unchecked;
    LaunchCompare compare;
    read_checks(&room, "k.cu", 0, &unchecked, &compare);
    CHECK(unchecked == 0 && compare == COMPARE_TELL);
    read_checks(&room, "k.cu --check all", 0, &unchecked, &compare);
    CHECK(unchecked == 0 && compare == COMPARE_TELL);
    read_checks(&room, "k.cu --check none", 0, &unchecked, &compare);
    CHECK(unchecked == UINT64_MAX && compare == COMPARE_NONE);
    read_checks(&room, "k.cu --check MEM001,deadlock", 0, &unchecked, &compare);
    CHECK_U64(~unchecked, UINT64_C(1) << RULE_MEM001 | UINT64_C(1)
                                                           << RULE_DEADLOCK);
    CHECK_INT(compare, COMPARE_NONE);
    read_checks(&room, "k.cu --check RACE,OUTPUT", 0, &unchecked, &compare);
    CHECK_U64(~unchecked, UINT64_C(1) << RULE_RACE001 | UINT64_C(1)
                                                            << RULE_RACE002);
    CHECK_INT(compare, COMPARE_DEMAND);
    read_checks(&room, "k.cu --check CLC", 0, &unchecked, &compare);
    CHECK_INT(__builtin_popcountll(~unchecked), 11);
    arena_free(&room.arena);
}

TEST(rules_that_do_not_exist) {
    Room room;
    room_open(&room);
    put("k.ptx", STR(MANY));
    run_fails(&room, "k.ptx" SIZE "--kernel none --check CLC099", 2,
              "did you mean CLC009?");
    run_fails(&room, "k.ptx" SIZE "--kernel none --check RAEC", 2, "RACE");
    run_fails(&room, "k.ptx" SIZE "--kernel none --check CLC,", 2, "no rule");
    run_fails(&room, "k.ptx" SIZE "--kernel none --check CLC,none", 2, "alone");
    run_fails(&room, "k.ptx" SIZE "--kernel none --check C", 2, "\"C\"");
    room_close(&room);
}

TEST(what_a_launch_needs) {
    Room room;
    room_open(&room);
    put("k.ptx", STR(MANY));
    put("k.txt", STR(MANY));
    run_fails(&room, "k.ptx --grid 1 --kernel none", 2, "--block");
    run_fails(&room, "k.ptx --block 1 --kernel none", 2, "--grid");
    run_fails(&room, "k.txt" SIZE, 2, ".cu nor a .ptx");
    run_fails(&room, "no.ptx" SIZE, 2, "no.ptx");
    run_fails(&room, "k.ptx" SIZE "--kernel none --device gpu", 69, "GPU");
    run_fails(&room, "k.ptx" SIZE "--kernel none --gpu-model h100", 2, "h100");
    run_fails(&room,
              "k.ptx" SIZE "--kernel none --only-schedule 1 --schedules 2", 2,
              "--only-schedule");
    run_fails(&room, "k.ptx --grid 3 --block 1 --cluster 2 --kernel none", 2,
              "multiple of the cluster");
    run_fails(&room, "k.ptx" SIZE "--kernel none --dynamic-smem 400000", 2,
              "shared memory");
    room_close(&room);
}

// ---- reports -------------------------------------------------------------

TEST(ptx_without_line_information_is_its_own_source) {
    Room room;
    room_open(&room);
    put("k.ptx", STR(ADD));
    call_run(&room, "k.ptx" SIZE "--arg buf:12 --arg buf:8 --arg i32:1");
    CHECK_INT(room.code, 1);
    CHECK_HOLDS(room.out, "k.ptx:12: error: Thread 3 of block 0 writes");
    CHECK_HOLDS(room.out, "    12 | st.global.u32 [%l0], %r0;");
    CHECK_HOLDS(room.out, "clclab run k.ptx --grid 1 --block 4 --arg buf:12");
    room_close(&room);
}

TEST(ptx_that_is_malformed_is_shown_with_a_caret) {
    Room room;
    room_open(&room);
    put("k.ptx", STR(HEAD ".visible .entry k() { rot; }\n"));
    call_run(&room, "k.ptx" SIZE);
    CHECK_INT(room.code, 1);
    CHECK_HOLDS(room.out, "k.ptx:4:23: error:");
    CHECK_HOLDS(room.out, "^");
    put("k.ptx", STR(""));
    call_run(&room, "k.ptx" SIZE);
    CHECK_INT(room.code, 1);
    CHECK_HOLDS(room.out, "empty");
    put("k.ptx", ((Str){"a\0b", 3}));
    call_run(&room, "k.ptx" SIZE);
    CHECK_INT(room.code, 1);
    CHECK_HOLDS(room.out, "NUL");
    room_close(&room);
}

TEST(an_instruction_that_is_not_there_is_ours) {
    Room room;
    room_open(&room);
    put("k.ptx", STR(HEAD ".visible .entry k() {\n"
                          "wgmma.fence.sync.aligned; ret; }\n"));
    call_run(&room, "k.ptx" SIZE "--schedules 3");
    CHECK_INT(room.code, 70);
    CHECK_HOLDS(room.out, "k.ptx:5: not supported:");
    CHECK_HOLDS(room.out, "the other 2 were not tried");
    room_close(&room);
}

TEST(endless_kernels_end_at_max_steps) {
    Room room;
    room_open(&room);
    put("k.ptx", STR(HEAD ".visible .entry k() { .reg .b32 %r1;\n"
                          "again: mad.lo.u32 %r1, %r1, 3, 1; bra again; }\n"));
    call_run(&room, "k.ptx" SIZE "--max-steps 5000 --schedules 9");
    CHECK_INT(room.code, 1);
    CHECK_HOLDS(room.out, "[LIMIT]");
    CHECK_HOLDS(room.out, "--max-steps 5000");
    CHECK_HOLDS(room.out, "the other 8 were not tried");
    room_close(&room);
}

TEST(the_report_goes_where_it_is_asked_to) {
    Room room;
    room_open(&room);
    put("k.ptx", STR(MANY));
    call_run(&room, "k.ptx" SIZE "--kernel none --format json --out r.json "
                    "--no-time");
    CHECK_INT(room.code, 0);
    CHECK_STR(room.out, "");
    CHECK_HOLDS(get(&room.arena, "r.json"), "\"schema\": \"clclab/run/v1\"");
    CHECK_HOLDS(get(&room.arena, "r.json"), "\"elapsed_ms\": 0,");
    room_close(&room);
}

TEST(a_replay_command_can_be_typed) {
    Room room;
    room_open(&room);
    put("-a.ptx", STR(ADD));
    call_run(&room,
             "--arg buf:12 --arg buf:8 --arg i32:1 --grid 1 --block 4,1,1 "
             "--check MEM --grants in-order --gpu-model b200 -- -a.ptx");
    CHECK_INT(room.code, 1);
    CHECK_HOLDS(room.out, "clclab run ./-a.ptx --grid 1 --block 4 --arg buf:12 "
                          "--arg buf:8 \\\n            --arg i32:1 --check MEM "
                          "--grants in-order --gpu-model b200");
    room_close(&room);
}

TEST(a_replay_command_is_quoted_for_a_shell) {
    Room room;
    room_open(&room);
    put("it's.ptx", STR(HEAD ".visible .entry k$1(.param .u64 p) {\n"
                             ".reg .b64 %l<1>; ld.param.u64 %l0, [p];\n"
                             "st.global.u32 [%l0+4], 0; ret; }\n"));
    call_run(&room, "it's.ptx --grid 2,1,3 --block 4,2 --kernel k$1 --arg "
                    "buf:4 --no-time --format json --check MEM");
    CHECK_INT(room.code, 1);
    // In JSON each backslash is two.
    CHECK_HOLDS(room.out, "\"clclab run 'it'\\\\''s.ptx' --kernel 'k$1' "
                          "--grid 2,1,3 --block 4,2 --arg buf:4 --check MEM");
    room_close(&room);
}

// Each of them alone asks for modelled time, which only the virtual machine
// has.
TEST(figures_and_a_prologue_ask_for_modelled_time) {
    static const char *const options[] = {"--time-model", "--time-set grant=1",
                                          "--prologue f"};
    Room room;
    room_open(&room);
    put("k.ptx", STR(MANY));
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        Str line = str_format(&room.arena, "k.ptx" SIZE "--kernel none %s",
                              options[i]);
        run_fails(&room,
                  str_format(&room.arena, "%s --device gpu", line.ptr).ptr, 2,
                  "need --device vm");
    }
    run_fails(&room, "k.ptx" SIZE "--kernel none --time-set nonsense=1", 2,
              "run: --time-set: ");
    run_fails(&room, "k.ptx" SIZE "--kernel none --prologue f", 2,
              "there is no function \"f\"");
    room_close(&room);
}

// The name as PTX has it, or the plain one, if that is only one function's.
TEST(a_prologue_is_found_by_its_name_or_by_its_plain_name) {
    Room room;
    room_open(&room);
    put("k.ptx", STR(HEAD ".func f() { ret; }\n.func _Z1fv() { ret; }\n"
                          ".func _Z1gv() { ret; }\n.func _Z1gi() { ret; }\n"
                          ".func _Z4onlyv() { ret; }\n"
                          ".visible .entry k() { ret; }\n"));
    static const char *const found[] = {"f", "_Z1fv", "_Z1gi", "only"};
    for (size_t i = 0; i < COUNT_OF(found); i++) {
        call_run(&room,
                 str_format(&room.arena, "k.ptx" SIZE "--prologue %s", found[i])
                     .ptr);
        if (!CHECK_INT(room.code, 0))
            printf("# of: %s\n", found[i]);
    }
    run_fails(&room, "k.ptx" SIZE "--prologue g", 2,
              "several functions are named \"g\"; give its name");
    run_fails(&room, "k.ptx" SIZE "--prologue k", 2, "no function \"k\"");
    room_close(&room);
}

TEST_MAIN(TESTCASE(run_has_defaults), TESTCASE(options_of_run_are_stored),
          TESTCASE(sizes_have_limits), TESTCASE(numbers_are_read_exactly),
          TESTCASE(numbers_that_do_not_fit_are_refused),
          TESTCASE(buffers_have_fills_and_files),
          TESTCASE(buffers_may_depend_on_the_schedule_or_not),
          TESTCASE(buffers_of_too_many_bytes_in_all),
          TESTCASE(files_of_another_size_or_kind),
          TESTCASE(a_kernel_is_found_by_its_name_or_by_its_plain_name),
          TESTCASE(the_only_kernel_needs_no_name),
          TESTCASE(arguments_are_checked_against_the_parameters),
          TESTCASE(what_a_parameter_takes_is_said),
          TESTCASE(dumps_are_checked_before_anything_runs),
          TESTCASE(a_dump_that_fails_loses_nothing_else),
          TESTCASE(lists_of_rules), TESTCASE(rules_that_do_not_exist),
          TESTCASE(what_a_launch_needs),
          TESTCASE(ptx_without_line_information_is_its_own_source),
          TESTCASE(ptx_that_is_malformed_is_shown_with_a_caret),
          TESTCASE(an_instruction_that_is_not_there_is_ours),
          TESTCASE(endless_kernels_end_at_max_steps),
          TESTCASE(the_report_goes_where_it_is_asked_to),
          TESTCASE(a_replay_command_can_be_typed),
          TESTCASE(a_replay_command_is_quoted_for_a_shell),
          TESTCASE(figures_and_a_prologue_ask_for_modelled_time),
          TESTCASE(a_prologue_is_found_by_its_name_or_by_its_plain_name))
