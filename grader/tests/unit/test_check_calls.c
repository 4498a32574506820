// SPDX-License-Identifier: Apache-2.0
// In which words a finding's help comes (check/calls.c): as calls of cuda::ptx
// where the submission is written in them, else as instructions.
#include "tests/unit/check_fake.h"

#define KERNEL                                             \
    "extern \"C\" __global__ __cluster_dims__(2, 1, 1)\n"  \
    "void kernel(float *data, int n) { compute_scalar(); " \
    "ptx::mbarrier_init(&bar, 1); "

static void is_told(const char *file, const char *source, const char *help,
                    const char *told) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.rule = RULE_CLC006;
    bench.fake.spoil.help = help;
    bench.submission.file = str_from(file);
    bench.submission.source = str_from(source);
    bench_grade(&bench);
    const CheckResult *check = bench_check(&bench, "rules");
    if (CHECK(check && check->cause_count > 0))
        CHECK_STR(check->causes[0].help, told);
    bench_close(&bench);
}

TEST(help_names_the_calls_of_a_submission_that_is_written_in_them) {
    is_told("kernel.cu", KERNEL "}\n", "run mbarrier.init in one thread",
            "Run ptx::mbarrier_init in one thread.");
    is_told("kernel.cu", KERNEL "} // no asm here\n",
            "mend mbarrier.init, mbarrier.init (mbarrier.init)",
            "Mend ptx::mbarrier_init, ptx::mbarrier_init "
            "(ptx::mbarrier_init).");
}

TEST(help_names_instructions_where_the_submission_has_them) {
    static const char help[] = "run mbarrier.init in one thread";
    static const char as_it_is[] = "Run mbarrier.init in one thread.";
    is_told("kernel.cu", KERNEL "asm(\"fence.proxy.async;\"); }\n", help,
            as_it_is);
    is_told("kernel.cu", KERNEL "__asm__(\"fence.proxy.async;\"); }\n", help,
            as_it_is);
    is_told("kernel.ptx", KERNEL "}\n", help, as_it_is);
    is_told("kernel.cu", FAKE_SOURCE, help, as_it_is);
}

TEST(longest_name_of_an_instruction_is_the_one_that_is_meant) {
    is_told("kernel.cu", KERNEL "}\n",
            "announce with mbarrier.arrive.expect_tx. Not mbarrier.arrive: "
            "nor mbarrier.arrive.",
            "Announce with ptx::mbarrier_arrive_expect_tx. Not "
            "ptx::mbarrier_arrive: nor ptx::mbarrier_arrive.");
    is_told("kernel.cu", KERNEL "}\n",
            "first fence.proxy.async, then "
            "fence.proxy.async::generic.acquire.sync_restrict"
            "::shared::cluster.cluster",
            "First ptx::fence_proxy_async(), then "
            "ptx::fence_proxy_async_generic_sync_restrict(sem_acquire, "
            "space_cluster, scope_cluster).");
}

TEST(part_of_another_name_is_left_alone) {
    is_told("kernel.cu", KERNEL "}\n",
            "see cp.async.mbarrier.arrive, mbarrier.initial, "
            "fence.proxy.async.global and mbarrier.inval",
            "See cp.async.mbarrier.arrive, mbarrier.initial, "
            "fence.proxy.async.global and mbarrier.inval.");
}

TEST_MAIN(
    TESTCASE(help_names_the_calls_of_a_submission_that_is_written_in_them),
    TESTCASE(help_names_instructions_where_the_submission_has_them),
    TESTCASE(longest_name_of_an_instruction_is_the_one_that_is_meant),
    TESTCASE(part_of_another_name_is_left_alone))
