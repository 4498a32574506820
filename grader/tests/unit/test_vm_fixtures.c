// SPDX-License-Identifier: Apache-2.0
// Small PTX kernels, one behaviour each: grader/tests/vm/*.ptx. No compiler is
// needed. Their first lines say how they are launched and what they must give:
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
#include "tests/unit/test.h"
#include "vm/vm.h"

#include <dirent.h>

static const char FOLDER[] = "grader/tests/vm";
enum { OUT_WORDS = 256 };

typedef struct Fixture {
    uint32_t grid, rows, block, cluster, strategy, seed, unordered;
    Str expect, out, what, also, printed, counted, copied, cure;
} Fixture;

static Str rule_code(DeviceRule rule) {
    static const Str codes[] = {
#define CODE(id, code, asks) [RULE_##id] = {code, sizeof(code) - 1},
        DEVICE_RULES(CODE)
#undef CODE
    };
    return codes[rule];
}

static uint32_t option(Str line, const char *name, uint32_t otherwise) {
    while (line.len) {
        Str item = str_trim(str_cut(&line, ','));
        Str key = str_cut(&item, ' ');
        uint64_t value;
        if (str_equal(key, str_from(name)) && str_to_u64(item, &value))
            return (uint32_t)value;
    }
    return otherwise;
}

