// SPDX-License-Identifier: Apache-2.0
// Loads libcuda with the functions of the table in driver.h. A driver that
// lacks one of them is too old to be used.
#include "gpu/driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Function)(void);

typedef struct Entry {
    const char *symbol;
    size_t offset; // in Driver
} Entry;

static const Entry entries[] = {
#define DRIVER_ENTRY(name, symbol, parameters) \
    {#symbol, offsetof(Driver, name)},
    DRIVER_FUNCTIONS(DRIVER_ENTRY)
#undef DRIVER_ENTRY
};

const char *driver_library(void) {
    const char *given = getenv("CLCLAB_LIBCUDA");
    return given && *given ? given : "libcuda.so.1";
}

DriverLoad driver_load(Driver *driver, Diags *diags) {
    const char *library = driver_library();
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *why = dlerror(); // it names the library
        diag_add(diags, DIAG_ERROR, (SrcLoc){0},
                 "The CUDA driver cannot be loaded: %s.", why ? why : library)
            ->help = STR("The library comes with NVIDIA's driver, not with the "
                         "toolkit. Without a GPU nothing is missing.");
        return DRIVER_MISSING;
    }
    for (size_t i = 0; i < COUNT_OF(entries); i++) {
        void *found = dlsym(handle, entries[i].symbol);
        if (!found) {
            diag_add(diags, DIAG_ERROR, (SrcLoc){0}, "%s has no %s.", library,
                     entries[i].symbol)
                ->help = STR("Install a driver of CUDA 12.0 or newer (525); "
                             "for a Blackwell GPU, of 12.8 (570).");
            return DRIVER_TOO_OLD;
        }
        memcpy((char *)driver + entries[i].offset, &found, sizeof(Function));
    }
    return DRIVER_LOADED;
}

Str driver_error(Arena *arena, const Driver *driver, CUresult error) {
    const char *name = NULL, *text = NULL;
    driver->cuGetErrorName(error, &name);
    driver->cuGetErrorString(error, &text);
    if (!name || !text)
        return str_format(arena, "CUDA error %d", (int)error);
    return str_format(arena, "%s (%d): %s", name, (int)error, text);
}
