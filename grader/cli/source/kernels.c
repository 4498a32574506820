// SPDX-License-Identifier: Apache-2.0
// Finds a kernel by the name that a person gives it. Read kernels_find, at the
// end.
#include "cli/source/kernels.h"

#include <string.h>

// ---- names ---------------------------------------------------------------

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

// A name without blanks that mean nothing, and numbers without suffixes:
// "gemm< 128u, 64>" is "gemm<128,64>".
static Str normal(Arena *arena, Str name) {
    char *out = str_cstring(arena, name);
    size_t len = 0;
    bool in_number = false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i], before = len ? out[len - 1] : '\0';
        char next = i + 1 < name.len ? name.ptr[i + 1] : '\0';
        bool digit = c >= '0' && c <= '9';
        in_number =
            digit ? in_number || !is_word(before) : in_number && is_word(c);
        if (c == ' ' && !(is_word(before) && is_word(next)))
            continue;
        if (in_number && strchr("uUlL", c))
            continue;
        out[len++] = c;
    }
    return (Str){out, len};
}

// The name without the template arguments that it ends with.
static Str without_arguments(Str name) {
    size_t depth = 0;
    if (!str_ends(name, STR(">")))
        return name;
    for (size_t i = name.len; i-- > 0;) {
        depth += name.ptr[i] == '>';
        depth -= name.ptr[i] == '<';
        if (depth == 0)
            return str_slice(name, 0, i);
    }
    return name;
}

// Whether `part` is the name, or its end behind a "::".
static bool is_tail(Str name, Str part) {
    if (part.len == 0 || !str_ends(name, part))
        return false;
    Str before = str_slice(name, 0, name.len - part.len);
    return before.len == 0 || str_ends(before, STR("::"));
}

// "gemm<128>" of "ns::gemm<128,64>".
static bool fits_in_part(Str name, Str given) {
    Str head = without_arguments(name), asked = without_arguments(given);
    if (asked.len == given.len || !is_tail(head, asked))
        return false;
    Str arguments = str_slice(name, head.len, name.len);
    Str wanted = str_slice(given, asked.len, given.len - 1);
    return str_starts(arguments, wanted) && arguments.len > wanted.len &&
           (arguments.ptr[wanted.len] == ',' || wanted.len == 1);
}

// Each name follows its length (Itanium C++ ABI, 5.1.2: "_Z5scalePfi",
// "_ZN1a5scaleEPf").
bool kernels_is_named(Arena *arena, Str mangled, Str plain) {
    if (!str_starts(mangled, STR("_Z")))
        return false;
    Str part = str_format(arena, "%zu%.*s", plain.len, STR_ARG(plain));
    for (size_t i = 2; i < mangled.len; i++) {
        bool digit = mangled.ptr[i - 1] >= '0' && mangled.ptr[i - 1] <= '9';
        if (!digit && str_starts(str_slice(mangled, i, mangled.len), part))
            return true;
    }
    return false;
}

NameFit kernels_fit(Arena *arena, Str in_ptx, Str given) {
    Str name, parameters;
    if (str_equal(in_ptx, given))
        return FITS_EXACTLY;
    if (!demangle(arena, in_ptx, &name, &parameters))
        return kernels_is_named(arena, in_ptx, given) ? FITS_BY_PART : FITS_NOT;
    Str whole =
        str_format(arena, "%.*s%.*s", STR_ARG(name), STR_ARG(parameters));
    name = normal(arena, name);
    given = normal(arena, given);
    if (str_starts(given, STR("::")))
        given = str_slice(given, 2, given.len);
    if (str_equal(normal(arena, whole), given))
        return FITS_WHOLE;
    if (str_equal(name, given))
        return FITS_QUALIFIED;
    if (is_tail(name, given))
        return FITS_TAIL;
    if (is_tail(without_arguments(name), given))
        return FITS_PLAINLY;
    return fits_in_part(name, given) ? FITS_IN_PART : FITS_NOT;
}

