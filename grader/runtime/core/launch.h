// SPDX-License-Identifier: Apache-2.0
// A launch of a kernel, and its steps: whether it is possible, its parameters,
// and running it to its end.
#ifndef CLCLAB_RUNTIME_LAUNCH_H
#define CLCLAB_RUNTIME_LAUNCH_H

#include "runtime/core/cuda.h"
#include "runtime/core/modules.h"

typedef struct Runtime Runtime;

typedef struct LaunchShape {
    CudaDim3 grid, block, cluster; // all 0: the kernel's own cluster
    size_t dynamic_smem;
    bool is_cooperative;
} LaunchShape;
void launch_take_attribute(const CudaLaunchAttribute *attribute,
                           LaunchShape *shape);
CudaError launch_kernel(Runtime *r, CudaKernel *kernel,
                        const LaunchShape *shape, void **args);
// The same in steps. The parameters are laid out in LAUNCH_MOST_PARAMETERS
// bytes; the result is how many they need, which may be more.
enum {
    LAUNCH_MOST_PARAMETERS = 32768,
    LAUNCH_MOST_ARGS = 4096, // parameters
};
CudaError launch_check(const Runtime *r, CudaKernel *kernel,
                       const LaunchShape *shape);
// False: one of them is NULL.
bool launch_has_args(const CudaKernel *kernel, void **args);
size_t launch_lay_out(const CudaKernel *kernel, void **args, uint8_t *block);
// The parameters, one by one, that the program has packed into a block itself:
// cuLaunchKernel's `extra`. `args` has LAUNCH_MOST_ARGS.
CudaError launch_unpack(const CudaKernel *kernel, void **extra, void **args);
CudaError launch_block(Runtime *r, CudaKernel *kernel, const LaunchShape *shape,
                       const uint8_t *block, size_t bytes);
// Blocks of that shape that an SM holds at a time.
uint32_t launch_fit(CudaKernel *kernel, uint32_t threads, size_t dynamic_smem);
uint32_t launch_static_shared(const CudaKernel *kernel); // bytes
uint32_t launch_most_threads(const CudaKernel *kernel);  // of a block

#endif
