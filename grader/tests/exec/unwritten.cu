// SPDX-License-Identifier: Apache-2.0
// Memory that nobody has written. The first word says what is done:
//
//   all N     memory from each of the allocators is written in each of the ways,
//             but not in the way of this number, and added to. Prints how many
//             ways there are
//   sum       an addition to what nobody has written
//   branch    a branch on it
//   compare   a compare-and-swap of it
//   count     an atomic addition to it
//   lock      an exchange whose result is looked at
//   again     freed memory that is allocated again
//   copied    a copy on the device of what is written in part
//   pitched   rows with ends that nobody has written, copied by a kernel
//   managed   memory that the host can write
//   later     three launches, of which the second writes
//   schedules a launch that reads it before it writes it, if it comes late
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { WIDTH = 64, HEIGHT = 4, BYTES = WIDTH * HEIGHT, COUNT = BYTES / 4 };

__device__ int symbol[COUNT];

__global__ void add(const int *in, int *out) {
    out[threadIdx.x] = in[threadIdx.x] + 1; // all, sum
}

__global__ void branch(const int *in, int *out) {
    if (in[threadIdx.x] == 0) // branch
        out[threadIdx.x] = 1;
}

__global__ void compare(int *p) {
    atomicCAS(&p[threadIdx.x], 0, 1); // compare
}

__global__ void count(int *p) {
    atomicAdd(&p[threadIdx.x], 1); // count
}

__global__ void take(int *p) {
    while (atomicExch(&p[threadIdx.x], 1) != 0) { // lock
    }
}

__global__ void copy(const int *in, int *out) {
    out[threadIdx.x] = in[threadIdx.x];
}

__global__ void store(int *out) {
    out[threadIdx.x] = threadIdx.x;
}

__global__ void store_bytes(char *out) {
    for (int i = threadIdx.x; i < BYTES; i += COUNT)
        out[i] = 1;
}

__global__ void exchange(int *out) {
    atomicExch(&out[threadIdx.x], 1);
}

__global__ void bulk(int *out) {
    __shared__ __align__(16) int part[COUNT];
    part[threadIdx.x] = 1;
    asm volatile("fence.proxy.async.shared::cta;");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out),
                     "r"((unsigned)__cvta_generic_to_shared(part)), "r"(BYTES)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

__global__ void first_half(int *out) {
    if (threadIdx.x < COUNT / 2)
        out[threadIdx.x] = 1;
}

__global__ void late(int *p, int *out) {
    __shared__ int before;
    if (threadIdx.x == 0)
        before = atomicAdd(&symbol[0], 1);
    __syncthreads();
    if (blockIdx.x > 0)
        return;
    if (before == gridDim.x - 1)
        out[threadIdx.x] = p[threadIdx.x] + 1; // schedules
    p[threadIdx.x] = 1;
}

static int host[COUNT];
static cudaStream_t stream;

static void copy_3d(int *p) {
    cudaMemcpy3DParms parms = {};
    parms.srcPtr = make_cudaPitchedPtr(host, WIDTH, WIDTH, HEIGHT);
    parms.dstPtr = make_cudaPitchedPtr(p, WIDTH, WIDTH, HEIGHT);
    parms.extent = make_cudaExtent(WIDTH, HEIGHT, 1);
    parms.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&parms);
}

static void copy_from_array(int *p) {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &format, WIDTH / 4, HEIGHT);
    cudaMemcpy2DFromArray(p, WIDTH, array, 0, 0, WIDTH, HEIGHT, cudaMemcpyDeviceToDevice);
    cudaFreeArray(array);
}

static void set_in_graph(int *p) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(p, 0, BYTES, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, stream);
}

static void copy_written(int *p) {
    int *from;
    cudaMalloc(&from, BYTES);
    cudaMemset(from, 0, BYTES);
    cudaMemcpyPeer(p, 0, from, 0, BYTES);
    cudaFree(from);
}

