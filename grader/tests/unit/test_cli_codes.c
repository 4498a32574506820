// SPDX-License-Identifier: Apache-2.0
// The exit codes that the man page documents, of `clclab run` from all of their
// causes and of the other commands before they have a course or a file: what
// the virtual machine finds, what the command line lacks, what a GPU (the fake
// driver) cannot do now, or never.
#include "tests/unit/cli_room.h"
#include "tests/unit/fakecuda.h"

#define KERNEL(body)                                        \
    ".version 7.8\n.target sm_90\n.address_size 64\n"       \
    ".visible .entry k(.param .u64 out)\n{\n"               \
    ".reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %l<3>;\n" \
    "ld.param.u64 %l0, [out]; mov.u32 %r0, %tid.x;\n" body "\nret;\n}\n"

static const struct {
    const char *name, *text;
} FILES[] = {
    {"right.ptx", KERNEL("st.global.u32 [%l0], 7;")},
    {"race.ptx", KERNEL("st.global.u32 [%l0], %r0;")},
    {"outside.ptx", KERNEL("st.global.u32 [%l0+4096], 7;")},
    {"lacks.ptx", KERNEL("cvt.rn.f32.u32 %r1, %r0; sin.f32 %r1, %r1;")},
    {"broken.ptx", ".version 7.8\n.target sm_90\n.address_size 64\n{"},
    {"two.ptx", KERNEL("ret;") ".visible .entry other() { ret; }\n"},
};

static void put_files(void) {
    for (size_t i = 0; i < COUNT_OF(FILES); i++)
        put(FILES[i].name, str_from(FILES[i].text));
}

typedef struct Call {
    const char *line; // behind "run "
    int code;
    const char *part; // of what is said, in either output
} Call;

static void check_call(Room *room, const Call *c) {
    call(room, str_format(&room->arena, "run %s%c", c->line, '\0').ptr);
    bool said = test_holds(room->out, str_from(c->part)) ||
                test_holds(room->err, str_from(c->part));
    if (!CHECK_INT(room->code, c->code) || !CHECK(said))
        printf("# of: %s\n# %.*s\n# %.300s\n", c->line, STR_ARG(room->err),
               room->out.len ? room->out.ptr : "");
}

#define SIZE " --grid 1 --block 64 --arg buf:64 --device vm"

TEST(what_the_virtual_machine_finds_has_a_code) {
    static const Call calls[] = {
        {"right.ptx --grid 1 --block 1 --arg buf:64 --device vm", 0, "Counted"},
        {"race.ptx" SIZE, 1, "RACE001"},
        {"race.ptx" SIZE " --check MEM", 0, "Counted"},
        {"outside.ptx" SIZE, 1, "MEM001"},
        {"right.ptx" SIZE " --max-steps 1", 1, "LIMIT"},
        {"lacks.ptx" SIZE, 70, "UNSUPPORTED"},
        {"broken.ptx" SIZE, 1, "broken.ptx"},
    };
    Room room;
    room_open(&room);
    put_files();
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        check_call(&room, &calls[i]);
    room_close(&room);
}

TEST(what_is_wrong_with_the_command_is_usage) {
    static const Call calls[] = {
        {"none.ptx" SIZE, 2, "none.ptx"},
        {"right.ptx" SIZE " --no-such-option", 2, "--no-such-option"},
        {"right.ptx" SIZE " --seed x", 2, "--seed"},
        {"right.ptx --block 64 --arg buf:64 --device vm", 2, "--grid"},
        {"right.ptx --grid 1 --block 64 --device vm", 2, "--arg"},
        {"right.ptx" SIZE " --arg buf:64", 2, "argument"},
        {"right.ptx" SIZE " --kernel other", 2, "other"},
        {"right.ptx" SIZE " --check NONE001", 2, "NONE001"},
        {"right.ptx" SIZE " --switches 3", 2, "--only-schedule"},
        {"right.ptx --grid 1 --block 2048 --arg buf:64 --device vm", 2, "1024"},
        {"right.ptx --grid 3 --block 1 --cluster 2 --arg buf:64 --device vm", 2,
         "cluster"},
        {"right.ptx" SIZE " --dump 0=none/file", 2, "none/file"},
        {"two.ptx" SIZE, 2, "--kernel"},
    };
    Room room;
    room_open(&room);
    put_files();
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        check_call(&room, &calls[i]);
    room_close(&room);
}

