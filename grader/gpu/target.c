// SPDX-License-Identifier: Apache-2.0
// Two tables: the targets, and what instructions need of them. A row of the
// second names the start of an opcode and perhaps a suffix. The message for an
// instruction comes from the first row that it does not satisfy. The table has
// what the writer of a CLC kernel may meet; ptxas knows the rest.
#include "gpu/target.h"

// ---- targets -------------------------------------------------------------

static const GpuTarget TARGETS[] = {
    {"sm_75", 75, 0, 63},      {"sm_80", 80, 0, 70},
    {"sm_86", 86, 0, 71},      {"sm_87", 87, 0, 74},
    {"sm_88", 88, 0, 90},      {"sm_89", 89, 0, 78},
    {"sm_90", 90, 0, 78},      {"sm_90a", 90, 'a', 80},
    {"sm_100", 100, 0, 86},    {"sm_100f", 100, 'f', 88},
    {"sm_100a", 100, 'a', 86}, {"sm_103", 103, 0, 88},
    {"sm_103f", 103, 'f', 88}, {"sm_103a", 103, 'a', 88},
    {"sm_110", 110, 0, 90},    {"sm_110f", 110, 'f', 90},
    {"sm_110a", 110, 'a', 90}, {"sm_120", 120, 0, 87},
    {"sm_120f", 120, 'f', 88}, {"sm_120a", 120, 'a', 87},
    {"sm_121", 121, 0, 88},    {"sm_121f", 121, 'f', 88},
    {"sm_121a", 121, 'a', 88},
};

const GpuTarget *gpu_target_find(Str name) {
    for (size_t i = 0; i < COUNT_OF(TARGETS); i++)
        if (str_equal(name, str_from(TARGETS[i].name)))
            return &TARGETS[i];
    return NULL;
}

// An architecture's rows are adjacent; the one with most features is the last.
const GpuTarget *gpu_target_of_device(uint32_t major, uint32_t minor) {
    const GpuTarget *best = NULL;
    for (size_t i = 0; i < COUNT_OF(TARGETS); i++)
        if (TARGETS[i].arch == major * 10 + minor)
            best = &TARGETS[i];
    return best;
}

const char *gpu_target_name(size_t index) {
    return index < COUNT_OF(TARGETS) ? TARGETS[index].name : NULL;
}

bool gpu_target_has_clusters(const GpuTarget *target) {
    return target->arch >= 90;
}

bool gpu_target_has_clc(const GpuTarget *target) {
    return target->arch >= 100;
}

bool gpu_target_emulates(const GpuTarget *target) {
    return target->arch == 90;
}

// ---- what instructions need ----------------------------------------------

enum { // families of architectures
    IN_90 = 1,
    IN_100 = 2, // and 103
    IN_110 = 4,
    IN_120 = 8, // and 121
    IN_ALL = 15,
};

typedef struct Need {
    const char *opcode; // the start of its name; "": any
    PtxMod mod;         // a suffix that it has; NONE: any
    uint32_t from;      // the first architecture that has it
    bool is_specific;   // only targets with an a or f have it
    uint32_t families;  // which of those from 90 on have it: IN_... bits
    const char *where;  // the same in words
} Need;

#define FROM_80 80, false, IN_ALL, "sm_80 and newer"
#define FROM_90 90, false, IN_ALL, "sm_90 and newer"
#define FROM_100 100, false, IN_ALL, "sm_100 and newer"

static const Need NEEDS[] = {
    {"clusterlaunchcontrol.", PTX_MOD_NONE, FROM_100},
    {"clusterlaunchcontrol.", PTX_MOD_MULTICAST_CLUSTER_ALL, 100, true, IN_ALL,
     "targets with an a or f, such as sm_100a or sm_120f"},
    {"tcgen05.", PTX_MOD_NONE, 100, true, IN_100 | IN_110,
     "sm_100a, sm_103a, sm_110a and their families"},
    {"wgmma.", PTX_MOD_NONE, 90, true, IN_90, "sm_90a"},
    {"setmaxnreg", PTX_MOD_NONE, 90, true, IN_ALL,
     "targets with an a or f, such as sm_90a or sm_100a"},
    {"st.bulk", PTX_MOD_NONE, FROM_100},
    {"", PTX_MOD_F32X2, FROM_100},
    {"ld", PTX_MOD_V8, FROM_100},
    {"st", PTX_MOD_V8, FROM_100},
    {"barrier.cluster.", PTX_MOD_NONE, FROM_90},
    {"mapa", PTX_MOD_NONE, FROM_90},
    {"getctarank", PTX_MOD_NONE, FROM_90},
    {"elect.sync", PTX_MOD_NONE, FROM_90},
    {"st.async", PTX_MOD_NONE, FROM_90},
    {"red.async", PTX_MOD_NONE, FROM_90},
    {"cp.async.bulk", PTX_MOD_NONE, FROM_90},
    {"fence.proxy", PTX_MOD_ASYNC, FROM_90},
    {"fence.proxy", PTX_MOD_ASYNC_GENERIC, FROM_90},
    {"mbarrier.try_wait", PTX_MOD_NONE, FROM_90},
    {"mbarrier.", PTX_MOD_EXPECT_TX, FROM_90},
    {"mbarrier.", PTX_MOD_NONE, FROM_80},
    {"cp.async.", PTX_MOD_NONE, FROM_80},
};

