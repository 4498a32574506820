// SPDX-License-Identifier: Apache-2.0
// The small PTX kernels of grader/tests/vm/*.ptx, one behaviour each. Their
// first lines say how they are launched and what they must give:
//   // kernel k, grid 40, rows 1, block 1, cluster 2, strategy 3, seed 5,
//   unordered 1
//   // expect: done | done advisory CODE LINE | CODE LINE
//   // out: 0=1 1=5          words of the 1024-byte buffer that they are given
//   // what: thread 0 ...     part of the finding's words, or of the refusal's
//   // also: 7: it was made    part of "LINE: text" of a related place of it,
//   or
//                             of what it says of the actual state
//   // printed: text          what printf printed, "\\n" for a newline
//   // counted: N             instructions of threads
//   // cure: PART LINE       where the finding is mended (LINE 0: not known)
//   // copied: A B C D         bytes, asynchronously: from global, from shared,
//                              to global, to shared memory
// The last seven are in any order. "unordered 1": the kernel shows when or what
// an instruction does by accesses that nothing orders; they are not judged.
// A launch that is refused expects "refused".
// LINE is that of the .loc. Names that begin with "right" have no finding.
#ifndef CLCLAB_VM_FIXTURE_H
#define CLCLAB_VM_FIXTURE_H

#include "tests/unit/test.h"
#include "vm/vm.h"

#include <dirent.h>

enum { FIXTURE_WORDS = 256 }; // of the buffer

typedef struct Fixture {
    uint32_t grid, rows, block, cluster, strategy, seed, unordered;
    Str expect, out, what, also, printed, counted, copied, cure;
} Fixture;

static inline uint32_t fixture_option(Str line, const char *name,
                                      uint32_t otherwise) {
    while (line.len) {
        Str item = str_trim(str_cut(&line, ','));
        Str key = str_cut(&item, ' ');
        uint64_t value;
        if (str_equal(key, str_from(name)) && str_to_u64(item, &value))
            return (uint32_t)value;
    }
    return otherwise;
}

static inline Fixture fixture_header(Str text) {
    Str head = str_line(text, 1);
    Fixture f = {.grid = fixture_option(head, "grid", 1),
                 .rows = fixture_option(head, "rows", 1),
                 .block = fixture_option(head, "block", 1),
                 .cluster = fixture_option(head, "cluster", 1),
                 .strategy = fixture_option(head, "strategy", 0),
                 .seed = fixture_option(head, "seed", 1),
                 .unordered = fixture_option(head, "unordered", 0)};
    struct {
        Str key, *value;
    } rows[] = {
        {STR("// expect: "), &f.expect},   {STR("// out: "), &f.out},
        {STR("// what: "), &f.what},       {STR("// also: "), &f.also},
        {STR("// printed: "), &f.printed}, {STR("// counted: "), &f.counted},
        {STR("// copied: "), &f.copied},   {STR("// cure: "), &f.cure}};
    for (uint32_t line = 2; line <= 8; line++)
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            Str whole = str_line(text, line);
            if (str_starts(whole, rows[i].key))
                *rows[i].value = str_slice(whole, rows[i].key.len, whole.len);
        }
    return f;
}

static inline PtxModule *fixture_parse(Arena *arena, const char *name,
                                       Str text) {
    Diags diags = diags_new(arena);
    Str whole = str_format(arena,
                           ".version 9.0\n.target sm_100a\n.address_size 64\n"
                           ".file 1 \"k.cu\"\n%.*s",
                           STR_ARG(text));
    PtxModule *module = ptx_parse(arena, str_from(name), whole, &diags);
    for (size_t i = 0; i < diags.count; i++)
        printf("# %s: line %u: %.*s\n", name, diags.items[i].at.line,
               STR_ARG(diags.items[i].what));
    return module;
}

// `address` is that of the buffer.
static inline DeviceLaunch fixture_launch(const Fixture *f,
                                          const uint64_t *address) {
    return (DeviceLaunch){
        .kernel = STR("k"),
        .grid = {f->grid, f->rows, 1},
        .block = {f->block, 1, 1},
        .cluster = {f->cluster, 1, 1},
        .args = address,
        .arg_bytes = sizeof *address,
        .step_limit = 8 * 1000 * 1000,
        .schedule = {.seed = f->seed, .strategy = (DeviceStrategy)f->strategy}};
}

typedef void (*FixtureVisit)(void *context, Arena *arena, const char *name,
                             Str text);

// How many there are.
static inline size_t fixture_each(FixtureVisit visit, void *context) {
    static const char path[] = "grader/tests/vm";
    DIR *folder = opendir(path);
    size_t count = 0;
    if (!CHECK(folder != NULL))
        return 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!str_ends(str_from(entry->d_name), STR(".ptx")))
            continue;
        Arena arena = {0};
        char file[512];
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        visit(context, &arena, entry->d_name, test_file(&arena, file));
        arena_free(&arena);
        count++;
    }
    closedir(folder);
    return count;
}

#endif
