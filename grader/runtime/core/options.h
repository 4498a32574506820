// SPDX-License-Identifier: Apache-2.0
// What clclab exec asks of the library in the program, which gets it through
// its environment.
#ifndef CLCLAB_RUNTIME_OPTIONS_H
#define CLCLAB_RUNTIME_OPTIONS_H

#include "base/base.h"

// X(field, "variable", default): the numbers.
#define RUNTIME_NUMBERS(X)                                                   \
    X(unchecked, "CLCLAB_EXEC_UNCHECKED", 0) /* DeviceLaunch.unchecked */    \
    X(schedules, "CLCLAB_EXEC_SCHEDULES", 1)                                 \
    X(only, "CLCLAB_EXEC_ONLY", 0) /* this one, and the plain one; 0: all */ \
    X(seed, "CLCLAB_EXEC_SEED", 1)                                           \
    X(jobs, "CLCLAB_EXEC_JOBS", 1)         /* schedules at a time */         \
    X(in_order, "CLCLAB_EXEC_IN_ORDER", 0) /* grants and launches */         \
    X(first, "CLCLAB_EXEC_FIRST", 1)       /* the launches to check */       \
    X(last, "CLCLAB_EXEC_LAST", UINT64_MAX)                                  \
    X(unwritten, "CLCLAB_EXEC_UNWRITTEN", 0) /* RuntimeUnwritten */          \
    X(steps, "CLCLAB_EXEC_STEPS", UINT64_C(20000000000))                     \
    X(stops, "CLCLAB_EXEC_STOP", 0) /* at the first error */

// What is said of reads of global memory that nobody has written.
typedef enum RuntimeUnwritten {
    UNWRITTEN_TELL,  // an error if the value decides something; else an
                     // advisory
    UNWRITTEN_ERROR, // an error
    UNWRITTEN_OFF,   // nothing
} RuntimeUnwritten;

typedef struct RuntimeOptions {
#define RUNTIME_FIELD(field, variable, value) uint64_t field;
    RUNTIME_NUMBERS(RUNTIME_FIELD)
#undef RUNTIME_FIELD
    const char *model; // "b200"
} RuntimeOptions;

#define RUNTIME_MODEL_VARIABLE "CLCLAB_EXEC_MODEL"
// POSIX extended: the kernels to check. Not set: all.
#define RUNTIME_KERNELS_VARIABLE "CLCLAB_EXEC_KERNELS"
#define RUNTIME_DEFAULT_MODEL "b200"

#endif
