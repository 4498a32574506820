// SPDX-License-Identifier: Apache-2.0
// The lines of clclab doctor about running kernels on a GPU, none of which is
// needed for grading.
#include "cli/doctor.h"
#include "gpu/gpu.h"

enum { OLDEST_MAJOR = 9 }; // compute capability: it brought clusters

// ---- the driver ----------------------------------------------------------

static bool has_driver(const GpuProbe *probe) {
    return probe->state == GPU_READY || probe->state == GPU_NO_DEVICE;
}

static Str driver_words(Arena *arena, const GpuProbe *probe) {
    Str cuda = toolkit_version_name(arena, probe->cuda);
    if (probe->driver.len == 0)
        return str_format(arena, "It knows CUDA %.*s", STR_ARG(cuda));
    return str_format(arena, "%.*s, which knows CUDA %.*s",
                      STR_ARG(probe->driver), STR_ARG(cuda));
}

// NVIDIA promises that a driver takes machine code of its own major version
// and of older ones.
static bool is_older(const Doctor *doctor, const GpuProbe *probe) {
    return doctor->toolkit.version / 1000 > probe->cuda / 1000;
}

static bool look_at_driver(Doctor *doctor, const GpuProbe *probe) {
    static const char enables[] = "running kernels on a GPU";
    Arena *arena = doctor->arena;
    if (!has_driver(probe)) {
        bool none = probe->state == GPU_NO_DRIVER;
        doctor_add(doctor, "driver", none ? DOCTOR_ABSENT : DOCTOR_ODD,
                   probe->reason, enables, probe->help);
        return false;
    }
    Str found = driver_words(arena, probe);
    if (!is_older(doctor, probe)) {
        doctor_add(doctor, "driver", DOCTOR_FINE, found, enables, (Str){0});
        return true;
    }
    Str toolkit = toolkit_version_name(arena, doctor->toolkit.version);
    doctor_add(doctor, "driver", DOCTOR_ODD,
               str_format(arena,
                          "%.*s. The toolkit is %.*s: the driver may refuse "
                          "machine code that it makes.",
                          STR_ARG(found), STR_ARG(toolkit)),
               enables,
               str_format(arena,
                          "Install a driver of CUDA %u or newer, or point "
                          "CUDA_HOME to an older toolkit, of CUDA %u.",
                          doctor->toolkit.version / 1000, probe->cuda / 1000));
    return false;
}

// ---- the GPU -------------------------------------------------------------

static Str gpu_words(Arena *arena, const GpuProbe *probe) {
    Str capability = gpu_probe_capability(arena, probe);
    return str_format(
        arena, "%.*s, compute capability %.*s, %u SMs, %llu MiB%s%s%s",
        STR_ARG(probe->name), STR_ARG(capability), probe->sms,
        (unsigned long long)(probe->memory >> 20),
        probe->devices > 1 ? ", the first of several" : "",
        probe->mig ? ", a MIG slice" : "",
        probe->watchdog ? ", with a display: long kernels are stopped" : "");
}

static const char *gpu_enables(const GpuProbe *probe) {
    if (probe->state != GPU_READY)
        return "running kernels on it; labs 3 to 10 natively from compute "
               "capability 10.0, by emulation on 9.0";
    if (probe->major < OLDEST_MAJOR)
        return "running labs 1 and 2 (from 7.5 on); the others use clusters, "
               "from 9.0 on";
    return probe->major > OLDEST_MAJOR
               ? "running the labs, with its own Cluster Launch Control"
               : "running the labs, with Cluster Launch Control emulated";
}

static bool look_at_device(Doctor *doctor, const GpuProbe *probe) {
    const char *enables = gpu_enables(probe);
    if (probe->state != GPU_READY) {
        bool told = !has_driver(probe); // the driver's line has said it
        doctor_add(
            doctor, "gpu", DOCTOR_ABSENT,
            told ? STR("None can be seen without a driver.") : probe->reason,
            enables,
            told ? STR("The virtual machine does without.") : probe->help);
        return false;
    }
    bool fits = probe->major >= OLDEST_MAJOR && probe->clusters;
    Str help = STR("The virtual machine does without a GPU.");
    if (fits && probe->prohibited)
        help = STR("An administrator has closed it to programs "
                   "(nvidia-smi -c 0 opens it).");
    fits = fits && !probe->prohibited;
    doctor_add(doctor, "gpu", fits ? DOCTOR_FINE : DOCTOR_ODD,
               gpu_words(doctor->arena, probe), enables, help);
    return fits;
}

static bool look_at_mps(Doctor *doctor, const GpuProbe *probe) {
    doctor_add(
        doctor, "mps", probe->mps ? DOCTOR_ODD : DOCTOR_FINE,
        probe->mps
            ? str_format(doctor->arena, "Its daemon runs, with pipes in %.*s.",
                         STR_ARG(probe->mps_folder))
            : STR("No daemon runs"),
        "without it, a kernel that faults ends no other process's",
        STR("Stop it: echo quit | nvidia-cuda-mps-control. While it runs, no "
            "submission is run on the GPU."));
    return !probe->mps;
}

// ---- the assembler -------------------------------------------------------

// Assembles a kernel for the machine's GPU, or else for Hopper.
static bool try_assembler(Doctor *doctor, const GpuProbe *probe) {
    static const char enables[] =
        "running kernels on a GPU: PTX becomes machine code";
    static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                              ".visible .entry k()\n{\n    ret;\n}\n";
    Arena *arena = doctor->arena;
    bool known = probe->state == GPU_READY && probe->major >= OLDEST_MAJOR;
    Str target = known
                     ? str_format(arena, "sm_%u%ua", probe->major, probe->minor)
                     : STR("sm_90a");
    Diags diags = diags_new(arena);
    GpuAssembler used;
    Str cubin;
    if (!gpu_assemble(arena, STR(ptx), target, &used, &cubin, &diags)) {
        doctor_add_failure(doctor, "assembler", DOCTOR_ABSENT, enables, &diags);
        return false;
    }
    doctor_add(doctor, "assembler", DOCTOR_FINE,
               str_format(arena, "%.*s has assembled a kernel for %.*s",
                          STR_ARG(used.name), STR_ARG(target)),
               enables, (Str){0});
    return true;
}

void doctor_look_at_gpu(Doctor *doctor) {
    GpuProbe probe = gpu_probe(doctor->arena);
    doctor->group = DOCTOR_GPU;
    bool driver = look_at_driver(doctor, &probe);
    bool device = look_at_device(doctor, &probe);
    bool alone = look_at_mps(doctor, &probe);
    bool assembler = try_assembler(doctor, &probe);
    doctor->gpu_fits = driver && device && alone && assembler;
}
