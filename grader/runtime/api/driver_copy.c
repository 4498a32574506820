// SPDX-License-Identifier: Apache-2.0
// The driver's copies of rows and boxes.
#include "runtime/core/runtime.h"
#include "runtime/core/stream.h"

typedef struct DriverCopy2D {
    size_t from_x, from_y;
    DriverEnd from;
    size_t from_pitch;
    size_t to_x, to_y;
    DriverEnd to;
    size_t to_pitch;
    size_t width, height;
} DriverCopy2D;

static CudaError copy_2d(Runtime *r, CopyCall call, const DriverCopy2D *copy) {
    const DriverCopy3D all = {.from_x = copy->from_x,
                              .from_y = copy->from_y,
                              .from = copy->from,
                              .from_pitch = copy->from_pitch,
                              .from_height = copy->height,
                              .to_x = copy->to_x,
                              .to_y = copy->to_y,
                              .to = copy->to,
                              .to_pitch = copy->to_pitch,
                              .to_height = copy->height,
                              .width = copy->width,
                              .height = copy->height,
                              .depth = 1};
    return stream_copy_box(r, call, &all);
}

API CudaError cuMemcpy2D_v2(const DriverCopy2D *copy) {
    DRIVER_RETURN("cuMemcpy2D", copy_2d(r, COPY_NOW, copy));
}

API CudaError cuMemcpy2DUnaligned_v2(const DriverCopy2D *copy) {
    DRIVER_RETURN("cuMemcpy2DUnaligned", copy_2d(r, COPY_NOW, copy));
}

API CudaError cuMemcpy2DAsync_v2(const DriverCopy2D *copy, CudaStream *stream) {
    DRIVER_RETURN("cuMemcpy2DAsync", copy_2d(r, COPY_IN(stream), copy));
}

API CudaError cuMemcpy3D_v2(const DriverCopy3D *copy) {
    DRIVER_RETURN("cuMemcpy3D", stream_copy_box(r, COPY_NOW, copy));
}

API CudaError cuMemcpy3DAsync_v2(const DriverCopy3D *copy, CudaStream *stream) {
    DRIVER_RETURN("cuMemcpy3DAsync", stream_copy_box(r, COPY_IN(stream), copy));
}
