// SPDX-License-Identifier: Apache-2.0
// The driver's functions that write a value in a stream, or wait for one. A
// stream is run at once, so that nobody can write later what it waits for: what
// follows is run all the same, and the report says so.
#include "runtime/core/runtime.h"
#include "runtime/core/stream.h"

#include <string.h>

// Of 4 or 8 bytes.
typedef struct Value {
    void *address;
    uint64_t value;
    size_t size;
    uint32_t flags;
} Value;

// In words, as a graph's node may do it later.
static CudaError write_value(Runtime *r, CudaStream *stream, Value given) {
    CudaError error = given.address ? CUDA_OK : CUDA_VALUE;
    for (size_t at = 0; at < given.size && !error; at += sizeof(uint32_t)) {
        Area word = {(char *)given.address + at, sizeof(uint32_t),
                     sizeof(uint32_t)};
        Op op = {.kind = OP_FILL,
                 .fill = {word,
                          (uint32_t)(given.value >> at * 8),
                          sizeof(uint32_t),
                          {1, 1, 1}}};
        error = stream_do(r, stream, &op);
    }
    return error;
}

// CUstreamWaitValue_flags.
static bool is_reached(Value wanted, uint64_t is) {
    enum { AT_LEAST, EQUAL, AND, NOR, HOW = 3 };
    uint64_t mask = wanted.size == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX;
    uint64_t difference = (is - wanted.value) & mask;
    switch (wanted.flags & HOW) {
    case AT_LEAST: // also if it has wrapped
        return difference <= mask / 2;
    case EQUAL:
        return difference == 0;
    case AND:
        return (is & wanted.value & mask) != 0;
    default:
        return (~(is | wanted.value) & mask) != 0;
    }
}

static CudaError wait_value(Runtime *r, CudaStream *stream, Value wanted) {
    Capture *capture;
    uint64_t is = 0;
    CudaError error = stream_capture(r, stream, &capture);
    if (error || capture)
        return error ? error : CUDA_CAPTURE_UNSUPPORTED;
    error = copy_bytes(r, &is, wanted.address, wanted.size, COPY_DEFAULT);
    if (!error && !is_reached(wanted, is))
        runtime_message(
            r, DIAG_WARNING,
            "A stream waits for a value (cuStreamWaitValue) that nobody has "
            "written yet. What follows in it was run all the same: it may have "
            "come too early.",
            "Streams are run in the order of the calls. Let the program write "
            "the value before it makes another stream wait for it.");
    return error;
}

API CudaError cuStreamWriteValue32_v2(CudaStream *stream, void *address,
                                      uint32_t value, uint32_t flags) {
    DRIVER_RETURN("cuStreamWriteValue32",
                  write_value(r, stream, (Value){address, value, 4, flags}));
}

API CudaError cuStreamWriteValue64_v2(CudaStream *stream, void *address,
                                      uint64_t value, uint32_t flags) {
    DRIVER_RETURN("cuStreamWriteValue64",
                  write_value(r, stream, (Value){address, value, 8, flags}));
}

API CudaError cuStreamWaitValue32_v2(CudaStream *stream, void *address,
                                     uint32_t value, uint32_t flags) {
    DRIVER_RETURN("cuStreamWaitValue32",
                  wait_value(r, stream, (Value){address, value, 4, flags}));
}

API CudaError cuStreamWaitValue64_v2(CudaStream *stream, void *address,
                                     uint64_t value, uint32_t flags) {
    DRIVER_RETURN("cuStreamWaitValue64",
                  wait_value(r, stream, (Value){address, value, 8, flags}));
}

// ---- several -------------------------------------------------------------

typedef enum MemoryOpKind {
    MEMORY_WAIT_32 = 1,
    MEMORY_WRITE_32 = 2,
    MEMORY_FLUSH = 3,
    MEMORY_WAIT_64 = 4,
    MEMORY_WRITE_64 = 5,
    MEMORY_BARRIER = 6,
} MemoryOpKind;

// CUstreamBatchMemOpParams.
typedef union MemoryOp {
    int kind; // MemoryOpKind
    struct {
        int kind;
        void *address;
        uint64_t value; // or its lower half
        uint32_t flags;
    } value;
    uint64_t words[6];
} MemoryOp;

static CudaError do_memory_op(Runtime *r, CudaStream *stream,
                              const MemoryOp *op) {
    Value value = {op->value.address, op->value.value, 8, op->value.flags};
    switch ((MemoryOpKind)op->kind) {
    case MEMORY_WAIT_32:
    case MEMORY_WRITE_32:
        value.size = 4;
        value.value = (uint32_t)value.value;
        break;
    case MEMORY_WAIT_64:
    case MEMORY_WRITE_64:
        break;
    case MEMORY_FLUSH:
    case MEMORY_BARRIER:
        return CUDA_OK;
    }
    return op->kind == MEMORY_WAIT_32 || op->kind == MEMORY_WAIT_64
               ? wait_value(r, stream, value)
               : write_value(r, stream, value);
}

static CudaError do_memory_ops(Runtime *r, CudaStream *stream, uint32_t count,
                               const MemoryOp *ops) {
    enum { MOST = 256 };
    CudaError error = ops && count && count <= MOST ? CUDA_OK : CUDA_VALUE;
    for (uint32_t i = 0; i < count && !error; i++)
        error = ops[i].kind < MEMORY_WAIT_32 || ops[i].kind > MEMORY_BARRIER
                    ? CUDA_VALUE
                    : do_memory_op(r, stream, &ops[i]);
    return error;
}

API CudaError cuStreamBatchMemOp_v2(CudaStream *stream, uint32_t count,
                                    const MemoryOp *ops, uint32_t flags) {
    (void)flags;
    DRIVER_RETURN("cuStreamBatchMemOp", do_memory_ops(r, stream, count, ops));
}
