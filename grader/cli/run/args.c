// SPDX-License-Identifier: Apache-2.0
// The arguments of `clclab run`: --arg SPEC, one per kernel parameter, --dump
// and --check.
//
// First run_read_arguments reads the text (each SPEC by spec.c, which has
// its grammar; "@FILE" by list.c) and the files; once the kernel is known,
// run_match_arguments matches them with the kernel's parameters.
#include "cli/run/arguments.h"
#include "cli/source/kernels.h"
#include "result/rule.h"

#include <string.h>

static int parse_spec(Cli *cli, const char *spec, RunArguments *all) {
    size_t index = all->given;
    if (spec[0] == '@')
        return run_read_json(cli, spec + 1, all);
    const char *wants = run_parse_spec(&cli->arena, spec, NULL, all);
    return wants ? output_error(cli, CLI_USAGE,
                                "run: --arg %zu (%s): it takes %s", index, spec,
                                wants)
                 : CLI_FULL_MARKS;
}

// ---- files ---------------------------------------------------------------

static int file_misfit(Cli *cli, const RunArgument *argument, size_t bytes) {
    return output_error(cli, CLI_USAGE,
                        "run: --arg %.*s: %s has %zu bytes, the buffer %llu: "
                        "write buf:%zu:file=%s",
                        STR_ARG(argument->launch.name), argument->file, bytes,
                        (unsigned long long)argument->launch.size, bytes,
                        argument->file);
}

static int take_contents(Cli *cli, RunArgument *argument, Str text) {
    LaunchArgument *launch = &argument->launch;
    Str why;
    if (npy_is_name(argument->file)) {
        if (!npy_read(&cli->arena, text, &argument->form, &text, &why))
            return output_error(cli, CLI_USAGE, "run: --arg %.*s: %s: %.*s",
                                STR_ARG(launch->name), argument->file,
                                STR_ARG(why));
        launch->element = argument->form.element;
        if (!run_compares_floats(launch))
            return output_error(cli, CLI_USAGE,
                                "run: --arg %.*s: %s has no floats, which "
                                "close=X is for",
                                STR_ARG(launch->name), argument->file);
    }
    if (!argument->is_sized)
        launch->size = text.len;
    launch->bytes = (const uint8_t *)text.ptr;
    return text.len == launch->size ? CLI_FULL_MARKS
                                    : file_misfit(cli, argument, text.len);
}

static int read_file(Cli *cli, RunArgument *argument) {
    enum { HEADER = 1 << 20 }; // bytes at most that precede a .npy's data
    const LaunchArgument *launch = &argument->launch;
    uint64_t most = argument->is_sized ? launch->size : RUN_MOST_BUFFER_BYTES;
    bool is_npy = npy_is_name(argument->file);
    Str text, why;
    switch (file_read(&cli->arena, argument->file,
                      (size_t)most + (is_npy ? HEADER : 0), &text, &why)) {
    case FILE_READ:
        break;
    case FILE_TOO_LARGE:
        return output_error(
            cli, CLI_USAGE, "run: --arg %.*s: %s has more than %llu bytes, %s",
            STR_ARG(launch->name), argument->file, (unsigned long long)most,
            argument->is_sized ? "the buffer's size"
                               : "the most that a buffer has");
    case FILE_UNREADABLE:
        return output_error(cli, CLI_USAGE, "run: --arg %.*s: %s: %.*s",
                            STR_ARG(launch->name), argument->file,
                            STR_ARG(why));
    }
    return take_contents(cli, argument, text);
}

// ---- --dump --------------------------------------------------------------

static RunArgument *find_argument(const RunArguments *all, Str name) {
    for (size_t i = 0; i < all->count; i++)
        if (str_equal(all->items[i].launch.name, name))
            return &all->items[i];
    return NULL;
}

static bool is_number_path(Str name) {
    uint64_t number;
    bool right = name.len > 0;
    while (name.len && right)
        right = str_to_u64(str_cut(&name, '.'), &number);
    return right;
}

static int dumped_twice(Cli *cli, const char *dump, const RunArgument *argument,
                        const RunArguments *all) {
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].dump &&
            strcmp(all->items[i].dump, argument->dump) == 0 &&
            &all->items[i] != argument)
            return output_error(cli, CLI_USAGE,
                                "run: --dump %s: --arg %.*s goes to that file",
                                dump, STR_ARG(all->items[i].launch.name));
    if (cli->args.out && strcmp(cli->args.out, argument->dump) == 0)
        return output_error(cli, CLI_USAGE,
                            "run: --dump %s: the report goes to that file",
                            dump);
    return CLI_FULL_MARKS;
}

