// SPDX-License-Identifier: Apache-2.0
// Whose file it is. A person may grade a file of her own whatever her machine
// lacks. A stranger's file is graded only if the sandbox is whole: it is asked
// for before anything of the file has been compiled.
#include "cli/judge/judge.h"
#include "sandbox/sandbox.h"

static int refuse(Cli *cli, const char *why) {
    return output_error(cli, CLI_MISSING,
                        "--untrusted: a stranger's file is not graded here: %s "
                        "(--allow-weak-sandbox grades it all the same)",
                        why);
}

// What a stranger's file may not do without; NULL: nothing.
static const char *find_lack(const SandboxProbe *probe) {
    if (!probe->guards.seccomp)
        return "this machine has no seccomp, which keeps a compiler from the "
               "network and from other processes";
    if (!sandbox_is_whole(&probe->guards))
        return "this machine has no Landlock, which keeps a compiler from "
               "other files, and no bubblewrap that works";
    if (!probe->only_compute)
        return "this clclab cannot restrict the process that judges";
    return NULL;
}

int untrusted_check(Cli *cli) {
    Args *args = &cli->args;
    Diags diags = diags_new(&cli->arena);
    SandboxProbe probe;
    if (args->allow_weak && !args->untrusted)
        return output_error(cli, CLI_USAGE,
                            "--allow-weak-sandbox goes with --untrusted: a "
                            "file of your own needs neither");
    if (!args->untrusted)
        return CLI_FULL_MARKS;
    if (args->device == DEVICE_AUTO)
        args->device = DEVICE_VM;
    if (args->allow_weak)
        return CLI_FULL_MARKS;
    if (args->device == DEVICE_GPU)
        return refuse(cli, "a GPU would run it natively, and its driver needs "
                           "more than the sandbox allows");
    if (!sandbox_probe(&cli->arena, &probe, &diags)) {
        output_diags(cli, &diags, (Str){0});
        return CLI_TRY_LATER;
    }
    const char *lack = find_lack(&probe);
    return lack ? refuse(cli, lack) : CLI_FULL_MARKS;
}
