// SPDX-License-Identifier: Apache-2.0
// Which levels of the instruction set this CPU has: see isa.h.
#include "vm/decode/isa.h"

#if defined(__x86_64__) && !defined(VM_ONE_ISA)

extern const VmIsa vm_isa_v2, vm_isa_v3, vm_isa_v4;

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

const VmIsa *vm_isa(size_t index) {
    const VmIsa *levels[3] = {NULL};
    size_t count = 0;
    if (has_v4())
        levels[count++] = &vm_isa_v4;
    if (has_v3())
        levels[count++] = &vm_isa_v3;
    levels[count++] = &vm_isa_v2;
    return index < count ? levels[index] : NULL;
}

#else

extern const VmIsa vm_isa_base;

const VmIsa *vm_isa(size_t index) {
    return index == 0 ? &vm_isa_base : NULL;
}

#endif