// ---- what is not there, and what passes ----------------------------------

TEST(what_the_machine_lacks_is_no_mistake) {
    Room room;
    room_open(&room);
    put_files();
    put("k.cu", STR("__global__ void k(int *out) { *out = 7; }\n"));
    setenv("CLCLAB_TOOLKIT", "/nonexistent", 1);
    check_call(&room, &(Call){"k.cu" SIZE, 69, "toolkit"});
    check_call(&room, &(Call){"right.ptx --grid 1 --block 1 --arg buf:64 "
                              "--device gpu",
                              69, "--device vm"});
    room_close(&room);
}

// What nobody can write says nothing about the file.
TEST(a_report_that_finds_no_room_can_be_tried_again) {
    Room room;
    room_open(&room);
    put_files();
    char *argv[16] = {(char *)"clclab"};
    int argc = 1 + split(&room, "run right.ptx" SIZE, argv + 1, 15);
    fflush(stdout);
    int saved = dup(1), full = open("/dev/full", O_WRONLY);
    CHECK(full >= 0 && dup2(full, 1) == 1);
    int code = cli_main(room.program, argc, argv);
    dup2(saved, 1);
    CHECK_INT(code, 75);
    room_close(&room);
}

// ---- other commands ------------------------------------------------------

// Outside a course, without a toolkit and a GPU.
TEST(each_command_tells_what_is_wrong_from_what_is_not_there) {
    static const struct {
        const char *line;
        int code;
    } calls[] = {
        {"--version", 0},
        {"--help", 0},
        {"explain", 0},
        {"explain CLC006", 0},
        {"completion bash", 0},
        {"", 2},
        {"nope", 2},
        {"explain CLC999", 2},
        {"completion tcsh", 2},
        {"run", 2},
        {"exec", 2},
        {"exec ./none", 2},
        {"ptx none.cu", 2},
        {"verify none.json", 2},
        {"batch 4 none", 2},
        {"grade 4 --seed", 2},
        {"list", 69},
        {"grade 4 none.cu", 69},
        {"hint 4", 69},
        {"quiz 4", 69},
        {"clinic", 69},
        {"compare", 69},
        {"debug", 69},
        {"reset 4", 69},
    };
    Room room;
    room_open(&room);
    setenv("CLCLAB_TOOLKIT", "/nonexistent", 1);
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        call(&room, calls[i].line);
        bool tells = calls[i].code ? room.err.len > 0 : room.err.len == 0;
        if (!CHECK_INT(room.code, calls[i].code) || !CHECK(tells))
            printf("# of: %s\n# %.*s\n", calls[i].line, STR_ARG(room.err));
    }
    room_close(&room);
}

// ---- a GPU ---------------------------------------------------------------

TEST(what_a_gpu_does_has_a_code) {
    static const struct {
        const char *driver;
        int code;
        const char *part;
    } cases[] = {
        {"", 0, "On the GPU"},
        {"fault=700", 1, "MEM001"},
        {"fault=719", 1, "FAULT"},
        {"devices=0", 69, "--device vm"},
        {"fail=cuInit:100", 69, "--device vm"},
        {"cc=7.0", 69, "sm_70"},
        {"fail=cuModuleLoadDataEx:209", 69, "older than the toolkit"},
        {"fail=cuModuleLoadDataEx:218", 70, "not the kernel's fault"},
        {"fail=cuMemcpyDtoH_v2:999", 70, "not the kernel's fault"},
        {"fail=cuMemAlloc_v2:1", 70, "not the kernel's fault"},
        {"fail=cuMemAlloc_v2:2", 75, "try again later"},
    };
    Room room;
    room_open(&room);
    put_files();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        use_fake_cuda(&room.arena, cases[i].driver);
        check_call(&room, &(Call){"right.ptx --grid 1 --block 1 --arg buf:64 "
                                  "--device gpu",
                                  cases[i].code, cases[i].part});
    }
    room_close(&room);
}

TEST_MAIN(TESTCASE(what_the_virtual_machine_finds_has_a_code),
          TESTCASE(what_is_wrong_with_the_command_is_usage),
          TESTCASE(what_the_machine_lacks_is_no_mistake),
          TESTCASE(a_report_that_finds_no_room_can_be_tried_again),
          TESTCASE(each_command_tells_what_is_wrong_from_what_is_not_there),
          TESTCASE(what_a_gpu_does_has_a_code))
