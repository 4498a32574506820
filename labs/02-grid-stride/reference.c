// SPDX-License-Identifier: Apache-2.0
// The specification of lab 2: each element is multiplied by the prologue's
// value, once. How many blocks share the work must not show in the result.
#include "reference.h"

void grid_stride_reference(const LabProblem *problem, double *expected) {
    for (int i = 0; i < problem->n; i++)
        expected[i] = (double)problem->data[i] * problem->scalar;
}