// Writes all bytes of p in the way of this number. False: there is none.
static bool write(int way, int *p) {
    switch (way) {
    case 0: cudaMemcpy(p, host, BYTES, cudaMemcpyHostToDevice); break;
    case 1: cudaMemcpyAsync(p, host, BYTES, cudaMemcpyDefault, stream); break;
    case 2: cudaMemcpy2D(p, WIDTH, host, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice); break;
    case 3: copy_3d(p); break;
    case 4: copy_from_array(p); break;
    case 5: cudaMemcpyFromSymbol(p, symbol, BYTES, 0, cudaMemcpyDeviceToDevice); break;
    case 6: copy_written(p); break;
    case 7: cudaMemset(p, 0, BYTES); break;
    case 8: cudaMemsetAsync(p, 0, BYTES, stream); break;
    case 9: cudaMemset2D(p, WIDTH, 0, WIDTH, HEIGHT); break;
    case 10: cudaMemset3D(make_cudaPitchedPtr(p, WIDTH, WIDTH, HEIGHT), 0,
                          make_cudaExtent(WIDTH, HEIGHT, 1)); break;
    case 11: cuMemsetD32((CUdeviceptr)p, 7, COUNT); break;
    case 12: cuMemsetD16((CUdeviceptr)p, 7, BYTES / 2); break;
    case 13: cuMemcpyHtoD((CUdeviceptr)p, host, BYTES); break;
    case 14: set_in_graph(p); break;
    case 15: store<<<1, COUNT>>>(p); break;
    case 16: store_bytes<<<1, COUNT>>>((char *)p); break;
    case 17: exchange<<<1, COUNT>>>(p); break;
    case 18: bulk<<<1, COUNT>>>(p); break;
    default: return false;
    }
    return true;
}

static int *allocate(int way) {
    void *p = NULL;
    size_t pitch;
    cudaPitchedPtr pitched = {};
    cudaMemPool_t pool;
    switch (way % 6) {
    case 0: cudaMalloc(&p, BYTES); break;
    case 1: cudaMallocAsync(&p, BYTES, stream); break;
    case 2: cudaMallocPitch(&p, &pitch, WIDTH, HEIGHT); break;
    case 3: cudaMalloc3D(&pitched, make_cudaExtent(WIDTH, HEIGHT, 1)); p = pitched.ptr; break;
    case 4: cuMemAlloc((CUdeviceptr *)&p, BYTES); break;
    case 5:
        cudaDeviceGetDefaultMemPool(&pool, 0);
        cudaMallocFromPoolAsync(&p, BYTES, pool, stream);
        break;
    }
    return (int *)p;
}

static void all(int left_out, int *out) {
    int way = 0;
    for (;; way++) {
        int *p = allocate(way);
        if (way != left_out && !write(way, p))
            break;
        add<<<1, COUNT>>>(p, out);
    }
    printf("%d ways\n", way);
}

static void pitched(int *out) {
    int *rows;
    size_t pitch;
    cudaMallocPitch(&rows, &pitch, 4, 1);
    cudaMemset(rows, 0, 4);
    copy<<<1, COUNT>>>(rows, out);
    add<<<1, 1>>>(rows, out);
}

int main(int argc, char **argv) {
    int *p, *out, result = 0;
    const char *what = argc > 1 ? argv[1] : "";
    cudaStreamCreate(&stream);
    cudaMalloc(&p, BYTES);
    cudaMalloc(&out, BYTES);
    if (strcmp(what, "all") == 0)
        all(atoi(argv[2]), out);
    if (strcmp(what, "sum") == 0)
        add<<<1, COUNT>>>(p, out);
    if (strcmp(what, "branch") == 0)
        branch<<<1, COUNT>>>(p, out);
    if (strcmp(what, "compare") == 0)
        compare<<<1, COUNT>>>(p);
    if (strcmp(what, "count") == 0)
        count<<<1, COUNT>>>(p);
    if (strcmp(what, "lock") == 0)
        take<<<1, COUNT>>>(p);
    if (strcmp(what, "again") == 0) {
        int *first = p;
        do { // until the address comes again
            cudaMemset(p, 0, BYTES);
            cudaFree(p);
            cudaMalloc(&p, BYTES);
        } while (p != first);
        add<<<1, COUNT>>>(p, out);
    }
    if (strcmp(what, "copied") == 0) {
        cudaMemset(p, 0, BYTES / 2);
        cudaMemset(out, 0, BYTES);
        cudaMemcpy(out, p, BYTES, cudaMemcpyDeviceToDevice);
        add<<<1, COUNT>>>(out, p);
    }
    if (strcmp(what, "pitched") == 0)
        pitched(out);
    if (strcmp(what, "managed") == 0) {
        cudaMallocManaged(&p, BYTES);
        add<<<1, COUNT>>>(p, out);
    }
    if (strcmp(what, "later") == 0) {
        store<<<1, COUNT / 2>>>(p);
        first_half<<<1, COUNT>>>(p);
        add<<<1, COUNT>>>(p, out);
    }
    if (strcmp(what, "schedules") == 0) {
        late<<<4, COUNT>>>(p, out);
        add<<<1, COUNT>>>(p, out);
    }
    result = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString((cudaError_t)result));
    return result;
}
