// SPDX-License-Identifier: Apache-2.0
// runtime/: what a kernel does wrong, and what every call says then; what
// kernels print; what the options of clclab exec leave out, and its other
// schedules; children of the program.
#include "tests/unit/cuda_program.h"

// ---- what a kernel does wrong ----------------------------------------------

// The launch itself is no error; what comes next is, for ever.
static void check_fault(Program *p, const char *name, void *at,
                        cudaError_t error, const char *code) {
    void *args[] = {&at, &at};
    void *memory;
    CUfunction count = program_kernel(p, "count");
    CHECK_INT(program_launch(p, name, 1, args), cudaSuccess);
    CHECK_INT(cudaDeviceSynchronize(), error);
    CHECK_INT(cudaDeviceSynchronize(), error);
    CHECK_INT(cudaMalloc(&memory, 4), error);
    CHECK_INT(cudaGetLastError(), error);
    CHECK_INT(cudaGetLastError(), error);
    CHECK_INT(cudaLaunchKernel(count, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0,
                               NULL),
              error);
    ExecResult told = program_told(p);
    CHECK_STR(told.findings[0].cause.code, code);
    CHECK_STR(told.findings[0].kernel, name);
    CHECK_U64(told.launches, 1);
}

TEST(a_wild_address_ends_all) {
    Program p = program_begin();
    check_fault(&p, "add", (void *)(uintptr_t)0x10, cudaErrorIllegalAddress,
                "MEM001");
}

TEST(a_pointer_of_the_host_is_known_as_one) {
    Program p = program_begin();
    uint32_t local = 0;
    check_fault(&p, "add", &local, cudaErrorIllegalAddress, "MEM001");
    CHECK_HOLDS(program_told(&p).findings[0].cause.help, "host");
}

TEST(a_misaligned_address_ends_all) {
    Program p = program_begin();
    const uint32_t words[2] = {0};
    char *memory = program_words(words, 2);
    check_fault(&p, "add", memory + 2, cudaErrorMisalignedAddress, "MEM002");
}

TEST(a_trap_ends_all) {
    Program p = program_begin();
    check_fault(&p, "traps", NULL, cudaErrorLaunchFailure, "TRAP");
}

TEST(a_kernel_without_an_end_is_ended) {
    Program p = program_begin();
    check_fault(&p, "spins", NULL, cudaErrorLaunchTimeout, "LIMIT");
    CHECK(!program_told(&p).findings[0].is_ours);
}

// It may be a right one: the machine is slower than a card.
TEST(a_kernel_of_too_many_steps_is_ended) {
    setenv("CLCLAB_EXEC_STEPS", "1000", 1);
    Program p = program_begin();
    check_fault(&p, "lasts", NULL, cudaErrorLaunchTimeout, "LIMIT");
    CHECK(program_told(&p).findings[0].is_ours);
}

TEST(a_finding_is_told_once_and_counted) {
    Program p = program_begin();
    void *memory, *args[] = {&memory};
    dim3 grid = {3, 2, 1}, block = {1, 1, 1};
    for (int i = 0; i < 3; i++) {
        cudaMalloc(&memory, 4);
        CHECK_INT(cudaLaunchKernel(program_kernel(&p, "decides"), grid, block,
                                   args, 0, NULL),
                  cudaSuccess);
        if (i == 0)
            CHECK_INT(program_launch(&p, "count", 1, NULL), cudaSuccess);
    }
    ExecResult told = program_told(&p);
    CHECK_U64(told.finding_count, 1);
    CHECK_U64(told.findings[0].launch, 1);
    CHECK_U64(told.findings[0].launches, 3);
    CHECK_U64(told.findings[0].schedule, 0);
    CHECK_STR(told.findings[0].cause.context, "launch 1, grid 3 x 2, block 1");
    CHECK(!told.findings[0].advisory && !told.findings[0].is_ours);
}

// ---- what kernels print ----------------------------------------------------

