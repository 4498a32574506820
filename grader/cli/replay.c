// SPDX-License-Identifier: Apache-2.0
// The part of a replayed command that says how a file was built, and for which
// device.
#include "cli/internal.h"
#include "trials/trials.h"

#include <string.h>

// Whether the flag is an option of its own, such as -DNAME.
static bool is_option(Str flag) {
    static const Str names[] = {STR("-I"),        STR("-D"),
                                STR("-U"),        STR("-isystem="),
                                STR("-include="), STR("-std=")};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_starts(flag, names[i]) && flag.len > names[i].len)
            return true;
    return false;
}

void replay_build_options(Buf *out, const Args *args, bool is_own) {
    if (args->device == DEVICE_GPU)
        replay_option(out, "--device", "gpu");
    if (args->deadline)
        buf_printf(out, " --deadline %llu", (unsigned long long)args->deadline);
    if (args->emulation == EMULATION_CLAIMED)
        replay_option(out, "--emulation", "claimed");
    if (strcmp(args->gpu_model, "mini") != 0)
        replay_option(out, "--gpu-model", args->gpu_model);
    if (args->compiler != COMPILER_ANY)
        replay_option(out, "--compiler",
                      args->compiler == COMPILER_NVCC ? "nvcc" : "nvrtc");
    for (size_t i = 0; i < args->flags.count; i++) {
        Str flag = str_from(args->flags.items[i]);
        if (is_own && is_option(flag))
            replay_word(out, flag);
        else
            replay_option(out, "--compile-flag", args->flags.items[i]);
    }
    replay_option(out, "--arch", args->arch);
    replay_option(out, "--compile-commands", args->database);
    replay_option(out, "--root", args->root);
}
