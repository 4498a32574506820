// SPDX-License-Identifier: Apache-2.0
// The arguments of `clclab run`: --arg SPEC, one per kernel parameter, --dump
// and --check.
//
//   SPEC:  i32:V u32:V i64:V u64:V f32:V f64:V      a number
//          buf:BYTES[:same|:any|:close=X][:zero|:random:SEED|:iota32|
//              :file=PATH]                         a buffer, by its address
//          bytes:HEX                                a value byte by byte
//
// First run_read_arguments reads the text (each SPEC by run_spec.c) and the
// files; once the kernel is known, run_match_arguments matches them with the
// kernel's parameters.
#include "cli/run.h"

#include <string.h>

static int parse_spec(Cli *cli, size_t index, RunArgument *argument) {
    const char *spec = run_own(cli)->arguments.items[index];
    const char *wants = run_parse_spec(&cli->arena, spec, argument);
    return wants ? output_error(cli, CLI_USAGE,
                                "run: --arg %zu (%s): it takes %s", index, spec,
                                wants)
                 : CLI_FULL_MARKS;
}

// ---- files ---------------------------------------------------------------

static int read_file(Cli *cli, size_t index, RunArgument *argument) {
    LaunchArgument *launch = &argument->launch;
    Str text, why;
    switch (file_read(&cli->arena, argument->file, (size_t)launch->size, &text,
                      &why)) {
    case FILE_READ:
        break;
    case FILE_TOO_LARGE:
        return output_error(cli, CLI_USAGE,
                            "run: --arg %zu: %s has more than %llu bytes, the "
                            "buffer's size",
                            index, argument->file,
                            (unsigned long long)launch->size);
    case FILE_UNREADABLE:
        return output_error(cli, CLI_USAGE, "run: --arg %zu: %s: %.*s", index,
                            argument->file, STR_ARG(why));
    }
    launch->bytes = (const uint8_t *)text.ptr;
    if (text.len == launch->size)
        return CLI_FULL_MARKS;
    return output_error(cli, CLI_USAGE,
                        "run: --arg %zu: %s has %zu bytes, the buffer %llu: "
                        "write buf:%zu:file=%s",
                        index, argument->file, text.len,
                        (unsigned long long)launch->size, text.len,
                        argument->file);
}

// ---- --dump --------------------------------------------------------------

static int add_dump(Cli *cli, const char *dump, RunArgument *arguments) {
    const RunArgs *args = run_own(cli);
    Str path = str_from(dump);
    Str number = str_cut(&path, '=');
    uint64_t index;
    if (!str_to_u64(number, &index) || path.len == 0)
        return output_error(cli, CLI_USAGE,
                            "run: --dump %s: write K=PATH, where K is the "
                            "number of an --arg, from 0",
                            dump);
    if (index >= args->arguments.count || arguments[index].kind != SPEC_BUFFER)
        return output_error(cli, CLI_USAGE, "run: --dump %s: --arg %llu is %s",
                            dump, (unsigned long long)index,
                            index < args->arguments.count ? "no buffer"
                                                          : "not there");
    if (arguments[index].dump)
        return output_error(cli, CLI_USAGE,
                            "run: --dump %s: --arg %llu is dumped already, to "
                            "%s",
                            dump, (unsigned long long)index,
                            arguments[index].dump);
    for (size_t i = 0; i < args->arguments.count; i++)
        if (arguments[i].dump && strcmp(arguments[i].dump, path.ptr) == 0)
            return output_error(cli, CLI_USAGE,
                                "run: --dump %s: --arg %zu goes to that file",
                                dump, i);
    if (cli->args.out && strcmp(cli->args.out, path.ptr) == 0)
        return output_error(cli, CLI_USAGE,
                            "run: --dump %s: the report goes to that file",
                            dump);
    arguments[index].dump = path.ptr;
    return CLI_FULL_MARKS;
}

int run_read_arguments(Cli *cli, RunArgument **arguments) {
    const RunArgs *args = run_own(cli);
    RunArgument *list =
        arena_new(&cli->arena, RunArgument, args->arguments.count + 1);
    uint64_t buffers = 0;
    int code = CLI_FULL_MARKS;
    for (size_t i = 0; i < args->arguments.count && !code; i++) {
        code = parse_spec(cli, i, &list[i]);
        buffers += list[i].launch.is_buffer ? list[i].launch.size : 0;
    }
    for (size_t i = 0; i < args->dumps.count && !code; i++)
        code = add_dump(cli, args->dumps.items[i], list);
    if (!code && buffers > RUN_MOST_BUFFER_BYTES)
        code = output_error(cli, CLI_USAGE,
                            "run: the buffers have %llu bytes in all; at most "
                            "2 GiB can be",
                            (unsigned long long)buffers);
    for (size_t i = 0; i < args->arguments.count && !code; i++)
        if (list[i].file)
            code = read_file(cli, i, &list[i]);
    *arguments = list;
    return code;
}

