// SPDX-License-Identifier: Apache-2.0
// Copies and fills, from row to row and from plane to plane; and copies that
// arrays may take part in, which arrays/ finds for them (ArrayCalls).
#ifndef CLCLAB_RUNTIME_COPY_H
#define CLCLAB_RUNTIME_COPY_H

#include "runtime/core/cuda.h"

typedef struct Runtime Runtime;

// A copy's, or a fill's, end: rows of bytes.
typedef struct Area {
    void *ptr;
    size_t pitch, slice; // bytes from a row, from a plane, to the next
} Area;

CudaError copy_bytes(Runtime *r, void *to, const void *from, size_t count,
                     CudaCopy kind);
CudaError copy_areas(Runtime *r, Area to, Area from, CudaExtent extent,
                     CudaCopy kind);
// Elements of 1, 2 or 4 bytes.
typedef struct Fill {
    Area to;
    uint32_t value; // of an element
    uint32_t element;
    CudaExtent extent; // elements, rows, planes
} Fill;
CudaError copy_fill_elements(Runtime *r, const Fill *fill);

// ---- between arrays and memory (copy_3d.c) -------------------------------

typedef struct CudaArray CudaArray; // arrays/array.h

// Where an array's texels are.
typedef struct ArrayPlace {
    void *address; // of the device
    size_t texel;  // bytes
    size_t pitch, slice;
    CudaExtent extent; // bytes, rows, planes: at least one
} ArrayPlace;

// What arrays/ does: it sets Runtime.array_calls with its first array.
typedef struct ArrayCalls {
    // False: the program's handle is none of an array.
    bool (*find)(const Runtime *r, const CudaArray *array, ArrayPlace *place);
    void (*free_all)(Runtime *r);
} ArrayCalls;

// One end of a copy: an array, or memory. x is in bytes.
typedef struct CopyEnd {
    CudaArray *array; // or NULL
    CudaPitched memory;
    CudaExtent at;
} CopyEnd;

// Where an array takes part, widths count its texels.
CudaError copy_3d(Runtime *r, const CudaCopy3D *copy);
// The same copy as one of these. `extent` has bytes, rows, planes.
CudaError copy_between(const Runtime *r, const CopyEnd *to, const CopyEnd *from,
                       CudaExtent extent, CudaCopy kind, CudaCopy3D *out);

// What an end of a copy of the driver's API is in: one of the three.
typedef struct DriverEnd {
    int type; // DriverMemory
    void *host, *device;
    CudaArray *array;
} DriverEnd;

typedef enum DriverMemory {
    IN_HOST = 1,
    IN_DEVICE,
    IN_ARRAY,
    IN_BOTH, // at an address that says which
} DriverMemory;

// CUDA_MEMCPY3D.
typedef struct DriverCopy3D {
    size_t from_x, from_y, from_z, from_level;
    DriverEnd from;
    void *from_reserved;
    size_t from_pitch, from_height;
    size_t to_x, to_y, to_z, to_level;
    DriverEnd to;
    void *to_reserved;
    size_t to_pitch, to_height;
    size_t width, height, depth;
} DriverCopy3D;

CudaError copy_of_driver(const Runtime *r, const DriverCopy3D *copy,
                         CudaCopy3D *out);

#endif
