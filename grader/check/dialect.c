// SPDX-License-Identifier: Apache-2.0
// The dialect of a submission: C++ if it is a CUDA file that names cuda::ptx
// and has no inline assembly, otherwise PTX.
#include "check/internal.h"

static bool names(const Submission *submission, Str name) {
    return place_find_name(submission, name).line > 0;
}

Dialect dialect_of(const Submission *submission) {
    bool has_calls = !str_ends(submission->file, STR(".ptx")) &&
                     names(submission, STR("ptx")) &&
                     !names(submission, STR("asm")) &&
                     !names(submission, STR("__asm__"));
    return has_calls ? DIALECT_CPP : DIALECT_PTX;
}