// ---- the kernel's parameters ---------------------------------------------

static bool is_scalar(const PtxVar *param) {
    return !param->is_array && param->vector == 1;
}

// The SPECs that fit the parameter.
static Str wanted_specs(Arena *arena, const PtxVar *param) {
    if (!is_scalar(param) || param->size > 8)
        return str_format(arena, "bytes:HEX of %llu bytes",
                          (unsigned long long)param->size);
    if (param->is_ptr)
        return STR("buf:BYTES (or u64:ADDRESS)");
    if (ptx_type_is_float(param->type))
        return param->size == 8   ? STR("f64:V")
               : param->size == 4 ? STR("f32:V")
                                  : STR("bytes:HEX of 2 bytes");
    if (param->size == 8)
        return STR("buf:BYTES, i64:V or u64:V");
    if (param->size == 4)
        return STR("i32:V or u32:V");
    return str_format(arena, "i32:V or u32:V that fits in %llu byte%s",
                      (unsigned long long)param->size,
                      param->size == 1 ? "" : "s");
}

// Whether a 32-bit number fits in `size` bytes, signed or unsigned.
static bool fits_in(const RunArgument *argument, uint64_t size) {
    int64_t value = argument->kind == SPEC_I32
                        ? (int64_t)(int32_t)(uint32_t)argument->bits
                        : (int64_t)argument->bits;
    int64_t limit = INT64_C(1) << (8 * size);
    return value >= -(limit / 2) && value < limit;
}

static bool kind_fits(const RunArgument *argument, const PtxVar *param) {
    SpecType kind = argument->kind;
    bool integer = kind == SPEC_I32 || kind == SPEC_U32;
    bool real = kind == SPEC_F32 || kind == SPEC_F64;
    if (kind == SPEC_BYTES)
        return argument->launch.size == param->size;
    if (!is_scalar(param))
        return false;
    if (param->size < 4)
        return integer && !ptx_type_is_float(param->type) &&
               fits_in(argument, param->size);
    uint64_t size = kind == SPEC_BUFFER ? 8 : argument->launch.size;
    bool bits = param->type == PTX_B32 || param->type == PTX_B64;
    return size == param->size &&
           (bits || real == ptx_type_is_float(param->type));
}

// "--arg buf:BYTES --arg i32:V", for the first parameters.
static Str usual_specs(Arena *arena, const PtxFunc *kernel) {
    enum { MOST = 16 };
    Str list = STR("");
    for (size_t i = 0; i < kernel->param_count && i < MOST; i++) {
        const PtxVar *param = kernel->params[i];
        Str spec = wanted_specs(arena, param);
        if (is_scalar(param) && !ptx_type_is_float(param->type))
            spec = param->size == 8 ? STR("buf:BYTES") : STR("i32:V");
        spec = str_slice(spec, 0, str_find(spec, ' '));
        list =
            str_format(arena, "%.*s --arg %.*s", STR_ARG(list), STR_ARG(spec));
    }
    return kernel->param_count > MOST
               ? str_format(arena, "%.*s ...", STR_ARG(list))
               : list;
}

static int wrong_count(Cli *cli, const PtxFunc *kernel) {
    Str specs = usual_specs(&cli->arena, kernel);
    size_t given = run_own(cli)->arguments.count, takes = kernel->param_count;
    return output_error(cli, CLI_USAGE,
                        "run: kernel %.*s takes %zu argument%s, and %zu %s "
                        "given%s%.*s",
                        STR_ARG(kernel->name), takes, takes == 1 ? "" : "s",
                        given, given == 1 ? "is" : "are",
                        takes ? "; it may be" : "", STR_ARG(specs));
}

static LaunchArgument as_value(Arena *arena, const RunArgument *argument,
                               const PtxVar *param) {
    LaunchArgument launch = argument->launch;
    if (argument->kind == SPEC_BUFFER || argument->kind == SPEC_BYTES)
        return launch;
    uint8_t *bytes = arena_new(arena, uint8_t, sizeof argument->bits);
    for (size_t i = 0; i < sizeof argument->bits; i++)
        bytes[i] = (uint8_t)(argument->bits >> 8 * i);
    launch.size = param->size;
    launch.bytes = bytes;
    return launch;
}

