// SPDX-License-Identifier: Apache-2.0
// Products of matrices by nvcuda::wmma, each checked by the program: prints a
// line for each.
#include <cstdio>
#include <cuda_bf16.h>
#include <mma.h>
#include <type_traits>

using namespace nvcuda::wmma;

template <class T> constexpr bool by_rows = std::is_same_v<T, row_major>;

template <class T, class Acc, int M, int N, int K, class OrderA, class OrderB,
          class Format>
__global__ void multiply(const T *a, const T *b, const Acc *c, Acc *d) {
    fragment<matrix_a, M, N, K, Format, OrderA> fa;
    fragment<matrix_b, M, N, K, Format, OrderB> fb;
    fragment<accumulator, M, N, K, Acc> sum;
    load_matrix_sync(fa, a, by_rows<OrderA> ? K : M);
    load_matrix_sync(fb, b, by_rows<OrderB> ? N : K);
    load_matrix_sync(sum, c, N, mem_row_major);
    mma_sync(sum, fa, fb, sum);
    store_matrix_sync(d, sum, M, mem_col_major);
}

__global__ void add_up(const int *a, int *sum) {
    __threadfence();
    atomicAdd(sum, a[threadIdx.x]);
}

template <class T> static T *managed(int count) {
    T *p;
    cudaMallocManaged(&p, count * sizeof(T));
    return p;
}

template <class T, class Acc, int M, int N, int K, class OrderA, class OrderB,
          class Format = T>
static void check(const char *name) {
    T *a = managed<T>(M * K), *b = managed<T>(K * N);
    Acc *c = managed<Acc>(M * N), *d = managed<Acc>(M * N);
    int wrong = 0;
    auto at = [&](int i, int k) -> T & {
        return a[by_rows<OrderA> ? i * K + k : k * M + i];
    };
    auto bt = [&](int k, int j) -> T & {
        return b[by_rows<OrderB> ? k * N + j : j * K + k];
    };
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < M; i++)
            at(i, k) = T(float((i * 3 + k * 5) % 7));
        for (int j = 0; j < N; j++)
            bt(k, j) = T(float((k + j * 2) % 5));
    }
    for (int i = 0; i < M * N; i++)
        c[i] = Acc(float(i % 9));
    multiply<T, Acc, M, N, K, OrderA, OrderB, Format><<<1, 32>>>(a, b, c, d);
    // What orders these threads is no barrier alone, so that the readers that
    // were kept of the product are of another form.
    int *sum_of_a = managed<int>(1);
    add_up<<<1, 32>>>((int *)a, sum_of_a);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; i++)
        *sum_of_a -= ((int *)a)[i];
    wrong += *sum_of_a != 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = float(c[i * N + j]);
            for (int k = 0; k < K; k++)
                sum += float(at(i, k)) * float(bt(k, j));
            wrong += float(d[j * M + i]) != sum;
        }
    printf("%s %s\n", name, wrong ? "WRONG" : "right");
}

int main() {
    check<half, float, 16, 16, 16, row_major, col_major>("f16 and f32");
    check<half, half, 16, 16, 16, col_major, row_major>("f16");
    check<half, float, 32, 8, 16, row_major, row_major>("32 x 8");
    check<half, float, 8, 32, 16, col_major, col_major>("8 x 32");
    check<__nv_bfloat16, float, 16, 16, 16, row_major, col_major>("bf16");
    check<signed char, int, 16, 16, 16, row_major, col_major>("s8");
    check<unsigned char, int, 32, 8, 16, row_major, row_major>("u8");
    check<double, double, 8, 8, 4, row_major, col_major>("f64");
    check<float, float, 16, 16, 8, row_major, col_major, precision::tf32>(
        "tf32");
    return 0;
}
