// SPDX-License-Identifier: Apache-2.0
// For editors alone: no compiler of CUDA sees this file. `make editor` tells clangd to take
// it in before a kernel, so that clang, which knows older toolkits, reads the headers of a
// newer one, and what CUDA has for compute capability 9.0 and 10.0 is declared.
#pragma once

#undef __noinline__
#define __noinline__ __attribute__((noinline))
#undef __cluster_dims__
#define __cluster_dims__(...)
#undef __grid_constant__
#define __grid_constant__

#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__
#include <crt/sm_80_rt.h>
#include <crt/sm_90_rt.h>

#define _CG_HAS_CLUSTER_GROUP
#include <cooperative_groups.h>
#include <cuda/ptx>
#include <stdint.h>
