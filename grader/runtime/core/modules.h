// SPDX-License-Identifier: Apache-2.0
// What a program has registered or loaded: fat binaries and PTX, each with its
// kernels and variables, and a Device once something of it is needed.
#ifndef CLCLAB_RUNTIME_MODULES_H
#define CLCLAB_RUNTIME_MODULES_H

#include "device/device.h"
#include "runtime/core/cuda.h"

typedef struct Runtime Runtime;

typedef struct Module Module;

struct CudaKernel {
    CudaKernel *next;
    Module *module;
    const void *host;    // the function that the program launches; or NULL
    Str name;            // in the PTX
    const PtxFunc *func; // NULL: the module is not loaded yet, or lacks it
    uint32_t
        most_dynamic;   // bytes that the program has asked for; 0: it has not
    bool large_cluster; // more than 8 blocks are allowed
};

typedef struct Variable {
    struct Variable *next;
    Module *module;
    const void *host; // the program's shadow of it; or NULL
    void **managed;   // where the program looks for its address; or NULL
    Str name;         // in the PTX
    uint32_t number;  // once the module is loaded
    uint64_t size;
} Variable;

// A fat binary of the program: loaded when something of it is needed.
struct Module {
    Module *next;
    const void *image;        // a fat binary; NULL: it is `text`
    Str text;                 // PTX
    const void *const *parts; // fat binaries to be linked, to NULL; or NULL
    const char *texts;        // PTX to be linked, each to a NUL, to an empty
                              // one; or NULL
    bool is_tried, is_dead;   // dead: the program has unregistered it
    bool lacks_parts;         // some of them have no PTX for this device
    CudaError end;            // of loading it
    PtxModule *ptx;
    Device *device;
    CudaKernel *kernels;
    Variable *variables;
};

// `image`: a fat binary, or PTX as text, which is copied.
Module *module_add(Runtime *r, const void *image);
// What a program has linked begins so; then each text of PTX, and an empty one.
#define MODULE_LINKED "\001clclab linked\n"
CudaError module_find_ptx(Runtime *r, const void *fatbin, Str *ptx);
CudaError module_refuse_machine_code(Runtime *r);
// At least 16 zeros stand behind the text.
CudaError module_read_file(Runtime *r, const char *path, Str *text);
// Reads and loads a file with one of these.
CudaError module_read(Runtime *r, Module **module, const char *path);
CudaKernel *module_add_kernel(Runtime *r, Module *module, const void *host,
                              Str name);
Variable *module_add_variable(Runtime *r, Module *module, const void *host,
                              Str name);
CudaError module_load(Runtime *r, Module *module);
// Of a module that is loaded; NULL: it has none.
CudaKernel *module_kernel_named(Runtime *r, Module *module, Str name);
// By the program's function, or by the handle itself.
CudaError module_find_kernel(Runtime *r, const void *host, CudaKernel **kernel);
CudaError module_find_variable(Runtime *r, const void *host,
                               Variable **variable);
// The address of byte `offset` of the program's variable, if `count` more are
// there.
CudaError module_symbol(Runtime *r, const void *symbol, size_t offset,
                        size_t count, void **address);
uint32_t module_arch(const Runtime *r); // 100: sm_100

#endif
