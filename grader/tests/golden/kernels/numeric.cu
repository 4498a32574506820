// SPDX-License-Identifier: Apache-2.0
// Small numerical programs: linear algebra, transforms, simulations, geometry,
// big integers.
#include "golden.cuh"

// golden num_complex words=6
GOLDEN(num_complex) {
    Io io(in, out, n);
    float2 z = {io.moderate(0), io.moderate(1)}, c = {io.unit(2), io.unit(3)};
    for (u32 k = 0; k < 6; k++) {
        float2 t = {z.x * z.x - z.y * z.y, 2 * z.x * z.y};
        float d = t.x * t.x + t.y * t.y + 1;
        z = {(t.x + c.x) / d, (t.y + c.y) / d};
    }
    io.putf(z.x);
    io.putf(z.y);
    io.putf(sqrtf(z.x * z.x + z.y * z.y));
    double2 w = {io.moderate64(4), io.moderate64(5)};
    double den = w.x * w.x + w.y * w.y;
    io.putd(w.x / den);
    io.put((u32)(w.y / den * 1e6));
}

// golden num_mandelbrot words=2
GOLDEN(num_mandelbrot) {
    Io io(in, out, n);
    float cx = -2 + 3 * io.unit(0), cy = -1 + 2 * io.unit(1), x = 0, y = 0;
    u32 k = 0;
    for (; k < 100 && x * x + y * y < 4; k++) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
    }
    io.put(k);
    double dx = 0, dy = 0, cdx = cx, cdy = cy;
    for (k = 0; k < 60 && dx * dx + dy * dy < 4; k++) {
        double t = fma(dx, dx, -dy * dy) + cdx;
        dy = fma(2 * dx, dy, cdy);
        dx = t;
    }
    io.put(k);
}

// golden num_matmul words=3
GOLDEN(num_matmul) {
    Io io(in, out, n);
    float a[4][4], b[4][4], trace = 0;
    for (u32 k = 0; k < 16; k++) {
        a[k / 4][k % 4] = io.moderate(k);
        b[k / 4][k % 4] = io.moderate(k + 16);
    }
    for (u32 i = 0; i < 4; i++)
        for (u32 j = 0; j < 4; j++) {
            float sum = 0;
            for (u32 k = 0; k < 4; k++)
                sum = fmaf(a[i][k], b[k][j], sum);
            trace += i == j ? sum : sum * 0.125f;
        }
    io.putf(trace);
    s32 sum = 0;
    for (u32 k = 0; k < 16; k++)
        sum += (s8)io.word(k) * (s8)io.word(k + 16);
    io.put((u32)sum);
    io.putf((float)sum * a[io.i & 3][io.word(0) & 3]);
}

// Gaussian elimination with a choice of pivots.
// golden num_solve words=12 block=64
GOLDEN(num_solve) {
    Io io(in, out, n);
    double a[6][7];
    for (u32 k = 0; k < 42; k++)
        a[k / 7][k % 7] = io.moderate64(k);
#pragma unroll 1
    for (u32 c = 0; c < 6; c++) {
        u32 best = c;
        for (u32 r = c + 1; r < 6; r++)
            if (fabs(a[r][c]) > fabs(a[best][c]))
                best = r;
        for (u32 k = 0; k < 7; k++) {
            double t = a[c][k];
            a[c][k] = a[best][k];
            a[best][k] = t;
        }
        for (u32 r = 0; r < 6; r++) {
            if (r == c)
                continue;
            double f = a[r][c] / a[c][c];
            for (u32 k = c; k < 7; k++)
                a[r][k] -= f * a[c][k];
        }
    }
    for (u32 k = 0; k < 6; k++)
        io.putd(a[k][6] / a[k][k]);
}

// golden num_convolution words=2
GOLDEN(num_convolution) {
    Io io(in, out, n);
    const float kernel[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
    float sum = 0;
    s32 edges = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int x = (int)(io.i & 31) + dx, y = (int)(io.i >> 5 & 15) + dy;
            if (x < 0 || y < 0 || x > 31 || y > 15)
                continue;
            u32 w = in[y * 32 + x];
            sum += kernel[dy + 1][dx + 1] * (float)(s32)(w & 0xFFF);
            edges += (dx * 2 + dx * (dy == 0)) * (s32)(w & 255);
        }
    io.putf(sum / 16);
    io.put((u32)edges);
}

