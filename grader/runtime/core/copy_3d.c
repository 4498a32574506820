// SPDX-License-Identifier: Apache-2.0
// Copies of boxes between arrays and memory, as either API describes them. What
// an array is, arrays/ says (ArrayCalls).
#include "runtime/core/copy.h"
#include "runtime/core/runtime.h"

// Of an end without an array, texels are bytes. False: there is no such array.
static bool find_place(const Runtime *r, const CudaArray *array,
                       ArrayPlace *place) {
    *place = (ArrayPlace){.texel = 1};
    return !array || (r->array_calls && r->array_calls->find(r, array, place));
}

// ---- doing one -----------------------------------------------------------

static bool fits(size_t at, size_t count, size_t size) {
    return at <= size && count <= size - at;
}

static CudaError area_of(const CopyEnd *end, const ArrayPlace *place,
                         CudaExtent extent, Area *out) {
    CudaExtent at = end->at;
    char *base = end->memory.ptr;
    out->pitch = end->memory.pitch;
    out->slice = out->pitch * end->memory.height;
    if (end->array) {
        if (!fits(at.width, extent.width, place->extent.width) ||
            !fits(at.height, extent.height, place->extent.height) ||
            !fits(at.depth, extent.depth, place->extent.depth))
            return CUDA_VALUE;
        base = place->address;
        out->pitch = place->pitch;
        out->slice = place->slice;
    }
    out->ptr = base + at.depth * out->slice + at.height * out->pitch + at.width;
    return CUDA_OK;
}

CudaError copy_3d(Runtime *r, const CudaCopy3D *copy) {
    CopyEnd to = {copy->to_array, copy->to, copy->to_at};
    CopyEnd from = {copy->from_array, copy->from, copy->from_at};
    CudaExtent extent = copy->extent;
    ArrayPlace to_place, from_place;
    Area out, in;
    if (!find_place(r, to.array, &to_place) ||
        !find_place(r, from.array, &from_place))
        return CUDA_HANDLE;
    to.at.width *= to_place.texel;
    from.at.width *= from_place.texel;
    extent.width *= to.array ? to_place.texel : from_place.texel;
    CudaError error = area_of(&to, &to_place, extent, &out);
    if (!error)
        error = area_of(&from, &from_place, extent, &in);
    return error ? error : copy_areas(r, out, in, extent, copy->kind);
}

// ---- describing one ------------------------------------------------------

// From bytes to texels. False: it is not a whole number of them.
static bool in_texels(size_t *width, size_t texel) {
    size_t rest = *width % texel;
    *width /= texel;
    return rest == 0;
}

CudaError copy_between(const Runtime *r, const CopyEnd *to, const CopyEnd *from,
                       CudaExtent extent, CudaCopy kind, CudaCopy3D *out) {
    ArrayPlace to_place, from_place;
    *out = (CudaCopy3D){.from_array = from->array,
                        .from_at = from->at,
                        .from = from->memory,
                        .to_array = to->array,
                        .to_at = to->at,
                        .to = to->memory,
                        .extent = extent,
                        .kind = kind};
    if (!find_place(r, to->array, &to_place) ||
        !find_place(r, from->array, &from_place))
        return CUDA_HANDLE;
    bool is_whole = in_texels(&out->to_at.width, to_place.texel) &&
                    in_texels(&out->from_at.width, from_place.texel) &&
                    in_texels(&out->extent.width,
                              to->array ? to_place.texel : from_place.texel);
    return is_whole ? CUDA_OK : CUDA_VALUE;
}

// ---- the driver's --------------------------------------------------------

static CudaError end_of(const DriverEnd *given, CudaExtent at, size_t pitch,
                        size_t height, CopyEnd *out) {
    *out = (CopyEnd){.at = at, .memory = {.pitch = pitch, .height = height}};
    switch ((DriverMemory)given->type) {
    case IN_HOST:
        out->memory.ptr = given->host;
        return CUDA_OK;
    case IN_DEVICE:
    case IN_BOTH:
        out->memory.ptr = given->device;
        return CUDA_OK;
    case IN_ARRAY:
        out->array = given->array;
        return given->array ? CUDA_OK : CUDA_HANDLE;
    }
    return CUDA_VALUE;
}

static CudaCopy kind_of(int from, int to) {
    bool is_host = from == IN_HOST, to_host = to == IN_HOST;
    if (from == IN_BOTH || to == IN_BOTH)
        return COPY_DEFAULT;
    if (is_host)
        return to_host ? COPY_HOST_TO_HOST : COPY_HOST_TO_DEVICE;
    return to_host ? COPY_DEVICE_TO_HOST : COPY_DEVICE_TO_DEVICE;
}

// Memory without a pitch has rows without gaps.
static size_t pitch_or(size_t pitch, size_t width) {
    return pitch ? pitch : width;
}

static CudaError ends_of(const DriverCopy3D *copy, CopyEnd *to, CopyEnd *from) {
    CudaExtent to_at = {copy->to_x, copy->to_y, copy->to_z};
    CudaExtent from_at = {copy->from_x, copy->from_y, copy->from_z};
    CudaError error =
        end_of(&copy->to, to_at, pitch_or(copy->to_pitch, copy->width),
               copy->to_height, to);
    return error ? error
                 : end_of(&copy->from, from_at,
                          pitch_or(copy->from_pitch, copy->width),
                          copy->from_height, from);
}

CudaError copy_of_driver(const Runtime *r, const DriverCopy3D *copy,
                         CudaCopy3D *out) {
    CopyEnd to, from;
    if (!copy)
        return CUDA_VALUE;
    CudaError error = ends_of(copy, &to, &from);
    return error ? error
                 : copy_between(
                       r, &to, &from,
                       (CudaExtent){copy->width, copy->height, copy->depth},
                       kind_of(copy->from.type, copy->to.type), out);
}
