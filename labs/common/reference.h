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
    // Of a lab with two or three dimensions: n = width * height * depth, and
    // element (x, y, z) is data[x + width * (y + height * z)].
    int width, height, depth;
    const float *in; // [n]: what the kernel reads; NULL where it has no such
    // Of a lab whose blocks own a row each: row r is data[starts[r]] up to, not
    // including, data[starts[r + 1]].
    int rows;
    const int *starts; // [rows + 1]; NULL where there are no rows
} LabProblem;

#endif
