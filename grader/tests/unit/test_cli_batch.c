// SPDX-License-Identifier: Apache-2.0
// What clclab batch gives to the engine: the command of a task of a cluster,
// and what all points depend on.
#include "cli/batch.h"
#include "tests/unit/cli_room.h"

static Str command_of(Class *class, Cli *cli) {
    BatchHost host = class_host(class);
    BatchWords words = {0};
    Buf line = {0};
    host.command(host.context, STR("/shared/my grades"), STR("clclab-0123abcd"),
                 &cli->arena, &words);
    for (size_t i = 0; i < words.count; i++)
        buf_printf(&line, "%s\n", words.items[i]);
    Str text = str_copy(&cli->arena, buf_view(&line));
    buf_free(&line);
    return text;
}

TEST(what_a_task_runs) {
    BatchArgs args = {.schedule.schedules = 64, .feedback = FEEDBACK_POINTS};
    Cli cli = {.program = "/opt/a b/clclab",
               .args = {.gpu_model = "mini",
                        .compiler = COMPILER_ANY,
                        .flags = {{"-DX=a b"}, 1},
                        .labs = "/my labs"}};
    Class class = {
        .cli = &cli, .args = &args, .lab.folder = STR("04-cluster-clc")};
    CHECK_STR(
        command_of(&class, &cli),
        "/opt/a b/clclab\nbatch\n04-cluster-clc\n--out\n/shared/my grades\n"
        "--task\nclclab-0123abcd\n--jobs\n1\n--schedules\n64\n"
        "--feedback\npoints\n--gpu-model\nmini\n--compile-flag\n-DX=a b\n"
        "--labs\n/my labs\n");
    args.jobs = 3;
    args.on_gpu = 1;
    args.feedback = FEEDBACK_STUDENT;
    cli.args.flags.count = 0;
    cli.args.labs = NULL;
    cli.args.root = "/root";
    cli.args.compiler = COMPILER_NVCC;
    cli.args.allow_weak = true;
    CHECK_STR(
        command_of(&class, &cli),
        "/opt/a b/clclab\nbatch\n04-cluster-clc\n--out\n/shared/my grades\n"
        "--task\nclclab-0123abcd\n--jobs\n3\n--schedules\n64\n"
        "--feedback\nstudent\n--gpu-model\nmini\n--compiler\nnvcc\n"
        "--device\ngpu\n--allow-weak-sandbox\n--root\n/root\n");
    arena_free(&cli.arena);
}

TEST(what_is_missing_for_a_cluster_is_named) {
    Room room;
    room_open(&room);
    setenv("PATH", room.folder, 1);
    call_fails(&room, "batch 4 class --out out --engine slurm", CLI_MISSING,
               "--engine slurm: there is no sbatch on PATH");
    call_fails(&room, "batch 4 class --out out --no-wait", CLI_USAGE,
               "go with --engine slurm");
    setenv("PATH", "/usr/bin:/bin", 1);
    room_close(&room);
}

TEST_MAIN(TESTCASE(what_a_task_runs),
          TESTCASE(what_is_missing_for_a_cluster_is_named))
