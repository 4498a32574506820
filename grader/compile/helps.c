// SPDX-License-Identifier: Apache-2.0
// What to try for the errors that learners meet most. Read the rows at the end
// first: each is what a message looks like, and its help, either a text or a
// function that makes one of the name that the message is about.
//
// That name stands in the message's first quotes or, where the compiler names
// nothing, at its place in the source. The functions of cuda::ptx are read from
// the toolkit's own headers, so the help is about the version that compiles;
// where they cannot be read, only that help is missing.
#include "compile/internal.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_HEADER_BYTES = 1024 * 1024,
    MOST_TOLD = 3, // overloads
};

typedef struct Helping {
    Arena *arena;
    const NameMap *map;
    const Diag *error;
    Str source; // the text of the error's file; empty: not known
    Str name;   // that the message is about
    Str after;  // what follows it in the source; empty: not known
} Helping;

// ---- texts ---------------------------------------------------------------

static bool holds(Str text, const char *part) {
    size_t len = strlen(part);
    return text.len >= len && memmem(text.ptr, text.len, part, len) != NULL;
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= '0' && c <= '9');
}

static Str word_at(Str text) {
    size_t len = 0;
    while (len < text.len && is_word(text.ptr[len]))
        len++;
    return str_slice(text, 0, len);
}

// "name" of "cuda::ptx::__4::name(uint64_t *)".
static Str last_name(Str text) {
    text = str_slice(text, 0, str_find(text, '('));
    size_t from = text.len;
    while (from > 0 && is_word(text.ptr[from - 1]))
        from--;
    return str_slice(text, from, text.len);
}

static Str quoted(Str what, size_t number) {
    Str part = {0};
    for (size_t i = 0; i < 2 * number; i++)
        part = str_cut(&what, '"');
    return part;
}

// ---- the names of cuda::ptx ----------------------------------------------

#define PTX_FUNCTION "__device__ static inline "

// A function, as the comment above it in the toolkit's header declares it.
typedef struct PtxBinding {
    Str name;
    Str params; // between the parentheses
} PtxBinding;

typedef struct PtxBindings {
    PtxBinding *items;
    size_t count, capacity;
} PtxBindings;

static void read_bindings(Arena *arena, Str text, PtxBindings *bindings) {
    const char *at;
    Str mark = STR(PTX_FUNCTION);
    while (text.len && (at = memmem(text.ptr, text.len, mark.ptr, mark.len))) {
        text = str_slice(text, (size_t)(at - text.ptr) + mark.len, text.len);
        Str rest = text, head = str_cut(&rest, '(');
        Str params = str_cut(&rest, ';');
        if (params.len == 0 || params.ptr[params.len - 1] != ')')
            continue;
        arena_grow(arena, bindings->items, bindings->count, bindings->capacity);
        bindings->items[bindings->count++] =
            (PtxBinding){last_name(head), str_slice(params, 0, params.len - 1)};
    }
}

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

typedef struct Names {
    const char **items;
    size_t count, capacity;
} Names;

static Names list_headers(Arena *arena, Str folder) {
    Names names = {0};
    DIR *dir = opendir(str_cstring(arena, folder));
    const struct dirent *entry;
    while (dir && (entry = readdir(dir)) != NULL) {
        Str name = str_from(entry->d_name);
        if (!str_ends(name, STR(".h")))
            continue;
        arena_grow(arena, names.items, names.count, names.capacity);
        names.items[names.count++] = str_cstring(arena, name);
    }
    if (dir)
        closedir(dir);
    if (names.count)
        qsort(names.items, names.count, sizeof *names.items, by_bytes);
    return names;
}

// In the order of the files' names, so that the help is the same everywhere.
static PtxBindings list_bindings(Helping *helping) {
    static const char generated[] = "cuda/__ptx/instructions/generated";
    Arena *arena = helping->arena;
    PtxBindings bindings = {0};
    Str libcu = helping->map->libcu;
    Str folder = str_format(arena, "%.*s/%s", STR_ARG(libcu), generated);
    Names names = libcu.len ? list_headers(arena, folder) : (Names){0};
    for (size_t i = 0; i < names.count; i++) {
        Str path =
            str_format(arena, "%.*s/%s", STR_ARG(folder), names.items[i]);
        Str text;
        if (files_read(arena, path, MOST_HEADER_BYTES, &text))
            read_bindings(arena, text, &bindings);
    }
    return bindings;
}

