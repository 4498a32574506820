// SPDX-License-Identifier: Apache-2.0
// The specification of lab 3: each element is multiplied by the prologue's
// value, once. Which block does it is decided while the kernel runs, and must
// not show in the result.
#include "reference.h"

void block_clc_reference(const LabProblem *problem, double *expected) {
    for (int i = 0; i < problem->n; i++)
        expected[i] = (double)problem->data[i] * problem->scalar;
}
