// SPDX-License-Identifier: Apache-2.0
// The specification of lab 7: each element is multiplied by the prologue's
// value, once. How many block indices a block takes at a time must not show in
// the result.
#include "reference.h"

void batch_clc_reference(const LabProblem *problem, double *expected) {
    for (int i = 0; i < problem->n; i++)
        expected[i] = (double)problem->data[i] * problem->scalar;
}
