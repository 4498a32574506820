// SPDX-License-Identifier: Apache-2.0
// Images, which are loaded on the card: a kernel's PTX, rewritten for the card
// and assembled once for each module and kernel.
#include "device/limits.h"
#include "gpu/assemble.h"
#include "gpu/internal.h"
#include "gpu/rewrite.h"

bool image_emulates(const GpuDevice *gpu) {
    return gpu_kind(&gpu->probe) == GPU_EMULATED && gpu->module &&
           gpu_makes_requests(gpu->module);
}

static const Image *find_image(const GpuDevice *gpu, Str kernel, Str calls_of,
                               bool keeps_index) {
    for (size_t i = 0; i < gpu->image_count; i++)
        if (gpu->images[i].module == gpu->module &&
            str_equal(gpu->images[i].kernel, kernel) &&
            str_equal(gpu->images[i].calls_of, calls_of) &&
            gpu->images[i].keeps_index == keeps_index)
            return &gpu->images[i];
    return NULL;
}

// ---- room ----------------------------------------------------------------

static uint64_t shared_bytes(PtxVar *const *vars, size_t count) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        if (vars[i]->space == PTX_SPACE_SHARED)
            bytes += round_up(vars[i]->size, vars[i]->align);
    return bytes;
}

// Of all functions together, which is at least what a kernel needs.
static uint64_t static_bytes(const PtxModule *module) {
    uint64_t bytes = shared_bytes(module->vars, module->var_count);
    for (size_t i = 0; i < module->func_count; i++)
        bytes +=
            shared_bytes(module->funcs[i]->vars, module->funcs[i]->var_count);
    return bytes;
}

static bool keeps_index(const GpuDevice *gpu, const DeviceLaunch *launch) {
    uint64_t own = static_bytes(gpu->module);
    uint64_t more = own + GPU_DRAWN_BYTES;
    return gpu->settings.keeps_index ||
           (own <= DEVICE_SHARED_AT_ONCE && more > DEVICE_SHARED_AT_ONCE) ||
           more + launch->dynamic_smem > DEVICE_MOST_SHARED;
}

// ---- images --------------------------------------------------------------

static const char too_old[] =
    "Labs 1 and 2 run on any GPU of compute capability 7.5 or more. Those with "
    "Cluster Launch Control need 9.0 (Hopper, where it is emulated) or 10.0 "
    "(Blackwell), or --device vm.";

// Makes the text to assemble. False: the card lacks something that the kernel
// needs.
static bool rewrite(GpuDevice *gpu, const GpuRewrite *how, Str *ptx,
                    Diag *error) {
    Diags diags = diags_new(&gpu->arena);
    if (gpu_rewrite(&gpu->arena, gpu->module, how, ptx, &diags))
        return true;
    *error = diags.items[0];
    error->code = STR("TARGET");
    if (gpu_kind(&gpu->probe) == GPU_WITHOUT)
        error->help = str_from(too_old);
    return false;
}

static bool assemble(GpuDevice *gpu, Str ptx, Str *cubin, Diag *error) {
    Diags diags = diags_new(&gpu->arena);
    GpuAssembler used;
    if (gpu_assemble(&gpu->arena, ptx, gpu->target, &used, cubin, &diags))
        return true;
    *error = diags.items[0];
    error->code = used.status == ASSEMBLY_REJECTED      ? STR("PTX")
                  : used.status == ASSEMBLY_TRY_AGAIN   ? STR("BUSY")
                  : used.status == ASSEMBLY_UNAVAILABLE ? STR("TARGET")
                                                        : STR("DEVICE");
    return false;
}

static const Image *make_image(GpuDevice *gpu, const DeviceLaunch *launch,
                               Diag *error) {
    Arena *arena = &gpu->arena;
    bool is_plain = gpu->settings.is_plain;
    bool emulates = image_emulates(gpu);
    GpuRewrite how = {.target = gpu->target,
                      .kernel = launch->kernel,
                      .emulate = emulates,
                      .keeps_index = keeps_index(gpu, launch),
                      .ledger = !is_plain,
                      .calls_of = is_plain ? (Str){0} : launch->prologue};
    Image image = {.module = gpu->module,
                   .kernel = str_copy(arena, launch->kernel),
                   .calls_of = str_copy(arena, launch->prologue),
                   .keeps_index = how.keeps_index,
                   .has_table = how.ledger || emulates,
                   .has_ledger = how.ledger,
                   .has_claims = how.ledger || (emulates && how.keeps_index)};
    Str ptx;
    if (!rewrite(gpu, &how, &ptx, error) ||
        !assemble(gpu, ptx, &image.cubin, error))
        return NULL;
    arena_grow(arena, gpu->images, gpu->image_count, gpu->image_capacity);
    gpu->images[gpu->image_count] = image;
    return &gpu->images[gpu->image_count++];
}

const Image *image_get(GpuDevice *gpu, const DeviceLaunch *launch,
                       Diag *error) {
    const Image *image = find_image(gpu, launch->kernel, launch->prologue,
                                    keeps_index(gpu, launch));
    return image ? image : make_image(gpu, launch, error);
}

// ---- the visitor ---------------------------------------------------------

// A kernel that only occupies SMs: see case_measure.c.
static const char VISITOR[] =
    ".version 8.6\n"
    ".target %.*s\n"
    ".address_size 64\n"
    ".visible .entry clclab_visit(.param .u64 arrived, .param .u32 wanted) {\n"
    "\t.reg .pred %%p;\n"
    "\t.reg .b32 %%thread, %%wanted, %%there;\n"
    "\t.reg .b64 %%arrived, %%since, %%now;\n"
    "\tmov.u32 %%thread, %%tid.x;\n"
    "\tsetp.ne.u32 %%p, %%thread, 0;\n"
    "\t@%%p bra meet;\n"
    "\tld.param.u64 %%arrived, [arrived];\n"
    "\tld.param.u32 %%wanted, [wanted];\n"
    "\tatom.relaxed.gpu.global.add.u32 %%there, [%%arrived], 1;\n"
    "\tmov.u64 %%since, %%globaltimer;\n"
    "wait:\n"
    "\tld.relaxed.gpu.global.u32 %%there, [%%arrived];\n"
    "\tsetp.ge.u32 %%p, %%there, %%wanted;\n"
    "\t@%%p bra meet;\n"
    "\tmov.u64 %%now, %%globaltimer;\n"
    "\tsub.u64 %%now, %%now, %%since;\n"
    "\tsetp.lt.u64 %%p, %%now, 1000000000;\n" // at most a second
    "\t@%%p bra wait;\n"
    "meet:\n"
    "\tbar.sync 0;\n"
    "\tret;\n"
    "}\n";

bool image_get_visitor(GpuDevice *gpu, Str *cubin, Diag *error) {
    Str ptx = str_format(&gpu->arena, VISITOR, STR_ARG(gpu->target));
    if (gpu->visitor.len == 0 && !assemble(gpu, ptx, &gpu->visitor, error))
        return false;
    *cubin = gpu->visitor;
    return true;
}
