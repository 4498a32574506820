// SPDX-License-Identifier: Apache-2.0
// What nvcc makes of the same source with -ftz=true: denormals are zeros.
#include "golden.cuh"
// nvcc: -ftz=true

// golden ftz_arithmetic words=10
GOLDEN(ftz_arithmetic) {
    Io io(in, out, n);
    float a = io.f32(1), b = io.f32(5), c = io.moderate(2);
    io.putf(a + b);
    io.putf(a - b);
    io.putf(a * c);
    io.putf(fmaf(a, c, b));
    io.putf(a / c);
    io.putf(sqrtf(fabsf(a)));
    io.putf(fminf(a, b));
    io.putf(fmaxf(a, b));
    io.putf(fabsf(a) * -1.0f);
    io.put((a < b) + 2 * (a == 0) + 4 * (a >= b) + 8 * (a != b));
}

// golden ftz_small words=7
GOLDEN(ftz_small) {
    Io io(in, out, n);
    float a = __uint_as_float(io.word(0) & 0x80FFFFFF);
    float b = __uint_as_float(io.word(4) & 0x80FFFFFF);
    io.putf(a + b);
    io.putf(a * 0.75f);
    io.putf(fmaf(a, 1.5f, b));
    io.putf(floorf(a));
    io.put((u32)(int)(a * 0x1p127f));
    io.putd((double)a);
}

// golden ftz_functions words=4 approx=f32:4
GOLDEN(ftz_functions) {
    Io io(in, out, n);
    float a = io.moderate(0);
    io.putf(logf(fabsf(a)));
    io.putf(atanf(a));
    io.putf(cbrtf(a));
    io.putf(sinf(a));
}
