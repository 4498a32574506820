// SPDX-License-Identifier: Apache-2.0
// The small PTX kernels of grader/tests/vm, each a test of its own:
// vm_fixture.h says how they tell what they must give. `PROGRAM race001-` runs
// those of one group, which is a suite of its own: the part of the name before
// the first "-", where wrong kernels have it, so mostly a rule. All that is in
// no such group is `PROGRAM others-`.
#include "check/internal.h"
#include "tests/unit/vm_fixture.h"
#include "words/words.h"

static const char FOLDER[] = "grader/tests/vm";

static Str lower(Arena *arena, Str text) {
    Str copy = str_copy(arena, text);
    char *at = (char *)(uintptr_t)copy.ptr;
    for (size_t i = 0; i < copy.len; i++)
        if (at[i] >= 'A' && at[i] <= 'Z')
            at[i] = (char)(at[i] - 'A' + 'a');
    return copy;
}

// The first finding that counts; NULL: there is none.
static const Finding *first_finding(const DeviceRun *run) {
    for (size_t i = 0; i < run->finding_count; i++)
        if (run->findings[i].level == FINDING_ERROR || run->status == RUN_DONE)
            return &run->findings[i];
    return NULL;
}

static const Words WORDS = {&words_english, DIALECT_PTX};

// What the run said: its refusal, or that finding.
static Str first_words(Arena *arena, const DeviceRun *run) {
    if (run->status == RUN_REFUSED)
        return run->error.what;
    const Finding *finding = first_finding(run);
    return finding ? words_part(&WORDS, arena, finding, WORDS_WHAT) : (Str){0};
}