// Runs `work` in a process whose standard output is a file, and compares that.
static void check_output(void (*work)(int out), const char *text) {
    char is[256] = "";
    int out = memfd_create("out", 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(out, STDOUT_FILENO);
        work(out);
        exit(0);
    }
    CHECK(waitpid(child, NULL, 0) == child);
    CHECK(pread(out, is, sizeof is - 1, 0) >= 0);
    CHECK_STR(str_from(is), text);
}

static off_t written(int out) {
    fflush(stdout);
    return lseek(out, 0, SEEK_END);
}

// What kernels print appears when the program waits for the device.
static void prints(int out) {
    Program p = program_begin();
    unsigned value = 41;
    void *args[] = {&value};
    program_launch(&p, "says", 2, args);
    bool is_kept = written(out) == 0;
    cudaDeviceSynchronize();
    if (is_kept && written(out) == 6)
        printf("kept\n");
    value = 7;
    program_launch(&p, "says", 1, args); // the program's end is its own
}

TEST(what_kernels_print_comes_when_they_are_waited_for) {
    check_output(prints, "41\n41\nkept\n7\n");
}

// ---- options of clclab exec ------------------------------------------------

// Four that compute with what nobody has written, which decides something in
// every other; and four more, with the last of which the first seven are told.
static void launch_eight(const Program *p) {
    for (int i = 0; i < 4; i++) {
        void *memory, *args[] = {&memory, &memory};
        cudaMalloc(&memory, 4);
        CHECK_INT(program_launch(p, i % 2 ? "add" : "decides", 1, args),
                  cudaSuccess);
    }
    for (int i = 0; i < 4; i++)
        CHECK_INT(program_launch(p, "count", 1, NULL), cudaSuccess);
}

TEST(launches_are_counted) {
    Program p = program_begin();
    uint32_t zero = 0;
    void *memory = program_words(&zero, 1);
    program_add(&p, memory, 1, 1);
    program_add(&p, memory, 1, 1);
    CHECK_U64(program_told(&p).launches, 2);
    program_add(&p, memory, 1, 1);
    CHECK_U64(program_told(&p).launches, 2); // the third is told with the 4th
    program_add(&p, memory, 1, 1);
    ExecResult told = program_told(&p);
    CHECK_U64(told.launches, 4);
    CHECK_U64(told.unchecked, 0);
    CHECK(told.instructions >= 3 * 10 && told.instructions < 100);
}

TEST(only_the_launches_asked_for_are_checked) {
    setenv("CLCLAB_EXEC_FIRST", "2", 1);
    setenv("CLCLAB_EXEC_LAST", "3", 1);
    Program p = program_begin();
    launch_eight(&p);
    ExecResult told = program_told(&p);
    CHECK_U64(told.unchecked, 5);
    CHECK_U64(told.finding_count, 2);
    CHECK_U64(told.findings[0].launch, 2);
    CHECK_U64(told.findings[1].launch, 3);
}

TEST(only_the_kernels_asked_for_are_checked) {
    setenv("CLCLAB_EXEC_KERNELS", "^d.*s$", 1);
    Program p = program_begin();
    launch_eight(&p);
    ExecResult told = program_told(&p);
    CHECK_U64(told.unchecked, 5);
    CHECK_U64(told.finding_count, 1);
    CHECK_STR(told.findings[0].kernel, "decides");
}

// Not all kernels are checked instead.
TEST(a_pattern_that_is_none_ends_the_program) {
    int status = 0;
    setenv("CLCLAB_EXEC_KERNELS", "(", 1);
    pid_t child = fork();
    if (child == 0) {
        cudaDeviceSynchronize();
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), 2);
}

TEST(unwritten_memory_may_be_no_matter) {
    setenv("CLCLAB_EXEC_UNWRITTEN", "2", 1);
    Program p = program_begin();
    launch_eight(&p);
    CHECK_U64(program_told(&p).finding_count, 0);
}

