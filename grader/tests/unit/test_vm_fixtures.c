// SPDX-License-Identifier: Apache-2.0
// Small PTX kernels, one behaviour each: grader/tests/vm/*.ptx, whose first
// lines say what they must give (vm_fixture.h). No compiler is needed.
#include "tests/unit/vm_fixture.h"

static Str rule_code(DeviceRule rule) {
    static const Str codes[] = {
#define CODE(id, code, asks) [RULE_##id] = {code, sizeof(code) - 1},
        DEVICE_RULES(CODE)
#undef CODE
    };
    return codes[rule];
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
            CHECK_U64(words[at % FIXTURE_WORDS], value);
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

static void run_fixture(void *context, Arena *arena, const char *name,
                        Str text) {
    (void)context;
    Fixture f = fixture_header(text);
    PtxModule *module = fixture_parse(arena, name, text);
    if (!CHECK(module != NULL))
        return;
    Diags diags = diags_new(arena);
    Device *vm = vm_open(vm_model_find(STR("mini")));
    uint32_t buffer, words[FIXTURE_WORDS];
    uint64_t address;
    vm->ops->load(vm, module, &diags);
    vm->ops->alloc(vm, sizeof words, &buffer, &address, &diags);
    DeviceLaunch launch = fixture_launch(&f, &address);
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
    size_t count = fixture_each(run_fixture, NULL);
    CHECK(count >= 50);
}

TEST_MAIN(TESTCASE(every_fixture_gives_what_it_says))
