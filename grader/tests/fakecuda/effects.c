// SPDX-License-Identifier: Apache-2.0
// Read upwards: fake_apply, at the end, has one line for each kind of effect.
#include "tests/fakecuda/effects.h"
#include "check/scalar.h"
#include "gpu/table.h"
#include "tests/fakecuda/options.h"

#include <string.h>

// ---- parameters ----------------------------------------------------------

enum { POINTER = 1, SIZE = 2 }; // cuda.h: CU_LAUNCH_PARAM_BUFFER_...

static const void *extra_value(const FakeLaunch *launch, uintptr_t key) {
    void **extra = launch->extra;
    while (extra && extra[0] && (uintptr_t)extra[0] != key)
        extra += 2;
    return extra && extra[0] ? extra[1] : NULL;
}

// As the launch gave them: an array of addresses, or the whole block.
static const void *parameter(const FakeLaunch *launch, size_t index,
                             size_t offset) {
    if (launch->parameters)
        return launch->parameters[index];
    const char *block = extra_value(launch, POINTER);
    return block ? block + offset : NULL;
}

static CUdeviceptr first_pointer(const FakeLaunch *launch) {
    CUdeviceptr address = 0;
    const void *first = parameter(launch, 0, 0);
    if (first)
        memcpy(&address, first, sizeof address);
    return address;
}

static void apply_double(const FakeLaunch *launch) {
    CUdeviceptr data = first_pointer(launch);
    const void *second = parameter(launch, 1, sizeof data);
    int n;
    if (!data || !second)
        return;
    memcpy(&n, second, sizeof n);
    if (n < 0 || !launch->is_memory(data, (size_t)n * sizeof(float)))
        return;
    for (int i = 0; i < n; i++)
        ((float *)data)[i] *= 2.0f;
}

// ---- memory --------------------------------------------------------------

static void corrupt(const FakeLaunch *launch, bool last) {
    for (size_t i = 0; i < launch->block_count; i++) {
        const FakeBlock *block = &launch->blocks[i];
        block->at[last ? block->bytes - 1 : 0] ^= 1;
    }
}

static void poke(const FakeLaunch *launch) {
    const char *at = NULL;
    uint64_t block, offset;
    while (option_pair("poke", &at, &block, &offset))
        if (block < launch->block_count && offset < launch->blocks[block].bytes)
            launch->blocks[block].at[offset] ^= 1;
}

// ---- the table of gpu/table.h --------------------------------------------

static bool find_table(const FakeLaunch *launch, GpuTable *table) {
    FakeVariable variable = launch->variable(GPU_TABLE_NAME);
    if (variable.at)
        memcpy(table, variable.at, sizeof *table);
    return variable.at != NULL;
}

static void store(const FakeLaunch *launch, CUdeviceptr array, uint64_t index,
                  uint64_t value, size_t bytes) {
    CUdeviceptr at = array + index * bytes;
    bool aligned = at % bytes == 0; // else a GPU faults
    if (array && aligned && launch->is_memory(at, bytes))
        memcpy((void *)at, &value, bytes); // little-endian
}

static void store_word(const FakeLaunch *launch, CUdeviceptr array,
                       uint64_t index, uint32_t value) {
    store(launch, array, index, value, sizeof value);
}

size_t fake_blocks_of_cluster(const CUlaunchConfig *config) {
    for (unsigned int i = 0; i < config->numAttrs; i++) {
        const CUlaunchAttribute *a = &config->attrs[i];
        if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            return (size_t)a->value.clusterDim.x * a->value.clusterDim.y *
                   a->value.clusterDim.z;
    }
    return 1;
}

size_t fake_blocks_of_grid(const CUlaunchConfig *config) {
    return (size_t)config->gridDimX * config->gridDimY * config->gridDimZ;
}

