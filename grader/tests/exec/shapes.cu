// SPDX-License-Identifier: Apache-2.0
// Launches whose shapes the kernels do not allow.
#include <cstdio>

__global__ void __launch_bounds__(64) bounded() {
}
__global__ void __cluster_dims__(2, 1, 1) clustered() {
}
__global__ void plain() {
}

static void told(const char *name, cudaError_t error) {
    printf("%s: %s\n", name, cudaGetErrorName(error));
    cudaGetLastError();
}

static cudaError_t in_clusters(void (*kernel)(), unsigned cluster,
                               unsigned blocks) {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute size = {};
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim.x = cluster;
    size.val.clusterDim.y = size.val.clusterDim.z = 1;
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(32);
    config.attrs = &size;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel);
}

int main() {
    bounded<<<1, 65>>>();
    told("bounds", cudaGetLastError());
    told("remainder", in_clusters(plain, 4, 6));
    told("large", in_clusters(plain, 16, 16));
    clustered<<<3, 32>>>();
    told("own", cudaGetLastError());
    told("other", in_clusters(clustered, 4, 8));
    told("fits", in_clusters(clustered, 2, 8));
    return 0;
}