// A fast Fourier transform of 128 points in shared memory, radix 2; the factors
// are computed by a rotation, so that no sine is needed.
// golden num_fft words=2
GOLDEN(num_fft) {
    Io io(in, out, n);
    __shared__ float re[128], im[128];
    u32 t = threadIdx.x, to = __brev(t) >> 25;
    re[to] = io.moderate(0);
    im[to] = io.moderate(1);
    const float cosines[7] = {-1, 0, 0.70710678f, 0.92387953f, 0.98078528f,
        0.99518473f, 0.99879546f};
    const float sines[7] = {0, 1, 0.70710678f, 0.38268343f, 0.19509032f,
        0.09801714f, 0.04906767f};
    for (u32 s = 0; s < 7; s++) {
        __syncthreads();
        u32 half = 1u << s;
        if (t < 64) {
            u32 j = t & (half - 1), a = (t >> s) * 2 * half + j, b = a + half;
            float wr = 1, wi = 0;
            for (u32 q = 0; q < j; q++) {
                float r = wr * cosines[s] + wi * sines[s];
                wi = wi * cosines[s] - wr * sines[s];
                wr = r;
            }
            float xr = re[b] * wr - im[b] * wi, xi = re[b] * wi + im[b] * wr;
            re[b] = re[a] - xr;
            im[b] = im[a] - xi;
            re[a] += xr;
            im[a] += xi;
        }
    }
    __syncthreads();
    io.putf(re[t]);
    io.putf(im[t]);
}

// golden num_nbody words=6
GOLDEN(num_nbody) {
    Io io(in, out, n);
    __shared__ float4 bodies[128];
    float4 me = {io.moderate(0), io.moderate(1), io.moderate(2), io.unit(3)};
    float3 v = {0, 0, 0};
    for (u32 step = 0; step < 2; step++) {
        bodies[threadIdx.x] = me;
        __syncthreads();
        float3 a = {0, 0, 0};
        for (u32 k = 0; k < 128; k++) {
            float4 b = bodies[k];
            float dx = b.x - me.x, dy = b.y - me.y, dz = b.z - me.z;
            float d = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.01f)));
            float f = b.w / (d * sqrtf(d));
            a.x = fmaf(dx, f, a.x);
            a.y = fmaf(dy, f, a.y);
            a.z = fmaf(dz, f, a.z);
        }
        __syncthreads();
        v = {v.x + a.x * 0.01f, v.y + a.y * 0.01f, v.z + a.z * 0.01f};
        me = {me.x + v.x * 0.01f, me.y + v.y * 0.01f, me.z + v.z * 0.01f, me.w};
    }
    io.putf(me.x);
    io.putf(me.y);
    io.putf(me.z);
    io.putf(v.x);
    io.putf(v.y);
    io.putf(v.z);
}

// golden num_sparse words=2
GOLDEN(num_sparse) {
    Io io(in, out, n);
    u32 row = io.i, first = row * 3 % 1000, count = io.word(0) % 9;
    float sum = 0;
    u32 columns = 0;
    for (u32 k = first; k < first + count; k++) {
        u32 column = in[k] % 500;
        columns += column;
        sum = fmaf((float)(s32)(in[k + 1000] & 0xFF) - 128, io.moderate(column), sum);
    }
    io.putf(sum);
    io.put(columns);
}

// golden num_ray_sphere words=4
GOLDEN(num_ray_sphere) {
    Io io(in, out, n);
    float ox = io.unit(0) - 0.5f, oy = io.unit(1) - 0.5f, oz = -3;
    float dx = io.unit(2) * 0.4f - 0.2f, dy = io.unit(3) * 0.4f - 0.2f, dz = 1;
    float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz);
    dx *= inverse, dy *= inverse, dz *= inverse;
    float nearest = 1e30f, shade = 0;
    u32 hit = 99;
    for (u32 k = 0; k < 5; k++) {
        float cx = (float)k * 0.3f - 0.6f, cy = io.unit(k) - 0.5f, r = 0.35f;
        float lx = cx - ox, ly = cy - oy, lz = 0 - oz;
        float along = lx * dx + ly * dy + lz * dz;
        float d2 = lx * lx + ly * ly + lz * lz - along * along;
        if (d2 > r * r)
            continue;
        float t = along - sqrtf(r * r - d2);
        if (t < nearest) {
            nearest = t;
            hit = k;
            shade = fmaxf(0.0f, (ox + t * dx - cx) * 0.6f +
                                    (oy + t * dy - cy) * 0.8f);
        }
    }
    io.put(hit);
    io.putf(nearest);
    io.putf(shade);
    io.put((u32)(fminf(shade * 4, 1.0f) * 255 + 0.5f));
}

// golden num_quaternion words=5
GOLDEN(num_quaternion) {
    Io io(in, out, n);
    float4 q = {io.moderate(0), io.moderate(1), io.moderate(2), io.moderate(3)};
    float norm = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    q = {q.x / norm, q.y / norm, q.z / norm, q.w / norm};
    float3 v = {io.unit(4), io.unit(5), io.unit(6)};
    float3 t = {2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z),
        2 * (q.x * v.y - q.y * v.x)};
    io.putf(v.x + q.w * t.x + q.y * t.z - q.z * t.y);
    io.putf(v.y + q.w * t.y + q.z * t.x - q.x * t.z);
    io.putf(v.z + q.w * t.z + q.x * t.y - q.y * t.x);
    io.putf(norm);
    io.putf(q.w * q.w - q.x * q.x);
}

