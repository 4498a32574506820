// SPDX-License-Identifier: Apache-2.0
// What the files of gpu/ share. Read in this order:
//
//   driver.c    libcuda, as a table of functions
//   probe.c     which GPU the machine has (a child asks)
//   target.c    architectures, and what each lacks
//   rewrite*.c  PtxModule -> PTX: another target, CLC emulated, a ledger kept
//   assemble.c  PTX -> cubin (in a child)
//   case_launch.c, case_measure.c, case.c  one launch: the child's part
//   outcome.c   a case's outcome -> DeviceRun
//   image.c     images to load, made once for each kernel
//   device.c    the Device: buffers, running cases
//   times.c     gpu_measure
#ifndef CLCLAB_GPU_INTERNAL_H
#define CLCLAB_GPU_INTERNAL_H

#include "gpu/case.h"
#include "gpu/gpu.h"
#include "sandbox/sandbox.h"

enum { MOST_BUFFERS = 512 };

typedef struct Image { // of a module's kernel
    const PtxModule *module;
    Str kernel, calls_of;
    Str cubin;
    bool keeps_index; // GpuRewrite's
    bool has_table, has_ledger, has_claims;
} Image;

// Blocks of a kernel that fit on an SM.
typedef struct Question {
    const PtxModule *module;
    Str kernel;
    uint32_t threads, dynamic_smem, blocks;
} Question;

typedef struct GpuDevice {
    Device device;
    Arena arena; // lives as long as the device
    GpuProbe probe;
    GpuSettings settings;
    Str name, target;
    Str emulating;           // the device's name when it emulates CLC
    const PtxModule *module; // NULL: nothing is loaded
    CaseBuffer buffers[MOST_BUFFERS];
    size_t buffer_count;
    CaseSymbol *symbols; // written since the module was loaded
    size_t symbol_count, symbol_capacity;
    Image *images;
    size_t image_count, image_capacity;
    Str visitor; // an image; empty: not made yet
    Question *questions;
    size_t question_count, question_capacity;
    bool is_asking; // the case only asks how many blocks fit
} GpuDevice;

// image.c
// Whether CLC is emulated for the loaded module.
bool image_emulates(const GpuDevice *gpu);
// The image for this launch. If CLC is emulated and a block's shared memory has
// no room for a drawn index, blocks keep the index that they were launched
// with. NULL: *error says why, with the code "PTX" (malformed), "TARGET" (the
// card lacks something), "BUSY" or "DEVICE".
const Image *image_get(GpuDevice *gpu, const DeviceLaunch *launch, Diag *error);
// The kernel that case_measure.c sends as a visitor.
bool image_get_visitor(GpuDevice *gpu, Str *cubin, Diag *error);

// device.c
// Runs a launch. `measure`: in shared memory; NULL: nothing is measured.
bool device_run(GpuDevice *gpu, Arena *arena, const DeviceLaunch *launch,
                CaseMeasure *measure, DeviceRun *run);
// Zeroed memory that children share; NULL if there is none left.
void *device_share(uint64_t bytes);
void device_unshare(void *memory, uint64_t bytes);

// outcome.c
// Turns how the child ended and what it wrote into *run. False, with
// run->error: the device could not run the kernel, which is not the kernel's
// fault.
typedef struct Ended {
    const DeviceLaunch *launch;
    const GpuCase *what;
    const SandboxJob *job;
    const SandboxResult *child;
} Ended;
bool outcome_read(Arena *arena, const Ended *ended, DeviceRun *run);

#endif