TEST(unwritten_memory_may_be_an_error_at_once) {
    setenv("CLCLAB_EXEC_UNWRITTEN", "1", 1);
    Program p = program_begin();
    launch_eight(&p);
    ExecResult told = program_told(&p);
    CHECK_U64(told.errors, 2);
    CHECK_U64(told.advisories, 0);
}

TEST(unwritten_memory_is_an_advisory_where_it_decides_nothing) {
    Program p = program_begin();
    launch_eight(&p);
    ExecResult told = program_told(&p);
    CHECK_U64(told.errors, 1);
    CHECK_U64(told.advisories, 1);
}

// Which block comes last depends on the schedule; the program goes on with what
// the plain one left.
static void exchange(Program *p, const char *schedules, const char *only) {
    uint32_t zero = 0;
    setenv("CLCLAB_EXEC_SCHEDULES", schedules, 1);
    setenv("CLCLAB_EXEC_ONLY", only, 1);
    program_load(p);
    void *memory = program_words(&zero, 1), *args[] = {&memory};
    CHECK_INT(cudaLaunchKernel(program_kernel(p, "exchanges"), (dim3){4, 1, 1},
                               (dim3){1, 1, 1}, args, 0, NULL),
              cudaSuccess);
    CHECK_U64(program_word(memory, 0), 4); // the plain one's
}

TEST(one_schedule_shows_no_difference) {
    Program p = program_watched();
    exchange(&p, "1", "0");
    CHECK_U64(program_told(&p).finding_count, 0);
}

TEST(other_schedules_show_what_hangs_on_them) {
    Program p = program_watched();
    exchange(&p, "16", "0");
    ExecResult told = program_told(&p);
    CHECK_U64(told.finding_count, 1);
    CHECK_STR(told.findings[0].cause.code, "OUTPUT");
    CHECK_STR(told.findings[0].kernel, "exchanges");
    CHECK(told.findings[0].schedule > 0 && told.findings[0].schedule < 16);
    CHECK_U64(told.launches, 1);
}

// Each schedule starts from what was there in front of the launch, and what was
// written is not unwritten behind it.
TEST(each_schedule_starts_from_the_same_memory) {
    setenv("CLCLAB_EXEC_SCHEDULES", "16", 1);
    Program p = program_begin();
    void *counter;
    CHECK_INT(cuModuleGetGlobal_v2(&counter, NULL, p.module, "counter"),
              cudaSuccess);
    for (uint32_t i = 41; i <= 44; i++) {
        CHECK_INT(program_launch(&p, "count", 1, NULL), cudaSuccess);
        CHECK_U64(program_word(counter, 0), i);
    }
    ExecResult told = program_told(&p);
    CHECK_U64(told.finding_count, 0);
    CHECK_U64(told.launches, 4);
}

TEST(the_difference_is_told_of_the_allocation_that_differs) {
    Program p = program_watched();
    setenv("CLCLAB_EXEC_SCHEDULES", "16", 1);
    program_load(&p);
    const uint32_t words[] = {5, 6, 0, 8};
    char *same = program_words(words, 4), *other = program_words(words, 4);
    void *to = other + 8, *args[] = {&to};
    CHECK_INT(cudaLaunchKernel(program_kernel(&p, "exchanges"), (dim3){4, 1, 1},
                               (dim3){1, 1, 1}, args, 0, NULL),
              cudaSuccess);
    CHECK_U64(program_word(same, 2), 0);
    CHECK_U64(program_word(other, 2), 4);
    CHECK_U64(program_word(other, 1), 6);
    ExecResult told = program_told(&p);
    CHECK_U64(told.finding_count, 1);
    CHECK(told.findings[0].advisory);
    CHECK_U64(told.findings[0].schedule, 1);
    CHECK_HOLDS(told.findings[0].cause.what,
                "an allocation of 16 bytes ends with other bytes in schedule 1 "
                "(random) than in the plain one");
    CHECK_STR(told.findings[0].cause.actual,
              "first at byte 8: 0x00000004 (u32 4, f32 5.60519386e-45) in the "
              "plain schedule, 0x00000001 (u32 1, f32 1.40129846e-45) in "
              "schedule 1 (random); 1 of 4 words differ");
    CHECK_STR(told.findings[0].cause.context, "launch 1, grid 4, block 1");
}

