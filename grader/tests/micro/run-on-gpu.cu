// SPDX-License-Identifier: Apache-2.0
// Launches one kernel of this folder on a real GPU (host code only;
// `record-sanitizer` calls it).
//   run-on-gpu FILE.cubin KERNEL GRID BLOCK SMEM [unwritten]
// The kernel gets (out, in, n): n = 1000 words each, zeros and 0, 1, 2, ...;
// with `unwritten`, out is left as cuMemAlloc gave it. To stdout: "done HASH",
// the FNV-1a hash of what it left in out, and exit 0; "error NAME" and 1; "hang"
// and 3. No guard, no padding: what lies next to the buffers is the driver's
// choice.
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuda.h>

enum { WORDS = 1000, MOST_SECONDS = 6 };

static void check(CUresult result, const char *what) {
    const char *name = "?";
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    printf("error %s %s\n", name, what);
    fflush(stdout);
    _exit(1);
}

// The process ends, and its kernel with it.
static void give_up(int number) {
    static const char text[] = "hang\n";
    (void)number;
    ssize_t written = write(1, text, sizeof text - 1);
    _exit(written > 0 ? 3 : 4);
}

static CUfunction open_kernel(const char *path, const char *name) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
    check(cuModuleLoad(&module, path), "cuModuleLoad");
    check(cuModuleGetFunction(&kernel, module, name), name);
    return kernel;
}

static unsigned number(const char *text) {
    return (unsigned)strtoul(text, NULL, 10);
}

int main(int argc, char **argv) {
    static uint32_t words[WORDS];
    if (argc < 6) {
        fprintf(stderr, "usage: run-on-gpu FILE KERNEL GRID BLOCK SMEM "
                        "[unwritten]\n");
        return 2;
    }
    CUfunction kernel = open_kernel(argv[1], argv[2]);
    CUdeviceptr in, out;
    check(cuMemAlloc(&out, sizeof words), "cuMemAlloc");
    check(cuMemAlloc(&in, sizeof words), "cuMemAlloc");
    if (argc == 6)
        check(cuMemsetD8(out, 0, sizeof words), "cuMemsetD8");
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i;
    check(cuMemcpyHtoD(in, words, sizeof words), "cuMemcpyHtoD");
    int n = WORDS;
    void *args[] = {&out, &in, &n};
    signal(SIGALRM, give_up);
    alarm(MOST_SECONDS);
    check(cuLaunchKernel(kernel, number(argv[3]), 1, 1, number(argv[4]), 1, 1,
                         number(argv[5]), NULL, args, NULL),
          "launch");
    check(cuCtxSynchronize(), "run");
    check(cuMemcpyDtoH(words, out, sizeof words), "cuMemcpyDtoH");
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < WORDS; i++)
        hash = (hash ^ words[i]) * 0x100000001b3u;
    printf("done %016llx\n", (unsigned long long)hash);
    fflush(stdout);
    cuMemFree(in);
    cuMemFree(out);
    return 0;
}
