// SPDX-License-Identifier: Apache-2.0
// How Slurm's programs are called: small scripts stand for them, which note
// their arguments. A blank in a path stays in its word.
#include "cli/batch_slurm.h"
#include "tests/unit/cli_room.h"

typedef struct Site {
    Room room;
    Cli cli;
    BatchArgs args;
    Batch batch;
} Site;

static void site_open(Site *site) {
    *site = (Site){0};
    room_open(&site->room);
    mkdir("bin", 0700);
    setenv(
        "PATH",
        str_format(&site->room.arena, "%s/bin:/usr/bin:/bin", site->room.folder)
            .ptr,
        1);
    site->cli.program = "/opt/a b/clclab";
    site->cli.args.gpu_model = "mini";
    site->cli.args.compiler = COMPILER_ANY;
    site->args.schedule.schedules = 64;
    site->batch = (Batch){.cli = &site->cli,
                          .args = &site->args,
                          .out = STR("/shared/my grades"),
                          .lab.folder = STR("04-cluster-clc"),
                          .lock = -1,
                          .log = "batch.log"};
}

static void site_close(Site *site) {
    arena_free(&site->batch.scratch);
    arena_free(&site->cli.arena);
    room_close(&site->room);
}

// A program that notes its arguments in NAME.txt, one a line, and does `rest`.
static void stand_in(Site *site, const char *name, const char *rest) {
    const char *path = str_format(&site->room.arena, "bin/%s", name).ptr;
    put(path, str_format(&site->room.arena,
                         "#!/bin/sh\nprintf '%%s\\n' \"$@\" >%s/%s.txt\n%s\n",
                         site->room.folder, name, rest));
    CHECK_INT(chmod(path, 0700), 0);
}

TEST(what_is_missing_is_named) {
    Site site;
    site_open(&site);
    setenv("PATH", site.room.folder, 1);
    CHECK_INT(slurm_check(&site.batch), CLI_MISSING);
    CHECK_HOLDS(site.cli.said, "there is no sbatch on PATH");
    setenv("PATH", "bin:/usr/bin:/bin", 1);
    stand_in(&site, "sbatch", "");
    stand_in(&site, "squeue", "");
    stand_in(&site, "scancel", "");
    CHECK_INT(slurm_check(&site.batch), CLI_FULL_MARKS);
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
    CHECK_STR(get(&site.room.arena, "squeue.txt"),
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
    site.args.partition = "b200";
    site.args.feedback = FEEDBACK_POINTS;
    site.cli.args.flags = (CliValues){{"-DX=a b"}, 1};
    site.cli.args.labs = "/my labs";
    stand_in(&site, "sbatch", "echo '17;main'");
    CHECK_INT(slurm_submit(&site.batch, STR("clclab-0123abcd"), 3, &job), 0);
    CHECK_INT(job, 17);
    CHECK_STR(
        get(&site.room.arena, "sbatch.txt"),
        "--requeue\n--partition=b200\n--parsable\n--array=0-2\n"
        "--job-name=clclab-0123abcd\n"
        "--chdir=/shared/my grades/slurm/clclab-0123abcd\n--output=%a.out\n"
        "--open-mode=append\n/shared/my grades/slurm/clclab-0123abcd/task\n"
        "/opt/a b/clclab\nbatch\n04-cluster-clc\n--out\n/shared/my grades\n"
        "--task\nclclab-0123abcd\n--jobs\n1\n--schedules\n64\n"
        "--feedback\npoints\n--gpu-model\nmini\n--compile-flag\n-DX=a b\n"
        "--labs\n/my labs\n");
    stand_in(&site, "sbatch", "echo Submitted batch job 17");
    CHECK_INT(slurm_submit(&site.batch, STR("clclab-0123abcd"), 3, &job),
              CLI_OURS);
    stand_in(&site, "sbatch", "echo 'no such partition' >&2; exit 1");
    CHECK_INT(slurm_submit(&site.batch, STR("clclab-0123abcd"), 3, &job),
              CLI_TRY_LATER);
    CHECK_HOLDS(site.cli.said, "no such partition");
    site_close(&site);
}

TEST(what_is_cancelled) {
    Site site;
    BatchQueue queue = {.job = 17, .running = 1};
    site_open(&site);
    site.batch.out = str_from(site.room.folder);
    stand_in(&site, "squeue", "echo '17|CANCELLED|None'");
    stand_in(&site, "scancel", "");
    CHECK_INT(slurm_cancel(&site.batch, STR("clclab-0123abcd"), queue), 0);
    CHECK_STR(get(&site.room.arena, "scancel.txt"), "17\n");
    slurm_cancel_waiting(&site.batch, STR("clclab-0123abcd")); // none waits
    CHECK_STR(get(&site.room.arena, "scancel.txt"), "17\n");
    stand_in(&site, "squeue", "echo '18|PENDING|None'");
    slurm_cancel_waiting(&site.batch, STR("clclab-0123abcd"));
    CHECK_STR(get(&site.room.arena, "scancel.txt"), "--state=PENDING\n18\n");
    stand_in(&site, "scancel", "echo 'not yours' >&2; exit 1");
    CHECK_INT(slurm_cancel(&site.batch, STR("clclab-0123abcd"), queue),
              CLI_TRY_LATER);
    CHECK_HOLDS(site.cli.said, "not yours");
    site_close(&site);
}

TEST_MAIN(TESTCASE(what_is_missing_is_named),
          TESTCASE(the_queue_is_asked_by_name), TESTCASE(what_a_task_runs),
          TESTCASE(what_is_cancelled))
