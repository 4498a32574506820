// SPDX-License-Identifier: Apache-2.0
// The parser of the command line. Each command's table says which options it
// takes, what their values are and where they are stored; this file parses them
// all and reads each kind of value.
//
// A command that takes_rest leaves what follows its last word alone.
// The forms are "--name value" and "--name=value"; "--" ends the options. An
// option may be given once, unless the table says otherwise. A mistake is
// reported in one line that names it.
#include "cli/core/core.h"

#include <assert.h>
#include <string.h>

// ---- values --------------------------------------------------------------

bool args_mistake(ArgsParse *parse, const char *format, ...) {
    va_list args;
    va_start(args, format);
    parse->message = str_vformat(parse->arena, format, args);
    va_end(args);
    return false;
}

bool args_take_flag(ArgsParse *parse, const Option *option, const char *value,
                    void *field) {
    (void)parse, (void)option, (void)value;
    *(bool *)field = true;
    return true;
}

bool args_take_number(ArgsParse *parse, const Option *option, const char *value,
                      void *field) {
    uint64_t *number = field;
    if (!str_to_u64(str_from(value), number) || *number > option->most)
        return args_mistake(parse, "\"%s\" is not a whole number up to %llu",
                            value, (unsigned long long)option->most);
    if (*number == 0 && option->not_zero)
        return args_mistake(parse, "%s", option->not_zero);
    return true;
}

bool args_take_optional(ArgsParse *parse, const Option *option,
                        const char *value, void *field) {
    CliNumber *number = field;
    number->given = true;
    return args_take_number(parse, option, value, &number->value);
}

bool args_take_choice(ArgsParse *parse, const Option *option, const char *value,
                      void *field) {
    Str list = STR("");
    for (uint32_t i = 0; option->names[i]; i++) {
        if (strcmp(value, option->names[i]) == 0) {
            *(uint32_t *)field = i;
            return true;
        }
        list = str_format(parse->arena, "%.*s%s%s", STR_ARG(list),
                          i ? ", " : "", option->names[i]);
    }
    return args_mistake(parse, "\"%s\" is none of %.*s", value, STR_ARG(list));
}

bool args_take_text(ArgsParse *parse, const Option *option, const char *value,
                    void *field) {
    (void)parse, (void)option;
    *(const char **)field = value;
    return true;
}

bool args_take_name(ArgsParse *parse, const Option *option, const char *value,
                    void *field) {
    if (value[0] == '\0')
        return args_mistake(parse, "an empty name");
    return args_take_text(parse, option, value, field);
}

bool args_take_path(ArgsParse *parse, const Option *option, const char *value,
                    void *field) {
    if (value[0] == '\0')
        return args_mistake(parse, "an empty path");
    return args_take_text(parse, option, value, field);
}

bool args_take_list(ArgsParse *parse, const Option *option, const char *value,
                    void *field) {
    CliValues *values = field;
    if (values->count == option->most)
        return args_mistake(parse, "too many of them");
    values->items[values->count++] = value;
    return true;
}

// -I DIR is "-IDIR", -isystem DIR "-isystem=DIR".
bool args_take_flagged(ArgsParse *parse, const Option *option,
                       const char *value, void *field) {
    enum { LETTER = 2 }; // bytes of "-I"
    CliValues *values = field;
    if (values->count == option->most)
        return args_mistake(parse, "too many of them");
    if (value[0] == '\0')
        return args_mistake(parse, "an empty value");
    Str word = str_format(parse->arena, "%s%s%s", option->name,
                          strlen(option->name) > LETTER ? "=" : "", value);
    values->items[values->count++] = word.ptr;
    return true;
}

bool args_take_format(ArgsParse *parse, const Option *option, const char *value,
                      void *field) {
    ReportKind kind = parse->command->report;
    if (report_format(kind, value))
        return args_take_text(parse, option, value, field);
    Str list = report_format_names(parse->arena, kind, ", ");
    return args_mistake(parse, "\"%s\" is none of %.*s", value, STR_ARG(list));
}

// ---- what was meant ------------------------------------------------------

enum { MOST_LETTERS = 24 };

// The Levenshtein distance of a and b; both are shorter than MOST_LETTERS.
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

static bool unknown_option(ArgsParse *parse, const char *name) {
    const CliCommand *command = parse->command;
    const char **names =
        arena_new(parse->arena, const char *, command->option_count);
    for (size_t i = 0; i < command->option_count; i++)
        names[i] = command->options[i].name;
    const char *meant = args_suggest(name, names, command->option_count);
    if (meant)
        return args_mistake(parse, "there is no option %s; did you mean %s?",
                            name, meant);
    return args_mistake(parse, "there is no option %s", name);
}

