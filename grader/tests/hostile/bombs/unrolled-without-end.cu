// expect: 0
__device__ __noinline__ void f(volatile int *x) {
#pragma unroll 100000
    for (int i = 0; i < 100000; i++) x[i % 7] = x[i % 5] * x[i % 3] + i;
}
