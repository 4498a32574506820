// SPDX-License-Identifier: Apache-2.0
// Finds the CUDA toolkit whose compilers and assemblers the sandbox runs.
#ifndef CLCLAB_SANDBOX_TOOLKIT_H
#define CLCLAB_SANDBOX_TOOLKIT_H

#include "base/base.h"

// Where to look, in this order. Empty fields are skipped.
typedef struct ToolkitSearch {
    Str only;      // if set: this folder and nowhere else
    Str cuda_home; // then these three
    Str cuda_path;
    Str path;     // folders that may hold nvcc, separated by ':'
    Str standard; // the folder of cuda, cuda-12.8, cuda-13.0, ...: /usr/local
} ToolkitSearch;

typedef struct Toolkit {
    Str root;         // /usr/local/cuda
    uint32_t version; // CUDA_VERSION of its cuda.h: 12080, 13000, ...; 0: it
                      // has none
    Str include[2];   // the folder of cuda.h; that of libcu++, if different
    size_t include_count;
    Str nvrtc;     // the library; empty: it has none
    Str nvcc;      // the program; empty: it has none
    Str nvjitlink; // likewise
    Str ptxas;     // likewise
} Toolkit;

// The search that the environment asks for: CLCLAB_TOOLKIT (`only`), CUDA_HOME,
// CUDA_PATH, PATH, and /usr/local.
ToolkitSearch toolkit_search_environment(void);
// Finds the first toolkit that can compile: it has headers of 12.8 or newer,
// and NVRTC or nvcc. If there is none: false, with a Diag that says where it
// looked and what it found there.
bool toolkit_find(Arena *arena, const ToolkitSearch *search, Toolkit *toolkit,
                  Diags *diags);
// Finds a toolkit that can assemble PTX, with nvJitLink or ptxas: the one that
// compiles, since then the versions match, or otherwise the first.
bool toolkit_find_assembler(Arena *arena, const ToolkitSearch *search,
                            Toolkit *toolkit, Diags *diags);
Str toolkit_version_name(Arena *arena, uint32_t version); // "13.0"

#endif
