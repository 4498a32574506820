// SPDX-License-Identifier: Apache-2.0
// What a launch of the fake driver does to its memory: what CLCLAB_FAKE_CUDA
// asks for (options.h), and nothing else.
#ifndef CLCLAB_FAKECUDA_EFFECTS_H
#define CLCLAB_FAKECUDA_EFFECTS_H

#include "gpu/driver.h"

typedef struct FakeBlock { // of device memory
    char *at;
    size_t bytes;
} FakeBlock;

typedef struct FakeVariable { // of the module; at NULL: nobody asked for it
    const char *at;
    size_t bytes;
} FakeVariable;

typedef struct FakeLaunch {
    const CUlaunchConfig *config;
    void **parameters, **extra;
    const FakeBlock *blocks;
    size_t block_count;
    // Whether the bytes lie in one allocation, or in one variable.
    bool (*is_memory)(CUdeviceptr address, size_t bytes);
    FakeVariable (*variable)(const char *name);
} FakeLaunch;

void fake_apply(const FakeLaunch *launch);
// False: nothing is said about the kernel clclab_prologue.
bool fake_apply_prologue(const FakeLaunch *launch);

// Whether the table's claims are those of an earlier launch.
bool fake_has_old_claims(const FakeLaunch *launch);

size_t fake_blocks_of_cluster(const CUlaunchConfig *config);
size_t fake_blocks_of_grid(const CUlaunchConfig *config);

#endif