// golden num_big_multiply words=16
GOLDEN(num_big_multiply) {
    Io io(in, out, n);
    u32 a[8], b[8], r[16] = {};
    for (u32 k = 0; k < 8; k++)
        a[k] = io.word(k), b[k] = io.word(k + 8);
    for (u32 i = 0; i < 8; i++) {
        u64 carry = 0;
        for (u32 j = 0; j < 8; j++) {
            carry += (u64)a[i] * b[j] + r[i + j];
            r[i + j] = (u32)carry;
            carry >>= 32;
        }
        r[i + 8] = (u32)carry;
    }
    for (u32 k = 0; k < 16; k++)
        io.put(r[k]);
}

// golden num_modular words=4
GOLDEN(num_modular) {
    Io io(in, out, n);
    u64 m = (io.word64(0) >> 3) | 1, base = io.word64(1) % m, r = 1;
    for (u32 e = io.word(4) & 0xFFF; e; e >>= 1) {
        if (e & 1)
            r = (u64)((unsigned __int128)r * base % m);
        base = (u64)((unsigned __int128)base * base % m);
    }
    io.put64(r);
    u32 p = io.word(5) | 1, inverse = p; // modulo 2^32, by Newton
    for (u32 k = 0; k < 5; k++)
        inverse *= 2 - p * inverse;
    io.put(inverse);
    u32 a = io.word(6), b = io.word(7) | 1;
    while (b) {
        u32 t = a % b;
        a = b;
        b = t;
    }
    io.put(a);
}

// golden num_primes words=2
GOLDEN(num_primes) {
    Io io(in, out, n);
    __shared__ u8 composite[1024];
    for (u32 k = threadIdx.x; k < 1024; k += 128)
        composite[k] = k < 2;
    __syncthreads();
    for (u32 p = 2; p < 32; p++) {
        if (!composite[p])
            for (u32 k = p * p + p * threadIdx.x; k < 1024; k += p * 128)
                composite[k] = 1;
        __syncthreads();
    }
    u32 count = 0, at = io.word(0) & 1023;
    for (u32 k = 0; k < 1024; k++)
        count += !composite[k] && k <= at;
    io.put(count);
    u32 v = (io.word(1) & 0xFFFFF) + 2, factors = 0;
    for (u32 p = 2; p * p <= v; p++)
        while (v % p == 0)
            v /= p, factors++;
    io.put(factors * 0x1000000 + v);
}

// golden num_runge_kutta words=4
GOLDEN(num_runge_kutta) {
    Io io(in, out, n);
    double x = io.unit64(0), y = io.unit64(1), h = 0.01;
    auto fx = [](double a, double b) { return a * (1.5 - b); };
    auto fy = [](double a, double b) { return b * (a - 1.0); };
#pragma unroll 1
    for (u32 k = 0; k < 20; k++) {
        double a1 = fx(x, y), b1 = fy(x, y);
        double a2 = fx(x + h / 2 * a1, y + h / 2 * b1);
        double b2 = fy(x + h / 2 * a1, y + h / 2 * b1);
        double a3 = fx(x + h / 2 * a2, y + h / 2 * b2);
        double b3 = fy(x + h / 2 * a2, y + h / 2 * b2);
        double a4 = fx(x + h * a3, y + h * b3), b4 = fy(x + h * a3, y + h * b3);
        x += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        y += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
    }
    io.putd(x);
    io.putd(y);
}

// golden num_polynomials words=4
GOLDEN(num_polynomials) {
    Io io(in, out, n);
    float x = io.unit(0) * 4 - 2, h = 0, t0 = 1, t1 = x, sum = 0;
    for (u32 k = 0; k < 12; k++)
        h = fmaf(h, x, io.moderate(k));
    io.putf(h);
    for (u32 k = 0; k < 10; k++) {
        float t2 = 2 * x * t1 - t0;
        sum += t2 * io.unit(k);
        t0 = t1, t1 = t2;
    }
    io.putf(sum);
    float s = x, term = x;
    for (u32 k = 1; k < 9; k++) {
        term = -term * x * x / (float)(2 * k * (2 * k + 1));
        s += term;
    }
    io.putf(s);
    io.putf(rintf(s * 1000) / 1000);
}

// golden num_bisection words=2
GOLDEN(num_bisection) {
    Io io(in, out, n);
    float target = fabsf(io.moderate(0)), low = 0, high = 1 + target;
    u32 steps = 0;
    while (high - low > 1e-5f * high && steps < 60) {
        float mid = 0.5f * (low + high);
        if (mid * mid * mid < target)
            low = mid;
        else
            high = mid;
        steps++;
    }
    io.putf(low);
    io.put(steps);
}

// golden num_integrals words=3
GOLDEN(num_integrals) {
    Io io(in, out, n);
    double sum = 0, a = io.unit64(0);
    for (u32 k = 0; k < 64; k++) {
        double x = a + k * (1.0 / 64);
        sum += (k & 1 ? 4 : 2) * (1 / (1 + x * x));
    }
    io.putd(sum / (3 * 64));
    u32 inside = 0, state = io.word(1);
    for (u32 k = 0; k < 64; k++) {
        state = state * 1664525 + 1013904223;
        u32 x = state >> 20, y = state >> 8 & 0xFFF;
        inside += x * x + y * y < 4096 * 4096;
    }
    io.put(inside);
}
