// SPDX-License-Identifier: Apache-2.0
// The kernels of golden/kernels/ in the virtual machine, under two schedules,
// against what a real GPU stored: bit-equal, or within the bound that the
// kernel's line states. A kernel without a record must still run to its end and
// give the same under both schedules; where the machine lacks an instruction it
// is counted as not run. KERNEL=name in the environment runs that one alone.
#include "tests/golden/kernels.h"
#include "tests/unit/sample.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

#include <dirent.h>
#include <math.h>

#define FOLDER "grader/tests/golden/kernels"

typedef struct Record { // of one kernel, from NAME.out
    bool there;
    size_t count; // words of the output
    uint64_t hash;
    size_t shown;
    Str words; // as text
} Record;

typedef struct Suite {
    Arena *arena;
    Str source, ptx, out;
    const PtxModule *module;
    unsigned recorded, unrecorded, unsupported;
} Suite;

// ---- records -------------------------------------------------------------

static Record find_record(Str out, const char *name) {
    Record record = {0};
    while (out.len) {
        Str line = str_cut(&out, '\n');
        char text[256] = "", found[64] = "";
        unsigned long long hash = 0;
        memcpy(text, line.ptr, line.len < 255 ? line.len : 255);
        if (sscanf(text, "kernel %63s %zu %llx %zu", found, &record.count,
                   &hash, &record.shown) != 4 ||
            strcmp(found, name))
            continue;
        record.there = true;
        record.hash = hash;
        record.words = out;
        break;
    }
    return record;
}

static void read_words(const Record *record, uint32_t *words) {
    char *at = NULL;
    const char *from = record->words.ptr;
    for (size_t i = 0; i < record->shown; i++, from = at)
        words[i] = (uint32_t)strtoul(from, &at, 16);
}

// ---- comparing -----------------------------------------------------------

static double as_double(uint64_t bits, uint32_t width) {
    double wide;
    float narrow;
    uint32_t low = (uint32_t)bits;
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    return width == 64 ? wide : (double)narrow;
}

// A float's bits as an integer that grows with it: the distance is in ulps.
static int64_t in_order(uint64_t bits, uint32_t width) {
    uint64_t top = UINT64_C(1) << (width - 1);
    return (int64_t)(bits & top ? 0 - (bits & ~top) : bits);
}

static bool near(const KernelSpec *spec, size_t word, uint64_t is,
                 uint64_t want) {
    if (is == want)
        return true;
    double a = as_double(is, spec->approx), b = as_double(want, spec->approx);
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    double ulps = fabs((double)in_order(is, spec->approx) -
                       (double)in_order(want, spec->approx));
    if (word == spec->loose)
        return ulps <= spec->loose_ulps;
    return ulps <= spec->ulps || fabs(a - b) <= spec->absolute;
}

static void differs(const KernelSpec *spec, size_t word, uint64_t is,
                    uint64_t want) {
    uint32_t threads = kernel_threads(spec);
    printf("# %s: word %zu of thread %zu is %llx, the GPU gave %llx\n",
           spec->name, word / threads, word % threads, (unsigned long long)is,
           (unsigned long long)want);
}

// How many values differ; says the first few.
static size_t compare_words(const KernelSpec *spec, const uint32_t *is,
                            const uint32_t *want, size_t count) {
    size_t wrong = 0, n = kernel_threads(spec);
    bool wide = spec->approx == 64;
    for (size_t i = 0; i < count; i++) {
        if (wide && i / n % 2)
            continue;
        uint64_t a = is[i], b = want[i];
        if (wide) {
            a |= (uint64_t)is[i + n] << 32;
            b |= (uint64_t)want[i + n] << 32;
        }
        if (spec->approx ? !near(spec, i / n, a, b) : a != b)
            if (wrong++ < 8)
                differs(spec, i, a, b);
    }
    return wrong;
}

// With all words of the record, where `unpack` left them.
static void explain(Suite *s, Str file, const KernelSpec *spec,
                    const uint32_t *is, size_t count) {
    Str full = test_file(s->arena,
                         str_format(s->arena, "build/golden/full/%.*s.%s.bin",
                                    STR_ARG(file), spec->name)
                             .ptr);
    if (full.len != count * 4)
        return;
    uint32_t *want = arena_new(s->arena, uint32_t, count);
    memcpy(want, full.ptr, full.len);
    compare_words(spec, is, want, count);
}

static void compare(Suite *s, Str file, const KernelSpec *spec,
                    const Record *record, const uint32_t *is) {
    size_t count = (size_t)spec->words * kernel_threads(spec);
    if (!CHECK_INT(record->count, count) ||
        !CHECK_INT(record->shown, kernel_shown(spec)))
        return;
    uint32_t *want = arena_new(s->arena, uint32_t, record->shown + 1);
    read_words(record, want);
    CHECK_INT(compare_words(spec, is, want, record->shown), 0);
    if (!spec->approx && !CHECK_U64(kernel_hash(is, count), record->hash)) {
        printf("# %.*s: %s\n", STR_ARG(file), spec->name);
        explain(s, file, spec, is, count);
    }
}

// ---- running -------------------------------------------------------------