Str kernels_show(Arena *arena, Str in_ptx) {
    Str name, parameters;
    return demangle(arena, in_ptx, &name, &parameters) ? name : in_ptx;
}

// ---- what is no kernel yet -----------------------------------------------

// The name that is declared behind a __global__: the first before a "(" that is
// no attribute.
static Str declared_name(Str text) {
    size_t from = 0;
    bool inside = false;
    for (size_t i = 0; i < text.len && text.ptr[i] != '{'; i++) {
        if (is_word(text.ptr[i]) && !inside)
            from = i;
        inside = is_word(text.ptr[i]);
        Str name = str_slice(text, from, i);
        if (text.ptr[i] == '(' && !str_starts(name, STR("__"))) {
            while (name.len && !is_word(name.ptr[name.len - 1]))
                name.len--;
            return name;
        }
    }
    return (Str){0};
}

static bool is_template(Str before) {
    size_t from = before.len;
    while (from > 0 && !strchr(";}", before.ptr[from - 1]))
        from--;
    Str head = str_slice(before, from, before.len);
    return head.len && memmem(head.ptr, head.len, "template", 8);
}

size_t kernels_list_templates(Arena *arena, Str source, Str **names) {
    static const char mark[] = "__global__";
    size_t count = 0, capacity = 0;
    *names = NULL;
    for (size_t at = 0; at < source.len;) {
        const char *hit =
            memmem(source.ptr + at, source.len - at, mark, sizeof mark - 1);
        if (!hit)
            break;
        size_t here = (size_t)(hit - source.ptr);
        at = here + sizeof mark - 1;
        Str name = declared_name(str_slice(source, at, source.len));
        if (name.len == 0 || !is_template(str_slice(source, 0, here)))
            continue;
        arena_grow(arena, *names, count, capacity);
        (*names)[count++] = name;
    }
    return count;
}

// ---- candidates ----------------------------------------------------------

enum { MOST_SHOWN = 8 };

typedef struct Candidates {
    const PtxFunc *only; // the last one
    size_t module;       // that it is in
    size_t count;
    NameFit fit;
    Str list;                      // "a, b"
    const char *names[MOST_SHOWN]; // the first of the list
} Candidates;

// Leaves out lab.h's own kernels.
static bool is_candidate(const PtxFunc *func) {
    return func->is_entry && func->has_body &&
           !str_starts(func->name, STR("clclab_"));
}

static void add_candidate(Arena *arena, Candidates *to, const PtxFunc *func,
                          size_t module) {
    Str shown = kernels_show(arena, func->name);
    for (size_t i = 0; i < to->count && i < MOST_SHOWN; i++)
        if (str_equal(str_from(to->names[i]), shown)) // overloads
            shown = func->name;
    if (to->count < MOST_SHOWN) {
        to->names[to->count] = str_cstring(arena, shown);
        to->list = str_format(arena, "%.*s%s%.*s", STR_ARG(to->list),
                              to->count ? ", " : "", STR_ARG(shown));
    } else if (to->count == MOST_SHOWN) {
        to->list = str_format(arena, "%.*s, ...", STR_ARG(to->list));
    }
    to->only = func;
    to->module = module;
    to->count++;
}

// A kernel that several sources of a program have is the same in all of them.
static bool is_listed(const Candidates *to, const PtxFunc *func) {
    return to->only && str_equal(to->only->name, func->name);
}

// The kernels that fit the name best; all if there is none.
static Candidates find_candidates(Arena *arena, const Build *build,
                                  const char *name) {
    Candidates best = {.fit = FITS_NOT};
    for (size_t i = 0; i < build->module_count; i++) {
        const PtxModule *module = build->modules[i];
        for (size_t k = 0; k < module->func_count; k++) {
            const PtxFunc *func = module->funcs[k];
            NameFit fit = name ? kernels_fit(arena, func->name, str_from(name))
                               : FITS_EXACTLY;
            bool is_one =
                is_candidate(func) || (fit == FITS_EXACTLY && name &&
                                       func->is_entry && func->has_body);
            if (!is_one || fit == FITS_NOT || fit > best.fit)
                continue;
            if (fit < best.fit)
                best = (Candidates){.fit = fit};
            if (!is_listed(&best, func))
                add_candidate(arena, &best, func, i);
        }
    }
    return best;
}

