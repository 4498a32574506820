// SPDX-License-Identifier: Apache-2.0
// The specification of lab 6: each element is multiplied by the prologue's
// value, once. How many requests a block has under way is nobody's business
// but its own, and must not show in the result.
#include "reference.h"

void pipelined_clc_reference(const LabProblem *problem, double *expected) {
    for (int i = 0; i < problem->n; i++)
        expected[i] = (double)problem->data[i] * problem->scalar;
}