// The operands that say which form of an instruction is meant.
static const char *const variants[] = {
    "sem_acq_rel",  "sem_acquire",   "sem_relaxed",   "sem_release",
    "sem_sc",       "sem_weak",      "space_cluster", "space_global",
    "space_shared", "scope_cluster", "scope_cta",     "scope_gpu",
    "scope_sys"};

static const char *const groups[] = {
    "this_thread_block", "this_cluster",        "this_grid",
    "this_thread",       "coalesced_threads",   "invoke_one",
    "thread_block",      "cluster_group",       "grid_group",
    "tiled_partition",   "invoke_one_broadcast"};

static const char *const builtins[] = {
    "__syncthreads", "__syncwarp",       "threadIdx",      "blockIdx",
    "blockDim",      "gridDim",          "compute_scalar", "__launch_bounds__",
    "__shared__",    "__cluster_dims__", "__global__",     "__device__",
    "atomicAdd",     "uint32_t",         "uint64_t",       "uint4"};

static bool is_exact(const Nearest *nearest) {
    return nearest->best.len && nearest->distance == 0;
}

#define TRY_ALL(nearest, names)                  \
    for (size_t i = 0; i < COUNT_OF(names); i++) \
    nearest_try(nearest, str_from((names)[i]))

static Nearest nearest_ptx(Helping *helping) {
    Nearest nearest = nearest_start(helping->name);
    TRY_ALL(&nearest, variants);
    PtxBindings bindings = {0};
    if (!is_exact(&nearest))
        bindings = list_bindings(helping);
    for (size_t i = 0; i < bindings.count; i++)
        nearest_try(&nearest, bindings.items[i].name);
    return nearest;
}

static Nearest nearest_group(const Helping *helping) {
    Nearest nearest = nearest_start(helping->name);
    TRY_ALL(&nearest, groups);
    return nearest;
}

// "ptx::" where the source has that name for it.
static const char *ptx_prefix(const Helping *helping) {
    return holds(helping->source, "namespace ptx") ? "ptx::" : "cuda::ptx::";
}

static const char *group_prefix(const Helping *helping) {
    return holds(helping->source, "namespace cg") ? "cg::"
                                                  : "cooperative_groups::";
}

// ---- names that are not known --------------------------------------------

static Str did_you_mean(const Helping *helping, const char *prefix, Str name) {
    return name.len ? str_format(helping->arena, "Did you mean %s%.*s?", prefix,
                                 STR_ARG(name))
                    : (Str){0};
}

static Str with_prefix(const Helping *helping, const char *prefix) {
    return str_format(helping->arena, "Write %s%.*s: that is where it is.",
                      prefix, STR_ARG(helping->name));
}

static Str help_unknown(Helping *helping) {
    Nearest builtin = nearest_start(helping->name);
    TRY_ALL(&builtin, builtins);
    if (is_exact(&builtin))
        return (Str){0};
    Nearest group = nearest_group(helping);
    if (is_exact(&group))
        return with_prefix(helping, group_prefix(helping));
    Nearest ptx = nearest_ptx(helping);
    if (is_exact(&ptx))
        return with_prefix(helping, ptx_prefix(helping));
    if (builtin.best.len)
        return did_you_mean(helping, "", builtin.best);
    enum { SHORTEST = 8 }; // a learner's own short name is like anything
    if (helping->name.len < SHORTEST)
        return (Str){0};
    return ptx.best.len
               ? did_you_mean(helping, ptx_prefix(helping), ptx.best)
               : did_you_mean(helping, group_prefix(helping), group.best);
}

static Str help_no_ptx(Helping *helping) {
    helping->name = quoted(helping->error->what, 2);
    Nearest ptx = nearest_ptx(helping), group = nearest_group(helping);
    if (is_exact(&group))
        return with_prefix(helping, group_prefix(helping));
    return did_you_mean(helping, ptx_prefix(helping), ptx.best);
}

static Str help_no_group(Helping *helping) {
    helping->name = quoted(helping->error->what, 2);
    Nearest group = nearest_group(helping);
    if (!is_exact(&group) && group.best.len)
        return did_you_mean(helping, group_prefix(helping), group.best);
    Nearest ptx = nearest_ptx(helping);
    return is_exact(&ptx) ? with_prefix(helping, ptx_prefix(helping))
                          : (Str){0};
}

// ---- namespaces ----------------------------------------------------------

typedef struct Namespace {
    const char *alias, *root, *whole, *header;
} Namespace;

static const Namespace namespaces[] = {
    {"ptx", "cuda", "cuda::ptx", "<cuda/ptx>"},
    {"cg", "cooperative_groups", "cooperative_groups",
     "<cooperative_groups.h>"},
};

