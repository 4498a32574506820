// SPDX-License-Identifier: Apache-2.0
// What the files of clclab doctor share: the report that they fill in.
#ifndef CLCLAB_CLI_DOCTOR_H
#define CLCLAB_CLI_DOCTOR_H

#include "cli/internal.h"
#include "sandbox/toolkit.h"

typedef struct Doctor {
    Cli *cli;
    Arena *arena;
    DoctorGroup group; // the group of lines being added
    Toolkit toolkit;   // version 0: there is none
    bool has_course, compiles;
    bool gpu_fits; // driver, GPU and assembler are usable
    DoctorReport report;
} Doctor;

// doctor_lines.c
// `help` is dropped if the state is fine.
void doctor_add(Doctor *doctor, const char *name, DoctorState state, Str found,
                const char *enables, Str help);
// The same, with the first message as what was found.
void doctor_add_failure(Doctor *doctor, const char *name, DoctorState state,
                        const char *enables, const Diags *diags);

// doctor_gpu.c
void doctor_look_at_gpu(Doctor *doctor);

#endif
