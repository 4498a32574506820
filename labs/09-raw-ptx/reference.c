// SPDX-License-Identifier: Apache-2.0
// The specification of lab 9: each element is multiplied by the prologue's
// value, once. In which language the loop is written must not show in the
// result.
#include "reference.h"

void raw_ptx_reference(const LabProblem *problem, double *expected) {
    for (int i = 0; i < problem->n; i++)
        expected[i] = (double)problem->data[i] * problem->scalar;
}
