// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces, each checked by the program: prints a line for
// each. With an argument, a surface is written outside of its array.
#include <cstdio>

enum { W = 8, H = 4, N = 3 };

__global__ void fetch_2d(cudaTextureObject_t t, float *out) {
    int x = threadIdx.x, y = threadIdx.y;
    out[y * W + x] = tex2D<float>(t, x + 1.0f, y + 0.5f);
}

__global__ void fetch_layers(cudaTextureObject_t t, float *out) {
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    out[(z * H + y) * W + x] = tex2DLayered<float>(t, x + 0.5f, y + 0.5f, z);
}

__global__ void fetch_3d(cudaTextureObject_t t, float *out) {
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    out[(z * H + y) * W + x] = tex3D<float>(t, x + 0.5f, y + 0.5f, z + 0.5f);
}

__global__ void fetch_linear(cudaTextureObject_t t, float *out) {
    uchar4 v = tex1Dfetch<uchar4>(t, threadIdx.x);
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

__global__ void add_1(cudaSurfaceObject_t s, int shift) {
    int x = 4 * (threadIdx.x + shift), y = threadIdx.y;
    surf2Dwrite(surf2Dread<float>(s, x, y) + 1, s, x, y);
}

static void say(const char *name, bool right) {
    printf("%s %s\n", name, right ? "right" : "WRONG");
}

static float host[N * H * W], back[N * H * W];
static float *out;

static cudaTextureObject_t texture(const cudaResourceDesc &from,
                                   cudaTextureFilterMode filter) {
    cudaTextureDesc how = {};
    cudaTextureObject_t t = 0;
    for (cudaTextureAddressMode &mode : how.addressMode)
        mode = cudaAddressModeClamp;
    how.filterMode = filter;
    return cudaCreateTextureObject(&t, &from, &how, nullptr) ? 0 : t;
}

static cudaResourceDesc of(cudaArray_t array) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    return r;
}

static cudaArray_t volume(unsigned flags) {
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaExtent size = make_cudaExtent(W, H, N);
    cudaArray_t array;
    cudaMalloc3DArray(&array, &f, size, flags);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host, W * 4, W, H);
    copy.dstArray = array;
    copy.extent = size;
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    return array;
}

static bool equal(int count) {
    cudaDeviceSynchronize();
    for (int i = 0; i < count; i++)
        if (out[i] != host[i])
            return false;
    return true;
}

int main(int argc, char **) {
    cudaMallocManaged(&out, sizeof host);
    for (int i = 0; i < N * H * W; i++)
        host[i] = i;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t plane;
    cudaMallocArray(&plane, &f, W, H, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(plane, 0, 0, host, W * 4, W * 4, H,
                        cudaMemcpyHostToDevice);
    fetch_2d<<<1, dim3(W, H)>>>(texture(of(plane), cudaFilterModeLinear), out);
    cudaDeviceSynchronize();
    say("filtered",
        out[0] == 0.5f && out[W + 2] == W + 2.5f && out[W - 1] == W - 1);

    cudaSurfaceObject_t surface;
    cudaResourceDesc r = of(plane);
    cudaCreateSurfaceObject(&surface, &r);
    add_1<<<1, dim3(W, H)>>>(surface, argc > 1);
    cudaMemcpy2DFromArray(back, W * 4, plane, 0, 0, W * 4, H,
                          cudaMemcpyDeviceToHost);
    say("surface", back[0] == 1 && back[H * W - 1] == H * W);

    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemcpy2DToArrayAsync(plane, 0, 0, host, W * 4, W * 4, H,
                             cudaMemcpyHostToDevice, stream);
    cudaMemcpy2DFromArrayAsync(back + W * H, W * 4, plane, 0, 0, W * 4, H,
                               cudaMemcpyDeviceToHost, stream);
    cudaStreamEndCapture(stream, &graph);
    bool early = back[W * H + 1] != 0;
    cudaGraphInstantiate(&instance, graph, 0);
    cudaGraphLaunch(instance, stream);
    cudaStreamSynchronize(stream);
    say("captured", !early && back[W * H + 1] == 1);

    fetch_layers<<<1, dim3(W, H, N)>>>(
        texture(of(volume(cudaArrayLayered)), cudaFilterModePoint), out);
    say("layers", equal(N * H * W));
    fetch_3d<<<1, dim3(W, H, N)>>>(texture(of(volume(0)), cudaFilterModePoint),
                                   out);
    say("volume", equal(N * H * W));

    unsigned char *bytes;
    cudaMalloc(&bytes, 4 * W);
    cudaMemset(bytes, 3, 4 * W);
    cudaResourceDesc linear = {};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = bytes;
    linear.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    linear.res.linear.sizeInBytes = 4 * W;
    fetch_linear<<<1, W + 1>>>(texture(linear, cudaFilterModePoint), out);
    cudaDeviceSynchronize();
    say("linear", out[0] == 12 && out[W - 1] == 12 && out[W] == 0);

    cudaExtent size;
    unsigned flags;
    cudaArrayGetInfo(&f, &size, &flags, plane);
    say("info", f.x == 32 && size.width == W && size.height == H &&
                    size.depth == 0 && flags == cudaArraySurfaceLoadStore);
    cudaResourceDesc pitched = {};
    pitched.resType = cudaResourceTypePitch2D;
    pitched.res.pitch2D.devPtr = bytes;
    pitched.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
    pitched.res.pitch2D.width = W;
    pitched.res.pitch2D.height = 1;
    pitched.res.pitch2D.pitchInBytes = 4 * W;
    say("integers are not filtered",
        texture(pitched, cudaFilterModePoint) &&
            !texture(pitched, cudaFilterModeLinear));
    cudaDestroySurfaceObject(surface);
    say("freed", !cudaFreeArray(plane) && cudaFreeArray(plane));
    return 0;
}
