// SPDX-License-Identifier: Apache-2.0
// gpu_rewrite: start at the end. The module is printed for another target, with
// the table as an additional variable and with hooks where they are needed.
#include "gpu/rewrite_text.h"
#include "gpu/table.h"
#include "gpu/target.h"

#include <string.h>

// ---- the module that is printed ------------------------------------------

// The new target ("sm_90"), followed by the old target's options.
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

static void add_var(Arena *arena, PtxModule *module, PtxVar var) {
    PtxVar **vars = arena_new(arena, PtxVar *, module->var_count + 1);
    for (size_t i = 0; i < module->var_count; i++)
        vars[i] = module->vars[i];
    vars[module->var_count] = arena_new(arena, PtxVar, 1);
    *vars[module->var_count] = var;
    module->vars = vars;
    module->var_count++;
}

static void add_table(Arena *arena, PtxModule *module) {
    add_var(arena, module,
            (PtxVar){.name = STR(GPU_TABLE_NAME),
                     .space = PTX_SPACE_CONST,
                     .type = PTX_B8,
                     .vector = 1,
                     .align = _Alignof(GpuTable),
                     .size = sizeof(GpuTable),
                     .is_array = true,
                     .is_visible = true});
}

static void add_own_block(const Rewriter *rewriter, PtxModule *module) {
    Str name =
        str_format(rewriter->arena, "%.*sown", STR_ARG(rewriter->prefix));
    add_var(rewriter->arena, module,
            (PtxVar){.name = name,
                     .space = PTX_SPACE_SHARED,
                     .type = PTX_B8,
                     .vector = 1,
                     .align = 16,
                     .size = sizeof(OwnBlock),
                     .is_array = true});
}

bool gpu_makes_requests(const PtxModule *module) {
    for (size_t i = 0; i < module->func_count; i++)
        for (size_t k = 0; k < module->funcs[i]->instr_count; k++)
            if (module->funcs[i]->instrs[k].op ==
                PTX_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL)
                return true;
    return false;
}

static IndexFrom index_from(const GpuRewrite *how, const PtxModule *module) {
    if (!how->emulate || !gpu_makes_requests(module))
        return INDEX_LAUNCHED;
    return how->keeps_index ? INDEX_CLAIMED : INDEX_DRAWN;
}

// ---- refusals ------------------------------------------------------------

static bool find_target(const GpuRewrite *how, const GpuTarget **target,
                        Diags *diags) {
    *target = gpu_target_find(how->target);
    if (!*target)
        diag_add(diags, DIAG_ERROR, (SrcLoc){0}, "There is no target %.*s.",
                 STR_ARG(how->target));
    else if (how->emulate && !gpu_target_emulates(*target))
        diag_add(diags, DIAG_ERROR, (SrcLoc){0},
                 "Cluster Launch Control is emulated for sm_90 and sm_90a, "
                 "not for %s.",
                 (*target)->name);
    else
        return true;
    return false;
}

// The place where a function or variable is declared; without line information,
// its line in the PTX.
static SrcLoc place_of(const PtxModule *module, const PtxFunc *func) {
    return func ? ptx_src(module, func->loc) : (SrcLoc){0};
}

static bool has_free_name(const PtxModule *module, Diags *diags) {
    Str name = STR(GPU_TABLE_NAME);
    const PtxFunc *func = ptx_find_func(module, name);
    if (!func && !ptx_find_var(module, name))
        return true;
    Diag *diag = diag_add(diags, DIAG_ERROR, place_of(module, func),
                          "The name %.*s is taken.", STR_ARG(name));
    diag->code = STR("TARGET");
    diag->help = STR("The grader adds a variable of this name to what runs on "
                     "a GPU. Choose another name.");
    return false;
}

// ---- hooks ---------------------------------------------------------------

static void enter(void *context, const PtxPrinter *printer, const PtxFunc *func,
                  Buf *out) {
    (void)printer;
    rewrite_enter(context, func, out);
    rewrite_begin(context, func, out);
}

static bool instr_hook(void *context, const PtxPrinter *printer,
                       const PtxFunc *func, const PtxInstr *instr, Buf *out) {
    rewrite_end(context, printer, func, instr, out);
    return rewrite_instr(context, printer, func, instr, out);
}

// ---- all of it -----------------------------------------------------------

static Str print(Arena *arena, const PtxModule *module, const PtxHooks *hooks) {
    Buf text = {0};
    ptx_print_hooked(module, hooks, &text);
    Str ptx = str_copy(arena, buf_view(&text));
    buf_free(&text);
    return ptx;
}

bool gpu_rewrite(Arena *arena, const PtxModule *module, const GpuRewrite *how,
                 Str *ptx, Diags *diags) {
    bool needs_table = how->emulate || how->ledger || how->calls_of.len;
    const GpuTarget *target;
    if (!find_target(how, &target, diags) ||
        !gpu_target_check(target, module, how->emulate, diags) ||
        (needs_table && !has_free_name(module, diags)))
        return false;
    PtxModule rewritten = *module;
    set_target(arena, &rewritten, target);
    if (!needs_table) {
        *ptx = print(arena, &rewritten, NULL);
        return true;
    }
    Rewriter rewriter = {
        .arena = arena,
        .module = module,
        .how = how,
        .prefix = snippet_prefix(arena, module),
        .index = index_from(how, module),
        .has_clusters = gpu_target_has_clusters(target),
    };
    const PtxHooks hooks = {&rewriter, enter, instr_hook};
    add_table(arena, &rewritten);
    if (rewriter.index == INDEX_DRAWN)
        add_own_block(&rewriter, &rewritten);
    *ptx = print(arena, &rewritten, &hooks);
    return true;
}
