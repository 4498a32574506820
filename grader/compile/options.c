// SPDX-License-Identifier: Apache-2.0
// A request's flags: which are accepted, and which mean folders, macros and
// files, so that they are the unit's own business; all others go to the
// compiler as they are.
#include "compile/internal.h"

#include <string.h>

// ---- what is accepted ----------------------------------------------------

// The options that decide the kind of output and where it goes.
static bool fixed_flag(Str flag) {
    static const char *const fixed[] = {
        "-arch",     "--gpu-arch", "-code",        "--gpu-code",
        "-gencode",  "--gene",     "-o",           "--output",
        "-ptx",      "--ptx",      "-cubin",       "--cubin",
        "-fatbin",   "--fatbin",   "-dlto",        "--dlink",
        "-dc",       "--device-c", "-dw",          "--device-w",
        "-E",        "--preproc",  "-M",           "--generate-dep",
        "-pch",      "--pch",      "--create-pch", "-create-pch",
        "--use-pch", "-use-pch",   "--run",        "-run",
        "-keep",     "--keep",     "--dryrun",     "-dryrun",
        "-optix",    "--optix",    "-optf",        "--options-file",
    };
    for (size_t i = 0; i < COUNT_OF(fixed); i++)
        if (str_starts(flag, str_from(fixed[i])))
            return true;
    return false;
}

// -D, -U and -I alone: their value has to be in the same argument.
static bool lacks_value(Str flag) {
    return str_equal(flag, STR("-D")) || str_equal(flag, STR("-U")) ||
           str_equal(flag, STR("-I"));
}

bool options_hold_control(Str text) {
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 32)
            return true;
    return false;
}

static bool check_flags(const CompileRequest *r, Diags *diags) {
    for (size_t i = 0; i < r->flag_count; i++) {
        Str flag = r->flags[i];
        bool option = flag.len > 1 && flag.ptr[0] == '-' &&
                      !options_hold_control(flag) && !lacks_value(flag);
        if (option && !fixed_flag(flag))
            continue;
        diag_add(diags, DIAG_ERROR, (SrcLoc){0},
                 option ? "The compiler option %.*s cannot be changed: what is "
                          "graded is PTX for compute_100a."
                        : "\"%.*s\" is not a compiler option.",
                 STR_ARG(flag))
            ->help = STR("Write an option and its value as one word, such as "
                         "--maxrregcount=32.");
        return false;
    }
    return true;
}

// ---- what they are about -------------------------------------------------

typedef enum Meaning {
    MEANS_FOLDER,
    MEANS_SYSTEM_FOLDER,
    MEANS_MACRO,
    MEANS_NO_MACRO,
    MEANS_FIRST_FILE,
    MEANS_STANDARD,
    MEANS_OTHER,
} Meaning;

// Longer names come before those that they begin with.
static const struct {
    const char *name;
    Meaning meaning;
} names[] = {
    {"--include-path=", MEANS_FOLDER},
    {"-I", MEANS_FOLDER},
    {"--system-include=", MEANS_SYSTEM_FOLDER},
    {"-isystem=", MEANS_SYSTEM_FOLDER},
    {"-isystem", MEANS_SYSTEM_FOLDER},
    {"--define-macro=", MEANS_MACRO},
    {"-D", MEANS_MACRO},
    {"--undefine-macro=", MEANS_NO_MACRO},
    {"-U", MEANS_NO_MACRO},
    {"--pre-include=", MEANS_FIRST_FILE},
    {"-include=", MEANS_FIRST_FILE},
    {"-std=", MEANS_STANDARD},
    {"--std=", MEANS_STANDARD},
};

static Meaning meaning_of(Str flag, Str *value) {
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        Str name = str_from(names[i].name);
        if (!str_starts(flag, name) || flag.len == name.len)
            continue;
        *value = str_slice(flag, name.len, flag.len);
        return names[i].meaning;
    }
    return MEANS_OTHER;
}

// Macros of flags are defined by the source's first lines. An earlier one of
// that name is not, then, and one of the compiler's own is undefined by it.
static size_t undefine(Str *defines, size_t count, Str name) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!str_equal(scan_word(defines[i]), name))
            defines[kept++] = defines[i];
    return kept;
}

typedef struct Lists {
    Str *folders, *system, *defines, *first, *flags;
} Lists;

static void sort_flag(const CompileRequest *r, Str flag, const Lists *to,
                      Unit *unit) {
    Str value = {0};
    Meaning meaning = meaning_of(flag, &value);
    // Those who may not read folders get what is included from the compiler.
    if (meaning == MEANS_FIRST_FILE && !r->reads_folders)
        meaning = MEANS_OTHER;
    switch (meaning) {
    case MEANS_FOLDER:
        to->folders[unit->include_count++] = value;
        return;
    case MEANS_SYSTEM_FOLDER:
        to->system[unit->system_count++] = value;
        return;
    case MEANS_MACRO:
        to->defines[unit->define_count++] = value;
        return;
    case MEANS_FIRST_FILE:
        to->first[unit->first_count++] = value;
        return;
    case MEANS_STANDARD:
        unit->standard = flag;
        return;
    case MEANS_NO_MACRO:
        unit->define_count = undefine(to->defines, unit->define_count, value);
        break;
    case MEANS_OTHER:
        break;
    }
    if (memmem(flag.ptr, flag.len, "include", 7))
        unit->cacheable = false; // what it includes is not followed
    to->flags[unit->flag_count++] = flag;
}

bool options_sort(Arena *arena, const CompileRequest *r, Unit *unit,
                  Diags *diags) {
    if (!check_flags(r, diags))
        return false;
    size_t most = r->flag_count + r->include_count + r->define_count;
    Lists to = {arena_new(arena, Str, most), arena_new(arena, Str, most),
                arena_new(arena, Str, most), arena_new(arena, Str, most),
                arena_new(arena, Str, most)};
    unit->cacheable = true;
    unit->standard = STR(COMPILE_STANDARD);
    for (size_t i = 0; i < r->include_count; i++)
        to.folders[unit->include_count++] = r->include_dirs[i];
    for (size_t i = 0; i < r->define_count; i++)
        to.defines[unit->define_count++] = r->defines[i];
    for (size_t i = 0; i < r->flag_count; i++)
        sort_flag(r, r->flags[i], &to, unit);
    unit->include_dirs = to.folders;
    unit->system_dirs = to.system;
    unit->defines = to.defines;
    unit->first_files = to.first;
    unit->flags = to.flags;
    return true;
}

void options_add_folders(Arena *arena, const Unit *unit, const char *mark,
                         const char *system, Str *list, size_t *count) {
    for (size_t i = 0; i < unit->include_count; i++)
        list[(*count)++] =
            str_format(arena, "%s%.*s", mark,
                       STR_ARG(files_absolute(arena, unit->include_dirs[i])));
    for (size_t i = 0; i < unit->system_count; i++)
        list[(*count)++] =
            str_format(arena, "%s%.*s", system,
                       STR_ARG(files_absolute(arena, unit->system_dirs[i])));
}
