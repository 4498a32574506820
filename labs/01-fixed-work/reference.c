// SPDX-License-Identifier: Apache-2.0
// The specification of lab 1: each element is multiplied by the prologue's
// value, once. Which thread does it, and when, is not part of it.
#include "reference.h"

void fixed_work_reference(const LabProblem *problem, double *expected) {
    for (int i = 0; i < problem->n; i++)
        expected[i] = (double)problem->data[i] * problem->scalar;
}
