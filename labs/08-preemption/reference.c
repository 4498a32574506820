// SPDX-License-Identifier: Apache-2.0
// The specification of lab 8: each element is multiplied by the prologue's
// value, once. How often the kernel had to make room for another one must not
// show in the result.
#include "reference.h"

void preemption_reference(const LabProblem *problem, double *expected) {
    for (int i = 0; i < problem->n; i++)
        expected[i] = (double)problem->data[i] * problem->scalar;
}