static Str first_details(Arena *arena, const DeviceRun *run) {
    const Finding *finding = first_finding(run);
    if (!finding)
        return (Str){0};
    Str text = words_part(&WORDS, arena, finding, WORDS_ACTUAL);
    for (uint32_t i = 0; i < finding->related_count; i++)
        text = str_format(
            arena, "%.*s; %u: %.*s", STR_ARG(text), finding->related[i].at.line,
            STR_ARG(words_place(&WORDS, arena, finding, &finding->related[i])));
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

static void check_part(const char *name, const char *key, Str is, Str part) {
    if (part.len && !CHECK(test_holds(is, part)))
        printf("# %s: %s: \"%.*s\"\n", name, key, STR_ARG(is));
}

static void check_texts(Arena *arena, const char *name, const Fixture *f,
                        const DeviceRun *run) {
    const Finding *finding = first_finding(run);
    Str missing = {0}, help = {0};
    if (finding) {
        missing = words_part(&WORDS, arena, finding, WORDS_MISSING);
        help = words_part(&WORDS, arena, finding, WORDS_HELP);
    }
    check_part(name, "what", first_words(arena, run), f->what);
    check_part(name, "also", first_details(arena, run), f->also);
    check_part(name, "missing", missing, f->missing);
    check_part(name, "help", help, f->help);
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

// ---- marks ---------------------------------------------------------------

typedef struct Mark { // see above
    Str level, code, who;
    uint32_t line;
} Mark;

typedef struct Marks {
    Mark items[16];
    uint32_t count;
} Marks;

static Str after(Str text, Str part) {
    const char *at = memmem(text.ptr, text.len, part.ptr, part.len);
    return at ? str_slice(text, (size_t)(at - text.ptr) + part.len, text.len)
              : (Str){0};
}

// Several on one line have a comma between them.
static void add_marks(Marks *marks, Str comment, uint32_t line) {
    while (comment.len) {
        Str item = str_trim(str_cut(&comment, ','));
        Mark mark = {.who = after(item, STR(" by ")), .line = line};
        mark.level = str_cut(&item, ' ');
        mark.code = str_cut(&item, ' ');
        bool is_mark = str_equal(mark.level, STR("error")) ||
                       str_equal(mark.level, STR("advisory"));
        if (is_mark && CHECK(marks->count < COUNT_OF(marks->items)))
            marks->items[marks->count++] = mark;
    }
}

static Marks marks_of(Str text) {
    Marks marks = {0};
    for (uint32_t number = 1; text.len; number++) {
        Str line = str_cut(&text, '\n');
        if (!str_starts(line, STR("//")))
            add_marks(&marks, after(line, STR("// ")), number);
    }
    return marks;
}

static Str level_name(const Finding *f) {
    return f->level == FINDING_ERROR ? STR("error") : STR("advisory");
}

static const Mark *mark_of(const Marks *marks, const Finding *f) {
    for (uint32_t i = 0; i < marks->count; i++) {
        const Mark *mark = &marks->items[i];
        if (mark->line == f->at.line && str_equal(mark->level, level_name(f)) &&
            str_equal(mark->code, rule_code(f->rule)))
            return mark;
    }
    return NULL;
}

static Str who_of(Arena *arena, const Finding *f) {
    const FindingWho *who = &f->who;
    if (!who->known || who->lane == WHO_ANY_LANE)
        return STR("nobody in particular");
    return str_format(arena, "thread %u of block %u",
                      who->warp * 32 + who->lane, who->cta);
}

// All that was found is marked, and there are as many marks: a run has one
// finding for a rule and a line.
static void check_marks(Arena *arena, Str text, const DeviceRun *run,
                        bool with_who) {
    Marks marks = marks_of(text);
    CHECK_U64(run->finding_count, marks.count);
    CHECK(marks.count || run->status == RUN_DONE);
    for (size_t i = 0; i < run->finding_count; i++) {
        const Finding *f = &run->findings[i];
        const Mark *mark = mark_of(&marks, f);
        Str who = who_of(arena, f);
        bool is_right =
            mark && (!with_who || !mark->who.len || str_equal(mark->who, who));
        if (!CHECK(is_right))
            printf("# found: line %u: %.*s %.*s by %.*s: %.*s\n", f->at.line,
                   STR_ARG(level_name(f)), STR_ARG(rule_code(f->rule)),
                   STR_ARG(who),
                   STR_ARG(words_part(&WORDS, arena, f, WORDS_WHAT)));
    }
}

static uint64_t rule_bit(DeviceRule rule) {
    return UINT64_C(1) << rule;
}

static uint64_t usually_unchecked(const Fixture *f) {
    return f->unordered ? rule_bit(RULE_RACE001) | rule_bit(RULE_RACE002) |
                              rule_bit(RULE_CLC006) | rule_bit(RULE_MEM003)
                        : 0;
}

// All rules but those of the marks.
static uint64_t unmarked(Str text) {
    Marks marks = marks_of(text);
    uint64_t wanted = 0;
    for (uint32_t i = 0; i < marks.count; i++)
        for (int rule = 1; rule < DEVICE_RULE_COUNT; rule++)
            if (str_equal(marks.items[i].code, rule_code((DeviceRule)rule)))
                wanted |= rule_bit((DeviceRule)rule);
    return ~wanted;
}

// The name and the marks say the same.
static void check_name(Arena *arena, const char *name, Str text,
                       uint32_t schedules) {
    Str whole = str_from(name);
    Marks marks = marks_of(text);
    bool is_named = false;
    for (uint32_t i = 0; i < marks.count; i++) {
        Str code = lower(arena, marks.items[i].code);
        is_named = is_named || str_starts(whole, code);
    }
    if (str_starts(whole, STR("right-")))
        CHECK(marks.count == 0 && schedules > 1);
    else
        CHECK(is_named);
}

// ---- running one ---------------------------------------------------------

typedef struct Tried { // of a fixture
    const char *name;
    Str text;
    Fixture fixture;
    Device *vm;
    uint32_t buffer;
    uint64_t address;
    uint64_t steps;     // of the first schedule
    uint64_t unchecked; // as DeviceLaunch's
} Tried;

static DeviceSchedule nth_schedule(const Tried *t, uint32_t number) {
    DeviceSchedule schedule = {.seed = t->fixture.seed,
                               .strategy = (DeviceStrategy)t->fixture.strategy};
    if (t->fixture.schedules > 1)
        schedule = trial_schedule_of(t->fixture.seed, number);
    schedule.steps = t->steps;
    return schedule;
}

static void check_findings(Arena *arena, const Tried *t, const DeviceRun *run,
                           bool is_first) {
    const Fixture *f = &t->fixture;
    Str got = describe(arena, run);
    if (f->expect.len == 0)
        check_marks(arena, t->text, run, is_first);
    else if (!CHECK(str_equal(got, f->expect)))
        printf("# %s: is \"%.*s\", expected \"%.*s\"\n", t->name, STR_ARG(got),
               STR_ARG(f->expect));
    check_texts(arena, t->name, f, run);
    for (size_t i = 0; i < run->finding_count; i++)
        CHECK(words_are_whole(&WORDS, &run->findings[i]));
}

// A finding is about memory of its own launch: a block's, or the buffer's. Who
// owns one block owns its own.
static void check_places(const DeviceRun *run) {
    for (size_t i = 0; i < run->finding_count; i++) {
        const Finding *f = &run->findings[i];
        if (f->in_buffer)
            CHECK(f->buffer == 0 && f->offset + f->bytes <= FIXTURE_WORDS * 4);
        if (f->who.known && f->who.owned == 1)
            CHECK_INT(f->who.block, f->who.cta);
    }
}

// Each block is owned once, where no block was lost.
static void check_owners(Arena *arena, const Tried *t, const DeviceRun *run) {
    const Ledger *ledger = &run->ledger;
    uint64_t grid = ledger->totals.grid;
    if (run->status != RUN_DONE || ledger->totals.lost)
        return;
    uint32_t *owners = arena_new(arena, uint32_t, grid);
    for (size_t i = 0; i < ledger->chain_count; i++)
        for (size_t k = 0; k < ledger->chains[i].count; k++)
            if (CHECK(ledger->chains[i].blocks[k] < grid))
                owners[ledger->chains[i].blocks[k]]++;
    for (uint64_t i = 0; i < grid; i++)
        if (!CHECK_INT(owners[i], 1))
            printf("# %s: block %llu\n", t->name, (unsigned long long)i);
}

static void launch_with(Arena *arena, Tried *t, uint32_t number) {
    static const uint32_t zeros[FIXTURE_WORDS];
    const Fixture *f = &t->fixture;
    uint32_t words[FIXTURE_WORDS];
    DeviceLaunch launch = fixture_launch(f, &t->address);
    launch.schedule = nth_schedule(t, number);
    launch.unchecked = t->unchecked;
    DeviceRun run;
    t->vm->ops->write(t->vm, t->buffer, 0, zeros, sizeof zeros);
    t->vm->ops->launch(t->vm, arena, &launch, &run);
    check_findings(arena, t, &run, number == 0);
    check_places(&run);
    check_owners(arena, t, &run);
    check_counters(f, &run.counters);
    CHECK(t->vm->ops->read(t->vm, t->buffer, 0, words, sizeof words));
    check_words(f->out, words);
    if (number == 0)
        t->steps = run.steps;
}

static void launch_all(Arena *arena, Tried *t) {
    unsigned before = test_state->failures;
    for (uint32_t i = 0; i < t->fixture.schedules; i++) {
        launch_with(arena, t, i);
        if (test_state->failures != before) {
            printf("# in schedule %u\n", i);
            break;
        }
    }
}

// What is marked is found though nothing else is checked.
static void launch_for_marks_alone(Arena *arena, Tried *t) {
    unsigned before = test_state->failures;
    t->unchecked = unmarked(t->text);
    launch_with(arena, t, 0);
    if (test_state->failures != before)
        printf("# with all other rules unchecked\n");
}

static void run_fixture(const char *name) {
    Arena arena = {0};
    Str path = str_format(&arena, "%s/%s.ptx%c", FOLDER, name, '\0');
    Str text = test_file(&arena, path.ptr);
    PtxModule *module = fixture_parse(&arena, name, text);
    if (!CHECK(module != NULL))
        return;
    Diags diags = diags_new(&arena);
    Tried tried = {.name = name,
                   .text = text,
                   .fixture = fixture_header(text),
                   .vm = vm_open(vm_model_find(STR("mini")))};
    tried.unchecked = usually_unchecked(&tried.fixture);
    tried.vm->ops->load(tried.vm, module, &diags);
    tried.vm->ops->alloc(tried.vm, FIXTURE_WORDS * 4, &tried.buffer,
                         &tried.address, &diags);
    launch_all(&arena, &tried);
    if (tried.fixture.expect.len == 0) {
        check_name(&arena, name, text, tried.fixture.schedules);
        if (tried.fixture.alone)
            launch_for_marks_alone(&arena, &tried);
    }
    tried.vm->ops->close(tried.vm);
    arena_free(&arena);
}

// ---- all of them ---------------------------------------------------------

typedef struct Names {
    TestCase *cases;
    size_t count, capacity;
} Names;

static int by_name(const void *a, const void *b) {
    return strcmp(((const TestCase *)a)->name, ((const TestCase *)b)->name);
}

static Names fixtures(Arena *arena) {
    static const Str SUFFIX = {".ptx", 4};
    Names names = {0};
    DIR *folder = opendir(FOLDER);
    if (!folder)
        return names;
    for (struct dirent *entry; (entry = readdir(folder));) {
        Str file = str_from(entry->d_name);
        if (!str_ends(file, SUFFIX))
            continue;
        arena_grow(arena, names.cases, names.count, names.capacity);
        Str name = str_slice(file, 0, file.len - SUFFIX.len);
        names.cases[names.count++] = (TestCase){
            .name = str_format(arena, "%.*s%c", STR_ARG(name), '\0').ptr,
            .run_named = run_fixture};
    }
    closedir(folder);
    qsort(names.cases, names.count, sizeof *names.cases, by_name);
    return names;
}

// Fixtures whose names begin so.
static size_t count_of(const Names *names, Str prefix) {
    size_t count = 0;
    for (size_t i = 0; i < names->count; i++)
        count += str_starts(str_from(names->cases[i].name), prefix);
    return count;
}

// A card alone finds these.
static bool is_of_cards(DeviceRule rule) {
    return rule == RULE_TIMEOUT || rule == RULE_FAULT;
}

TEST(every_rule_has_a_wrong_and_a_right_kernel) {
    Arena arena = {0};
    Names names = fixtures(&arena);
    for (int rule = 1; rule < DEVICE_RULE_COUNT; rule++) {
        Str code = lower(&arena, rule_code((DeviceRule)rule));
        Str wrong = str_format(&arena, "%.*s-", STR_ARG(code));
        Str right = str_format(&arena, "right-%.*s-", STR_ARG(code));
        bool is_tried = count_of(&names, wrong) && count_of(&names, right);
        if (!is_of_cards((DeviceRule)rule) && !CHECK(is_tried))
            printf("# %.*s: %zu wrong, %zu right\n", STR_ARG(code),
                   count_of(&names, wrong), count_of(&names, right));
    }
    arena_free(&arena);
}

// ---- groups --------------------------------------------------------------

// "race001" of race001-lanes and right-race001-barrier; "others" of
// right-alias.
static Str group_of(Arena *arena, const Names *names, const char *name) {
    Str rest = str_from(name);
    if (str_starts(rest, STR("right-")))
        str_cut(&rest, '-');
    Str word = str_cut(&rest, '-');
    bool is_group = count_of(names, str_format(arena, "%.*s-", STR_ARG(word)));
    return is_group ? word : STR("others");
}

// Those whose group this is.
static Names only_group(Arena *arena, const Names *names, Str group) {
    Names some = {0};
    for (size_t i = 0; i < names->count; i++) {
        if (!str_equal(group_of(arena, names, names->cases[i].name), group))
            continue;
        arena_grow(arena, some.cases, some.count, some.capacity);
        some.cases[some.count++] = names->cases[i];
    }
    return some;
}

// asked: a group and "-", a test, or NULL for all.
static int run(Arena *arena, const char *asked) {
    static const TestCase ABOUT_ALL =
        TESTCASE(every_rule_has_a_wrong_and_a_right_kernel);
    Names names = fixtures(arena);
    Str word = str_from(asked);
    bool is_group = str_ends(word, STR("-"));
    Str group = str_slice(word, 0, word.len - is_group);
    if (is_group)
        names = only_group(arena, &names, group);
    if (!is_group || str_equal(group, STR("others"))) {
        arena_grow(arena, names.cases, names.count, names.capacity);
        names.cases[names.count++] = ABOUT_ALL;
    }
    if (names.count == 0) {
        printf("no such group: %s\n", asked);
        return 1;
    }
    return test_run_all(names.cases, names.count, is_group ? NULL : asked);
}

int main(int argc, char **argv) {
    Arena arena = {0};
    int status = run(&arena, argc > 1 ? argv[1] : NULL);
    arena_free(&arena);
    return status;
}