static RunStatus run(Suite *s, const KernelSpec *spec, DeviceStrategy strategy,
                     uint32_t *words) {
    uint32_t inputs[KERNEL_INPUTS], in_buffer, out_buffer;
    for (uint32_t i = 0; i < KERNEL_INPUTS; i++)
        inputs[i] = kernel_input(i);
    Diags diags = diags_new(s->arena);
    Device *vm = vm_open(vm_model_find(STR("mini")));
    size_t bytes = (size_t)spec->words * kernel_threads(spec) * 4;
    uint64_t args[3] = {0, 0, kernel_threads(spec)};
    vm->ops->load(vm, s->module, &diags);
    vm->ops->alloc(vm, sizeof inputs, &in_buffer, &args[0], &diags);
    vm->ops->alloc(vm, bytes, &out_buffer, &args[1], &diags);
    vm->ops->write(vm, in_buffer, 0, inputs, sizeof inputs);
    DeviceLaunch launch = {.kernel = str_from(spec->name),
                           .grid = {spec->grid, 1, 1},
                           .block = {spec->block, 1, 1},
                           .cluster = {spec->cluster, 1, 1},
                           .dynamic_smem = spec->smem,
                           .args = args,
                           .arg_bytes = 20,
                           .schedule = {.seed = 7, .strategy = strategy}};
    DeviceRun result;
    if (!vm->ops->launch(vm, s->arena, &launch, &result))
        printf("# %s: %.*s\n", spec->name, STR_ARG(result.error.what));
    for (size_t i = 0; i < result.finding_count; i++)
        printf("# %s: %.*s\n", spec->name,
               STR_ARG(sample_text(s->arena, &result.findings[i], WORDS_WHAT)));
    vm->ops->read(vm, out_buffer, 0, words, bytes);
    vm->ops->close(vm);
    return result.status;
}

static void run_kernel(Suite *s, Str file, const KernelSpec *spec) {
    Record record = find_record(s->out, spec->name);
    size_t count = (size_t)spec->words * kernel_threads(spec);
    uint32_t *plain = arena_new(s->arena, uint32_t, count);
    uint32_t *mixed = arena_new(s->arena, uint32_t, count);
    *(record.there ? &s->recorded : &s->unrecorded) += 1;
    RunStatus status = run(s, spec, STRATEGY_ROUND_ROBIN, plain);
    if (status == RUN_UNSUPPORTED && !record.there) {
        s->unsupported++;
        return;
    }
    if (!CHECK_INT(status, RUN_DONE))
        return;
    CHECK_INT(run(s, spec, STRATEGY_RANDOM, mixed), RUN_DONE);
    if (!CHECK(memcmp(plain, mixed, count * 4) == 0))
        printf("# %s: depends on the schedule\n", spec->name);
    if (record.there)
        compare(s, file, spec, &record, plain);
}

static void run_file(Arena *arena, const char *base) {
    Str file = str_from(base);
    const char *only = getenv("KERNEL");
    Diags diags = diags_new(arena);
    Suite s = {.arena = arena};
    s.source = test_file(arena, str_format(arena, FOLDER "/%s.cu", base).ptr);
    s.ptx = test_file(arena, str_format(arena, FOLDER "/%s.ptx", base).ptr);
    s.out = test_file(arena, str_format(arena, FOLDER "/%s.out", base).ptr);
    s.module = ptx_parse(arena, file, s.ptx, &diags);
    if (!CHECK(s.module != NULL)) {
        printf("# %s.ptx: line %u: %.*s\n", base, diags.items[0].at.line,
               STR_ARG(diags.items[0].what));
        return;
    }
    KernelSpec spec;
    const char *at = str_cstring(arena, s.source);
    while ((at = kernel_next(at, &spec))) {
        CHECK(spec.words > 0);
        if (!only || !strcmp(only, spec.name))
            run_kernel(&s, file, &spec);
    }
    printf("# %s: %u kernels like the GPU's, %u without its record (%u lack an "
           "instruction)\n",
           base, s.recorded, s.unrecorded, s.unsupported);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The files in shares, so that no test is long.
enum { SHARES = 6 };
static void run_share(size_t share) {
    Arena arena = {0};
    char *names[256];
    size_t count = 0;
    DIR *folder = opendir(FOLDER);
    if (!CHECK(folder != NULL))
        return;
    for (struct dirent *entry; (entry = readdir(folder)) && count < 256;) {
        Str name = str_from(entry->d_name);
        if (str_ends(name, STR(".cu")))
            names[count++] =
                str_cstring(&arena, str_slice(name, 0, name.len - 3));
    }
    closedir(folder);
    CHECK(count > 0);
    qsort(names, count, sizeof names[0], by_name);
    for (size_t i = share; i < count; i += SHARES)
        run_file(&arena, names[i]);
    arena_free(&arena);
}

#define SHARE(number)                      \
    TEST(kernels_match_the_gpu_##number) { \
        run_share(number);                 \
    }
SHARE(0)
SHARE(1)
SHARE(2)
SHARE(3)
SHARE(4)
SHARE(5)

TEST_MAIN(TESTCASE(kernels_match_the_gpu_0), TESTCASE(kernels_match_the_gpu_1),
          TESTCASE(kernels_match_the_gpu_2), TESTCASE(kernels_match_the_gpu_3),
          TESTCASE(kernels_match_the_gpu_4), TESTCASE(kernels_match_the_gpu_5))
