// SPDX-License-Identifier: Apache-2.0
// Which kernel of a file is meant by --kernel.
#ifndef CLCLAB_CLI_KERNELS_H
#define CLCLAB_CLI_KERNELS_H

#include "cli/source/source.h"
#include "ptx/ptx.h"

// How well a kernel's name answers to a given one; the less, the better.
typedef enum NameFit {
    FITS_EXACTLY,   // as the PTX has it
    FITS_WHOLE,     // with parameters: gemm(float*)
    FITS_QUALIFIED, // ns::gemm<128, 64>
    FITS_TAIL,      // gemm<128, 64>, wherever it is
    FITS_PLAINLY,   // gemm, of any instance
    FITS_IN_PART,   // gemm<128>: the other arguments have defaults
    FITS_BY_PART,   // a part of a mangled name that cannot be read
    FITS_NOT,
} NameFit;
NameFit kernels_fit(Arena *arena, Str in_ptx, Str given);
// Whether `plain` is one of the names in a mangled name.
bool kernels_is_named(Arena *arena, Str mangled, Str plain);
// As a person writes it: "ns::gemm<128, 64>"; a plain name is itself.
Str kernels_show(Arena *arena, Str in_ptx);
// The names of templates of kernels in a source, as far as words tell.
size_t kernels_list_templates(Arena *arena, Str source, Str **names);

// Finds the kernel that --kernel names in the build, or its only one, and makes
// its module the submission's.
int kernels_find(Cli *cli, Build *build, const PtxFunc **kernel);

#endif
