// SPDX-License-Identifier: Apache-2.0
// gpu_rewrite: read it at the end. The module is printed under another target,
// with the table as one more variable where it is needed.
#include "gpu/rewrite.h"
#include "gpu/table.h"
#include "gpu/target.h"

// ---- the module that is printed ------------------------------------------

// "sm_90" and the options behind the old target.
static Str target_line(Arena *arena, Str old, Str target) {
    size_t options = str_find(old, ',');
    return str_format(arena, "%.*s%.*s", STR_ARG(target),
                      STR_ARG(str_slice(old, options, old.len)));
}

static void set_target(Arena *arena, PtxModule *module,
                       const GpuTarget *target) {
    module->target = target_line(arena, module->target, str_from(target->name));
    uint32_t version = module->version_major * 10 + module->version_minor;
    if (version < target->version) {
        module->version_major = target->version / 10;
        module->version_minor = target->version % 10;
    }
}

// ---- refusals ------------------------------------------------------------

static bool find_target(const GpuRewrite *how, const GpuTarget **target,
                        Diags *diags) {
    *target = gpu_target_find(how->target);
    if (!*target)
        diag_add(diags, DIAG_ERROR, (SrcLoc){0}, "There is no target %.*s.",
                 STR_ARG(how->target));
    return *target;
}

// ---- all of it -----------------------------------------------------------

bool gpu_rewrite(Arena *arena, const PtxModule *module, const GpuRewrite *how,
                 Str *ptx, Diags *diags) {
    const GpuTarget *target;
    if (!find_target(how, &target, diags) ||
        !gpu_target_check(target, module, how->emulate, diags))
        return false;
    PtxModule rewritten = *module;
    set_target(arena, &rewritten, target);
    Buf text = {0};
    ptx_print(&rewritten, &text);
    *ptx = str_copy(arena, buf_view(&text));
    buf_free(&text);
    return true;
}
