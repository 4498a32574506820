// SPDX-License-Identifier: Apache-2.0
// Times the interpreter, checks off, against the same kernels in scalar C, in
// one process, the best of several turns each. Both must give the same words.
// All times are CPU time, so that other processes matter less.
//
//   bench-vm KERNELS.ptx [KERNEL]
//
// A row: thread-instructions executed, their rate, the same work's rate as
// scalar C, and how many times slower the interpreter is. The last lines are
// about a grid of 1,000,000 blocks of 256 threads, and this process' memory.
// The bars (exit 1 beyond one): alu 2.5, tile 6; memory: three times the
// kernel's buffers and 64 MiB.
#include "bench/vm/scalar.h"
#include "vm/vm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { TURNS = 15, BLOCK = 256, MEMORY = 4 << 20 };

typedef struct Case {
    const char *kernel;
    void (*scalar)(uint32_t *data, uint32_t threads, int rounds);
    uint32_t blocks;
    int rounds;
    double bar; // 0: none
} Case;

static const Case cases[] = {
    {"alu", scalar_alu, 64, 1000, 2.5},
    {"tile", scalar_tile, 64, 500, 6.0},
    {"stream", scalar_stream, 64, 500, 0},
    {"escape", scalar_escape, 64, 1000, 0},
};

static void fail(const char *what) {
    fprintf(stderr, "bench-vm: %s\n", what);
    exit(70);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static Str read_file(Arena *arena, const char *path) {
    enum { MOST = 1 << 20 };
    FILE *file = fopen(path, "rb");
    if (!file)
        fail("the PTX file cannot be read");
    char *text = arena_new(arena, char, MOST);
    size_t count = fread(text, 1, MOST, file);
    fclose(file);
    return (Str){text, count};
}

static void fill(uint32_t *data, uint32_t words) {
    for (uint32_t i = 0; i < words; i++)
        data[i] = i * 2654435761u;
}

typedef struct Timed {
    double seconds;
    uint64_t instructions;
} Timed;

static Timed launch(Device *vm, const char *kernel, uint32_t blocks, int rounds,
                    uint64_t address) {
    struct {
        uint64_t data;
        int32_t rounds;
    } args = {address, rounds};
    DeviceLaunch launch = {.kernel = str_from(kernel),
                           .grid = {blocks, 1, 1},
                           .block = {BLOCK, 1, 1},
                           .args = &args,
                           .arg_bytes = 12,
                           .step_limit = UINT64_MAX,
                           .unchecked = UINT64_MAX,
                           .ledger_most = 1};
    Arena arena = {0};
    DeviceRun run;
    double from = now();
    if (!vm->ops->launch(vm, &arena, &launch, &run) || run.status != RUN_DONE)
        fail("a kernel did not run");
    Timed timed = {now() - from, run.counters.thread_instructions};
    arena_free(&arena);
    return timed;
}

static Timed run_vm(Device *vm, const Case *c, uint32_t buffer,
                    uint64_t address, uint32_t *data) {
    uint64_t bytes = (uint64_t)c->blocks * BLOCK * 4;
    fill(data, c->blocks * BLOCK);
    vm->ops->write(vm, buffer, 0, data, bytes);
    Timed timed = launch(vm, c->kernel, c->blocks, c->rounds, address);
    vm->ops->read(vm, buffer, 0, data, bytes);
    return timed;
}

static double run_scalar(const Case *c, uint32_t *data) {
    uint32_t words = c->blocks * BLOCK;
    fill(data, words);
    double from = now();
    c->scalar(data, words, c->rounds);
    return now() - from;
}

// True if the kernel kept to its bar.
static bool bench(Device *vm, const Case *c, uint32_t buffer,
                  uint64_t address) {
    uint32_t words = c->blocks * BLOCK;
    uint32_t *mine = calloc(words, 4), *theirs = calloc(words, 4);
    Timed vm_best = {1e9, 0};
    double scalar_best = 1e9;
    for (int turn = 0; turn < TURNS && mine && theirs; turn++) {
        Timed t = run_vm(vm, c, buffer, address, mine);
        double s = run_scalar(c, theirs);
        vm_best = t.seconds < vm_best.seconds ? t : vm_best;
        scalar_best = s < scalar_best ? s : scalar_best;
        if (memcmp(mine, theirs, (size_t)words * 4) != 0)
            fail("the virtual machine and C give different words");
    }
    free(mine);
    free(theirs);
    double ratio = vm_best.seconds / scalar_best;
    double count = (double)vm_best.instructions;
    printf("%-8s %12.0f %9.3f G/s %9.3f G/s %8.2f", c->kernel, count,
           count / vm_best.seconds * 1e-9, count / scalar_best * 1e-9, ratio);
    if (c->bar > 0)
        printf("   (bar %.1f)", c->bar);
    putchar('\n');
    return c->bar <= 0 || ratio <= c->bar;
}

static bool bench_million(Device *vm, uint64_t address) {
    enum { BLOCKS = 1000000 };
    Timed t = launch(vm, "million", BLOCKS, 0, address);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double most = (double)usage.ru_maxrss / 1024, buffers = MEMORY / 1048576.0;
    double bar = 3 * buffers + 64;
    printf("million  %12.0f %9.3f G/s in %.2f s\n", (double)t.instructions,
           (double)t.instructions / t.seconds * 1e-9, t.seconds);
    printf("memory   %.1f MiB at most, %.1f MiB of it the kernels' buffer "
           "(bar %.1f)\n",
           most, buffers, bar);
    return most <= bar;
}

int main(int argc, char **argv) {
    Arena arena = {0};
    Diags diags = diags_new(&arena);
    if (argc < 2)
        fail("usage: bench-vm KERNELS.ptx [KERNEL]");
    PtxModule *module = ptx_parse(&arena, str_from(argv[1]),
                                  read_file(&arena, argv[1]), &diags);
    if (!module)
        fail("the PTX does not parse");
    Device *vm = vm_open(vm_model_find(STR("mini")));
    uint32_t buffer;
    uint64_t address;
    if (!vm->ops->load(vm, module, &diags) ||
        !vm->ops->alloc(vm, MEMORY, &buffer, &address, &diags))
        fail("the module does not load");
    printf("kernel    thread-instr       the VM      scalar C    ratio\n");
    bool kept = true;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (argc == 2 || strcmp(argv[2], cases[i].kernel) == 0)
            kept = bench(vm, &cases[i], buffer, address) && kept;
    if (argc == 2 || strcmp(argv[2], "million") == 0)
        kept = bench_million(vm, address) && kept;
    vm->ops->close(vm);
    arena_free(&arena);
    return kept ? 0 : 1;
}