// "PATH", or "PATH.npy:TYPE".
static int add_dump_path(Cli *cli, const char *dump, Str path,
                         RunArgument *argument) {
    size_t colon = path.len;
    while (colon > 0 && path.ptr[colon - 1] != ':')
        colon--;
    Str before = str_slice(path, 0, colon ? colon - 1 : 0);
    argument->dumped.element = element_find(str_slice(path, colon, path.len));
    if (str_ends(before, STR(".npy"))) {
        if (argument->dumped.element == ELEMENT_WORD)
            return output_error(cli, CLI_USAGE,
                                "run: --dump %s: there is no type \"%.*s\": "
                                "write f32, i64 or another one",
                                dump,
                                STR_ARG(str_slice(path, colon, path.len)));
        path = before;
    }
    argument->dump = str_cstring(&cli->arena, path);
    return CLI_FULL_MARKS;
}

static int add_dump(Cli *cli, const char *dump, const RunArguments *all) {
    Str path = str_from(dump);
    Str number = str_cut(&path, '=');
    RunArgument *argument = find_argument(all, number);
    if (!is_number_path(number) || path.len == 0)
        return output_error(cli, CLI_USAGE,
                            "run: --dump %s: write K=PATH, where K is the "
                            "number of an --arg, from 0, or 0.1 for item 1 of "
                            "the structure of --arg 0",
                            dump);
    if (!argument || argument->kind != SPEC_BUFFER)
        return output_error(cli, CLI_USAGE, "run: --dump %s: --arg %.*s is %s",
                            dump, STR_ARG(number),
                            argument ? "no buffer" : "not there, or no buffer");
    if (argument->dump)
        return output_error(cli, CLI_USAGE,
                            "run: --dump %s: --arg %.*s is dumped already, to "
                            "%s",
                            dump, STR_ARG(number), argument->dump);
    int code = add_dump_path(cli, dump, path, argument);
    return code ? code : dumped_twice(cli, dump, argument, all);
}

// How a buffer is written to a .npy file, once its size is known.
static int choose_form(Cli *cli, RunArgument *argument) {
    const LaunchArgument *launch = &argument->launch;
    ElementType type = argument->dumped.element;
    if (!argument->dump || !npy_is_name(argument->dump))
        return CLI_FULL_MARKS;
    if (type == ELEMENT_WORD && argument->form.type.len) {
        argument->dumped = argument->form;
        return CLI_FULL_MARKS;
    }
    if (type == ELEMENT_WORD)
        type = launch->element;
    if (type == ELEMENT_WORD)
        return output_error(cli, CLI_USAGE,
                            "run: --dump %.*s=%s: of what type are the "
                            "elements? Write %.*s=%s:f32 or another one",
                            STR_ARG(launch->name), argument->dump,
                            STR_ARG(launch->name), argument->dump);
    if (npy_form(&cli->arena, type, launch->size, &argument->dumped))
        return CLI_FULL_MARKS;
    Str name = element_name(type);
    return output_error(cli, CLI_USAGE,
                        "run: --dump %.*s=%s: %llu bytes are no whole number "
                        "of %.*s, or NumPy has no such type (write bf16 as "
                        "u16)",
                        STR_ARG(launch->name), argument->dump,
                        (unsigned long long)launch->size, STR_ARG(name));
}

Str run_dump_text(Arena *arena, const RunArgument *argument, Str bytes) {
    if (!argument->dumped.type.len)
        return bytes;
    Buf out = {0};
    npy_write(&out, &argument->dumped, bytes);
    Str text = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return text;
}

// ---- all of them ---------------------------------------------------------

static int check_total(Cli *cli, const RunArguments *all) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < all->count; i++)
        bytes += all->items[i].launch.is_buffer ? all->items[i].launch.size : 0;
    if (bytes <= RUN_MOST_BUFFER_BYTES)
        return CLI_FULL_MARKS;
    return output_error(cli, CLI_USAGE,
                        "run: the buffers have %llu bytes in all; at most "
                        "2 GiB can be",
                        (unsigned long long)bytes);
}

