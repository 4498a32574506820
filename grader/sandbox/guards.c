// SPDX-License-Identifier: Apache-2.0
// Which guards this machine has, and whether they are enough for a file whose
// author nobody vouches for. A machine is asked by trying: a kernel may have a
// guard and refuse it, as in a container.
#include "sandbox/internal.h"

bool sandbox_is_whole(const SandboxGuards *guards) {
    return guards->no_new_privileges && guards->seccomp &&
           (guards->landlock || guards->bubblewrap[0]);
}

static int try_to_compute(void *context, int out) {
    (void)context, (void)out;
    return !sandbox_only_compute();
}

bool sandbox_probe(Arena *arena, SandboxProbe *probe, Diags *diags) {
    SandboxJob job = {.body = try_to_compute, .fixed_addresses = true};
    SandboxResult result;
    *probe = (SandboxProbe){0};
    if (!sandbox_run(arena, &job, &result, diags))
        return false;
    probe->guards = result.guards;
    probe->only_compute = result.status == SANDBOX_EXITED && result.code == 0;
    SandboxBubblewrap bubblewrap;
    Str why;
    if (!probe->guards.landlock &&
        sandbox_find_bubblewrap(arena, &bubblewrap, &why))
        sandbox_note_bubblewrap(&probe->guards, &bubblewrap);
    return true;
}
