// SPDX-License-Identifier: Apache-2.0
// What CUDA allows at most (CUDA C++ Programming Guide, "Compute
// Capabilities"), of a launch and of a kernel's memory. A device may have less:
// the models of the virtual machine say how much (vm/vm.c).
#ifndef CLCLAB_LIMITS_H
#define CLCLAB_LIMITS_H

#include <stdint.h>

enum {
    DEVICE_MOST_THREADS = 1024,     // of a block
    DEVICE_MOST_THREADS_Z = 64,     // of these, along z
    DEVICE_MOST_BLOCKS = INT32_MAX, // of a grid, along x
    DEVICE_MOST_BLOCKS_YZ = 65535,  // along y, and along z
    DEVICE_PORTABLE_CLUSTER = 8,    // blocks of a cluster, on any card
    DEVICE_MOST_CLUSTER = 16,       // where the kernel asks for more
};

// X, Y, Z.
#define DEVICE_MOST_BLOCK \
    { DEVICE_MOST_THREADS, DEVICE_MOST_THREADS, DEVICE_MOST_THREADS_Z }
#define DEVICE_MOST_GRID \
    { DEVICE_MOST_BLOCKS, DEVICE_MOST_BLOCKS_YZ, DEVICE_MOST_BLOCKS_YZ }

// Bytes.
enum {
    DEVICE_SHARED_AT_ONCE = 48 << 10, // of a block's shared memory: what is
                                      // static, and what no kernel asks for
    DEVICE_MOST_SHARED = 227 << 10,   // static and dynamic, of compute
                                      // capability 9.0 and 10.0
    DEVICE_MOST_CONSTANT = 64 << 10,  // of a module
    DEVICE_MOST_LOCAL = 512 << 10,    // of a thread
    DEVICE_MOST_PARAMETERS = 32764,   // PTX ISA, kernel function parameters
};

#endif