static uint32_t family_of(uint32_t arch) {
    if (arch >= 120)
        return IN_120;
    if (arch >= 110)
        return IN_110;
    return arch >= 100 ? IN_100 : IN_90;
}

static bool satisfies(const GpuTarget *target, const Need *need) {
    return target->arch >= need->from &&
           (target->suffix || !need->is_specific) &&
           (need->families & family_of(target->arch));
}

static bool is_meant(const Need *need, const PtxInstr *instr) {
    return str_starts(ptx_op_name(instr->op), str_from(need->opcode)) &&
           (need->mod == PTX_MOD_NONE || ptx_has(instr, need->mod));
}

static bool is_clc(const Need *need) {
    return str_starts(str_from(need->opcode), STR("clusterlaunchcontrol."));
}

static const char *help_for(const GpuTarget *target, const Need *need) {
    if (is_clc(need) && gpu_target_emulates(target))
        return " On Hopper it can be emulated: --target emulate.";
    return "";
}

// The innermost place of the instruction's inlining chain that is in the
// function's own file, or else the instruction's own place.
static SrcLoc own_place(const PtxModule *module, const PtxFunc *func,
                        const PtxInstr *instr) {
    uint32_t own = module->locs[func->loc].file;
    for (uint32_t loc = instr->loc; loc; loc = module->locs[loc].inlined_at)
        if (module->locs[loc].file == own && module->locs[loc].line)
            return ptx_src(module, loc);
    return ptx_src(module, instr->loc);
}

static void refuse(const GpuTarget *target, const Need *need, SrcLoc at,
                   const PtxInstr *instr, Diags *diags) {
    Str name = ptx_op_name(instr->op);
    const char *dot = need->mod == PTX_MOD_NONE ? "" : ".";
    Str mod = need->mod == PTX_MOD_NONE ? (Str){0} : ptx_mod_name(need->mod);
    Diag *diag = diag_add(diags, DIAG_ERROR, at, "%s has no %.*s%s%.*s.",
                          target->name, STR_ARG(name), dot, STR_ARG(mod));
    diag->code = STR("TARGET");
    diag->help = str_format(diags->arena, "It is for %s.%s", need->where,
                            help_for(target, need));
}

// The first row that the instruction does not satisfy; COUNT_OF(NEEDS): none.
static size_t missing(const GpuTarget *target, const PtxInstr *instr,
                      bool emulate) {
    size_t i = 0;
    while (i < COUNT_OF(NEEDS) &&
           (satisfies(target, &NEEDS[i]) || !is_meant(&NEEDS[i], instr) ||
            (emulate && is_clc(&NEEDS[i]))))
        i++;
    return i;
}

// Reports, for each row, the first instruction that does not satisfy it.
static void check_instrs(const GpuTarget *target, const PtxModule *module,
                         bool emulate, Diags *diags) {
    bool told[COUNT_OF(NEEDS) + 1] = {[COUNT_OF(NEEDS)] = true};
    for (size_t i = 0; i < module->func_count; i++) {
        const PtxFunc *func = module->funcs[i];
        for (size_t k = 0; k < func->instr_count; k++) {
            size_t need = missing(target, &func->instrs[k], emulate);
            if (!told[need])
                refuse(target, &NEEDS[need],
                       own_place(module, func, &func->instrs[k]),
                       &func->instrs[k], diags);
            told[need] = true;
        }
    }
}

static bool has_cluster(const PtxFunc *func) {
    return func->req_cluster.x || func->explicit_cluster ||
           func->blocks_are_clusters || func->max_cluster;
}

static void check_clusters(const GpuTarget *target, const PtxModule *module,
                           Diags *diags) {
    for (size_t i = 0; i < module->func_count; i++) {
        const PtxFunc *func = module->funcs[i];
        if (gpu_target_has_clusters(target) || !has_cluster(func))
            continue;
        Diag *diag = diag_add(diags, DIAG_ERROR, ptx_src(module, func->loc),
                              "%s has no clusters, which %.*s asks for.",
                              target->name, STR_ARG(func->name));
        diag->code = STR("TARGET");
        diag->help = STR("They are for sm_90 and newer.");
    }
}

bool gpu_target_check(const GpuTarget *target, const PtxModule *module,
                      bool emulate, Diags *diags) {
    size_t before = diags->errors;
    check_clusters(target, module, diags);
    check_instrs(target, module, emulate, diags);
    return diags->errors == before;
}
