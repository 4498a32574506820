// SPDX-License-Identifier: Apache-2.0
// The arguments of `clclab run`: --arg SPEC, one per kernel parameter, --dump
// and --check.
//
//   SPEC:  i32:V u32:V i64:V u64:V f32:V f64:V      a number
//          buf:BYTES[:zero|:random:SEED|:iota32|:file=PATH]
//          bytes:HEX                                a value byte by byte
//
// First run_read_arguments parses the text alone; once the kernel is known,
// run_match_arguments matches it with the kernel's parameters.
#include "cli/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const uint64_t MOST_BUFFER_BYTES = UINT64_C(1) << 31; // all together

typedef struct SpecKind {
    Str name;
    uint32_t size; // bytes; 0: as many as are written
    SpecType kind;
} SpecKind;

static const SpecKind *spec_kinds(size_t *count) {
    static const SpecKind kinds[] = {
        {{"i32", 3}, 4, SPEC_I32},    {{"u32", 3}, 4, SPEC_U32},
        {{"i64", 3}, 8, SPEC_I64},    {{"u64", 3}, 8, SPEC_U64},
        {{"f32", 3}, 4, SPEC_F32},    {{"f64", 3}, 8, SPEC_F64},
        {{"buf", 3}, 8, SPEC_BUFFER}, {{"bytes", 5}, 0, SPEC_BYTES},
    };
    *count = COUNT_OF(kinds);
    return kinds;
}

// ---- numbers -------------------------------------------------------------

static bool parse_signed(Str text, uint64_t most, uint64_t *out) {
    bool negative = str_starts(text, STR("-"));
    Str digits = str_slice(text, negative, text.len);
    uint64_t value;
    if (!str_to_u64(digits, &value) || value > most + negative)
        return false;
    *out = negative ? 0 - value : value;
    return true;
}

// "0f3f800000" and "0d3ff0000000000000", as PTX writes bits.
static bool parse_bits(Str text, char letter, size_t digits, uint64_t *out) {
    if (text.len != digits + 2 || text.ptr[0] != '0' || text.ptr[1] != letter)
        return false;
    char hex[19] = "0x";
    memcpy(hex + 2, text.ptr + 2, digits);
    return str_to_u64((Str){hex, digits + 2}, out);
}

// What strtod accepts, except leading blanks and 0x1234, which could be meant
// as bits: a hexadecimal float must have an exponent (0x1.8p3).
static bool looks_like_float(const char *text) {
    bool hex = strpbrk(text, "xX") != NULL;
    return text[0] && !strchr(" \t\n\v\f\r", text[0]) &&
           (!hex || strpbrk(text, "pP") != NULL);
}

static bool is_overflow(const char *text, double value) {
    return isinf(value) && !strpbrk(text, "iI");
}

static bool parse_f32(const char *text, uint64_t *out) {
    if (parse_bits(str_from(text), 'f', 8, out))
        return true;
    char *end;
    float value = strtof(text, &end);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    *out = bits;
    return looks_like_float(text) && !*end && !is_overflow(text, (double)value);
}

static bool parse_f64(const char *text, uint64_t *out) {
    if (parse_bits(str_from(text), 'd', 16, out))
        return true;
    char *end;
    double value = strtod(text, &end);
    memcpy(out, &value, sizeof value);
    return looks_like_float(text) && !*end && !is_overflow(text, value);
}

// NULL on success, or else what such a number looks like.
static const char *parse_number(SpecType kind, const char *text,
                                uint64_t *out) {
    Str s = str_from(text);
    switch (kind) {
    case SPEC_I32:
        return parse_signed(s, INT32_MAX, out)
                   ? NULL
                   : "a whole number from -2147483648 to 2147483647";
    case SPEC_U32:
        return str_to_u64(s, out) && *out <= UINT32_MAX
                   ? NULL
                   : "a whole number from 0 to 4294967295";
    case SPEC_I64:
        return parse_signed(s, INT64_MAX, out)
                   ? NULL
                   : "a whole number of 64 bits, such as -1";
    case SPEC_U64:
        return str_to_u64(s, out) ? NULL : "a whole number from 0 to 2^64 - 1";
    case SPEC_F32:
        return parse_f32(text, out)
                   ? NULL
                   : "a float, such as 0.5, 1e-3, inf, or bits as in PTX: "
                     "0f3f800000";
    case SPEC_F64:
        return parse_f64(text, out)
                   ? NULL
                   : "a double, such as 0.5, 1e-3, inf, or bits as in PTX: "
                     "0d3ff0000000000000";
    case SPEC_BUFFER:
    case SPEC_BYTES:
        break;
    }
    return "a number";
}

// ---- buffers and bytes ---------------------------------------------------

