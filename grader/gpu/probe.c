// SPDX-License-Identifier: Apache-2.0
// gpu_probe: read upwards. The child fills in a record without pointers and
// writes it to its output; the parent turns it into a GpuProbe. The parent
// itself looks up what needs no driver (MPS, the kernel module's version).
#include "gpu/probe.h"
#include "gpu/driver.h"
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define WAIT_S 20
// A driver reserves addresses for all memory of the host and the GPUs.
#define ADDRESS_SPACE ((uint64_t)1 << 44)

typedef struct Record {
    GpuState state;
    char reason[400], help[200];
    int cuda, devices;
    char name[128];
    CUuuid uuid;
    int major, minor, sms, clusters, watchdog, mode;
    uint64_t memory;
} Record;

// ---- the child -----------------------------------------------------------

typedef struct Asking {
    Arena *arena;
    const Driver *driver;
    Record *record;
} Asking;

static bool fail(Record *record, GpuState state, Str reason, Str help) {
    record->state = state;
    str_fill(record->reason, sizeof record->reason, reason);
    str_fill(record->help, sizeof record->help, help);
    return false;
}

static const char *help_for(CUresult error) {
    switch (error) {
    case CUDA_ERROR_STUB_LIBRARY:
        return "The toolkit's stub was loaded, not a driver: take the folder "
               "\"stubs\" out of LD_LIBRARY_PATH.";
    case CUDA_ERROR_NO_DEVICE:
        return "Is one there (nvidia-smi -L)? In a container: was it started "
               "with the GPU? Is CUDA_VISIBLE_DEVICES set?";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
        return "The driver was updated while it was in use: restart the "
               "machine.";
    case CUDA_ERROR_SYSTEM_NOT_READY:
        return "The GPU's services do not run: start nvidia-fabricmanager.";
    default:
        return "Run nvidia-smi, then nvidia-modprobe -u -c 0 once, as root; "
               "they say, or mend, what keeps the driver from starting.";
    }
}

static GpuState state_for(CUresult error) {
    if (error == CUDA_ERROR_STUB_LIBRARY)
        return GPU_NO_DRIVER;
    return error == CUDA_ERROR_NO_DEVICE ? GPU_NO_DEVICE : GPU_FAILED;
}

// False if `call` returned an error, which the record then has.
static bool check(Asking *asking, CUresult result, const char *call) {
    if (result == CUDA_SUCCESS)
        return true;
    Str error = driver_error(asking->arena, asking->driver, result);
    return fail(
        asking->record, state_for(result),
        str_format(asking->arena, "%s gives %.*s.", call, STR_ARG(error)),
        str_from(help_for(result)));
}

static bool ask_attributes(Asking *asking, CUdevice device) {
    Record *r = asking->record;
    const struct {
        CUdevice_attribute attribute;
        int *value;
    } wanted[] = {
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &r->major},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &r->minor},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &r->sms},
        {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, &r->clusters},
        {CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, &r->watchdog},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, &r->mode},
    };
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        CUresult result = asking->driver->cuDeviceGetAttribute(
            wanted[i].value, wanted[i].attribute, device);
        if (!check(asking, result, "cuDeviceGetAttribute"))
            return false;
    }
    return true;
}

static bool ask_device(Asking *asking) {
    const Driver *driver = asking->driver;
    Record *r = asking->record;
    CUdevice device = 0;
    size_t bytes = 0;
    bool told =
        check(asking, driver->cuDeviceGet(&device, 0), "cuDeviceGet") &&
        check(asking, driver->cuDeviceGetName(r->name, sizeof r->name, device),
              "cuDeviceGetName") &&
        check(asking, driver->cuDeviceTotalMem(&bytes, device),
              "cuDeviceTotalMem") &&
        check(asking, driver->cuDeviceGetUuid(&r->uuid, device),
              "cuDeviceGetUuid") &&
        ask_attributes(asking, device);
    r->memory = bytes;
    return told;
}

static bool ask_driver(Asking *asking) {
    const Driver *driver = asking->driver;
    Record *r = asking->record;
    // The version is available even if nothing else is.
    driver->cuDriverGetVersion(&r->cuda);
    if (!check(asking, driver->cuInit(0), "cuInit") ||
        !check(asking, driver->cuDeviceGetCount(&r->devices),
               "cuDeviceGetCount"))
        return false;
    if (r->devices < 1)
        return fail(r, GPU_NO_DEVICE, STR("The driver finds no GPU."),
                    str_from(help_for(CUDA_ERROR_NO_DEVICE)));
    return ask_device(asking);
}

static void ask(Record *record) {
    Arena arena = {0};
    Diags diags = diags_new(&arena);
    Driver driver;
    DriverLoad load = driver_load(&driver, &diags);
    if (load == DRIVER_LOADED)
        ask_driver(&(Asking){&arena, &driver, record});
    else
        fail(record, load == DRIVER_MISSING ? GPU_NO_DRIVER : GPU_OLD_DRIVER,
             diags.items[0].what, diags.items[0].help);
    arena_free(&arena);
}

static int probe_child(void *context, int out) {
    Record *record = context;
    ask(record);
    return write(out, record, sizeof *record) != (ssize_t)sizeof *record;
}

// ---- what needs no driver ------------------------------------------------

