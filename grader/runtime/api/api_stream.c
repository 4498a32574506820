// SPDX-License-Identifier: Apache-2.0
// The functions for streams and events. What a stream is given is done at once,
// in the order of the calls, so that a stream is always ready and an event is a
// time of the host's clock.
#include "runtime/core/runtime.h"
#include "runtime/core/stream.h"

#include <string.h>

// ---- streams -------------------------------------------------------------

API CudaError cudaStreamCreateWithPriority(CudaStream **stream, uint32_t flags,
                                           int priority) {
    if (!stream)
        return runtime_refuse("cudaStreamCreate");
    Runtime *r = runtime_enter();
    *stream = stream_new(r, flags, priority);
    return runtime_leave(r, "cudaStreamCreate", CUDA_OK);
}

API CudaError cudaStreamCreateWithFlags(CudaStream **stream, uint32_t flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

API CudaError cudaStreamCreate(CudaStream **stream) {
    return cudaStreamCreateWithPriority(stream, 0, 0);
}

API CudaError cudaStreamDestroy(CudaStream *stream) {
    Runtime *r = runtime_enter();
    CudaStream *own = stream_find(r, stream);
    CudaError error = own ? stream_check(r, stream) : CUDA_HANDLE;
    runtime_flush(r);
    if (!error)
        own->is_destroyed = own != r->thread_stream;
    return runtime_leave(r, "cudaStreamDestroy", error);
}

static CudaError wait_for(const char *name, CudaStream *stream) {
    Runtime *r = runtime_enter();
    CudaError error = stream_forbid_wait(r, stream);
    runtime_flush(r);
    return runtime_leave(r, name, error);
}

API CudaError cudaStreamSynchronize(CudaStream *stream) {
    return wait_for("cudaStreamSynchronize", stream);
}

API CudaError cudaStreamQuery(CudaStream *stream) {
    return wait_for("cudaStreamQuery", stream);
}

API CudaError cudaStreamGetFlags(CudaStream *handle, uint32_t *flags) {
    if (!flags)
        return runtime_refuse("cudaStreamGetFlags");
    Runtime *r = runtime_enter();
    const CudaStream *stream = stream_find(r, handle);
    *flags = stream ? stream->flags : 0;
    return runtime_leave(r, "cudaStreamGetFlags", CUDA_OK);
}

API CudaError cudaStreamGetPriority(CudaStream *handle, int *priority) {
    if (!priority)
        return runtime_refuse("cudaStreamGetPriority");
    Runtime *r = runtime_enter();
    const CudaStream *stream = stream_find(r, handle);
    *priority = stream ? stream->priority : 0;
    return runtime_leave(r, "cudaStreamGetPriority", CUDA_OK);
}

API CudaError cudaStreamGetId(CudaStream *handle, unsigned long long *id) {
    Runtime *r = runtime_enter();
    const CudaStream *stream = stream_find(r, handle);
    *id = stream ? stream->id : 1;
    return runtime_leave(r, "cudaStreamGetId", CUDA_OK);
}

API CudaError cudaStreamGetDevice(CudaStream *stream, int *device) {
    (void)stream;
    *device = 0;
    return CUDA_OK;
}

API CudaError cudaStreamGetAttribute(CudaStream *stream, int attribute,
                                     void *value) {
    (void)stream, (void)attribute;
    memset(value, 0, 64);
    return CUDA_OK;
}

// ---- events --------------------------------------------------------------

static CudaError new_event(Runtime *r, CudaEvent **event, uint32_t flags) {
    enum { NO_TIME = 2 };
    *event = arena_new(&r->arena, CudaEvent, 1);
    (*event)->has_no_time = flags & NO_TIME;
    return CUDA_OK;
}

API CudaError cudaEventCreateWithFlags(CudaEvent **event, uint32_t flags) {
    if (!event)
        return runtime_refuse("cudaEventCreate");
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaEventCreate", new_event(r, event, flags));
}

API CudaError cudaEventCreate(CudaEvent **event) {
    return cudaEventCreateWithFlags(event, 0);
}

API CudaError cudaEventDestroy(CudaEvent *event) {
    Runtime *r = runtime_enter();
    CudaError error = event_check(r, event);
    if (!error)
        event->is_destroyed = true;
    return runtime_leave(r, "cudaEventDestroy", error);
}

API CudaError cudaEventRecordWithFlags(CudaEvent *event, CudaStream *stream,
                                       uint32_t flags) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaEventRecord",
                         event_record(r, event, stream, flags != 0));
}

API CudaError cudaEventRecord(CudaEvent *event, CudaStream *stream) {
    return cudaEventRecordWithFlags(event, stream, 0);
}

API CudaError cudaStreamWaitEvent(CudaStream *stream, CudaEvent *event,
                                  uint32_t flags) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaStreamWaitEvent",
                         event_wait(r, stream, event, flags != 0));
}

API CudaError cudaEventSynchronize(CudaEvent *event) {
    RETURN("cudaEventSynchronize", event_await(r, event));
}

API CudaError cudaEventQuery(CudaEvent *event) {
    RETURN("cudaEventQuery", event_await(r, event));
}

static CudaError elapsed(float *ms, const CudaEvent *from,
                         const CudaEvent *to) {
    if (!from || !to || !from->is_recorded || !to->is_recorded ||
        from->has_no_time || to->has_no_time)
        return CUDA_HANDLE;
    double seconds = (double)(to->at.tv_sec - from->at.tv_sec);
    double rest = (double)(to->at.tv_nsec - from->at.tv_nsec);
    *ms = (float)(seconds * 1e3 + rest / 1e6);
    return CUDA_OK;
}

API CudaError cudaEventElapsedTime(float *ms, CudaEvent *from, CudaEvent *to) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaEventElapsedTime", elapsed(ms, from, to));
}
