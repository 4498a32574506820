// SPDX-License-Identifier: Apache-2.0
// Finds the fat binaries of a file. Read fatbin_read_file, at the end.
//
// A file that lists the same bytes many times over would be read as often: of
// all sections together no more is read than the file has bytes.
#include "fatbin/internal.h"

#include <string.h>

enum {
    MACHINE_CUDA = 190, // EM_CUDA
    ABI_NEW = 8,        // from here on e_flags has the architecture at bit 8
    MEMBER = 60,        // bytes of a member's header in a static library
};

static const char ELF_MAGIC[] = "\177ELF", LIBRARY_MAGIC[] = "!<arch>\n",
                  FATBIN_MAGIC[] = "\x50\xed\x55\xba";

static bool begins(Str bytes, const char *magic) {
    return str_starts(bytes, str_from(magic));
}

bool fatbin_is_file(Str bytes) {
    return begins(bytes, ELF_MAGIC) || begins(bytes, LIBRARY_MAGIC) ||
           begins(bytes, FATBIN_MAGIC);
}

static FatbinImage *add_image(Arena *arena, FatbinFile *file) {
    arena_grow(arena, file->images, file->count, file->capacity);
    file->images[file->count] = (FatbinImage){0};
    return &file->images[file->count++];
}

// Fat binaries one behind the other, each at a multiple of 8, with zeros
// between.
static FatbinEnd read_row(Arena *arena, Str bytes, bool is_part,
                          FatbinFile *file) {
    for (size_t at = 0; at + 16 <= bytes.len;) {
        Str rest = str_slice(bytes, at, bytes.len);
        if (!begins(rest, FATBIN_MAGIC)) {
            at += 8;
            continue;
        }
        FatbinImage *image = add_image(arena, file);
        if (fatbin_read(arena, rest, image) != FATBIN_FOUND)
            return FATBIN_DAMAGED;
        image->is_part = is_part;
        at += round_up(fatbin_size(rest.ptr), 8);
    }
    return FATBIN_FOUND;
}

// ---- machine code --------------------------------------------------------

// The PTX that a debugger gets: its lines end with a zero.
static Str lines_of(Arena *arena, Str content) {
    char *text = str_cstring(arena, content);
    for (size_t i = 0; i < content.len; i++)
        if (text[i] == '\0')
            text[i] = '\n';
    return (Str){text, content.len};
}

static FatbinEnd read_cubin(Arena *arena, const Elf *elf, FatbinFile *file) {
    FatbinImage *image = add_image(arena, file);
    uint32_t arch = (elf->abi >= ABI_NEW ? elf->flags >> 8 : elf->flags) & 0xff;
    FatbinEntry entry = {.arch = arch};
    for (uint64_t i = 0; i < elf->count && !entry.is_ptx; i++) {
        Str name, content;
        if (!elf_section(elf, i, &name, &content))
            return FATBIN_DAMAGED;
        entry.is_ptx = str_equal(name, STR(".nv_debug_ptx_txt"));
        if (entry.is_ptx)
            entry.code = lines_of(arena, content);
    }
    arena_grow(arena, image->entries, image->count, image->capacity);
    image->entries[image->count++] = entry;
    return FATBIN_FOUND;
}

// ---- objects, programs, libraries ----------------------------------------

static FatbinEnd read_sections(Arena *arena, const Elf *elf, FatbinFile *file) {
    size_t left = elf->bytes.len;
    for (uint64_t i = 0; i < elf->count; i++) {
        Str name, content;
        if (!elf_section(elf, i, &name, &content))
            return FATBIN_DAMAGED;
        bool is_part = str_equal(name, STR("__nv_relfatbin"));
        if (!is_part && !str_equal(name, STR(".nv_fatbin")))
            continue;
        if (content.len > left)
            return FATBIN_DAMAGED;
        left -= content.len;
        FatbinEnd end = read_row(arena, content, is_part, file);
        if (end != FATBIN_FOUND)
            return end;
    }
    return FATBIN_FOUND;
}

static FatbinEnd read_elf(Arena *arena, Str bytes, FatbinFile *file) {
    Elf elf;
    if (!elf_open(bytes, &elf))
        return FATBIN_DAMAGED;
    return elf.machine == MACHINE_CUDA ? read_cubin(arena, &elf, file)
                                       : read_sections(arena, &elf, file);
}

// A static library: "!<arch>\n", then members at even places, whose headers
// have their size, in decimal, at byte 48. (ar(5))
static FatbinEnd read_library(Arena *arena, Str bytes, FatbinFile *file) {
    for (size_t at = sizeof LIBRARY_MAGIC - 1; at < bytes.len;) {
        uint64_t size;
        if (!fatbin_holds(bytes, at, MEMBER) ||
            !str_to_u64(str_trim(str_slice(bytes, at + 48, at + 58)), &size) ||
            !fatbin_holds(bytes, at + MEMBER, size))
            return FATBIN_DAMAGED;
        at += MEMBER;
        Str member = str_slice(bytes, at, at + (size_t)size);
        if (begins(member, ELF_MAGIC) &&
            read_elf(arena, member, file) != FATBIN_FOUND)
            return FATBIN_DAMAGED;
        at += (size_t)(size + size % 2);
    }
    return FATBIN_FOUND;
}

FatbinEnd fatbin_read_file(Arena *arena, Str bytes, FatbinFile *file) {
    *file = (FatbinFile){0};
    if (begins(bytes, ELF_MAGIC))
        return read_elf(arena, bytes, file);
    if (begins(bytes, LIBRARY_MAGIC))
        return read_library(arena, bytes, file);
    if (fatbin_is_file(bytes))
        return read_row(arena, bytes, false, file);
    return FATBIN_DAMAGED;
}