int run_read_arguments(Cli *cli, const CliValues *specs, const CliValues *dumps,
                       RunArguments *all) {
    int code = CLI_FULL_MARKS;
    *all = (RunArguments){0};
    for (size_t i = 0; i < specs->count && !code; i++)
        code = parse_spec(cli, specs->items[i], all);
    if (!code)
        run_join_arguments(&cli->arena, all);
    for (size_t i = 0; i < dumps->count && !code; i++)
        code = add_dump(cli, dumps->items[i], all);
    if (!code)
        code = check_total(cli, all);
    for (size_t i = 0; i < all->count && !code; i++)
        if (all->items[i].file)
            code = read_file(cli, &all->items[i]);
    for (size_t i = 0; i < all->count && !code; i++)
        code = choose_form(cli, &all->items[i]);
    return code ? code : check_total(cli, all);
}

// ---- the kernel's parameters ---------------------------------------------

static bool is_scalar(const PtxVar *param) {
    return !param->is_array && param->vector == 1;
}

// As a CUtensorMap is declared (driver API: 128 bytes, aligned to 64).
static bool is_tensor_map(const PtxVar *param) {
    return param->is_array && param->size == 128 && param->align == 64;
}

// The SPECs that fit the parameter.
static Str wanted_specs(Arena *arena, const PtxVar *param) {
    if (is_tensor_map(param))
        return STR("a tensor map (CUtensorMap), which clclab run cannot make "
                   "yet");
    if (!is_scalar(param) || param->size > 8)
        return str_format(arena,
                          "bytes:HEX (or struct:{...}, [...]) of %llu "
                          "bytes",
                          (unsigned long long)param->size);
    if (param->is_ptr)
        return STR("buf:BYTES (or u64:ADDRESS)");
    if (ptx_type_is_float(param->type))
        return param->size == 8   ? STR("f64:V")
               : param->size == 4 ? STR("f32:V")
                                  : STR("f16:V or bf16:V");
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
    int64_t value = argument->element == ELEMENT_I32
                        ? (int64_t)(int32_t)(uint32_t)argument->bits
                        : (int64_t)argument->bits;
    return value >= -(INT64_C(1) << (8 * size - 1)) && value < INT64_C(1)
                                                                   << 8 * size;
}

// A whole number of 32 bits may be narrower as a parameter.
static bool number_fits(const RunArgument *argument, const PtxVar *param) {
    ElementType type = argument->element;
    bool real = element_is_float(type);
    bool bits = param->type == PTX_B16 || param->type == PTX_B32 ||
                param->type == PTX_B64;
    if (!is_scalar(param)) // a structure of one member
        return argument->launch.size == param->size;
    if (element_size(type) == 4 && param->size < 4)
        return !real && !ptx_type_is_float(param->type) &&
               fits_in(argument, param->size);
    return argument->launch.size == param->size &&
           (bits || real == ptx_type_is_float(param->type));
}