// ---- what to say ---------------------------------------------------------

// The template of that name in the source; empty: there is none.
static Str find_template(Cli *cli, const Build *build, Str name) {
    Str *names;
    size_t count =
        kernels_list_templates(&cli->arena, build->submission.source, &names);
    Str plain = without_arguments(normal(&cli->arena, name));
    while (str_find(plain, ':') < plain.len)
        str_cut(&plain, ':');
    for (size_t i = 0; i < count; i++)
        if (name.len == 0 || str_equal(names[i], plain))
            return names[i];
    return (Str){0};
}

static int lacks_instance(Cli *cli, Str name) {
    return output_error(cli, CLI_USAGE,
                        "run: %.*s is a template of which the file has no "
                        "instance; name one, with its arguments: --kernel "
                        "'%.*s<...>'",
                        STR_ARG(name), STR_ARG(name));
}

// "gemm" of "ns::gemm<128, 64>".
static const char *plain_name(Arena *arena, const char *shown) {
    Str name = without_arguments(str_from(shown));
    size_t from = name.len;
    while (from > 0 && name.ptr[from - 1] != ':')
        from--;
    return str_cstring(arena, str_slice(name, from, name.len));
}

// The candidate of which the name, or its last part, is probably misspelt.
static const char *suggest(Cli *cli, const Candidates *all) {
    const char *names[2 * MOST_SHOWN];
    size_t count = all->count < MOST_SHOWN ? all->count : MOST_SHOWN;
    for (size_t i = 0; i < count; i++) {
        names[i] = all->names[i];
        names[count + i] = plain_name(&cli->arena, all->names[i]);
    }
    const char *meant = args_suggest(cli->args.kernel, names, 2 * count);
    for (size_t i = 0; i < count; i++)
        if (meant == names[count + i])
            return all->names[i];
    return meant;
}

static int unknown_kernel(Cli *cli, const Build *build, const Candidates *all) {
    const char *name = cli->args.kernel;
    const char *meant = suggest(cli, all);
    Str template = find_template(cli, build, str_from(name));
    if (template.len && str_find(str_from(name), '<') == strlen(name))
        return lacks_instance(cli, template);
    return output_error(
        cli, CLI_USAGE,
        "run: there is no kernel \"%s\"%s%s%s; the file has %.*s", name,
        meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "",
        STR_ARG(all->list));
}

static int no_kernel(Cli *cli, const Build *build) {
    Str template = find_template(cli, build, (Str){0});
    if (template.len)
        return lacks_instance(cli, template);
    return output_error(cli, CLI_USAGE,
                        "run: %s has no kernel: a function declared "
                        "__global__",
                        cli->args.words[0]);
}

static int take(Build *build, const PtxFunc *func, size_t module,
                const PtxFunc **kernel) {
    *kernel = func;
    build->submission.module = build->modules[module];
    if (build->text_count)
        build->submission.source = build->ptx = build->texts[module].ptx;
    return CLI_FULL_MARKS;
}

int kernels_find(Cli *cli, Build *build, const PtxFunc **kernel) {
    Arena *arena = &cli->arena;
    const char *name = build->kernel.len ? str_cstring(arena, build->kernel)
                                         : cli->args.kernel;
    Candidates meant = find_candidates(arena, build, name);
    if (meant.count == 1)
        return take(build, meant.only, meant.module, kernel);
    if (meant.count > 1)
        return output_error(cli, CLI_USAGE,
                            "run: say which kernel is meant, with --kernel: "
                            "%.*s",
                            STR_ARG(meant.list));
    Candidates all = find_candidates(arena, build, NULL);
    return all.count ? unknown_kernel(cli, build, &all) : no_kernel(cli, build);
}
