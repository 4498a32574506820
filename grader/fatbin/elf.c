// SPDX-License-Identifier: Apache-2.0
// The sections of an ELF file, which may say anything about itself.
#include "fatbin/internal.h"

#include <elf.h>
#include <string.h>

static bool read_header(const Elf *elf, uint64_t index, Elf64_Shdr *header) {
    uint64_t at = elf->table + index * sizeof *header;
    if (index >= elf->bytes.len ||
        !fatbin_holds(elf->bytes, at, sizeof *header))
        return false;
    memcpy(header, elf->bytes.ptr + at, sizeof *header);
    return true;
}

static bool read_content(const Elf *elf, const Elf64_Shdr *header, Str *out) {
    *out = (Str){0};
    if (header->sh_type == SHT_NOBITS || header->sh_size == 0)
        return true;
    if (!fatbin_holds(elf->bytes, header->sh_offset, header->sh_size))
        return false;
    *out = str_slice(elf->bytes, (size_t)header->sh_offset,
                     (size_t)(header->sh_offset + header->sh_size));
    return true;
}

// A file with very many sections says so in the first of them.
static bool read_counts(Elf *elf, const Elf64_Ehdr *head, uint64_t *names) {
    Elf64_Shdr first;
    elf->count = head->e_shnum;
    *names = head->e_shstrndx;
    if (head->e_shoff == 0)
        return true; // no sections
    if (head->e_shentsize != sizeof first || !read_header(elf, 0, &first))
        return false;
    if (elf->count == 0)
        elf->count = first.sh_size;
    if (*names == SHN_XINDEX)
        *names = first.sh_link;
    return elf->count <= elf->bytes.len / sizeof first;
}

bool elf_open(Str bytes, Elf *elf) {
    Elf64_Ehdr head;
    Elf64_Shdr header;
    uint64_t names;
    *elf = (Elf){.bytes = bytes};
    if (bytes.len < sizeof head || memcmp(bytes.ptr, ELFMAG, SELFMAG) != 0)
        return false;
    memcpy(&head, bytes.ptr, sizeof head);
    if (head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_shoff > bytes.len)
        return false;
    elf->table = head.e_shoff;
    elf->machine = head.e_machine;
    elf->flags = head.e_flags;
    elf->abi = head.e_ident[EI_ABIVERSION];
    if (!read_counts(elf, &head, &names))
        return false;
    return elf->count == 0 || (read_header(elf, names, &header) &&
                               read_content(elf, &header, &elf->names));
}

bool elf_section(const Elf *elf, uint64_t index, Str *name, Str *content) {
    Elf64_Shdr header;
    if (!read_header(elf, index, &header) || header.sh_name > elf->names.len)
        return false;
    *name = str_slice(elf->names, header.sh_name, elf->names.len);
    name->len = str_find(*name, '\0');
    return read_content(elf, &header, content);
}

bool fatbin_find_section(Str bytes, Str name, Str *content) {
    Elf elf;
    Str here;
    if (!elf_open(bytes, &elf))
        return false;
    for (uint64_t i = 0; i < elf.count; i++)
        if (elf_section(&elf, i, &here, content) && str_equal(here, name))
            return true;
    return false;
}
