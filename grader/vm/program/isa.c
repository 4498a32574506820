// SPDX-License-Identifier: Apache-2.0
// Which levels of the instruction set this CPU has: see isa.h. The makefile
// lists in VM_ISAS ("LEVEL(v4) LEVEL(v2)") those that the handlers were
// compiled for, the best one first.
#include "vm/decode/isa.h"

#ifndef VM_ISAS
#define VM_ISAS LEVEL(base)
#endif

#define LEVEL(level) extern const VmIsa vm_isa_##level;
VM_ISAS
#undef LEVEL

#ifdef __x86_64__

static bool has_v3(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

static bool has_v4(void) {
    return has_v3() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

// All code outside exec/ is compiled for v2, so a CPU that runs this function
// has v2.
static bool runs_here(Str level) {
    if (str_equal(level, STR("v4")))
        return has_v4();
    if (str_equal(level, STR("v3")))
        return has_v3();
    return str_equal(level, STR("v2")) || str_equal(level, STR("base"));
}

#else

static bool runs_here(Str level) {
    return str_equal(level, STR("base"));
}

#endif

const VmIsa *vm_isa(size_t index) {
    static const struct {
        const char *name;
        const VmIsa *isa;
    } levels[] = {
#define LEVEL(level) {#level, &vm_isa_##level},
        VM_ISAS
#undef LEVEL
    };
    for (size_t i = 0; i < COUNT_OF(levels); i++)
        if (runs_here(str_from(levels[i].name)) && index-- == 0)
            return levels[i].isa;
    return NULL;
}