static bool is_included(const Helping *helping, const Namespace *space) {
    return holds(helping->source, space->header) ||
           holds(helping->source, "\"lab.h\"");
}

static Str help_namespace(Helping *helping) {
    for (size_t i = 0; i < COUNT_OF(namespaces); i++) {
        const Namespace *space = &namespaces[i];
        bool is_alias = str_equal(helping->name, str_from(space->alias));
        if (!is_alias && !str_equal(helping->name, str_from(space->root)))
            continue;
        if (!is_included(helping, space))
            return str_format(helping->arena,
                              "Put #include %s at the top (in a lab, "
                              "#include \"lab.h\", which has it).",
                              space->header);
        if (is_alias)
            return str_format(helping->arena,
                              "Put namespace %s = %s; above the kernel.",
                              space->alias, space->whole);
    }
    return (Str){0};
}

// ---- lambdas -------------------------------------------------------------

static Str help_capture(Helping *helping) {
    if (helping->name.len == 0)
        return STR("Write [&] for the lambda's brackets: it captures all that "
                   "the lambda names.");
    return str_format(helping->arena,
                      "The lambda does not capture %.*s: write [&], which "
                      "captures all that it names, or add it to the list.",
                      STR_ARG(helping->name));
}

static Str help_static_capture(Helping *helping) {
    Str name = helping->name.len ? helping->name : STR("it");
    return str_format(helping->arena,
                      "A __shared__ variable needs no capture: leave %.*s out "
                      "of the brackets, or write [&].",
                      STR_ARG(name));
}

// ---- calls that fit no function ------------------------------------------

// So many arguments, or parameters, has a list: "int, uint64_t (*)[2]".
static size_t count_items(Str list) {
    size_t depth = 0, count = str_trim(list).len > 0;
    for (size_t i = 0; i < list.len; i++) {
        char c = list.ptr[i];
        depth += c == '(' || c == '<' || c == '[';
        depth -= depth && (c == ')' || c == '>' || c == ']');
        count += c == ',' && depth == 0;
    }
    return count;
}

// What the message says of the call: "argument types are: (int, uint64_t *)".
static size_t count_given(Str what) {
    Str mark = STR("argument types are: (");
    const char *at = memmem(what.ptr, what.len, mark.ptr, mark.len);
    if (!at)
        return 0;
    Str list = str_slice(what, (size_t)(at - what.ptr) + mark.len, what.len);
    return count_items(str_slice(list, 0, list.len - (list.len > 0)));
}

static size_t apart(const PtxBinding *binding, size_t given) {
    size_t takes = count_items(binding->params);
    return takes < given ? given - takes : takes - given;
}

// In one line, without the namespace that all types are of.
static void put_params(Buf *out, Str params) {
    bool blank = false;
    buf_byte(out, '(');
    for (size_t i = 0; i < params.len; i++) {
        Str rest = str_slice(params, i, params.len);
        if (str_starts(rest, STR("cuda::ptx::"))) {
            i += STR("cuda::ptx::").len - 1;
            continue;
        }
        bool is_blank = str_trim((Str){rest.ptr, 1}).len == 0;
        if (!is_blank || (!blank && out->ptr[out->len - 1] != '('))
            buf_byte(out, is_blank ? ' ' : rest.ptr[0]);
        blank = is_blank;
    }
    buf_byte(out, ')');
}

static Str help_overload(Helping *helping) {
    PtxBindings all = list_bindings(helping);
    size_t given = count_given(helping->error->what), nearest = SIZE_MAX;
    Buf out = {0};
    size_t told = 0;
    helping->name = last_name(quoted(helping->error->what, 1));
    for (size_t i = 0; i < all.count; i++)
        if (str_equal(all.items[i].name, helping->name) &&
            apart(&all.items[i], given) < nearest)
            nearest = apart(&all.items[i], given);
    for (size_t i = 0; i < all.count && told < MOST_TOLD; i++) {
        if (!str_equal(all.items[i].name, helping->name) ||
            apart(&all.items[i], given) != nearest)
            continue;
        buf_printf(&out, told++ ? " or " : "It takes ");
        put_params(&out, all.items[i].params);
    }
    if (told)
        buf_byte(&out, '.');
    if (told && holds(helping->name, "query_cancel"))
        buf_printf(&out, " B128 is the answer itself, a uint4, not its "
                         "address.");
    Str help = str_copy(helping->arena, buf_view(&out));
    buf_free(&out);
    return help;
}

