// SPDX-License-Identifier: Apache-2.0
// Small PTX kernels, one behaviour each: grader/tests/vm/*.ptx. No compiler is
// needed. The first line says how the kernel is launched:
//   // kernel k, grid 40, block 64, cluster 2, strategy 3, seed 5
// It may also have "rows" and "layers" of blocks, and "height": rows of
// threads. "unordered 1": the kernel uses accesses that nothing orders, to show
// when or what an instruction does; these are not judged. "schedules 16": it is
// launched 16 times, with the first 16 schedules of the seed, and must give the
// same each time. "alone 0": the expected finding does not appear when only its
// own rules are checked, as these do not record the order of accesses.
//
// The next lines, in any order, say what the kernel must give:
//   // expect: done | done advisory CODE LINE | CODE LINE | refused
//   // out: 0=1 1=5       words of the 1024-byte buffer that it is given
//   // what: thread 0     part of the first finding's words, or the refusal's
//   // also: 7: it was    part of "LINE: text" of a related place of it, or of
//                         what it says of the actual state
//   // missing: a wait    part of what it says of the order that is missing
//   // help: put a bar     part of what it says of what to try
//   // cure: PART LINE    where the finding is mended (LINE 0: not known)
//   // printed: text      what printf printed, "\n" for a newline
//   // counted: N         instructions of threads
//   // copied: A B C D    bytes, asynchronously: from global, from shared, to
//                         global, to shared memory
//
// Without "expect", marks say what must be found and where, and nothing else
// may be found. A mark is at the end of a line of the body; "by" is the thread
// that did it in the first of the schedules:
//   // error CODE
//   // advisory CODE by thread 3 of block 0, error CODE
// Without marks, the kernel must end and nothing may be found. The file's name
// says which it is: "CODE-..." has a mark with that code, "right-CODE-..." has
// none.
//
// LINE is the line of a .loc. A file without any .loc gets one for each line of
// a body, so each statement must be on one line.
#ifndef CLCLAB_VM_FIXTURE_H
#define CLCLAB_VM_FIXTURE_H

#include "tests/unit/test.h"
#include "vm/vm.h"

#include <dirent.h>

enum { FIXTURE_WORDS = 256 }; // of the buffer

typedef struct Fixture {
    uint32_t grid, rows, layers, block, height, cluster, strategy, seed,
        unordered, schedules, alone;
    Str expect, out, what, also, missing, help, printed, counted, copied, cure;
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
                 .layers = fixture_option(head, "layers", 1),
                 .block = fixture_option(head, "block", 1),
                 .height = fixture_option(head, "height", 1),
                 .cluster = fixture_option(head, "cluster", 1),
                 .strategy = fixture_option(head, "strategy", 0),
                 .seed = fixture_option(head, "seed", 1),
                 .unordered = fixture_option(head, "unordered", 0),
                 .schedules = fixture_option(head, "schedules", 1),
                 .alone = fixture_option(head, "alone", 1)};
    struct {
        Str key, *value;
    } rows[] = {
        {STR("// expect: "), &f.expect},   {STR("// out: "), &f.out},
        {STR("// what: "), &f.what},       {STR("// also: "), &f.also},
        {STR("// printed: "), &f.printed}, {STR("// counted: "), &f.counted},
        {STR("// copied: "), &f.copied},   {STR("// cure: "), &f.cure},
        {STR("// missing: "), &f.missing}, {STR("// help: "), &f.help}};
    Str whole = head;
    for (uint32_t n = 2; str_starts(whole, STR("//")); n++) {
        whole = str_line(text, n);
        for (size_t i = 0; i < COUNT_OF(rows); i++)
            if (str_starts(whole, rows[i].key))
                *rows[i].value = str_slice(whole, rows[i].key.len, whole.len);
    }
    return f;
}

// The text with a .loc before each line of a body.
static inline Str fixture_with_lines(Arena *arena, Str text) {
    Buf out = {0};
    int depth = 0;
    for (uint32_t number = 1; text.len; number++) {
        Str line = str_cut(&text, '\n');
        if (depth > 0)
            buf_str(&out, str_format(arena, ".loc 1 %u 1 ", number));
        buf_str(&out, line);
        buf_byte(&out, '\n');
        depth += str_starts(line, STR("{"));
        depth -= str_starts(line, STR("}"));
    }
    Str whole = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return whole;
}

static inline PtxModule *fixture_parse(Arena *arena, const char *name,
                                       Str text) {
    Diags diags = diags_new(arena);
    Str body =
        test_holds(text, STR(".loc ")) ? text : fixture_with_lines(arena, text);
    Str whole = str_format(arena,
                           ".version 9.0\n.target sm_100a\n.address_size 64\n"
                           ".file 1 \"k.cu\"\n%.*s",
                           STR_ARG(body));
    PtxModule *module = ptx_parse(arena, str_from(name), whole, &diags);
    for (size_t i = 0; i < diags.count; i++)
        printf("# %s: line %u: %.*s\n", name, diags.items[i].at.line,
               STR_ARG(diags.items[i].what));
    return module;
}

// `address` is the buffer's address.
static inline DeviceLaunch fixture_launch(const Fixture *f,
                                          const uint64_t *address) {
    return (DeviceLaunch){
        .kernel = STR("k"),
        .grid = {f->grid, f->rows, f->layers},
        .block = {f->block, f->height, 1},
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
