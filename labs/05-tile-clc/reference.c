// SPDX-License-Identifier: Apache-2.0
// The specification of lab 5: to each element of `out` a weighted sum of nine
// elements of `in` is added, once: of those around the same place, in the same
// layer. Beyond the border, the nearest element counts again. The weights are
// the prologue's value times 1 2 1, 2 4 2, 1 2 1, divided by 16.
#include "reference.h"

static int clamp(int i, int count) {
    return i < 0 ? 0 : i < count ? i : count - 1;
}

static double smooth(const LabProblem *problem, int x, int y, int z) {
    static const double binomial[3] = {0.25, 0.5, 0.25};
    double sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int from_x = clamp(x + dx, problem->width);
            int from_y = clamp(y + dy, problem->height);
            int i = from_x + problem->width * (from_y + problem->height * z);
            sum += binomial[dx + 1] * binomial[dy + 1] * (double)problem->in[i];
        }
    return problem->scalar * sum;
}

void tile_clc_reference(const LabProblem *problem, double *expected) {
    for (int i = 0; i < problem->n; i++) {
        int x = i % problem->width;
        int y = i / problem->width % problem->height;
        int z = i / problem->width / problem->height;
        expected[i] = (double)problem->data[i] + smooth(problem, x, y, z);
    }
}
