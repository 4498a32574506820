// SPDX-License-Identifier: Apache-2.0
// The functions for the objects of textures and surfaces.
#include "runtime/arrays/array.h"

API CudaError cudaCreateTextureObject(uint64_t *handle,
                                      const CudaResource *resource,
                                      const CudaSampler *sampler,
                                      const CudaView *view) {
    RETURN("cudaCreateTextureObject",
           texture_new(r, resource, sampler, view, handle));
}

API CudaError cudaDestroyTextureObject(uint64_t handle) {
    RETURN("cudaDestroyTextureObject",
           texture_free(r, handle, TEXTURE_FETCHED));
}

API CudaError cudaCreateSurfaceObject(uint64_t *handle,
                                      const CudaResource *resource) {
    RETURN("cudaCreateSurfaceObject", surface_new(r, resource, handle));
}

API CudaError cudaDestroySurfaceObject(uint64_t handle) {
    RETURN("cudaDestroySurfaceObject",
           texture_free(r, handle, TEXTURE_SURFACE));
}

static CudaError get(const Runtime *r, uint64_t handle, VmTextureKind kind,
                     TextureObject *out) {
    const TextureObject *given = texture_given(r, handle, kind);
    if (!given)
        return CUDA_VALUE;
    *out = *given;
    return CUDA_OK;
}

// `part` of what the program gave for the object.
#define GETTER(name, type, part, kind)                  \
    API CudaError name(type *out, uint64_t handle) {    \
        Runtime *r = runtime_enter();                   \
        TextureObject given;                            \
        CudaError error = get(r, handle, kind, &given); \
        if (!error)                                     \
            *out = given.part;                          \
        return runtime_leave(r, #name, error);          \
    }
GETTER(cudaGetTextureObjectResourceDesc, CudaResource, resource,
       TEXTURE_FETCHED)
GETTER(cudaGetTextureObjectTextureDesc, CudaSampler, sampler, TEXTURE_FETCHED)
GETTER(cudaGetTextureObjectResourceViewDesc, CudaView, view, TEXTURE_FETCHED)
GETTER(cudaGetSurfaceObjectResourceDesc, CudaResource, resource,
       TEXTURE_SURFACE)
