// SPDX-License-Identifier: Apache-2.0
// The traits of the opcodes, made from the rows of instructions.h: first the
// short forms that its rows use, then the table.
#include "ptx/traits.h"

#define TRAITS(data, result, access, object, order, proxy, next)       \
    {                                                                  \
        PTX_DATA_##data, PTX_RESULT_##result, PTX_ACCESS_##access,     \
            PTX_OBJECT_##object, PTX_ORDER_##order, PTX_PROXY_##proxy, \
            PTX_NEXT_##next                                            \
    }

// Computes registers from registers.
#define ALU(data) TRAITS(data, PURE, NONE, NONE, NONE, NONE, NEXT)
// The same, but the result also depends on state outside the operands.
#define STATE(data, object) TRAITS(data, STATE, NONE, object, NONE, NONE, NEXT)
// Has no effect that a program could observe.
#define HINT(data) TRAITS(data, NONE, NONE, NONE, NONE, NONE, NEXT)
#define FLOW(data, next) TRAITS(data, NONE, NONE, NONE, NONE, NONE, next)

#define LOAD(order) TRAITS(LOADED, STATE, READS, MEMORY, order, GENERIC, NEXT)
#define STORE(order) TRAITS(STORED, NONE, WRITES, MEMORY, order, GENERIC, NEXT)
#define ATOMIC(result) \
    TRAITS(USED, result, UPDATES, MEMORY, SUFFIX, GENERIC, NEXT)
// Asynchronous operations on memory; what counts them and waits for them.
#define COPY(data, access, proxy) \
    TRAITS(data, NONE, access, BYTES, ASYNC, proxy, NEXT)
#define GROUPS(data, next) TRAITS(data, NONE, NONE, GROUPS, ASYNC, NONE, next)

#define BARRIER(result) TRAITS(USED, result, NONE, CTA, BARRIER, NONE, WAIT)
#define FENCE(data) TRAITS(data, NONE, NONE, NONE, FENCE, GENERIC, NEXT)
#define LANES(data) TRAITS(data, STATE, NONE, LANES, NONE, NONE, WAIT)
#define MBARRIER(result, access, next) \
    TRAITS(USED, result, access, MBARRIER, MBARRIER, GENERIC, next)

#define TENSOR(result, access, proxy, next) \
    TRAITS(USED, result, access, TENSOR, ASYNC, proxy, next)
#define TEXTURE(result, access) \
    TRAITS(USED, result, access, TEXTURE, NONE, TEXTURE, NEXT)

const PtxTraits PTX_TRAITS[PTX_OP_COUNT] = {
#define TRAITS_ROW(id, name, dsts, least, most, sink, types, operands, traits, \
                   sentence)                                                   \
    [PTX_OP_##id] = traits,
    PTX_OPCODES(TRAITS_ROW)
#undef TRAITS_ROW
};