static const char *parse_fill(RunArgument *argument, Str fill) {
    LaunchArgument *launch = &argument->launch;
    if (str_equal(fill, STR("zero"))) {
        launch->fill = FILL_ZERO;
    } else if (str_equal(fill, STR("iota32"))) {
        launch->fill = FILL_IOTA32;
    } else if (str_starts(fill, STR("random:"))) {
        launch->fill = FILL_RANDOM;
        if (!str_to_u64(str_slice(fill, 7, fill.len), &launch->seed))
            return "a seed that is a whole number, such as random:1";
    } else if (str_starts(fill, STR("file=")) && fill.len > 5) {
        launch->fill = FILL_BYTES;
        argument->file = fill.ptr + 5; // the end of the spec, so NUL-terminated
    } else {
        return "zero, random:SEED, iota32 or file=PATH behind the size";
    }
    return NULL;
}

static const char *parse_buffer(RunArgument *argument, const char *text) {
    Str rest = str_from(text);
    size_t whole = rest.len;
    Str size = str_cut(&rest, ':');
    argument->launch.is_buffer = true;
    if (!str_to_u64(size, &argument->launch.size))
        return "a size in bytes, such as buf:4096";
    if (argument->launch.size > MOST_BUFFER_BYTES)
        return "at most 2 GiB: 2147483648 bytes";
    return size.len < whole ? parse_fill(argument, rest) : NULL;
}

static int hex_digit(char c) {
    static const char digits[] = "0123456789abcdef";
    if (c >= 'A' && c <= 'F')
        c = (char)(c - 'A' + 'a');
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static const char *parse_hex(Arena *arena, RunArgument *argument,
                             const char *text) {
    size_t len = strlen(text);
    uint8_t *bytes = arena_new(arena, uint8_t, len / 2 + 1);
    for (size_t i = 0; i < len; i++) {
        int digit = hex_digit(text[i]);
        if (digit < 0)
            len = 0;
        else
            bytes[i / 2] = (uint8_t)(bytes[i / 2] << 4 | digit);
    }
    argument->launch.size = len / 2;
    argument->launch.bytes = bytes;
    return len > 0 && len % 2 == 0
               ? NULL
               : "two hexadecimal digits a byte, the lowest address first";
}

// ---- one SPEC ------------------------------------------------------------

static int bad_spec(Cli *cli, size_t index, const char *spec,
                    const char *wants) {
    return output_error(cli, CLI_USAGE, "run: --arg %zu (%s): it takes %s",
                        index, spec, wants);
}

static int unknown_kind(Cli *cli, size_t index, const char *spec) {
    return bad_spec(cli, index, spec,
                    "i32:V, u32:V, i64:V, u64:V, f32:V, f64:V, "
                    "buf:BYTES[:zero|:random:SEED|:iota32|:file=PATH] or "
                    "bytes:HEX");
}

static int parse_spec(Cli *cli, size_t index, RunArgument *argument) {
    const char *spec = run_own(cli)->arguments.items[index];
    size_t count;
    const SpecKind *kinds = spec_kinds(&count), *found = NULL;
    Str rest = str_from(spec);
    Str name = str_cut(&rest, ':');
    for (size_t i = 0; i < count; i++)
        if (str_equal(name, kinds[i].name) && name.len < strlen(spec))
            found = &kinds[i];
    if (!found)
        return unknown_kind(cli, index, spec);
    const char *text = spec + name.len + 1, *wants;
    *argument = (RunArgument){.spec = spec, .kind = found->kind};
    argument->launch.size = found->size;
    if (found->kind == SPEC_BUFFER)
        wants = parse_buffer(argument, text);
    else if (found->kind == SPEC_BYTES)
        wants = parse_hex(&cli->arena, argument, text);
    else
        wants = parse_number(found->kind, text, &argument->bits);
    return wants ? bad_spec(cli, index, spec, wants) : CLI_FULL_MARKS;
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
    if (!code && buffers > MOST_BUFFER_BYTES)
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

static int unknown_rule(Cli *cli, Str word) {
    static const char *const groups[] = {"CLC", "BAR", "MEM", "RACE", "SYNC"};
    if (str_equal(word, STR("all")) || str_equal(word, STR("none")))
        return output_error(cli, CLI_USAGE,
                            "run: --check: %.*s stands alone, not in a list",
                            STR_ARG(word));
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
                            "run: --check: there is no rule \"%.*s\"; did you "
                            "mean %s?",
                            STR_ARG(word), meant);
    return output_error(cli, CLI_USAGE,
                        "run: --check: there is no rule \"%.*s\"; write all, "
                        "none, or codes such as CLC,MEM001 (docs/semantics.md "
                        "has them)",
                        STR_ARG(word));
}

int run_read_checks(Cli *cli, uint64_t *unchecked, bool *compare) {
    const char *check = run_own(cli)->check;
    Str list = str_from(check ? check : "all");
    bool all = str_equal(list, STR("all")), none = str_equal(list, STR("none"));
    *unchecked = all ? 0 : UINT64_MAX;
    *compare = all;
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
                *compare = true;
            else
                *unchecked &= ~(UINT64_C(1) << i);
        }
        if (!known)
            return unknown_rule(cli, word);
    }
    return CLI_FULL_MARKS;
}