// The type that an index is wanted in stands in the result alone, so it cannot
// be deduced from the arguments.
static Str help_index(Helping *helping) {
    Str name = last_name(quoted(helping->error->what, 1)), after = {0};
    const char *at =
        helping->after.len
            ? memmem(helping->after.ptr, helping->after.len, name.ptr, name.len)
            : NULL;
    if (at)
        after = str_trim(str_slice(helping->after,
                                   (size_t)(at - helping->after.ptr) + name.len,
                                   helping->after.len));
    if (after.len && after.ptr[0] == '<')
        return help_overload(helping);
    return str_format(helping->arena,
                      "Name the type of the index: %s%.*s<int>(...). It stands "
                      "in the result alone.",
                      ptx_prefix(helping), STR_ARG(name));
}

// ---- the rows ------------------------------------------------------------

#define HELP_LAUNCH                                                          \
    "A kernel cannot launch kernels here (dynamic parallelism). clclab run " \
    "takes the file's other kernels with --compile-flag -rdc=true."
#define HELP_DEVICE_CODE "A submission is device code only: write "

typedef Str HelpMaker(Helping *helping);

typedef struct HelpRow {
    const char *looks, *and_like; // parts of the message; NULL: any
    HelpMaker *make;              // of the name; NULL: `text`
    const char *text;
} HelpRow;

static const HelpRow rows[] = {
    {"cannot open source file", NULL, NULL,
     "Device code has lab.h, the toolkit's headers and thin stand-ins for "
     "the C ones (<stdint.h>, <stdio.h>, ...); no other host header."},
    {"identifier \"compute_scalar\" is undefined", NULL, NULL,
     "Put #include \"lab.h\" at the top: it declares compute_scalar."},
    {"is considered a host function", NULL, NULL,
     HELP_DEVICE_CODE "__device__ or __global__ before the function, or "
                      "remove it."},
    {"is considered a host variable", NULL, NULL,
     HELP_DEVICE_CODE "__device__, __constant__ or __shared__ before the "
                      "variable, or remove it."},
    {"device-side kernel launch could not be processed", NULL, NULL,
     HELP_LAUNCH},
    {"requires separate compilation mode", NULL, NULL, HELP_LAUNCH},
    {"static assertion failed", NULL, NULL,
     "The notes tell which call asks for it."},
    {MESSAGES_OPEN_END, NULL, NULL,
     "Something that was opened is never closed: a brace, a bracket or a "
     "statement. Or was the file saved half written?"},
    {"no instance of function template", "query_cancel_get_first_ctaid",
     help_index, NULL},
    {"no instance of ", "matches the argument list", help_overload, NULL},
    {"unless it is in the capture list", NULL, help_capture, NULL},
    {"with static storage duration cannot be captured", NULL,
     help_static_capture, NULL},
    {"namespace \"cuda::ptx\" has no member", "\"space_cta\"", NULL,
     "The block's own shared memory is ptx::space_shared."},
    {"namespace \"cuda::ptx\" has no member", NULL, help_no_ptx, NULL},
    {"namespace \"cooperative_groups\" has no member", NULL, help_no_group,
     NULL},
    {"name followed by \"::\" must be a class or namespace", NULL,
     help_namespace, NULL},
    {"name must be a namespace name", NULL, help_namespace, NULL},
    {"identifier \"", "\" is undefined", help_unknown, NULL},
};

static void find_place(Helping *helping) {
    SrcLoc at = helping->error->at;
    for (size_t i = 0; i < helping->map->count; i++)
        if (str_equal(helping->map->items[i].shown, at.file))
            helping->source = helping->map->items[i].text;
    Str line = str_line(helping->source, at.line);
    if (at.col == 0 || at.col > line.len)
        return;
    const char *from = line.ptr + at.col - 1;
    helping->after =
        (Str){from, (size_t)(helping->source.ptr + helping->source.len - from)};
    helping->name = word_at(helping->after);
}

Str helps_find(Arena *arena, const NameMap *map, const Diag *error) {
    Helping helping = {.arena = arena, .map = map, .error = error};
    find_place(&helping);
    Str what = error->what;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const HelpRow *row = &rows[i];
        if (!holds(what, row->looks) ||
            (row->and_like && !holds(what, row->and_like)))
            continue;
        if (str_starts(what, STR("identifier \"")))
            helping.name = quoted(what, 1);
        return row->make ? row->make(&helping) : str_from(row->text);
    }
    return (Str){0};
}