// ---- parsing -------------------------------------------------------------

static const Option *find_option(const CliCommand *command, Str name) {
    if (str_equal(name, STR("-h")))
        name = STR("--help");
    for (size_t i = 0; i < command->option_count; i++)
        if (str_equal(name, str_from(command->options[i].name)))
            return &command->options[i];
    return NULL;
}

static bool store(ArgsParse *parse, const Option *option, const char *value) {
    char *base =
        option->is_own ? (char *)parse->args->own : (char *)parse->args;
    if (option->take(parse, option, value, base + option->offset))
        return true;
    return args_mistake(parse, "%s: %.*s", option->name,
                        STR_ARG(parse->message));
}

// -DNAME=2: an option whose value follows at once. The longest name counts.
static const Option *find_attached(const CliCommand *command, const char *word,
                                   const char **given) {
    const Option *best = NULL;
    for (size_t i = 0; i < command->option_count; i++) {
        const Option *option = &command->options[i];
        size_t length = strlen(option->name);
        if (!option->is_attached || strncmp(word, option->name, length) != 0 ||
            word[length] == '\0' || (best && length < strlen(best->name)))
            continue;
        best = option;
        *given = word + length + (length > 2 && word[length] == '=');
    }
    return best;
}

// Parses the option at argv[*at]; moves *at to its last word.
static bool parse_option(ArgsParse *parse, int argc, char **argv, int *at) {
    const char *word = argv[*at];
    if (strncmp(word, "--std", strlen("--std")) == 0)
        word++; // as nvcc takes it
    Str value = str_from(word);
    Str name = str_cut(&value, '=');
    const char *given = strchr(word, '=') ? value.ptr : NULL;
    const Option *option = find_option(parse->command, name);
    if (!option || option->is_attached)
        option = find_attached(parse->command, word, &given);
    if (!option)
        option = find_option(parse->command, name);
    if (!option)
        return unknown_option(parse, str_cstring(parse->arena, name));
    uint64_t bit = UINT64_C(1) << (option - parse->command->options);
    if (parse->args->seen & bit && !option->repeats)
        return args_mistake(parse, "%s is given twice", option->name);
    parse->args->seen |= bit;
    if (!option->value && given)
        return args_mistake(parse, "%s takes no value", option->name);
    if (option->value && !given) {
        if (*at + 1 >= argc)
            return args_mistake(parse, "%s needs a value", option->name);
        given = argv[++*at];
    }
    return store(parse, option, given);
}

static bool add_word(ArgsParse *parse, const char *word) {
    Args *args = parse->args;
    if (args->word_count == parse->command->most_words ||
        args->word_count == CLI_MAX_WORDS)
        return args_mistake(parse, "unexpected argument \"%s\"", word);
    args->words[args->word_count++] = word;
    return true;
}

Args args_default(Arena *arena, const CliCommand *command) {
    Args args = {.gpu_model = "mini", .compiler = COMPILER_ANY};
    if (command->defaults) {
        args.own =
            arena_alloc(arena, command->own_size, _Alignof(max_align_t), 1);
        memcpy(args.own, command->defaults, command->own_size);
    }
    return args;
}

// Whether the word is the first that is not the command's own. Of one that
// takes no words, "--help" alone is.
static bool begins_rest(const ArgsParse *parse, int argc, const char *word) {
    const CliCommand *command = parse->command;
    bool is_help =
        command->most_words == 0 && argc == 1 && strcmp(word, "--help") == 0;
    return command->takes_rest &&
           parse->args->word_count == command->most_words && !is_help;
}

bool args_parse(Arena *arena, const CliCommand *command, int argc, char **argv,
                Args *args, Str *message) {
    assert(command->option_count <= 64); // bits of args->seen
    *args = args_default(arena, command);
    ArgsParse parse = {arena, command, args, {0}};
    args->rest = argv + argc;
    bool options = true, right = true;
    for (int i = 0; i < argc && right; i++) {
        if (begins_rest(&parse, argc, argv[i])) {
            args->rest = argv + i;
            argc = i;
        } else if (options && strcmp(argv[i], "--") == 0)
            options = false;
        else if (options && argv[i][0] == '-' && argv[i][1])
            right = parse_option(&parse, argc, argv, &i);
        else
            right = add_word(&parse, argv[i]);
    }
    if (right && !args->help && args->word_count < command->least_words)
        right = args_mistake(&parse, "usage: clclab %s %s", command->name,
                             command->words);
    *message = parse.message;
    return right;
}