// A socket that no process listens on is left over and refuses the connection.
// The daemon's is a stream socket. A datagram socket that connects to it only
// gets an error that says so: the daemon does not notice.
static bool is_listened_at(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return false;
    memcpy(address.sun_path, path, strlen(path));
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool refused =
        fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0;
    bool listens = !refused || (fd >= 0 && errno == EPROTOTYPE);
    if (fd >= 0)
        close(fd);
    return listens;
}

// A FIFO without a reader is left over, too.
static bool is_read_from(const char *path) {
    struct stat info;
    int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    bool read_from = fd >= 0 && fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode);
    if (fd >= 0)
        close(fd);
    return read_from;
}

// The daemon receives its commands on a socket; with old drivers, on a FIFO.
static bool find_mps(Arena *arena, Str *folder) {
    const char *given = getenv("CUDA_MPS_PIPE_DIRECTORY");
    *folder = str_from(given && *given ? given : "/tmp/nvidia-mps");
    char *path =
        str_cstring(arena, str_format(arena, "%.*s/control", STR_ARG(*folder)));
    return is_listened_at(path) || is_read_from(path);
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Thu ...": the
// first word that begins with a digit.
static Str find_driver_version(Arena *arena) {
    char text[256];
    int fd = open("/proc/driver/nvidia/version", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text) : -1;
    if (fd >= 0)
        close(fd);
    Str rest = {text, n > 0 ? (size_t)n : 0};
    while (rest.len) {
        Str word = str_cut(&rest, ' ');
        if (word.len > 3 && word.ptr[0] >= '0' && word.ptr[0] <= '9')
            return str_copy(arena, word);
    }
    return (Str){0};
}

// ---- the parent ----------------------------------------------------------

static Str uuid_text(Arena *arena, const CUuuid *uuid, bool mig) {
    Buf buf = {0};
    buf_str(&buf, mig ? STR("MIG") : STR("GPU"));
    for (size_t i = 0; i < sizeof uuid->bytes; i++) {
        bool dash = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
        buf_printf(&buf, "%s%02x", dash ? "-" : "", uuid->bytes[i]);
    }
    Str text = str_copy(arena, buf_view(&buf));
    buf_free(&buf);
    return text;
}

static GpuProbe from_record(Arena *arena, const Record *r) {
    Str name = str_copy(arena, str_from(r->name));
    bool mig = strstr(r->name, " MIG ") != NULL;
    return (GpuProbe){
        .state = r->state,
        .reason = str_copy(arena, str_from(r->reason)),
        .help = str_copy(arena, str_from(r->help)),
        .cuda = (uint32_t)r->cuda,
        .devices = (uint32_t)r->devices,
        .name = name,
        .uuid =
            r->state == GPU_READY ? uuid_text(arena, &r->uuid, mig) : (Str){0},
        .major = (uint32_t)r->major,
        .minor = (uint32_t)r->minor,
        .sms = (uint32_t)r->sms,
        .memory = r->memory,
        .clusters = r->clusters != 0,
        .mig = mig,
        .watchdog = r->watchdog != 0,
        .exclusive = r->mode == CU_COMPUTEMODE_EXCLUSIVE_PROCESS,
        .prohibited = r->mode == CU_COMPUTEMODE_PROHIBITED,
    };
}

static GpuProbe silent_child(Arena *arena, const SandboxJob *job,
                             const SandboxResult *result) {
    Str how = sandbox_describe(arena, job, result);
    return (GpuProbe){
        .state = GPU_FAILED,
        .reason =
            str_format(arena, "The process that asked the driver (%s) %.*s.",
                       driver_library(), STR_ARG(how)),
        .help = STR("Does nvidia-smi answer? If not, restart the driver or the "
                    "machine.")};
}

GpuProbe gpu_probe(Arena *arena) {
    static const Str writable[] = {{"/dev", 4}, {"/proc", 5}};
    Record record = {0};
    SandboxJob job = {
        .body = probe_child,
        .context = &record,
        .sockets = true,
        .paths = {.write = writable, .write_count = COUNT_OF(writable)},
        .limits = {
            .wall_s = WAIT_S, .cpu_s = WAIT_S, .address_space = ADDRESS_SPACE}};
    SandboxResult result;
    Diags unheard = diags_new(arena);
    bool told = sandbox_run(arena, &job, &result, &unheard) &&
                result.status == SANDBOX_EXITED && result.code == 0 &&
                result.out.len == sizeof record;
    if (told)
        memcpy(&record, result.out.ptr, sizeof record);
    GpuProbe probe =
        told ? from_record(arena, &record) : silent_child(arena, &job, &result);
    probe.driver = find_driver_version(arena);
    probe.mps = find_mps(arena, &probe.mps_folder);
    return probe;
}

Str gpu_probe_capability(Arena *arena, const GpuProbe *probe) {
    return str_format(arena, "%u.%u", probe->major, probe->minor);
}

GpuKind gpu_kind(const GpuProbe *probe) {
    if (probe->major >= 10)
        return GPU_NATIVE;
    return probe->major == 9 ? GPU_EMULATED : GPU_WITHOUT;
}

// The target with suffix "a", if there is one: it has all features of the
// architecture.
Str gpu_target(Arena *arena, const GpuProbe *probe) {
    return str_format(arena, "sm_%u%u%s", probe->major, probe->minor,
                      probe->major >= 9 ? "a" : "");
}
