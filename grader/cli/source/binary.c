// SPDX-License-Identifier: Apache-2.0
// The PTX of a program, an object file, a library, a fat binary: binary_read,
// at the end.
#include "cli/source/binary.h"
#include "fatbin/fatbin.h"

#include <string.h>

enum { ARCH_NAME = 16, MOST_LISTED = 64 };

static uint32_t model_arch(const Cli *cli) {
    return strcmp(cli->args.gpu_model, "rtx5090") == 0 ? 120 : 100;
}

static Str name_of(Arena *arena, const FatbinEntry *entry) {
    char only[2] = {entry->only, '\0'};
    return str_format(arena, "sm_%u%s", entry->arch, only);
}

// "sm_100a", "compute_100a" and "100a" are the same.
static bool is_called(Arena *arena, const FatbinEntry *entry,
                      const char *arch) {
    Str name = name_of(arena, entry), given = str_from(arch);
    Str heads[] = {STR("sm_"), STR("compute_")};
    for (size_t i = 0; i < COUNT_OF(heads); i++)
        if (str_starts(given, heads[i]))
            given = str_slice(given, heads[i].len, given.len);
    return str_equal(str_slice(name, 3, name.len), given);
}

// ---- which ---------------------------------------------------------------

// What --arch names; else the best for the device, or, as the virtual machine
// runs any PTX, the oldest of the newer ones.
static const FatbinEntry *choose(Cli *cli, const FatbinImage *image) {
    const char *arch = cli->args.arch;
    const FatbinEntry *oldest = NULL;
    for (size_t i = 0; i < image->count; i++) {
        const FatbinEntry *entry = &image->entries[i];
        if (!entry->is_ptx)
            continue;
        if (arch && is_called(&cli->arena, entry, arch))
            return entry;
        if (!oldest || entry->arch < oldest->arch)
            oldest = entry;
    }
    const FatbinEntry *best = fatbin_best(image, model_arch(cli));
    return arch ? NULL : best ? best : oldest;
}

// The names of what the file has, each once: "sm_90, sm_100a".
static Str list_archs(Arena *arena, const FatbinFile *file, bool is_ptx,
                      size_t *count) {
    Str names[MOST_LISTED], list = {0};
    *count = 0;
    for (size_t i = 0; i < file->count; i++)
        for (size_t k = 0; k < file->images[i].count; k++) {
            const FatbinEntry *entry = &file->images[i].entries[k];
            Str name = name_of(arena, entry);
            bool is_known = entry->is_ptx != is_ptx || *count == MOST_LISTED;
            for (size_t n = 0; n < *count && !is_known; n++)
                is_known = str_equal(names[n], name);
            if (is_known)
                continue;
            names[*count] = name;
            list = str_format(arena, "%.*s%s%.*s", STR_ARG(list),
                              *count ? ", " : "", STR_ARG(name));
            (*count)++;
        }
    return list;
}

// ---- what to say ---------------------------------------------------------

static int lack_ptx(Cli *cli, Str path, const FatbinFile *file) {
    size_t ptx, code;
    Str has = list_archs(&cli->arena, file, true, &ptx);
    Str machine = list_archs(&cli->arena, file, false, &code);
    if (ptx)
        return output_error(cli, CLI_USAGE,
                            "%.*s has no PTX for %s (--arch); it has some for "
                            "%.*s",
                            STR_ARG(path), cli->args.arch, STR_ARG(has));
    if (code == 0)
        return output_error(cli, CLI_USAGE, "%.*s has no code for a GPU",
                            STR_ARG(path));
    return output_error(cli, CLI_MISSING,
                        "%.*s has no PTX, only code for %.*s; have nvcc add "
                        "it: -gencode arch=compute_100a,code=compute_100a",
                        STR_ARG(path), STR_ARG(machine));
}

static int unreadable(Cli *cli, Str path, FatbinEnd end) {
    if (end == FATBIN_NO_ZSTD)
        return output_error(cli, CLI_MISSING,
                            "%.*s: its PTX is compressed, and libzstd.so.1 is "
                            "not there; install it (Debian: libzstd1), or "
                            "build with -Xfatbin --compress-mode=none",
                            STR_ARG(path));
    return output_error(cli, CLI_USAGE, "%.*s: %s", STR_ARG(path),
                        end == FATBIN_TOO_LARGE
                            ? "its PTX is larger than 256 MiB"
                            : "the file is damaged: its device code is not "
                              "whole");
}

// ---- reading -------------------------------------------------------------

static FatbinEnd add_text(Cli *cli, const FatbinImage *image, uint64_t *room,
                          const FatbinEntry **taken, Build *build) {
    BuildText text = {.is_part = image->is_part};
    const FatbinEntry *entry = choose(cli, image);
    if (!entry)
        return FATBIN_NO_PTX;
    FatbinEnd end = fatbin_unpack(&cli->arena, entry, room, &text.ptx);
    if (end != FATBIN_FOUND)
        return end;
    arena_grow(&cli->arena, build->texts, build->text_count,
               build->text_capacity);
    build->texts[build->text_count++] = text;
    *taken = entry;
    return FATBIN_FOUND;
}

int binary_read(Cli *cli, Str path, Str bytes, Build *build) {
    FatbinFile file;
    uint64_t room = FATBIN_MOST_PTX;
    const FatbinEntry *taken = NULL;
    size_t count;
    FatbinEnd end = fatbin_read_file(&cli->arena, bytes, &file);
    for (size_t i = 0; i < file.count && end == FATBIN_FOUND; i++) {
        end = add_text(cli, &file.images[i], &room, &taken, build);
        end = end == FATBIN_NO_PTX ? FATBIN_FOUND : end;
    }
    if (end != FATBIN_FOUND)
        return unreadable(cli, path, end);
    if (build->text_count == 0)
        return lack_ptx(cli, path, &file);
    build->ptx = build->submission.source = build->texts[0].ptx;
    Str archs = list_archs(&cli->arena, &file, true, &count);
    if (count > 1 && !cli->args.arch)
        output_error(cli, CLI_FULL_MARKS,
                     "%.*s has PTX for %.*s; taken is that for %.*s (--arch "
                     "takes another)",
                     STR_ARG(path), STR_ARG(archs),
                     STR_ARG(name_of(&cli->arena, taken)));
    return CLI_FULL_MARKS;
}