static void apply_table(const FakeLaunch *launch) {
    GpuTable table;
    if (!find_table(launch, &table))
        return;
    size_t blocks = fake_blocks_of_grid(launch->config);
    size_t clusters = blocks / fake_blocks_of_cluster(launch->config);
    uint32_t sms = (uint32_t)option_number("sms", 132);
    for (size_t i = 0; i < clusters; i++)
        store_word(launch, table.claims, i, GPU_CLAIM_LAUNCHED);
    for (size_t i = 0; i < blocks; i++) {
        store_word(launch, table.starts, 2 * i, (uint32_t)i + 1);
        store_word(launch, table.starts, 2 * i + 1, (uint32_t)i % sms);
    }
    store_word(launch, table.control + offsetof(GpuControl, started), 0,
               (uint32_t)blocks);
}

static void enter_values(const FakeLaunch *launch) {
    GpuTable table;
    if (!find_table(launch, &table))
        return;
    const struct {
        const char *name;
        CUdeviceptr array;
        size_t bytes;
    } arrays[] = {
        {"claims", table.claims, 4}, {"orders", table.orders, 4},
        {"taken", table.taken, 4},   {"starts", table.starts, 4},
        {"calls", table.calls, 4},   {"control", table.control, 4},
        {"ends", table.ends, 8},
    };
    for (size_t i = 0; i < COUNT_OF(arrays); i++) {
        const char *at = NULL;
        uint64_t index, value;
        while (option_pair(arrays[i].name, &at, &index, &value))
            store(launch, arrays[i].array, index, value, arrays[i].bytes);
    }
}

bool fake_has_old_claims(const FakeLaunch *launch) {
    GpuTable table;
    uint32_t claim = GPU_CLAIM_PENDING;
    if (find_table(launch, &table) && table.claims)
        memcpy(&claim, (const void *)table.claims, sizeof claim);
    return claim != GPU_CLAIM_PENDING;
}

// ---- what a test wants to see --------------------------------------------

enum { MOST_COPIED = 256 };

static void copy(const FakeLaunch *launch) {
    char name[64];
    GpuTable table;
    const void *from = NULL;
    size_t bytes = MOST_COPIED;
    if (!option_text("copy", name, sizeof name))
        return;
    if (strcmp(name, "args") == 0) {
        const size_t *size = extra_value(launch, SIZE);
        from = extra_value(launch, POINTER);
        bytes = size && *size < MOST_COPIED ? *size : 0;
    } else if (strcmp(name, "control") == 0) {
        from = find_table(launch, &table) ? (const void *)table.control : NULL;
        bytes = offsetof(GpuControl, spare);
    } else {
        from = launch->variable(name).at;
        bytes = launch->variable(name).bytes;
    }
    CUdeviceptr to = first_pointer(launch);
    if (from && launch->is_memory(to, bytes))
        memcpy((void *)to, from, bytes);
}

// What lab.h's compute_scalar() gives for the secret that was written.
static uint32_t scalar_bits(const FakeLaunch *launch) {
    struct {
        float seed;
        int32_t rounds;
    } secret = {0}; // lab.h: LabSecret
    const void *at = launch->variable("clclab_secret").at;
    if (at)
        memcpy(&secret, at, sizeof secret);
    float value = scalar_after(secret.seed, secret.rounds);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

bool fake_apply_prologue(const FakeLaunch *launch) {
    long bits = option_number("prologue", 0);
    if (option_is("prologue", "right"))
        bits = scalar_bits(launch);
    store_word(launch, first_pointer(launch), 0, (uint32_t)bits);
    return bits != 0;
}

// ---- the whole -----------------------------------------------------------

void fake_apply(const FakeLaunch *launch) {
    if (option_is("apply", "double"))
        apply_double(launch);
    if (option_is("apply", "table"))
        apply_table(launch);
    enter_values(launch);
    copy(launch);
    if (option_is("corrupt", "guard"))
        corrupt(launch, true);
    if (option_is("corrupt", "first"))
        corrupt(launch, false);
    poke(launch);
}
