// SPDX-License-Identifier: Apache-2.0
// The command line. One table of options says which commands take each, what
// its value is called, and how it is stored; usage_options prints it.
//
// "--name value" and "--name=value"; "--" ends the options. An option stands
// once, unless the table says otherwise. A mistake is one line that names it.
#include "cli/internal.h"

#include <string.h>

// ---- options -------------------------------------------------------------

typedef struct ArgsContext {
    Arena *arena;
    Args *args;
    Str message; // of the mistake
} ArgsContext;

typedef struct Option {
    const char *name;  // with its dashes
    const char *value; // what its value is called; NULL: it has none
    uint32_t commands; // bit by CliCommandId
    const char *help;
    bool (*set)(ArgsContext *context, const char *value);
    bool repeats;
} Option;

static bool choose(ArgsContext *context, const char *value,
                   const char *const *names, size_t count, int *out) {
    Str list = STR("");
    for (size_t i = 0; i < count; i++) {
        if (strcmp(value, names[i]) == 0) {
            *out = (int)i;
            return true;
        }
        list = str_format(context->arena, "%.*s%s%s", STR_ARG(list),
                          i ? ", " : "", names[i]);
    }
    context->message = str_format(context->arena, "\"%s\" is none of %.*s",
                                  value, STR_ARG(list));
    return false;
}

static bool number(ArgsContext *context, const char *value, uint64_t most,
                   uint64_t *out) {
    if (str_to_u64(str_from(value), out) && *out <= most)
        return true;
    context->message =
        str_format(context->arena, "\"%s\" is not a whole number up to %llu",
                   value, (unsigned long long)most);
    return false;
}

static bool set_device(ArgsContext *context, const char *value) {
    static const char *const names[] = {"auto", "vm", "gpu"};
    int index;
    if (!choose(context, value, names, COUNT_OF(names), &index))
        return false;
    context->args->device = (CliDevice)index;
    return true;
}

static bool set_color(ArgsContext *context, const char *value) {
    static const char *const names[] = {"auto", "always", "never"};
    int index;
    if (!choose(context, value, names, COUNT_OF(names), &index))
        return false;
    context->args->color = (CliColor)index;
    return true;
}

static bool set_format(ArgsContext *context, const char *value) {
    static const char *const names[] = {"text", "json"};
    int index;
    if (!choose(context, value, names, COUNT_OF(names), &index))
        return false;
    context->args->format = (CliFormat)index;
    return true;
}

static bool set_compare_format(ArgsContext *context, const char *value) {
    static const char *const names[] = {"text", "csv", "svg", "json"};
    int index;
    if (!choose(context, value, names, COUNT_OF(names), &index))
        return false;
    context->args->compare_format = (CliCompareFormat)index;
    return true;
}

static bool set_compiler(ArgsContext *context, const char *value) {
    static const char *const names[] = {"any", "nvrtc", "nvcc"};
    int index;
    if (!choose(context, value, names + 1, COUNT_OF(names) - 1, &index))
        return false;
    context->args->compiler = (CliCompiler)(index + 1);
    return true;
}

// The models are vm/'s to know: command_grade looks it up.
static bool set_model(ArgsContext *context, const char *value) {
    context->args->gpu_model = value;
    return true;
}

static bool set_seed(ArgsContext *context, const char *value) {
    return number(context, value, UINT64_MAX, &context->args->seed);
}

static bool set_emulation(ArgsContext *context, const char *value) {
    static const char *const names[] = {"drawn", "claimed"};
    int index;
    if (!choose(context, value, names, COUNT_OF(names), &index))
        return false;
    context->args->keeps_index = index == 1;
    return true;
}

static bool set_deadline(ArgsContext *context, const char *value) {
    if (!number(context, value, CLI_MAX_DEADLINE, &context->args->deadline))
        return false;
    if (context->args->deadline > 0)
        return true;
    context->message = STR("a kernel has a second at least");
    return false;
}

static bool set_schedules(ArgsContext *context, const char *value) {
    if (!number(context, value, CLI_MAX_SCHEDULES, &context->args->schedules))
        return false;
    if (context->args->schedules > 0)
        return true;
    context->message = STR("at least one schedule is judged");
    return false;
}

static bool set_path(ArgsContext *context, const char *value,
                     const char **out) {
    *out = value;
    if (value[0])
        return true;
    context->message = STR("an empty path");
    return false;
}

static bool set_out(ArgsContext *context, const char *value) {
    return set_path(context, value, &context->args->out);
}

