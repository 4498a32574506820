// SPDX-License-Identifier: Apache-2.0
// How Slurm's programs are called: small scripts stand for them, which note
// their arguments. A blank in a path stays in its word.
#include "tests/unit/batch_fake.h"

typedef struct Site {
    Fake fake;
    BatchCluster cluster;
    Batch batch;
} Site;

static void site_open(Site *site) {
    *site = (Site){0};
    fake_open(&site->fake);
    mkdir("bin", 0700);
    setenv("PATH",
           str_format(&site->fake.arena, "%s/bin:/usr/bin:/bin",
                      site->fake.room.folder)
               .ptr,
           1);
    site->batch = (Batch){.host = &site->fake.host,
                          .request.cluster = &site->cluster,
                          .out = STR("/shared/my grades"),
                          .lock = -1,
                          .log = "batch.log"};
}

static void site_close(Site *site) {
    batch_close(&site->batch);
    fake_close(&site->fake);
}

// A program that notes its arguments in NAME.txt, one a line, and does `rest`.
static void stand_in(Site *site, const char *name, const char *rest) {
    const char *path = str_format(&site->fake.arena, "bin/%s", name).ptr;
    put(path, str_format(&site->fake.arena,
                         "#!/bin/sh\nprintf '%%s\\n' \"$@\" >%s/%s.txt\n%s\n",
                         site->fake.room.folder, name, rest));
    CHECK_INT(chmod(path, 0700), 0);
}

TEST(what_is_missing_is_named) {
    Site site;
    site_open(&site);
    setenv("PATH", site.fake.room.folder, 1);
    CHECK_STR(str_from(batch_lacks_slurm(&site.fake.arena)), "sbatch");
    setenv("PATH", "bin", 1);
    stand_in(&site, "sbatch", "");
    stand_in(&site, "squeue", "");
    CHECK_STR(str_from(batch_lacks_slurm(&site.fake.arena)), "scancel");
    stand_in(&site, "scancel", "");
    CHECK(batch_lacks_slurm(&site.fake.arena) == NULL);
    setenv("PATH", "/usr/bin:/bin", 1);
    site_close(&site);
}

TEST(the_queue_is_asked_by_name) {
    Site site;
    BatchQueue queue;
    Str why;
    site_open(&site);
    stand_in(&site, "squeue",
             "echo 'a warning' >&2; echo '17|RUNNING|None'; echo "
             "'17|PENDING|Resources'");
    CHECK(slurm_queue(&site.batch, STR("clclab-0123abcd"), &queue, &why));
    CHECK(queue.job == 17 && queue.running == 1 && queue.waiting == 1);
    CHECK(slurm_is_live(&queue));
    CHECK_STR(get(&site.fake.arena, "squeue.txt"),
              "--noheader\n--array\n--states=all\n--me\n"
              "--name=clclab-0123abcd\n--format=" BATCH_QUEUE_FORMAT "\n");
    stand_in(&site, "squeue", "echo one >&2; echo 'no controller' >&2; exit 1");
    CHECK(!slurm_queue(&site.batch, STR("clclab-0123abcd"), &queue, &why));
    CHECK_STR(why, "no controller");
    stand_in(&site, "squeue", "kill -9 $$");
    CHECK(!slurm_queue(&site.batch, STR("clclab-0123abcd"), &queue, &why));
    CHECK_STR(why, "squeue failed, or took too long");
    CHECK(!slurm_is_live(&queue));
    site_close(&site);
}

TEST(what_a_task_runs) {
    Site site;
    uint64_t job = 0;
    site_open(&site);
    static const char *const options[] = {"--account=cs", "--qos=low"};
    site.cluster = (BatchCluster){.partition = "b200",
                                  .options = options,
                                  .option_count = 2,
                                  .cpus = 4,
                                  .has_gpu = true};
    stand_in(&site, "sbatch", "echo '17;main'");
    CHECK_INT(slurm_submit(&site.batch, STR("clclab-0123abcd"), 3, &job), 0);
    CHECK_INT(job, 17);
    CHECK_STR(
        get(&site.fake.arena, "sbatch.txt"),
        "--requeue\n--cpus-per-task=4\n--gres=gpu:1\n--account=cs\n"
        "--qos=low\n--partition=b200\n--parsable\n--array=0-2\n"
        "--job-name=clclab-0123abcd\n"
        "--chdir=/shared/my grades/slurm/clclab-0123abcd\n--output=%a.out\n"
        "--open-mode=append\n/shared/my grades/slurm/clclab-0123abcd/task\n"
        "/opt/a b/clclab\n/shared/my grades\nclclab-0123abcd\n");
    site.cluster = (BatchCluster){0};
    CHECK_INT(slurm_submit(&site.batch, STR("clclab-0123abcd"), 1, &job), 0);
    CHECK_HOLDS(get(&site.fake.arena, "sbatch.txt"),
                "--requeue\n--parsable\n--array=0-0\n");
    stand_in(&site, "sbatch", "echo Submitted batch job 17");
    CHECK_INT(slurm_submit(&site.batch, STR("clclab-0123abcd"), 3, &job),
              BATCH_OURS);
    stand_in(&site, "sbatch", "echo 'no such partition' >&2; exit 1");
    CHECK_INT(slurm_submit(&site.batch, STR("clclab-0123abcd"), 3, &job),
              BATCH_TRY_LATER);
    CHECK_HOLDS(site.batch.said, "no such partition");
    site_close(&site);
}

TEST(what_is_cancelled) {
    Site site;
    BatchQueue queue = {.job = 17, .running = 1};
    site_open(&site);
    site.batch.out = str_from(site.fake.room.folder);
    stand_in(&site, "squeue", "echo '17|CANCELLED|None'");
    stand_in(&site, "scancel", "");
    CHECK_INT(slurm_cancel(&site.batch, STR("clclab-0123abcd"), queue), 0);
    CHECK_STR(get(&site.fake.arena, "scancel.txt"), "17\n");
    slurm_cancel_waiting(&site.batch, STR("clclab-0123abcd")); // none waits
    CHECK_STR(get(&site.fake.arena, "scancel.txt"), "17\n");
    stand_in(&site, "squeue", "echo '18|PENDING|None'");
    slurm_cancel_waiting(&site.batch, STR("clclab-0123abcd"));
    CHECK_STR(get(&site.fake.arena, "scancel.txt"), "--state=PENDING\n18\n");
    stand_in(&site, "scancel", "echo 'not yours' >&2; exit 1");
    CHECK_INT(slurm_cancel(&site.batch, STR("clclab-0123abcd"), queue),
              BATCH_TRY_LATER);
    CHECK_HOLDS(site.batch.said, "not yours");
    site_close(&site);
}

TEST_MAIN(TESTCASE(what_is_missing_is_named),
          TESTCASE(the_queue_is_asked_by_name), TESTCASE(what_a_task_runs),
          TESTCASE(what_is_cancelled))
