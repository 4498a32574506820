// SPDX-License-Identifier: Apache-2.0
// What --help prints. The options come from the table in args.c.
#include "cli/internal.h"

void usage_all(Buf *out) {
    buf_str(out, STR("usage: clclab COMMAND ...\n\ncommands:\n"));
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        buf_printf(out, "  %-8s%-22s %s\n", CLI_COMMANDS[i].name,
                   CLI_COMMANDS[i].words, CLI_COMMANDS[i].summary);
    buf_str(out, STR("\noptions of grade:\n"));
    usage_options(COMMAND_GRADE, out);
    buf_str(out,
            STR("\nExit status: 0 full marks, 1 below full marks, 2 usage, "
                "69 something needed is\nnot there, 70 the grader's own "
                "fault, 75 try again later.\nclclab COMMAND --help says "
                "more of a command.\n"));
}

// What --help says behind the summary; NULL where that says it all.
static const char *const MORE[COMMAND_COUNT] = {
    [COMMAND_GRADE] =
        "LAB is a number (4) or a folder's name. Without FILE the "
        "lab's own file is graded.\nThe virtual machine judges it; "
        "--device auto runs it on a Blackwell GPU as well, where\nthere is "
        "one, gpu on whichever GPU can (docs/gpu.md).\n",
    [COMMAND_RUN] =
        "FILE is CUDA C++, compiled for compute_100a, or PTX. --grid and "
        "--block are\nneeded, and an --arg for each parameter of the "
        "kernel. SPEC is\n"
        "  i32:V u32:V i64:V u64:V f32:V f64:V   a number\n"
        "  buf:BYTES[:zero|:random:SEED|:iota32|:file=PATH]   a buffer, by "
        "its address\n"
        "  bytes:HEX                             a structure, byte by "
        "byte\n"
        "LIST names rules: codes (CLC007), groups (CLC, BAR, MEM, RACE, "
        "SYNC), and OUTPUT,\nwhich compares the buffers after each "
        "schedule. Steps are thread-instructions.\nExit status: 0 clean, "
        "1 errors found, 70 the virtual machine lacks something.\n",
    [COMMAND_PTX] = "The PTX is for compute_100a, as the grader sees it. With "
                    "--target it is what a GPU\nwould get, and FILE may be "
                    "PTX or a kernel of no lab: NAME is an architecture that\n"
                    "ptxas knows (sm_90a, sm_100a, sm_120f, ...), or emulate: "
                    "for Hopper (sm_90a), with\nCluster Launch Control "
                    "replaced by other instructions. Exit status: 1 the file "
                    "does\nnot compile, or needs what the target lacks.\n",
    [COMMAND_HINT] =
        CLI_REGION " is the number of one in the lab's file, RUNG how "
                   "far to go: 1 a question,\n2 a concept, 3 almost the "
                   "code.\n",
    [COMMAND_EXPLAIN] =
        "CODE is what stands in brackets behind a finding, such as "
        "CLC006. Without it the\ncodes are listed.\n",
    [COMMAND_QUIZ] =
        "FILE has the answers, a line \"2: b\" for each question. Without "
        "it they are in the\nlab's quiz-answers.txt; where that is "
        "missing, the questions are printed and it\nis written, to be "
        "filled in. Exit status: 0 all answers are right, 69 the right\n"
        "answers (solutions/) are not there.\n",
    [COMMAND_CLINIC] =
        "CASE is a number. The first call tells what the patient says, and "
        "makes a copy to\nmend in labs/clinic/mine; later ones say how it "
        "is. FILE is another copy. Without\nCASE all copies are looked at. "
        "Exit status: 0 all that was asked for is healed.\n",
    [COMMAND_DOCTOR] =
        "A kernel is compiled, another assembled, and the GPU's "
        "driver asked. Exit status:\n0 the labs can be graded on the "
        "virtual machine, 69 something needed for that is\n"
        "missing.\n",
    [COMMAND_COMPARE] =
        "Fixed work, grid stride, CLC and cluster CLC do the same work: "
        "even and uneven, with\na light and a heavy prologue, alone and "
        "with a kernel of higher priority that arrives\nhalf-way. On the "
        "virtual machine time is modelled: no card takes it. "
        "docs/compare.md\nsays how to read the table.\n",
};

void usage_command(CliCommandId command, Buf *out) {
    const CliCommand *about = &CLI_COMMANDS[command];
    buf_printf(out, "usage: clclab %s%s%s [options]\n\n%s.\n", about->name,
               about->words[0] ? " " : "", about->words, about->summary);
    if (MORE[command])
        buf_str(out, str_from(MORE[command]));
    buf_str(out, STR("\noptions:\n"));
    usage_options(command, out);
}