static bool set_chart(ArgsContext *context, const char *value) {
    return set_path(context, value, &context->args->chart);
}

static bool set_root(ArgsContext *context, const char *value) {
    return set_path(context, value, &context->args->root);
}

static bool set_labs(ArgsContext *context, const char *value) {
    return set_path(context, value, &context->args->labs);
}

static bool set_flag(ArgsContext *context, const char *value) {
    Args *args = context->args;
    if (args->flag_count == CLI_MAX_FLAGS) {
        context->message = STR("too many of them");
        return false;
    }
    args->flags[args->flag_count++] = value;
    return true;
}

static bool set_solutions(ArgsContext *context, const char *value) {
    (void)value;
    context->args->solutions = true;
    return true;
}

static bool set_no_time(ArgsContext *context, const char *value) {
    (void)value;
    context->args->no_time = true;
    return true;
}

static bool set_help(ArgsContext *context, const char *value) {
    (void)value;
    context->args->help = true;
    return true;
}

// ---- options of ptx ------------------------------------------------------

// The targets are gpu/'s to know: command_ptx looks it up.
static bool set_target(ArgsContext *context, const char *value) {
    context->args->target = value;
    return true;
}

static bool set_ledger(ArgsContext *context, const char *value) {
    (void)value;
    context->args->ledger = true;
    return true;
}

// ---- options of run ------------------------------------------------------

static bool set_kernel(ArgsContext *context, const char *value) {
    context->args->kernel = value;
    if (value[0])
        return true;
    context->message = STR("an empty name");
    return false;
}

// "X[,Y[,Z]]", each from 1 to its most; what is not given is 1.
static bool size3(ArgsContext *context, const char *value,
                  const uint32_t most[3], uint32_t out[3]) {
    Str rest = str_from(value);
    bool more = true;
    for (int i = 0; i < 3; i++) {
        out[i] = 1;
        if (!more)
            continue;
        size_t whole = rest.len;
        Str part = str_cut(&rest, ',');
        uint64_t size;
        more = part.len < whole;
        if (!str_to_u64(part, &size) || size < 1 || size > most[i]) {
            context->message = str_format(
                context->arena, "\"%.*s\" is not a whole number from 1 to %u",
                STR_ARG(part), most[i]);
            return false;
        }
        out[i] = (uint32_t)size;
    }
    if (more)
        context->message = STR("there are three dimensions: X,Y,Z");
    return !more;
}

// The same, and at most `all` of them together.
static bool size3_within(ArgsContext *context, const char *value,
                         const uint32_t most[3], uint32_t all, const char *what,
                         uint32_t out[3]) {
    if (!size3(context, value, most, out))
        return false;
    uint32_t size = out[0] * out[1] * out[2];
    if (size <= all)
        return true;
    context->message =
        str_format(context->arena, "%u %s, but at most %u", size, what, all);
    return false;
}

// The limits: CUDA C++ Programming Guide, "Compute Capabilities".
static bool set_grid(ArgsContext *context, const char *value) {
    static const uint32_t most[3] = {INT32_MAX, 65535, 65535};
    return size3(context, value, most, context->args->grid);
}

static bool set_block(ArgsContext *context, const char *value) {
    static const uint32_t most[3] = {1024, 1024, 64};
    return size3_within(context, value, most, 1024, "threads in a block",
                        context->args->block);
}

static bool set_cluster(ArgsContext *context, const char *value) {
    static const uint32_t most[3] = {16, 16, 16};
    return size3_within(context, value, most, 16, "blocks in a cluster",
                        context->args->cluster);
}

static bool set_smem(ArgsContext *context, const char *value) {
    return number(context, value, UINT32_MAX, &context->args->dynamic_smem);
}

static bool add_value(ArgsContext *context, const char *value,
                      const char **values, size_t *count) {
    if (*count == CLI_MAX_ARGUMENTS) {
        context->message = STR("too many of them");
        return false;
    }
    values[(*count)++] = value;
    return true;
}

static bool set_argument(ArgsContext *context, const char *value) {
    Args *args = context->args;
    return add_value(context, value, args->arguments, &args->argument_count);
}

static bool set_dump(ArgsContext *context, const char *value) {
    Args *args = context->args;
    return add_value(context, value, args->dumps, &args->dump_count);
}

static bool set_check(ArgsContext *context, const char *value) {
    context->args->check = value;
    return true;
}

static bool set_steps(ArgsContext *context, const char *value) {
    return number(context, value, UINT64_MAX, &context->args->max_steps);
}