// Of all that find the same, the first is told, unless one is asked for.
TEST(a_schedule_can_be_asked_for_alone) {
    Program p = program_watched();
    exchange(&p, "16", "5");
    ExecResult told = program_told(&p);
    CHECK_U64(told.finding_count, 1);
    CHECK_U64(told.findings[0].schedule, 5);
}

// Runs it in a child; its exit status.
static int status_of(void (*work)(Program *p), Program *p) {
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        work(p);
        exit(3);
    }
    CHECK(waitpid(child, &status, 0) == child);
    return WEXITSTATUS(status);
}

static void load_and_launch(Program *p) {
    program_load(p);
    launch_eight(p);
}

TEST(the_program_may_be_ended_at_its_first_error) {
    setenv("CLCLAB_EXEC_STOP", "1", 1);
    Program p = program_watched();
    CHECK_INT(status_of(load_and_launch, &p), 0);
    ExecResult told = program_told(&p);
    CHECK_U64(told.launches, 1);
    CHECK_HOLDS(told.messages[0].what, "ended after its first launch");
}

static void use_the_device(Program *p) {
    void *memory;
    CHECK_INT(cuModuleLoadData(&p->module, PROGRAM_PTX), 3);
    CHECK_INT(cudaMalloc(&memory, 4), 3);
    CHECK_INT(cudaGetLastError(), 3); // initialization
}

TEST(a_child_of_a_program_that_uses_the_device_cannot) {
    Program p = program_begin();
    CHECK_INT(status_of(use_the_device, &p), 3);
    ExecResult told = program_told(&p);
    CHECK_HOLDS(told.messages[0].what, "was forked");
    CHECK_U64(told.processes, 1);
    CHECK(told.is_incomplete); // the parent has not ended
    CHECK_INT(program_launch(&p, "count", 1, NULL), cudaSuccess);
}

TEST(a_child_of_a_program_that_has_not_used_it_can) {
    Program p = program_watched();
    CHECK_INT(status_of(load_and_launch, &p), 3);
    ExecResult told = program_told(&p);
    CHECK_U64(told.launches, 8);
    CHECK_U64(told.processes, 1);
    CHECK(!told.is_incomplete);
}

TEST_MAIN(TESTCASE(a_wild_address_ends_all),
          TESTCASE(a_pointer_of_the_host_is_known_as_one),
          TESTCASE(a_misaligned_address_ends_all), TESTCASE(a_trap_ends_all),
          TESTCASE(a_kernel_without_an_end_is_ended),
          TESTCASE(a_kernel_of_too_many_steps_is_ended),
          TESTCASE(a_finding_is_told_once_and_counted),
          TESTCASE(what_kernels_print_comes_when_they_are_waited_for),
          TESTCASE(launches_are_counted),
          TESTCASE(only_the_launches_asked_for_are_checked),
          TESTCASE(only_the_kernels_asked_for_are_checked),
          TESTCASE(a_pattern_that_is_none_ends_the_program),
          TESTCASE(unwritten_memory_may_be_no_matter),
          TESTCASE(unwritten_memory_may_be_an_error_at_once),
          TESTCASE(unwritten_memory_is_an_advisory_where_it_decides_nothing),
          TESTCASE(one_schedule_shows_no_difference),
          TESTCASE(other_schedules_show_what_hangs_on_them),
          TESTCASE(each_schedule_starts_from_the_same_memory),
          TESTCASE(the_difference_is_told_of_the_allocation_that_differs),
          TESTCASE(a_schedule_can_be_asked_for_alone),
          TESTCASE(the_program_may_be_ended_at_its_first_error),
          TESTCASE(a_child_of_a_program_that_uses_the_device_cannot),
          TESTCASE(a_child_of_a_program_that_has_not_used_it_can))