static bool kind_fits(const RunArgument *argument, const PtxVar *param) {
    bool real = is_scalar(param) && ptx_type_is_float(param->type);
    switch (argument->kind) {
    case SPEC_NUMBER:
        return number_fits(argument, param);
    case SPEC_BUFFER:
    case SPEC_FUNCTION:
        return param->size == 8 && !real;
    case SPEC_BYTES:
    case SPEC_STRUCT:
        break;
    }
    return argument->launch.size == param->size;
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

static int wrong_count(Cli *cli, const PtxFunc *kernel, size_t given) {
    Str specs = usual_specs(&cli->arena, kernel);
    size_t takes = kernel->param_count;
    return output_error(cli, CLI_USAGE,
                        "run: kernel %.*s takes %zu argument%s, and %zu %s "
                        "given%s%.*s",
                        STR_ARG(kernel->name), takes, takes == 1 ? "" : "s",
                        given, given == 1 ? "is" : "are",
                        takes ? "; it may be" : "", STR_ARG(specs));
}

static int misfit(Cli *cli, const PtxFunc *kernel, size_t index,
                  const RunArgument *argument) {
    const PtxVar *param = kernel->params[index];
    Str type = ptx_type_name(param->type);
    Str wants = wanted_specs(&cli->arena, param);
    Str has = STR("");
    if (argument->kind == SPEC_STRUCT || argument->kind == SPEC_BYTES)
        has = str_format(&cli->arena, ", and has %llu bytes",
                         (unsigned long long)argument->launch.size);
    return output_error(cli, CLI_USAGE,
                        "run: --arg %zu (%s) does not fit%.*s: parameter "
                        "%zu of %.*s is a .%.*s of %llu bytes; it "
                        "takes %.*s",
                        index, argument->spec, STR_ARG(has), index,
                        STR_ARG(kernel->name), STR_ARG(type),
                        (unsigned long long)param->size, STR_ARG(wants));
}

static LaunchArgument as_value(Arena *arena, const RunArgument *argument,
                               const PtxVar *param) {
    LaunchArgument launch = argument->launch;
    if (argument->kind != SPEC_NUMBER)
        return launch;
    uint8_t *bytes = arena_new(arena, uint8_t, sizeof argument->bits);
    element_put(bytes, sizeof argument->bits, argument->bits);
    launch.size = param->size;
    launch.bytes = bytes;
    return launch;
}

// Whether the PTX's name is `name`, or that name in the source.
static bool is_called(Arena *arena, Str mangled, Str name) {
    return str_equal(mangled, name) || kernels_is_named(arena, mangled, name);
}

// The PTX's name for the function, or for the variable of 8 bytes; empty: there
// is none, or several have it.
static Str find_function(Arena *arena, const PtxModule *module, Str name) {
    Str found = {0};
    size_t count = 0;
    for (size_t i = 0; i < module->func_count; i++) {
        const PtxFunc *func = module->funcs[i];
        if (func->is_entry || !func->has_body ||
            !is_called(arena, func->name, name))
            continue;
        found = func->name;
        count++;
    }
    for (size_t i = 0; i < module->var_count && count == 0; i++) {
        const PtxVar *var = module->vars[i];
        if (!var->func && var->size == 8 && is_called(arena, var->name, name))
            return var->name;
    }
    return count == 1 ? found : (Str){0};
}

static int name_functions(Cli *cli, const PtxModule *module,
                          LaunchArgument *launch) {
    LaunchPart *parts =
        arena_new(&cli->arena, LaunchPart, launch->part_count + 1);
    for (size_t i = 0; i < launch->part_count; i++) {
        parts[i] = launch->parts[i];
        if (parts[i].function.len == 0)
            continue;
        parts[i].function =
            find_function(&cli->arena, module, launch->parts[i].function);
        if (parts[i].function.len == 0)
            return output_error(
                cli, CLI_USAGE,
                "run: --arg %.*s: fn:%.*s: there is no such function, or "
                "several. The compiler keeps one whose address is taken, as in "
                "__device__ auto pointer = &function; and fn:pointer is what "
                "that variable holds",
                STR_ARG(launch->name), STR_ARG(launch->parts[i].function));
    }
    launch->parts = parts;
    return CLI_FULL_MARKS;
}

int run_match_arguments(Cli *cli, const PtxModule *module,
                        const PtxFunc *kernel, const RunArguments *arguments,
                        LaunchArgument **values) {
    *values = arena_new(&cli->arena, LaunchArgument, arguments->count + 1);
    if (arguments->given != kernel->param_count)
        return wrong_count(cli, kernel, arguments->given);
    int code = CLI_FULL_MARKS;
    for (size_t i = 0; i < arguments->count && !code; i++) {
        const RunArgument *argument = &arguments->items[i];
        LaunchArgument *value = &(*values)[i];
        *value = argument->launch;
        if (i < arguments->given) {
            if (!kind_fits(argument, kernel->params[i]))
                return misfit(cli, kernel, i, argument);
            *value = as_value(&cli->arena, argument, kernel->params[i]);
        }
        code = name_functions(cli, module, value);
    }
    return code;
}

// ---- --check -------------------------------------------------------------

enum { OUTPUT_NAME = DEVICE_RULE_COUNT, NAME_COUNT };

static const char *check_name(int index) {
    return index == OUTPUT_NAME ? "OUTPUT" : rule_code((DeviceRule)index).ptr;
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
    for (int i = DEVICE_RULE_NONE + 1; i < NAME_COUNT; i++)
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
        for (int i = DEVICE_RULE_NONE + 1; i < NAME_COUNT; i++) {
            if (!names_rule(word, check_name(i)))
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
