// SPDX-License-Identifier: Apache-2.0
// Pools of memory. Memory comes from the device, whatever pool is named, so
// that a pool is what the program has set of it.
#include "runtime/core/runtime.h"

#include <string.h>

// cudaMemPoolAttr.
typedef enum PoolAttribute {
    POOL_FOLLOWS_EVENTS = 1,
    POOL_OPPORTUNISTIC,
    POOL_INTERNAL,
    POOL_THRESHOLD, // from here on of 8 bytes
    POOL_RESERVED,
    POOL_RESERVED_HIGH,
    POOL_USED,
    POOL_USED_HIGH,
    POOL_ATTRIBUTES,
} PoolAttribute;

struct CudaPool {
    uint64_t values[POOL_ATTRIBUTES];
};

static CudaError new_pool(Runtime *r, CudaPool **pool) {
    *pool = arena_new(&r->arena, CudaPool, 1);
    **pool = (CudaPool){{[POOL_FOLLOWS_EVENTS] = 1,
                         [POOL_OPPORTUNISTIC] = 1,
                         [POOL_INTERNAL] = 1}};
    return CUDA_OK;
}

static CudaError default_pool(Runtime *r, CudaPool **pool) {
    if (!r->default_pool)
        new_pool(r, &r->default_pool);
    *pool = r->default_pool;
    return CUDA_OK;
}

static CudaError current_pool(Runtime *r, CudaPool **pool) {
    *pool = r->pool;
    return r->pool ? CUDA_OK : default_pool(r, pool);
}

API CudaError cudaDeviceGetDefaultMemPool(CudaPool **pool, int device) {
    RETURN("cudaDeviceGetDefaultMemPool",
           device ? CUDA_DEVICE : default_pool(r, pool));
}

API CudaError cudaDeviceGetMemPool(CudaPool **pool, int device) {
    RETURN("cudaDeviceGetMemPool",
           device ? CUDA_DEVICE : current_pool(r, pool));
}

API CudaError cudaMemGetDefaultMemPool(CudaPool **pool, const void *location,
                                       int type) {
    (void)location, (void)type;
    RETURN("cudaMemGetDefaultMemPool", default_pool(r, pool));
}

static CudaError set_pool(Runtime *r, CudaPool *pool) {
    if (pool)
        r->pool = pool;
    return pool ? CUDA_OK : CUDA_VALUE;
}

API CudaError cudaDeviceSetMemPool(int device, CudaPool *pool) {
    RETURN("cudaDeviceSetMemPool", device ? CUDA_DEVICE : set_pool(r, pool));
}

API CudaError cudaMemPoolCreate(CudaPool **pool,
                                const CudaPoolProperties *properties) {
    RETURN("cudaMemPoolCreate", properties ? new_pool(r, pool) : CUDA_VALUE);
}

static CudaError destroy(Runtime *r, const CudaPool *pool) {
    if (!pool || pool == r->default_pool)
        return CUDA_VALUE;
    if (pool == r->pool)
        r->pool = NULL;
    return CUDA_OK;
}

API CudaError cudaMemPoolDestroy(CudaPool *pool) {
    RETURN("cudaMemPoolDestroy", destroy(r, pool));
}

API CudaError cudaMemPoolTrimTo(CudaPool *pool, size_t bytes) {
    (void)bytes;
    RETURN("cudaMemPoolTrimTo", pool ? CUDA_OK : CUDA_VALUE);
}

static size_t size_of(int attribute) {
    return attribute < POOL_THRESHOLD ? sizeof(int) : sizeof(uint64_t);
}

static bool has_attribute(const CudaPool *pool, int attribute) {
    return pool && attribute > 0 && attribute < POOL_ATTRIBUTES;
}

static CudaError set_attribute(CudaPool *pool, int attribute,
                               const void *value) {
    if (!has_attribute(pool, attribute))
        return CUDA_VALUE;
    memcpy(&pool->values[attribute], value, size_of(attribute));
    return CUDA_OK;
}

API CudaError cudaMemPoolSetAttribute(CudaPool *pool, int attribute,
                                      void *value) {
    RETURN("cudaMemPoolSetAttribute", set_attribute(pool, attribute, value));
}

static CudaError get_attribute(const CudaPool *pool, int attribute,
                               void *value) {
    if (!has_attribute(pool, attribute))
        return CUDA_VALUE;
    memcpy(value, &pool->values[attribute], size_of(attribute));
    return CUDA_OK;
}

API CudaError cudaMemPoolGetAttribute(CudaPool *pool, int attribute,
                                      void *value) {
    RETURN("cudaMemPoolGetAttribute", get_attribute(pool, attribute, value));
}

API CudaError cudaMemPoolGetAccess(int *flags, CudaPool *pool,
                                   const int *location) {
    enum { READ_WRITE = 3 };
    (void)location;
    *flags = READ_WRITE;
    return pool ? CUDA_OK : CUDA_VALUE;
}

API CudaError cudaMemPoolSetAccess(CudaPool *pool, const void *list,
                                   size_t count) {
    (void)list, (void)count;
    return pool ? CUDA_OK : CUDA_VALUE;
}