static bool set_only(ArgsContext *context, const char *value) {
    context->args->has_only_schedule = true;
    return number(context, value, CLI_MAX_SCHEDULES,
                  &context->args->only_schedule);
}

static bool set_switches(ArgsContext *context, const char *value) {
    context->args->has_switches = true;
    return number(context, value, UINT64_MAX, &context->args->switches);
}

static bool set_exhaustive(ArgsContext *context, const char *value) {
    (void)value;
    context->args->exhaustive = true;
    return true;
}

static bool set_runs(ArgsContext *context, const char *value) {
    if (!number(context, value, CLI_MAX_RUNS, &context->args->max_runs))
        return false;
    if (context->args->max_runs > 0)
        return true;
    context->message = STR("at least one run");
    return false;
}

static bool set_size(ArgsContext *context, const char *value) {
    context->args->has_size =
        check_parse_size(str_from(value), &context->args->size);
    const int32_t *dim = context->args->size.dim;
    if (!context->args->has_size)
        context->message = STR("a size as in lab.conf: 1000, or 40x20x3");
    else if (dim[0] == 0 || dim[1] == 0 || dim[2] == 0)
        context->message = STR("at least one element");
    return context->message.len == 0;
}

static bool set_elements(ArgsContext *context, const char *value) {
    uint64_t count;
    if (!number(context, value, LAB_MAX_SIZE, &count))
        return false;
    context->args->elements = (int32_t)count;
    if (count == 0)
        context->message = STR("at least one element");
    return count > 0;
}

static bool set_time_model(ArgsContext *context, const char *value) {
    (void)value;
    context->args->time_model = true;
    return true;
}

// The figures are vm/'s to know: command_run hands them on.
static bool set_time_set(ArgsContext *context, const char *value) {
    Args *args = context->args;
    args->time_model = true;
    return add_value(context, value, args->time_sets, &args->time_set_count);
}

static bool set_prologue(ArgsContext *context, const char *value) {
    context->args->time_model = true;
    context->args->prologue = value;
    if (value[0])
        return true;
    context->message = STR("an empty name");
    return false;
}

// ---- the table -----------------------------------------------------------

enum {
    ON_GRADE = 1 << COMMAND_GRADE,
    ON_RUN = 1 << COMMAND_RUN,
    ON_JUDGE = ON_GRADE | ON_RUN,
    ON_COMPARE = 1 << COMMAND_COMPARE,
    ON_DEVICE = ON_JUDGE | ON_COMPARE,
    ON_REPORT = ON_JUDGE | 1 << COMMAND_EXPLAIN | 1 << COMMAND_QUIZ |
                1 << COMMAND_CLINIC | 1 << COMMAND_DOCTOR,
    ON_COMPILE = ON_DEVICE | 1 << COMMAND_PTX | 1 << COMMAND_CLINIC,
    ON_COURSE = ON_COMPILE | 1 << COMMAND_LIST | 1 << COMMAND_HINT |
                1 << COMMAND_QUIZ | 1 << COMMAND_DOCTOR,
    ON_ALL = (1 << COMMAND_COUNT) - 1,
};

