// SPDX-License-Identifier: Apache-2.0
// In which words a submission's mistakes are told (check/dialect.c): in calls
// of cuda::ptx where it is written in them, else in instructions.
#include "tests/unit/check_fake.h"

#define KERNEL                                             \
    "extern \"C\" __global__ __cluster_dims__(2, 1, 1)\n"  \
    "void kernel(float *data, int n) { compute_scalar(); " \
    "ptx::mbarrier_init(&bar, 1); "

static void is_told(const char *file, const char *source, Dialect dialect,
                    const char *name) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.rule = RULE_BAR003;
    bench.submission.file = str_from(file);
    bench.submission.source = str_from(source);
    CHECK_INT(bench_grade(&bench)->dialect, dialect);
    const CheckResult *check = bench_check(&bench, "rules");
    if (CHECK(check && check->cause_count > 0))
        CHECK_HOLDS(check->causes[0].help, name);
    bench_close(&bench);
}

TEST(a_submission_that_is_written_in_calls_reads_calls) {
    is_told("kernel.cu", KERNEL "}\n", DIALECT_CPP, "run ptx::mbarrier_init ");
    is_told("kernel.cu", KERNEL "} // no asm here\n", DIALECT_CPP,
            "run ptx::mbarrier_init ");
}

TEST(a_submission_that_has_instructions_reads_instructions) {
    static const char name[] = "run mbarrier.init ";
    is_told("kernel.cu", KERNEL "asm(\"fence.proxy.async;\"); }\n", DIALECT_PTX,
            name);
    is_told("kernel.cu", KERNEL "__asm__(\"fence.proxy.async;\"); }\n",
            DIALECT_PTX, name);
    is_told("kernel.ptx", KERNEL "}\n", DIALECT_PTX, name);
    is_told("kernel.cu", FAKE_SOURCE, DIALECT_PTX, name);
}

TEST_MAIN(TESTCASE(a_submission_that_is_written_in_calls_reads_calls),
          TESTCASE(a_submission_that_has_instructions_reads_instructions))
