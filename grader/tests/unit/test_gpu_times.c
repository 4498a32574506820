// SPDX-License-Identifier: Apache-2.0
// Tests of gpu_measure with the fake driver, whose kernels take the time that
// it is told.
#include "tests/unit/gpu_fake.h"

static bool measure(FakeGpu *gpu, const char *options, GpuTimes *times) {
    static const GpuMeasure wanted = {
        .repeats = 5, .visits = 3, .copy_bytes = 4096};
    DeviceLaunch launch = {GPU_LAUNCH};
    gpu_behave(gpu, options);
    return gpu_measure(gpu->device, &gpu->arena, &launch, &wanted, times,
                       &gpu->diags);
}

static void check_times(const double *times, const double *expected,
                        size_t count) {
    for (size_t i = 0; i < count; i++)
        CHECK_DOUBLE(times[i], expected[i]);
}

// Launches: 1 gives the data; 2 to 4 warm up; 5 to 9 are alone; then, for each
// visit, the visitor on an idle GPU, of one block and of all, and the kernel
// with the one and with the other.
TEST(times_are_in_order_and_without_what_an_idle_gpu_takes) {
    static const char *const times_taken =
        "copy_ms=2;takes=1:99;takes=2:99;takes=4:99;"
        "takes=5:9;takes=6:3;takes=7:7;takes=8:1;takes=9:5;"
        "takes=10:2;takes=11:1;takes=13:10;takes=15:21;"
        "takes=16:3;takes=17:2;takes=19:6;takes=21:12;"
        "takes=22:4;takes=23:9;takes=25:9;takes=27:8";
    static const double alone[] = {1e3, 3e3, 5e3, 7e3, 9e3};
    static const double first[] = {3e3, 5e3, 8e3};
    static const double all[] = {0, 10e3, 20e3}; // 8 - 9 is none
    static const double copies[] = {2e3, 2e3, 2e3, 2e3, 2e3};
    SCOPED_GPU(gpu);
    GpuTimes times;
    gpu_open_fake(&gpu, "", &(GpuSettings){.deadline_s = 2, .is_plain = true});
    if (!CHECK(measure(&gpu, times_taken, &times)))
        return;
    check_times(times.alone, alone, 5);
    check_times(times.first, first, 3);
    check_times(times.all, all, 3);
    check_times(times.copies, copies, 5);
}

// The buffers hold what the first launch left, not what a hundred did.
TEST(a_measurement_leaves_the_data_of_one_launch) {
    static const GpuMeasure wanted = {.repeats = 5};
    SCOPED_GPU(gpu);
    GpuTimes times;
    gpu_open_fake(&gpu, "", &(GpuSettings){.deadline_s = 2, .is_plain = true});
    struct {
        uint64_t data;
        int32_t n;
    } args = {gpu_buffer(&gpu, 4), 1};
    float value = 3;
    DeviceLaunch launch = {GPU_LAUNCH, .args = &args, .arg_bytes = 12};
    CHECK(gpu.device->ops->write(gpu.device, 0, 0, &value, 4));
    gpu_behave(&gpu, "apply=double");
    CHECK(gpu_measure(gpu.device, &gpu.arena, &launch, &wanted, &times,
                      &gpu.diags));
    CHECK(gpu.device->ops->read(gpu.device, 0, 0, &value, 4));
    CHECK_DOUBLE(value, 6);
    CHECK_DOUBLE(times.alone[4], 1e3);
}

TEST(a_measurement_that_fails_says_why) {
    static const struct {
        const char *options, *what;
    } failures[] = {
        {"crash=cuMemcpyDtoDAsync_v2", "while measuring: was ended by signal"},
        {"memory=1;fail=cuMemAlloc_v2:2@2", "CUDA_ERROR_OUT_OF_MEMORY"},
        {"fail=cuOccupancyMaxActiveBlocksPerMultiprocessor:1@2", "gives"},
    };
    SCOPED_GPU(gpu);
    GpuTimes times;
    gpu_open_fake(&gpu, "",
                  &(GpuSettings){.deadline_s = 0.4, .is_plain = true});
    for (size_t i = 0; i < COUNT_OF(failures); i++) {
        CHECK(!measure(&gpu, failures[i].options, &times));
        if (CHECK_INT(gpu.diags.count, i + 1))
            CHECK_HOLDS(gpu.diags.items[i].what, failures[i].what);
    }
    CHECK_STR(gpu.diags.items[1].code, "BUSY");
}

TEST(a_fault_while_measuring_is_told) {
    static const struct {
        const char *options;
        FindingCase which;
    } faults[] = {
        {"fail=cuLaunchKernelEx:700@7", CASE_MEM001_GPU_ADDRESS},
        {"fail=cuLaunchKernelEx:700", CASE_MEM001_GPU_ADDRESS},
        {"hang=query", CASE_TIMEOUT_DEADLINE},
    };
    SCOPED_GPU(gpu);
    GpuTimes times;
    gpu_open_fake(&gpu, "",
                  &(GpuSettings){.deadline_s = 0.4, .is_plain = true});
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        CHECK(!measure(&gpu, faults[i].options, &times));
        if (CHECK(times.fault != NULL))
            CHECK_INT(times.fault->which, faults[i].which);
    }
    CHECK_INT(gpu.diags.count, 0);
}

TEST_MAIN(TESTCASE(times_are_in_order_and_without_what_an_idle_gpu_takes),
          TESTCASE(a_measurement_leaves_the_data_of_one_launch),
          TESTCASE(a_measurement_that_fails_says_why),
          TESTCASE(a_fault_while_measuring_is_told))