static const Option OPTIONS[] = {
    {"--kernel", "NAME", ON_RUN, "the kernel (default: the only one)",
     set_kernel, false},
    {"--grid", "X[,Y[,Z]]", ON_RUN, "blocks in the grid", set_grid, false},
    {"--block", "X[,Y[,Z]]", ON_RUN, "threads in a block", set_block, false},
    {"--cluster", "X[,Y[,Z]]", ON_RUN,
     "blocks in a cluster (default: the kernel's own)", set_cluster, false},
    {"--dynamic-smem", "BYTES", ON_RUN, "dynamic shared memory of a block",
     set_smem, false},
    {"--arg", "SPEC", ON_RUN, "the kernel's next argument: see above",
     set_argument, true},
    {"--dump", "K=PATH", ON_RUN, "write the buffer of --arg K, counted from 0",
     set_dump, true},
    {"--check", "all|none|LIST", ON_RUN, "the rules to check (default: all)",
     set_check, false},
    {"--max-steps", "N", ON_RUN,
     "steps of a schedule (default: 2^36; 0: no limit)", set_steps, false},
    {"--emulation", "drawn|claimed", ON_DEVICE | 1 << COMMAND_PTX,
     "of CLC on Hopper: docs/hopper-emulation.md", set_emulation, false},
    {"--deadline", "SECONDS", ON_DEVICE, "of a kernel on a GPU (default: 10)",
     set_deadline, false},
    {"--time-model", NULL, ON_RUN, "print modelled time: docs/time-model.md",
     set_time_model, false},
    {"--time-set", "NAME=VALUE", ON_RUN | ON_COMPARE,
     "change a figure of that model", set_time_set, true},
    {"--prologue", "NAME", ON_RUN, "a function, as prologue in modelled time",
     set_prologue, false},
    {"--target", "NAME", 1 << COMMAND_PTX,
     "what the PTX is for: sm_100a, ..., or emulate", set_target, false},
    {"--ledger", NULL, 1 << COMMAND_PTX,
     "with what records starts and grants on a GPU", set_ledger, false},
    {"--device", "auto|vm|gpu", ON_DEVICE,
     "where the kernel runs (default: auto)", set_device, false},
    {"--gpu-model", "mini|b200|rtx5090", ON_DEVICE,
     "the GPU that the virtual machine plays (default: mini)", set_model,
     false},
    {"--seed", "N", ON_GRADE, "secret inputs and schedules (default: 1)",
     set_seed, false},
    {"--schedules", "N", ON_GRADE | 1 << COMMAND_CLINIC,
     "how many schedules (default: 64)", set_schedules, false},
    {"--seed", "N", ON_RUN | 1 << COMMAND_CLINIC,
     "seed of the schedules (default: 1)", set_seed, false},
    {"--schedules", "N", ON_RUN, "how many, the plain one first (default: 1)",
     set_schedules, false},
    {"--only-schedule", "N", ON_JUDGE,
     "this schedule alone; run: 0 is the plain one", set_only, false},
    {"--switches", "K", ON_JUDGE,
     "after K context switches, turns as in the plain one", set_switches,
     false},
    {"--exhaustive", NULL, ON_RUN, "every schedule of a tiny launch, one SM",
     set_exhaustive, false},
    {"--max-runs", "N", ON_RUN, "runs of --exhaustive at most (default: 10000)",
     set_runs, false},
    {"--size", "N", ON_GRADE, "elements, with --only-schedule", set_size,
     false},
    {"--size", "N", ON_COMPARE,
     "elements (default: 25 blocks of them a place; on a GPU 2^27)",
     set_elements, false},
    {"--format", "text|csv|svg|json", ON_COMPARE, "of the comparison",
     set_compare_format, false},
    {"--format", "text|json", ON_REPORT, "of the report (default: text)",
     set_format, false},
    {"--out", "PATH", ON_REPORT | ON_COMPARE, "write the report there", set_out,
     false},
    {"--chart", "PATH", ON_COMPARE, "the same as a chart (SVG), there",
     set_chart, false},
    {"--solutions", NULL, ON_GRADE, "grade the lab's solution", set_solutions,
     false},
    {"--no-time", NULL, ON_JUDGE, "elapsed_ms is 0: same seed, same bytes",
     set_no_time, false},
    {"--compiler", "nvrtc|nvcc", ON_COMPILE, "which compiler to use",
     set_compiler, false},
    {"--compile-flag", "FLAG", ON_COMPILE, "passed on to it; may be repeated",
     set_flag, true},
    {"--root", "DIR", ON_COURSE, "the course's folder", set_root, false},
    {"--labs", "DIR", ON_COURSE & ~(ON_RUN | ON_COMPARE),
     "other labs than the course's", set_labs, false},
    {"--color", "auto|always|never", ON_ALL, "colours in text", set_color,
     false},
    {"--help", NULL, ON_ALL, "print this", set_help, false},
};

// ---- what was meant ------------------------------------------------------

enum { MOST_LETTERS = 24 };

// Edits from a to b (Levenshtein); both shorter than MOST_LETTERS.
static size_t distance(const char *a, const char *b) {
    size_t row[MOST_LETTERS + 1];
    size_t len = strlen(b);
    for (size_t j = 0; j <= len; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < len; j++) {
            size_t change = diagonal + (a[i] != b[j]);
            size_t least = row[j] < row[j + 1] ? row[j] + 1 : row[j + 1] + 1;
            diagonal = row[j + 1];
            row[j + 1] = change < least ? change : least;
        }
    }
    return row[len];
}

const char *args_suggest(const char *word, const char *const *candidates,
                         size_t count) {
    const char *best = NULL;
    size_t least = 3;
    if (strlen(word) >= MOST_LETTERS)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t edits = distance(word, candidates[i]);
        if (edits < least && edits < strlen(candidates[i])) {
            least = edits;
            best = candidates[i];
        }
    }
    return best;
}

