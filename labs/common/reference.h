// SPDX-License-Identifier: Apache-2.0
// What each lab's reference.c includes. A reference is the lab's
// specification in plain C: from what was in data before the launch it says
// what must be there afterwards. The grader is linked with it; so is, if you
// like, a test of your own.
#ifndef CLC_REFERENCE_H
#define CLC_REFERENCE_H

typedef struct LabProblem {
    int n;             // elements
    const float *data; // [n], before the kernel ran
    double scalar;     // what compute_scalar() returned
} LabProblem;

#endif
