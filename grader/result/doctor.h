// SPDX-License-Identifier: Apache-2.0
// What a machine has of the things that grading needs or can use.
#ifndef CLCLAB_RESULT_DOCTOR_H
#define CLCLAB_RESULT_DOCTOR_H

#include "base/base.h"

typedef enum DoctorState {
    DOCTOR_FINE,
    DOCTOR_ODD,    // present, but not as it should be
    DOCTOR_ABSENT, // absent, but grading works without it
    DOCTOR_NEEDED, // absent or broken: no lab can be graded
} DoctorState;

typedef enum DoctorGroup { DOCTOR_VM, DOCTOR_GPU, DOCTOR_TOOLS } DoctorGroup;

typedef struct DoctorLine {
    DoctorGroup group;
    DoctorState state;
    Str name;    // "compiler"
    Str found;   // what was found, or what is missing
    Str enables; // "every lab: a kernel becomes PTX"
    Str help;    // what to do; empty where the state is fine
} DoctorLine;

enum { DOCTOR_MOST_LINES = 24 };
typedef struct DoctorReport {
    DoctorLine lines[DOCTOR_MOST_LINES]; // by group
    size_t count;
    bool vm_ready;  // the labs can be graded on the virtual machine,
    bool gpu_ready; // and run on a GPU
} DoctorReport;

#endif
