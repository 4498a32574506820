// SPDX-License-Identifier: Apache-2.0
// What a machine has: what grading needs, and what it can do without.
#ifndef CLCLAB_RESULT_DOCTOR_H
#define CLCLAB_RESULT_DOCTOR_H

#include "base/base.h"

typedef enum DoctorState {
    DOCTOR_FINE,
    DOCTOR_ODD,    // there, but not as it should be
    DOCTOR_ABSENT, // not there; grading does without
    DOCTOR_NEEDED, // not there, or broken: no lab can be graded
} DoctorState;

typedef enum DoctorGroup { DOCTOR_VM, DOCTOR_GPU, DOCTOR_TOOLS } DoctorGroup;

typedef struct DoctorLine {
    DoctorGroup group;
    DoctorState state;
    Str name;    // "compiler"
    Str found;   // what is there, or what is missing
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