int run_match_arguments(Cli *cli, const PtxFunc *kernel,
                        const RunArgument *arguments, LaunchArgument **values) {
    size_t count = run_own(cli)->arguments.count;
    *values = arena_new(&cli->arena, LaunchArgument, count + 1);
    if (count != kernel->param_count)
        return wrong_count(cli, kernel);
    for (size_t i = 0; i < count; i++) {
        const PtxVar *param = kernel->params[i];
        if (!kind_fits(&arguments[i], param)) {
            Str type = ptx_type_name(param->type);
            Str wants = wanted_specs(&cli->arena, param);
            return output_error(cli, CLI_USAGE,
                                "run: --arg %zu (%s) does not fit: parameter "
                                "%zu of %.*s is a .%.*s of %llu bytes; it "
                                "takes %.*s",
                                i, arguments[i].spec, i, STR_ARG(kernel->name),
                                STR_ARG(type), (unsigned long long)param->size,
                                STR_ARG(wants));
        }
        (*values)[i] = as_value(&cli->arena, &arguments[i], param);
    }
    return CLI_FULL_MARKS;
}

// ---- --check -------------------------------------------------------------

enum { OUTPUT_NAME = DEVICE_RULE_COUNT, NAME_COUNT };

static const char *check_name(int index) {
    static const char *const names[NAME_COUNT] = {
#define RULE_NAME(id, code, asks) [RULE_##id] = code,
        DEVICE_RULES(RULE_NAME)
#undef RULE_NAME
            [OUTPUT_NAME] = "OUTPUT",
    };
    return names[index];
}

// Whether the word is the code, or the letters before the code's number.
static bool names_rule(Str word, const char *code) {
    size_t letters = strcspn(code, "0123456789");
    if (word.len != strlen(code) && word.len != letters)
        return false;
    return word.len > 0 && strncasecmp(word.ptr, code, word.len) == 0;
}

static int unknown_rule(Cli *cli, const char *command, Str word) {
    static const char *const groups[] = {"CLC", "BAR", "MEM", "RACE", "SYNC"};
    if (str_equal(word, STR("all")) || str_equal(word, STR("none")))
        return output_error(cli, CLI_USAGE,
                            "%s: --check: %.*s stands alone, not in a list",
                            command, STR_ARG(word));
    const char *names[NAME_COUNT + COUNT_OF(groups)];
    size_t count = 0;
    for (int i = 0; i < NAME_COUNT; i++)
        if (check_name(i))
            names[count++] = check_name(i);
    for (size_t i = 0; i < COUNT_OF(groups); i++)
        names[count++] = groups[i];
    const char *meant =
        args_suggest(str_cstring(&cli->arena, word), names, count);
    if (meant)
        return output_error(cli, CLI_USAGE,
                            "%s: --check: there is no rule \"%.*s\"; did you "
                            "mean %s?",
                            command, STR_ARG(word), meant);
    return output_error(cli, CLI_USAGE,
                        "%s: --check: there is no rule \"%.*s\"; write all, "
                        "none, or codes such as CLC,MEM001 (docs/semantics.md "
                        "has them)",
                        command, STR_ARG(word));
}

int run_read_check_list(Cli *cli, const char *command, const char *check,
                        uint64_t *unchecked, LaunchCompare *compare) {
    Str list = str_from(check ? check : "all");
    bool all = str_equal(list, STR("all")), none = str_equal(list, STR("none"));
    *unchecked = all ? 0 : UINT64_MAX;
    *compare = all ? COMPARE_TELL : COMPARE_NONE;
    bool more = !all && !none;
    while (more) {
        size_t whole = list.len;
        Str word = str_cut(&list, ',');
        bool known = false;
        more = word.len < whole;
        for (int i = 0; i < NAME_COUNT; i++) {
            if (!check_name(i) || !names_rule(word, check_name(i)))
                continue;
            known = true;
            if (i == OUTPUT_NAME)
                *compare = COMPARE_DEMAND;
            else
                *unchecked &= ~(UINT64_C(1) << i);
        }
        if (!known)
            return unknown_rule(cli, command, word);
    }
    return CLI_FULL_MARKS;
}

int run_read_checks(Cli *cli, uint64_t *unchecked, LaunchCompare *compare) {
    return run_read_check_list(cli, "run", run_own(cli)->check, unchecked,
                               compare);
}
