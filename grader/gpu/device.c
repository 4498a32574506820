// SPDX-License-Identifier: Apache-2.0
// The Device: buffers in memory shared with the children, images that are made
// once for each kernel, and cases that run one after another.
#include "device/limits.h"
#include "gpu/internal.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BYTES ((uint64_t)1 << 36) // of all buffers
#define CHILD_MEMORY ((uint64_t)1 << 37)
#define CHILD_SPACE ((uint64_t)1 << 46) // a driver reserves all addresses
// Launched blocks and requests draw from the same 32-bit counter.
#define MOST_EMULATED ((uint64_t)1 << 30)
#define MOST_CALLS ((uint64_t)1 << 28) // words that count calls

// ---- shared memory -------------------------------------------------------

// Zeroed memory that children see; NULL if there is none left.
void *device_share(uint64_t bytes) {
    void *memory = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void device_unshare(void *memory, uint64_t bytes) {
    if (memory)
        munmap(memory, bytes ? bytes : 1);
}

// ---- the module and its buffers ------------------------------------------

static void free_buffers(GpuDevice *gpu) {
    for (size_t i = 0; i < gpu->buffer_count; i++)
        device_unshare(gpu->buffers[i].bytes, gpu->buffers[i].count);
    gpu->buffer_count = 0;
}

static void op_info(Device *device, DeviceInfo *out) {
    const GpuDevice *gpu = (const GpuDevice *)device;
    *out =
        (DeviceInfo){.name = image_emulates(gpu) ? gpu->emulating : gpu->name,
                     .is_card = true,
                     .sm_count = gpu->probe.sms,
                     .max_threads_per_block = DEVICE_MOST_THREADS};
}

static bool op_load(Device *device, const PtxModule *module, Diags *diags) {
    GpuDevice *gpu = (GpuDevice *)device;
    (void)diags;
    free_buffers(gpu);
    gpu->module = module;
    gpu->symbol_count = 0;
    return true;
}

static bool op_alloc(Device *device, uint64_t bytes, uint32_t *index,
                     uint64_t *address, Diags *diags) {
    GpuDevice *gpu = (GpuDevice *)device;
    size_t i = gpu->buffer_count;
    uint8_t *memory =
        i < MOST_BUFFERS && bytes <= MOST_BYTES ? device_share(bytes) : NULL;
    if (!memory) {
        diag_add(diags, DIAG_ERROR, (SrcLoc){0},
                 "A buffer of %llu bytes cannot be had.",
                 (unsigned long long)bytes);
        return false;
    }
    gpu->buffers[i] = (CaseBuffer){memory, bytes};
    gpu->buffer_count++;
    *index = (uint32_t)i;
    *address = CASE_ADDRESS(i);
    return true;
}

static uint8_t *find_bytes(GpuDevice *gpu, uint32_t buffer, uint64_t offset,
                           uint64_t count) {
    if (buffer >= gpu->buffer_count || count > gpu->buffers[buffer].count ||
        offset > gpu->buffers[buffer].count - count)
        return NULL;
    return gpu->buffers[buffer].bytes + offset;
}

static bool op_write(Device *device, uint32_t buffer, uint64_t offset,
                     const void *bytes, uint64_t count) {
    uint8_t *to = find_bytes((GpuDevice *)device, buffer, offset, count);
    if (to && count)
        memcpy(to, bytes, count);
    return to != NULL;
}

static bool op_read(Device *device, uint32_t buffer, uint64_t offset,
                    void *bytes, uint64_t count) {
    const uint8_t *from =
        find_bytes((GpuDevice *)device, buffer, offset, count);
    if (from && count)
        memcpy(bytes, from, count);
    return from != NULL;
}

static bool op_write_symbol(Device *device, Str name, const void *bytes,
                            uint64_t count) {
    GpuDevice *gpu = (GpuDevice *)device;
    const PtxVar *var = gpu->module ? ptx_find_var(gpu->module, name) : NULL;
    if (!var || var->size < count)
        return false;
    arena_grow(&gpu->arena, gpu->symbols, gpu->symbol_count,
               gpu->symbol_capacity);
    gpu->symbols[gpu->symbol_count++] = (CaseSymbol){
        .name = str_cstring(&gpu->arena, name),
        .bytes =
            (const uint8_t *)str_copy(&gpu->arena, (Str){bytes, (size_t)count})
                .ptr,
        .count = count,
    };
    return true;
}

// The lock's file: two kernels on one GPU would disturb each other's deadlines
// and times.
static char *lock_path(GpuDevice *gpu) {
    return str_cstring(&gpu->arena,
                       str_format(&gpu->arena, "/tmp/clclab-%.*s.lock",
                                  STR_ARG(gpu->probe.uuid)));
}

// The file must exist before the child is confined to it. An existing one is
// not changed. Other users must be able to read it, whatever the umask.
static void make_lock(const char *path) {
    int lock = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (lock < 0)
        return;
    fchmod(lock, 0644);
    close(lock);
}

// ---- launching -----------------------------------------------------------

static uint64_t volume(const uint32_t size[3]) {
    return (uint64_t)size[0] * size[1] * size[2];
}

// The cluster size: the launch's, or else the kernel's own.
static void choose_cluster(const DeviceLaunch *launch, const PtxFunc *kernel,
                           uint32_t cluster[3]) {
    PtxDim3 own = kernel->req_cluster;
    memcpy(cluster, launch->cluster, 3 * sizeof *cluster);
    if (volume(cluster) == 1 && own.x) {
        cluster[0] = own.x;
        cluster[1] = own.y;
        cluster[2] = own.z;
    }
}

// Which requests are refused although blocks are pending, as the schedule says.
static void choose_refusals(const GpuDevice *gpu, const DeviceLaunch *launch,
                            GpuCase *what) {
    const DeviceSchedule *schedule = &launch->schedule;
    if (gpu_kind(&gpu->probe) != GPU_EMULATED || !what->has_table)
        return;
    switch (schedule->strategy) {
    case STRATEGY_NO_STEAL:
        what->refuse_every = 1;
        return;
    case STRATEGY_REFUSE_EARLY:
        what->refuse_first = 1 + (uint32_t)(schedule->seed % 64);
        return;
    case STRATEGY_RANDOM:
        what->refuse_every = 2 + (uint32_t)(schedule->seed % 7);
        return;
    default:
        return;
    }
}

// One piece of shared memory for everything that the child writes about a run.
typedef struct Shared {
    uint8_t *memory;
    uint64_t bytes;
} Shared;

static uint64_t place(uint64_t *used, uint64_t bytes) {
    uint64_t at = *used;
    *used += round_up(bytes, 64);
    return at;
}

static bool share_results(GpuCase *what, Shared *shared) {
    Ledgers *ledgers = &what->ledgers;
    uint64_t used = 0, words = ledgers->clusters * sizeof(uint32_t);
    uint64_t outcome = place(&used, sizeof(CaseOutcome));
    uint64_t claims = place(&used, words), orders = place(&used, words),
             taken = place(&used, words);
    uint64_t starts = place(&used, ledgers->blocks * sizeof(GpuStart));
    uint64_t calls = place(&used, ledgers->calls_bytes);
    uint64_t ends = place(&used, (1 + GPU_TABLE_SMS) * sizeof(uint64_t));
    shared->bytes = used;
    shared->memory = device_share(used);
    if (!shared->memory)
        return false;
    what->outcome = (CaseOutcome *)(void *)(shared->memory + outcome);
    ledgers->claims = (uint32_t *)(void *)(shared->memory + claims);
    ledgers->orders = (uint32_t *)(void *)(shared->memory + orders);
    ledgers->taken = (uint32_t *)(void *)(shared->memory + taken);
    ledgers->starts = (GpuStart *)(void *)(shared->memory + starts);
    ledgers->ends = (uint64_t *)(void *)(shared->memory + ends);
    ledgers->calls = (uint32_t *)(void *)(shared->memory + calls);
    return true;
}

static double or_default(double seconds, double otherwise) {
    return seconds > 0 ? seconds : otherwise;
}

static GpuCase make_case(GpuDevice *gpu, Arena *arena,
                         const DeviceLaunch *launch, const PtxFunc *kernel,
                         const Image *image) {
    const GpuSettings *settings = &gpu->settings;
    GpuCase what = {
        .image = image->cubin,
        .kernel = str_cstring(arena, launch->kernel),
        .lock = lock_path(gpu),
        .is_exclusive = gpu->probe.exclusive,
        .lock_s = or_default(settings->lock_s, GPU_LOCK_S),
        .driver_s = or_default(settings->driver_s, GPU_DRIVER_S),
        .dynamic_smem = launch->dynamic_smem,
        .args = launch->args,
        .arg_bytes = launch->arg_bytes,
        .buffers = gpu->buffers,
        .buffer_count = gpu->buffer_count,
        .symbols = gpu->symbols,
        .symbol_count = gpu->symbol_count,
        .has_table = image->has_table,
        .has_claims = image->has_claims,
        .has_ledger = image->has_ledger,
        .sms = gpu->probe.sms,
        .is_asking = gpu->is_asking,
        .deadline_s = or_default(settings->deadline_s, GPU_DEADLINE_S),
    };
    memcpy(what.grid, launch->grid, sizeof what.grid);
    memcpy(what.block, launch->block, sizeof what.block);
    choose_cluster(launch, kernel, what.cluster);
    choose_refusals(gpu, launch, &what);
    uint64_t blocks = volume(what.grid), threads = volume(what.block);
    what.ledgers.blocks = (uint32_t)blocks;
    what.ledgers.threads = (uint32_t)threads;
    what.ledgers.clusters = (uint32_t)(blocks / volume(what.cluster));
    if (image->has_ledger && launch->prologue.len &&
        blocks * threads <= MOST_CALLS)
        what.ledgers.calls_bytes = blocks * threads * sizeof(uint32_t);
    return what;
}

static bool run_case(Arena *arena, const DeviceLaunch *launch, GpuCase *what,
                     DeviceRun *run) {
    const Str writable[] = {STR("/dev"), STR("/proc"), str_from(what->lock)};
    Diags diags = diags_new(arena);
    SandboxJob job = {
        .body = case_run,
        .context = what,
        .sockets = true,
        .paths = {.write = writable, .write_count = COUNT_OF(writable)},
        .limits = {.wall_s = what->deadline_s + what->lock_s + what->driver_s,
                   .cpu_s = 1 + (uint64_t)(what->deadline_s + what->driver_s),
                   .memory = CHILD_MEMORY,
                   .address_space = CHILD_SPACE},
    };
    SandboxResult child;
    Shared shared;
    if (!share_results(what, &shared)) {
        run->error = (Diag){.code = STR("BUSY"),
                            .what = STR("There is no memory for the ledger."),
                            .help = STR("Try again later.")};
        return false;
    }
    make_lock(what->lock);
    Ended ended = {launch, what, &job, &child};
    bool started = sandbox_run(arena, &job, &child, &diags);
    if (!started) {
        run->error = diags.items[0];
        run->error.code = STR("DEVICE");
    }
    bool told = started && outcome_read(arena, &ended, run);
    device_unshare(shared.memory, shared.bytes);
    return told;
}

// True if the PTX or the launch is wrong, which is the kernel's fault;
// otherwise the device is at fault.
static bool is_refused(DeviceRun *run) {
    run->status = RUN_REFUSED;
    return str_equal(run->error.code, STR("PTX"));
}

static bool has_size(const DeviceLaunch *launch, const PtxFunc *kernel,
                     uint64_t *clusters) {
    uint32_t cluster[3];
    bool is_whole = true;
    choose_cluster(launch, kernel, cluster);
    if (volume(launch->block) == 0 || volume(cluster) == 0 ||
        volume(launch->grid) == 0 || volume(launch->grid) > UINT32_MAX)
        return false;
    for (size_t i = 0; i < 3; i++)
        is_whole &= launch->grid[i] % cluster[i] == 0;
    *clusters = volume(launch->grid) / volume(cluster);
    return is_whole;
}

// Refuses launches for which there could be no ledger. The driver refuses
// whatever else is wrong with a launch.
static bool is_possible(const GpuDevice *gpu, const DeviceLaunch *launch,
                        const PtxFunc *kernel, Diag *error) {
    uint64_t clusters;
    if (!kernel || !kernel->is_entry)
        *error =
            (Diag){.code = STR("PTX"), .what = STR("There is no such kernel.")};
    else if (kernel->blocks_are_clusters)
        *error = (Diag){.code = STR("TARGET"),
                        .what = STR("A grid that counts clusters "
                                    "(.blocksareclusters) is not run on a GPU "
                                    "here."),
                        .help = STR("--device vm runs it.")};
    else if (!has_size(launch, kernel, &clusters))
        *error = (Diag){.code = STR("PTX"),
                        .what = STR("A dimension of the grid, block or cluster "
                                    "is zero, or the grid has no whole "
                                    "clusters, or too many blocks."),
                        .help = STR("Along each axis a grid is a multiple of "
                                    "its cluster; it has at most 2^32 - 1 "
                                    "blocks.")};
    else if (image_emulates(gpu) && clusters > MOST_EMULATED)
        *error =
            (Diag){.code = STR("TARGET"),
                   .what = STR("Cluster Launch Control is emulated for at "
                               "most 2^30 clusters."),
                   .help = STR("Take fewer blocks, each with more to do.")};
    else
        return true;
    return false;
}

// `measure`: shared with the child; NULL: nothing is measured.
bool device_run(GpuDevice *gpu, Arena *arena, const DeviceLaunch *launch,
                CaseMeasure *measure, DeviceRun *run) {
    *run = (DeviceRun){0};
    const PtxFunc *kernel = ptx_find_func(gpu->module, launch->kernel);
    if (!is_possible(gpu, launch, kernel, &run->error))
        return is_refused(run);
    const Image *image = image_get(gpu, launch, &run->error);
    if (!image)
        return is_refused(run);
    for (size_t i = 0; i < launch->watch_count; i++)
        launch->watches[i].pieces =
            arena_new(arena, WatchPiece, launch->watches[i].count + 1);
    GpuCase what = make_case(gpu, arena, launch, kernel, image);
    what.measure = measure;
    if (measure && measure->visits &&
        !image_get_visitor(gpu, &what.visitor, &run->error))
        return is_refused(run);
    return run_case(arena, launch, &what, run);
}

static bool op_launch(Device *device, Arena *arena, const DeviceLaunch *launch,
                      DeviceRun *run) {
    return device_run((GpuDevice *)device, arena, launch, NULL, run);
}

// ---- how many blocks fit ------------------------------------------------

static const Question *find_question(const GpuDevice *gpu,
                                     const Question *asked) {
    for (size_t i = 0; i < gpu->question_count; i++) {
        const Question *q = &gpu->questions[i];
        if (q->module == asked->module && str_equal(q->kernel, asked->kernel) &&
            q->threads == asked->threads &&
            q->dynamic_smem == asked->dynamic_smem)
            return q;
    }
    return NULL;
}

static void add_question(GpuDevice *gpu, const Question *asked) {
    arena_grow(&gpu->arena, gpu->questions, gpu->question_count,
               gpu->question_capacity);
    Question *q = &gpu->questions[gpu->question_count++];
    *q = *asked;
    q->kernel = str_copy(&gpu->arena, asked->kernel);
}

// Asks the driver, which knows what the image needs of an SM.
static uint32_t op_blocks_per_sm(Device *device, Str kernel, uint32_t threads,
                                 uint32_t dynamic_smem) {
    GpuDevice *gpu = (GpuDevice *)device;
    DeviceLaunch launch = {.kernel = kernel,
                           .grid = {1, 1, 1},
                           .block = {threads, 1, 1},
                           .cluster = {1, 1, 1},
                           .dynamic_smem = dynamic_smem,
                           .prologue = gpu->settings.prologue};
    const PtxFunc *func =
        gpu->module ? ptx_find_func(gpu->module, kernel) : NULL;
    if (func && func->req_cluster.x) { // a grid has whole clusters
        launch.grid[0] = func->req_cluster.x;
        launch.grid[1] = func->req_cluster.y;
        launch.grid[2] = func->req_cluster.z;
    }
    Question asked = {gpu->module, kernel, threads, dynamic_smem,
                      DEVICE_FIT_UNKNOWN};
    const Question *known = find_question(gpu, &asked);
    if (known)
        return known->blocks;
    DeviceRun run = {0};
    Arena arena = {0};
    gpu->is_asking = true;
    // Only an answer is kept: a question that failed may be asked again.
    if (device_run(gpu, &arena, &launch, NULL, &run)) {
        asked.blocks = (uint32_t)(run.resident / gpu->probe.sms);
        add_question(gpu, &asked);
    }
    gpu->is_asking = false;
    arena_free(&arena);
    return asked.blocks;
}

static void op_close(Device *device) {
    GpuDevice *gpu = (GpuDevice *)device;
    free_buffers(gpu);
    arena_free(&gpu->arena);
    heap_free(gpu);
}

// ---- opening -------------------------------------------------------------

static Str device_name(Arena *arena, const GpuProbe *probe, const char *note) {
    return str_format(arena, "gpu:%.*s (compute capability %u.%u%s)",
                      STR_ARG(probe->name), probe->major, probe->minor, note);
}

static bool refuse_gpu(Diags *diags, Str what, const char *help) {
    diag_add(diags, DIAG_ERROR, (SrcLoc){0}, "%.*s", STR_ARG(what))->help =
        str_copy(diags->arena, str_from(help));
    return false;
}

static bool is_usable(const GpuProbe *probe, Diags *diags) {
    if (probe->state != GPU_READY)
        return refuse_gpu(diags, probe->reason,
                          str_cstring(diags->arena, probe->help));
    if (probe->prohibited)
        return refuse_gpu(diags,
                          STR("The GPU's compute mode lets no process in."),
                          "nvidia-smi -c DEFAULT, as root, changes it.");
    if (probe->mps)
        return refuse_gpu(
            diags,
            str_format(diags->arena, "Multi-Process Service runs (%.*s).",
                       STR_ARG(probe->mps_folder)),
            "Under it a fault of one process ends the others'. Stop it (echo "
            "quit | nvidia-cuda-mps-control), or set CUDA_MPS_PIPE_DIRECTORY "
            "to an empty folder.");
    return true;
}

Device *gpu_open(const GpuSettings *settings, Diags *diags) {
    static const DeviceOps ops = {
        .info = op_info,
        .blocks_per_sm = op_blocks_per_sm,
        .load = op_load,
        .alloc = op_alloc,
        .write = op_write,
        .read = op_read,
        .write_symbol = op_write_symbol,
        .launch = op_launch,
        .close = op_close,
    };
    GpuDevice *gpu = heap_alloc(sizeof *gpu, 1);
    gpu->device.ops = &ops;
    gpu->settings = *settings;
    gpu->probe = gpu_probe(&gpu->arena);
    if (!is_usable(&gpu->probe, diags)) {
        op_close(&gpu->device);
        return NULL;
    }
    bool is_without = gpu_kind(&gpu->probe) == GPU_WITHOUT;
    gpu->name = device_name(&gpu->arena, &gpu->probe,
                            is_without ? ", without CLC" : "");
    gpu->emulating = device_name(&gpu->arena, &gpu->probe, ", CLC emulated");
    gpu->target = gpu_target(&gpu->arena, &gpu->probe);
    return &gpu->device;
}