static void unknown_option(ArgsContext *context, CliCommandId command,
                           const char *name) {
    const char *names[COUNT_OF(OPTIONS)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(OPTIONS); i++)
        if (OPTIONS[i].commands >> command & 1)
            names[count++] = OPTIONS[i].name;
    const char *meant = args_suggest(name, names, count);
    context->message =
        meant
            ? str_format(context->arena,
                         "there is no option %s; did you mean %s?", name, meant)
            : str_format(context->arena, "there is no option %s", name);
}

// ---- parsing -------------------------------------------------------------

static const Option *find_option(CliCommandId command, Str name,
                                 uint32_t *index) {
    if (str_equal(name, STR("-h")))
        name = STR("--help");
    for (uint32_t i = 0; i < COUNT_OF(OPTIONS); i++)
        if (str_equal(name, str_from(OPTIONS[i].name)) &&
            OPTIONS[i].commands >> command & 1) {
            *index = i;
            return &OPTIONS[i];
        }
    return NULL;
}

static bool mistake(ArgsContext *context, const char *name, const char *what) {
    context->message = str_format(context->arena, "%s %s", name, what);
    return false;
}

// Parses the option at argv[*at]; moves *at to its last word.
static bool parse_option(ArgsContext *context, CliCommandId command, int argc,
                         char **argv, int *at) {
    Str value = str_from(argv[*at]);
    Str name = str_cut(&value, '=');
    const char *given = strchr(argv[*at], '=') ? value.ptr : NULL;
    uint32_t index;
    const Option *option = find_option(command, name, &index);
    if (!option) {
        unknown_option(context, command, str_cstring(context->arena, name));
        return false;
    }
    if (context->args->seen >> index & 1 && !option->repeats)
        return mistake(context, option->name, "is given twice");
    context->args->seen |= UINT64_C(1) << index;
    if (!option->value && given)
        return mistake(context, option->name, "takes no value");
    if (option->value && !given) {
        if (*at + 1 >= argc)
            return mistake(context, option->name, "needs a value");
        given = argv[++*at];
    }
    if (option->set(context, given))
        return true;
    context->message = str_format(context->arena, "%s: %.*s", option->name,
                                  STR_ARG(context->message));
    return false;
}

static bool add_word(ArgsContext *context, size_t most, const char *word) {
    Args *args = context->args;
    if (args->word_count < most && args->word_count < CLI_MAX_WORDS) {
        args->words[args->word_count++] = word;
        return true;
    }
    context->message =
        str_format(context->arena, "unexpected argument \"%s\"", word);
    return false;
}

static Args default_args(CliCommandId command) {
    return (Args){.gpu_model = "mini",
                  .seed = CLI_DEFAULT_SEED,
                  .schedules =
                      command == COMMAND_RUN ? 1 : CLI_DEFAULT_SCHEDULES,
                  .max_runs = CLI_DEFAULT_RUNS,
                  .max_steps = CLI_DEFAULT_STEPS};
}

bool args_parse(Arena *arena, CliCommandId command, int argc, char **argv,
                Args *args, Str *message) {
    *args = default_args(command);
    ArgsContext context = {arena, args, {0}};
    size_t most = CLI_COMMANDS[command].most_words;
    bool options = true, right = true;
    for (int i = 0; i < argc && right; i++) {
        if (options && strcmp(argv[i], "--") == 0)
            options = false;
        else if (options && argv[i][0] == '-' && argv[i][1])
            right = parse_option(&context, command, argc, argv, &i);
        else
            right = add_word(&context, most, argv[i]);
    }
    const CliCommand *wanted = &CLI_COMMANDS[command];
    if (right && !args->help && args->word_count < wanted->least_words) {
        context.message = str_format(arena, "usage: clclab %s %s", wanted->name,
                                     wanted->words);
        right = false;
    }
    *message = context.message;
    return right;
}

void usage_options(CliCommandId command, Buf *out) {
    for (size_t i = 0; i < COUNT_OF(OPTIONS); i++) {
        if (!(OPTIONS[i].commands >> command & 1))
            continue;
        Buf head = {0};
        buf_printf(&head, "%s%s%s", OPTIONS[i].name,
                   OPTIONS[i].value ? " " : "",
                   OPTIONS[i].value ? OPTIONS[i].value : "");
        buf_printf(out, "  %-31.*s %s\n", STR_ARG(buf_view(&head)),
                   OPTIONS[i].help);
        buf_free(&head);
    }
}
