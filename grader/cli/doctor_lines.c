// SPDX-License-Identifier: Apache-2.0
// Adds lines to the report of clclab doctor.
#include "cli/doctor.h"

void doctor_add(Doctor *doctor, const char *name, DoctorState state, Str found,
                const char *enables, Str help) {
    DoctorReport *report = &doctor->report;
    report->lines[report->count++] = (DoctorLine){
        .group = doctor->group,
        .name = str_from(name),
        .state = state,
        .found = found,
        .enables = str_from(enables),
        .help = state == DOCTOR_FINE ? (Str){0} : help,
    };
}

void doctor_add_failure(Doctor *doctor, const char *name, DoctorState state,
                        const char *enables, const Diags *diags) {
    Diag none = {.what = STR("It failed and did not say why.")};
    const Diag *diag = diags->count ? &diags->items[0] : &none;
    doctor_add(doctor, name, state, diag->what, enables, diag->help);
}
