// SPDX-License-Identifier: Apache-2.0
// The devices on which a file is judged: virtual machines, and the GPU.
#include "cli/judge/judge.h"
#include "gpu/gpu.h"
#include "vm/vm.h"

#include <sys/resource.h>
#include <unistd.h>

size_t shared_processors(size_t most) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    size_t processors = count > 0 ? (size_t)count : 1;
    return processors < most ? processors : most;
}

size_t shared_workers(uint64_t jobs) {
    return jobs ? (size_t)jobs : shared_processors(CLI_MAX_WORKERS);
}

bool shared_is_short_of_memory(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 &&
           limit.rlim_cur != RLIM_INFINITY &&
           limit.rlim_cur < CLI_ADDRESS_SPACE;
}

int shared_open_model(Cli *cli, Device **device) {
    const Args *args = &cli->args;
    const VmModel *model = vm_model_find(str_from(args->gpu_model));
    if (!model)
        return output_error(cli, CLI_USAGE,
                            "--gpu-model: there is no model \"%s\"; the models "
                            "are mini, b200 and rtx5090",
                            args->gpu_model);
    *device = vm_open(model);
    if (*device)
        return CLI_FULL_MARKS;
    return output_error(
        cli, CLI_MISSING,
        "this clclab was built for a newer processor; build it on this machine "
        "with make, or on the other one with make ISAS=all");
}

Device **shared_open_helpers(Cli *cli) {
    size_t count = crew_workers(cli->crew) - 1;
    Device **helpers = arena_new(&cli->arena, Device *, count + 1);
    for (size_t i = 0; i < count; i++)
        if (shared_open_model(cli, &helpers[i]) != CLI_FULL_MARKS)
            return NULL;
    return helpers;
}

Device *shared_open_timed(Arena *arena, const Lab *lab) {
    Diags unused = diags_new(arena);
    Str slow = STR("global=4000"); // cycles, ten times the usual
    if (lab->balance == 0 && lab->yield == 0)
        return NULL;
    Device *device = vm_open(vm_model_find(STR("mini")));
    if (device)
        vm_time(device, &slow, 1, &unused);
    return device;
}

int shared_open_card(Cli *cli, bool is_plain, Device **card) {
    Diags diags = diags_new(&cli->arena);
    GpuSettings settings = {.prologue = STR("compute_scalar"),
                            .is_plain = is_plain,
                            .keeps_index =
                                cli->args.emulation == EMULATION_CLAIMED,
                            .deadline_s = (double)cli->args.deadline};
    *card = gpu_open(&settings, &diags);
    if (*card)
        return CLI_FULL_MARKS;
    output_diags(cli, &diags, (Str){0});
    return output_error(cli, CLI_MISSING,
                        "no GPU can be used; --device vm does without one");
}

// A GPU that was not asked for is used only if it has Cluster Launch Control in
// hardware.
static bool has_native_card(Cli *cli) {
    Arena *arena = &cli->arena;
    Str key = card_key(arena, STR("/proc/driver/nvidia"));
    if (card_is_remembered(arena, key))
        return false;
    GpuProbe probe = gpu_probe(arena);
    bool is_native = probe.state == GPU_READY && gpu_kind(&probe) == GPU_NATIVE;
    if (probe.state == GPU_READY && !is_native)
        card_remember(arena, key);
    return is_native;
}

int shared_find_card(Cli *cli, Device **card) {
    *card = NULL;
    if (cli->args.device == DEVICE_VM ||
        (cli->args.device == DEVICE_AUTO && !has_native_card(cli)))
        return CLI_FULL_MARKS;
    return shared_open_card(cli, false, card);
}