static Fixture parse_header(Str text) {
    Str head = str_line(text, 1);
    Fixture f = {.grid = option(head, "grid", 1),
                 .rows = option(head, "rows", 1),
                 .block = option(head, "block", 1),
                 .cluster = option(head, "cluster", 1),
                 .strategy = option(head, "strategy", 0),
                 .seed = option(head, "seed", 1),
                 .unordered = option(head, "unordered", 0)};
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

// The first finding that counts; NULL: there is none.
static const Finding *first_finding(const DeviceRun *run) {
    for (size_t i = 0; i < run->finding_count; i++)
        if (run->findings[i].level == FINDING_ERROR || run->status == RUN_DONE)
            return &run->findings[i];
    return NULL;
}

// What the run said: its refusal, or that finding.
static Str first_words(const DeviceRun *run) {
    if (run->status == RUN_REFUSED)
        return run->error.what;
    const Finding *finding = first_finding(run);
    return finding ? finding->what : (Str){0};
}

static Str first_details(Arena *arena, const DeviceRun *run) {
    const Finding *finding = first_finding(run);
    if (!finding)
        return (Str){0};
    Str text = finding->actual;
    for (uint32_t i = 0; i < finding->related_count; i++)
        text = str_format(arena, "%.*s; %u: %.*s", STR_ARG(text),
                          finding->related[i].at.line,
                          STR_ARG(finding->related[i].what));
    return text;
}

static Str first_cure(Arena *arena, const DeviceRun *run) {
    static const char *const parts[] = {
#define PART(id, name) [PART_##id] = name,
        DEVICE_PARTS(PART)
#undef PART
    };
    const Finding *finding = first_finding(run);
    return finding ? str_format(arena, "%s %u", parts[finding->cure],
                                finding->cure_at.line)
                   : (Str){0};
}

static void check_texts(Arena *arena, const char *name, const Fixture *f,
                        const DeviceRun *run) {
    Str what = first_words(run);
    if (f->what.len && !CHECK(test_holds(what, f->what)))
        printf("# %s: says \"%.*s\"\n", name, STR_ARG(what));
    Str also = first_details(arena, run);
    if (f->also.len && !CHECK(test_holds(also, f->also)))
        printf("# %s: also says \"%.*s\"\n", name, STR_ARG(also));
    Str cure = first_cure(arena, run);
    if (f->cure.len && !CHECK(str_equal(cure, f->cure)))
        printf("# %s: is mended at \"%.*s\"\n", name, STR_ARG(cure));
    Buf printed = {0};
    for (size_t i = 0; i < run->output.len; i++)
        if (run->output.ptr[i] == '\n')
            buf_str(&printed, STR("\\n"));
        else
            buf_byte(&printed, run->output.ptr[i]);
    Str shown = str_copy(arena, buf_view(&printed));
    buf_free(&printed);
    if (f->printed.len && !CHECK(str_equal(shown, f->printed)))
        printf("# %s: printed \"%.*s\"\n", name, STR_ARG(shown));
}

static Str describe(Arena *arena, const DeviceRun *run) {
    if (run->status == RUN_REFUSED)
        return STR("refused");
    for (size_t i = 0; i < run->finding_count; i++) {
        const Finding *f = &run->findings[i];
        bool advisory = f->level == FINDING_ADVISORY;
        if (!advisory || run->status == RUN_DONE)
            return str_format(arena, "%s%.*s %u",
                              advisory ? "done advisory " : "",
                              STR_ARG(rule_code(f->rule)), f->at.line);
    }
    return run->status == RUN_DONE ? STR("done") : STR("no finding");
}

static void check_words(Str expected, const uint32_t *words) {
    while (expected.len) {
        Str item = str_cut(&expected, ' ');
        Str index = str_cut(&item, '=');
        uint64_t at, value;
        if (str_to_u64(index, &at) && str_to_u64(item, &value))
            CHECK_U64(words[at % OUT_WORDS], value);
    }
}

static void check_counters(const Fixture *f, const DeviceCounters *is) {
    const uint64_t copied[] = {is->copied_from[DEVICE_SPACE_GLOBAL],
                               is->copied_from[DEVICE_SPACE_SHARED],
                               is->copied_to[DEVICE_SPACE_GLOBAL],
                               is->copied_to[DEVICE_SPACE_SHARED]};
    Str left = f->copied;
    uint64_t value;
    if (str_to_u64(f->counted, &value))
        CHECK_U64(is->thread_instructions, value);
    for (size_t i = 0; left.len && i < COUNT_OF(copied); i++)
        if (CHECK(str_to_u64(str_cut(&left, ' '), &value)))
            CHECK_U64(copied[i], value);
}

static PtxModule *parse(Arena *arena, const char *name, Str text) {
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

static void run_fixture(Arena *arena, const char *name, Str text) {
    Fixture f = parse_header(text);
    PtxModule *module = parse(arena, name, text);
    if (!CHECK(module != NULL))
        return;
    Diags diags = diags_new(arena);
    Device *vm = vm_open(vm_model_find(STR("mini")));
    uint32_t buffer, words[OUT_WORDS];
    uint64_t address;
    vm->ops->load(vm, module, &diags);
    vm->ops->alloc(vm, sizeof words, &buffer, &address, &diags);
    DeviceLaunch launch = {
        .kernel = STR("k"),
        .grid = {f.grid, f.rows, 1},
        .block = {f.block, 1, 1},
        .cluster = {f.cluster, 1, 1},
        .args = &address,
        .arg_bytes = sizeof address,
        .step_limit = 8 * 1000 * 1000,
        .schedule = {.seed = f.seed, .strategy = (DeviceStrategy)f.strategy}};
    if (f.unordered)
        launch.unchecked =
            UINT64_C(1) << RULE_RACE001 | UINT64_C(1) << RULE_RACE002 |
            UINT64_C(1) << RULE_CLC006 | UINT64_C(1) << RULE_MEM003;
    DeviceRun run;
    vm->ops->launch(vm, arena, &launch, &run);
    Str got = describe(arena, &run);
    if (!CHECK(str_equal(got, f.expect)))
        printf("# %s: is \"%.*s\", expected \"%.*s\"\n", name, STR_ARG(got),
               STR_ARG(f.expect));
    check_texts(arena, name, &f, &run);
    for (size_t i = 0; i < run.finding_count; i++) {
        CHECK(run.findings[i].what.len > 0);
        CHECK(run.findings[i].help.len > 0);
    }
    check_counters(&f, &run.counters);
    CHECK(vm->ops->read(vm, buffer, 0, words, sizeof words));
    check_words(f.out, words);
    vm->ops->close(vm);
}

TEST(every_fixture_gives_what_it_says) {
    DIR *folder = opendir(FOLDER);
    if (!CHECK(folder != NULL))
        return;
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!str_ends(str_from(entry->d_name), STR(".ptx")))
            continue;
        Arena arena = {0};
        char path[512];
        snprintf(path, sizeof path, "%s/%s", FOLDER, entry->d_name);
        run_fixture(&arena, entry->d_name, test_file(&arena, path));
        arena_free(&arena);
        count++;
    }
    closedir(folder);
    CHECK(count >= 50);
}

TEST_MAIN(TESTCASE(every_fixture_gives_what_it_says))
