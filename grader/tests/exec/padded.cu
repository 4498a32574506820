// SPDX-License-Identifier: Apache-2.0
// Right programs that read memory which nobody has written, and do not use what
// they read: no word is said of them.
#include <cstdio>

enum { N = 32, WRITTEN = 27 }; // elements

struct Mixed { // with padding
    char c;
    int i;
    short s;
    double d;
};

struct Point {
    float x, y, z;
};

// The last vector has elements that nobody adds.
__global__ void tail(const float4 *in, float *out, int n) {
    int i = threadIdx.x;
    float4 v = in[i];
    float sum = v.x;
    if (4 * i + 1 < n)
        sum += v.y;
    if (4 * i + 2 < n)
        sum += v.z;
    if (4 * i + 3 < n)
        sum += v.w;
    out[i] = sum;
}

// Lanes beyond the end load, and drop it.
__global__ void reduce(const float *in, float *out, int n) {
    float v = in[threadIdx.x];
    v = threadIdx.x < n ? v : 0;
    for (int i = N / 2; i > 0; i /= 2)
        v += __shfl_down_sync(~0u, v, i);
    if (threadIdx.x == 0)
        *out = v;
}

// The tile is loaded as a whole.
__global__ void neighbours(const float *in, float *out, int n) {
    __shared__ float tile[N];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n - 1)
        out[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 1];
}

__global__ void fill(Mixed *out) {
    Mixed *m = &out[threadIdx.x];
    m->c = 1;
    m->i = 2;
    m->s = 3;
    m->d = 4;
}

__global__ void next(const Mixed *in, Mixed *out) {
    Mixed m = in[threadIdx.x];
    m.i++;
    out[threadIdx.x] = m;
}

__global__ void fill_plane(Point *out) {
    out[threadIdx.x].x = 1;
    out[threadIdx.x].y = 2;
}

__global__ void lengths(const Point *in, float *out) {
    Point p = in[threadIdx.x];
    out[threadIdx.x] = p.x * p.x + p.y * p.y;
}

__global__ void fill_colours(uchar4 *out) {
    out[threadIdx.x].x = out[threadIdx.x].y = out[threadIdx.x].z = 1;
}

__global__ void grey(const uchar4 *in, unsigned char *out) {
    uchar4 p = in[threadIdx.x];
    out[threadIdx.x] = (p.x + p.y + p.z) / 3;
}

__global__ void low_bytes(unsigned char *out) {
    out[4 * threadIdx.x] = 7;
}

__global__ void masked(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = (in[threadIdx.x] & 0xff) + 1;
}

// As BLAS has it: with a beta of 0 nobody looks at c.
__global__ void scaled(const float *a, float *c, float beta) {
    float v = a[threadIdx.x];
    c[threadIdx.x] = beta == 0 ? v : v + beta * c[threadIdx.x];
}

__global__ void exchange(int *a, int *b) {
    int was = a[threadIdx.x];
    a[threadIdx.x] = b[threadIdx.x];
    b[threadIdx.x] = was;
}

template <class T> static T *memory(size_t count) {
    T *p;
    cudaMalloc(&p, count * sizeof(T));
    return p;
}

int main() {
    float host[WRITTEN] = {}, *in = memory<float>(N), *out = memory<float>(N), *c = memory<float>(N);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    tail<<<1, (WRITTEN + 3) / 4>>>((float4 *)in, out, WRITTEN);
    reduce<<<1, N>>>(in, out, WRITTEN);
    neighbours<<<1, N>>>(in, out, WRITTEN);
    scaled<<<1, WRITTEN>>>(in, c, 0);

    Mixed *mixed = memory<Mixed>(N), *others = memory<Mixed>(N);
    fill<<<1, N>>>(mixed);
    next<<<1, N>>>(mixed, others);
    next<<<1, N>>>(others, mixed);

    Point *points = memory<Point>(N);
    fill_plane<<<1, N>>>(points);
    lengths<<<1, N>>>(points, out);

    uchar4 *colours = memory<uchar4>(N);
    fill_colours<<<1, N>>>(colours);
    grey<<<1, N>>>(colours, memory<unsigned char>(N));

    unsigned *words = memory<unsigned>(N);
    low_bytes<<<1, N>>>((unsigned char *)words);
    masked<<<1, N>>>(words, memory<unsigned>(N));

    int *a = memory<int>(N), *b = memory<int>(N);
    cudaMemset(a, 0, N * sizeof *a);
    exchange<<<1, N>>>(a, b);
    exchange<<<1, N>>>(a, b);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
