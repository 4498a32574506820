// SPDX-License-Identifier: Apache-2.0
// fatbin/: which PTX of a fat binary is taken, its decompression, and the files
// that fat binaries are in, whole and cut.
#include "fatbin/fatbin.h"
#include "tests/unit/test.h"

#include <elf.h>
#include <string.h>

// ---- fat binaries --------------------------------------------------------

enum {
    PTX = 1,
    CODE = 2,
    LZ4 = 0x2000,
    ZSTD = 0x8000,
    ALONE = 0x100000,
    FAMILY = 0x200000,
};

typedef struct Made {
    char bytes[2048];
    size_t len;
} Made;

static void put(Made *made, size_t at, uint64_t value, size_t width) {
    for (size_t i = 0; i < width; i++)
        made->bytes[at + i] = (char)(value >> 8 * i);
}

static void begin(Made *made) {
    *made = (Made){.len = 16};
    put(made, 0, 0xba55ed50, 4);
    put(made, 4, 1, 2);
    put(made, 6, 16, 2);
}

// `size`: bytes after decompression.
static void add(Made *made, int kind, uint32_t arch, uint32_t flags, Str code,
                size_t size) {
    size_t at = made->len, padded = (code.len + 8) / 8 * 8;
    put(made, at, (uint64_t)kind, 2);
    put(made, at + 4, 64, 4);
    put(made, at + 8, padded, 8);
    put(made, at + 16, code.len, 4);
    put(made, at + 28, arch, 4);
    put(made, at + 40, flags, 8);
    put(made, at + 56, size, 8);
    memcpy(made->bytes + at + 64, code.ptr, code.len);
    made->len += 64 + padded;
    put(made, 8, made->len - 16, 8);
}

static FatbinEnd find(const Made *made, uint32_t most, const char *wanted) {
    Arena arena = {0};
    Str ptx;
    FatbinEnd end =
        fatbin_find_ptx(&arena, (Str){made->bytes, made->len}, most, &ptx);
    if (end == FATBIN_FOUND)
        CHECK_STR(ptx, wanted);
    arena_free(&arena);
    return end;
}

TEST(fatbin_chooses_the_newest_ptx_that_fits) {
    Made made;
    begin(&made);
    add(&made, CODE, 100, 0, STR("machine code"), 0);
    add(&made, PTX, 80, 0, STR("for 80"), 0);
    add(&made, PTX, 90, ALONE, STR("for 90a alone"), 0);
    add(&made, PTX, 100, ALONE, STR("for 100a"), 0);
    add(&made, PTX, 100, 0, STR("for 100"), 0);
    add(&made, PTX, 100, FAMILY, STR("for 100f"), 0);
    add(&made, PTX, 120, 0, STR("for 120"), 0);
    CHECK_U64(fatbin_size(made.bytes), made.len);
    CHECK_INT(find(&made, 100, "for 100a"), FATBIN_FOUND);
    CHECK_INT(find(&made, 103, "for 100f"), FATBIN_FOUND);
    CHECK_INT(find(&made, 119, "for 100"), FATBIN_FOUND);
    CHECK_INT(find(&made, 99, "for 80"), FATBIN_FOUND);
    CHECK_INT(find(&made, 120, "for 120"), FATBIN_FOUND);
    CHECK_INT(find(&made, 75, ""), FATBIN_NO_PTX);
}

TEST(fatbin_decompresses) {
    // "abcabcabcd": 3 literals, 6 bytes from 3 back, 1 literal.
    static const char lz4[] = {0x32, 'a', 'b', 'c', 3, 0, 0x10, 'd'};
    // One raw block in a frame of known size.
    static const char zstd[] = {0x28, (char)0xb5, 0x2f, (char)0xfd, 0x20,
                                5,    41,         0,    0,          'h',
                                'e',  'l',        'l',  'o'};
    Made made;
    begin(&made);
    add(&made, PTX, 50, LZ4, (Str){lz4, sizeof lz4}, 10);
    CHECK_INT(find(&made, 100, "abcabcabcd"), FATBIN_FOUND);
    add(&made, PTX, 60, ZSTD, (Str){zstd, sizeof zstd}, 5);
    FatbinEnd end = find(&made, 100, "hello");
    CHECK(end == FATBIN_FOUND || end == FATBIN_NO_ZSTD);
}

TEST(fatbin_lz4_stays_within_its_buffers) {
    static const char far[] = {0x10, 'a', 9, 0}, cut[] = {0x72, 'a'},
                      longer[] = {0x1f, 'a', 1, 0, (char)0xff};
    char out[8];
    CHECK(!fatbin_lz4((Str){far, sizeof far}, out, sizeof out));
    CHECK(!fatbin_lz4((Str){cut, sizeof cut}, out, sizeof out));
    CHECK(!fatbin_lz4((Str){longer, sizeof longer}, out, sizeof out));
    CHECK(!fatbin_lz4(STR(""), out, sizeof out));
    CHECK(fatbin_lz4(STR(""), out, 0));
}

TEST(fatbin_that_is_cut_is_damaged) {
    Arena arena = {0};
    Made made;
    Str ptx;
    begin(&made);
    add(&made, PTX, 100, 0, STR("text"), 0);
    for (size_t len = 0; len < made.len; len++)
        CHECK_INT(fatbin_find_ptx(&arena, (Str){made.bytes, len}, 100, &ptx),
                  FATBIN_DAMAGED);
    put(&made, 16 + 8, UINT64_MAX, 8); // of an entry
    CHECK_INT(find(&made, 100, ""), FATBIN_DAMAGED);
    put(&made, 0, 0, 4);
    CHECK_U64(fatbin_size(made.bytes), 0);
    CHECK_INT(find(&made, 100, ""), FATBIN_DAMAGED);
    arena_free(&arena);
}

// What is decompressed has a size that is believed only if it can be.
TEST(fatbin_refuses_bombs) {
    static const char few[] = {0x1f, 'a', 1, 0, (char)0xff, 0};
    Made made;
    begin(&made);
    add(&made, PTX, 100, LZ4, (Str){few, sizeof few}, 1 << 20);
    CHECK_INT(find(&made, 100, ""), FATBIN_DAMAGED);
    begin(&made);
    add(&made, PTX, 100, ZSTD, STR("?"), (size_t)FATBIN_MOST_PTX + 1);
    CHECK_INT(find(&made, 100, ""), FATBIN_TOO_LARGE);
}

TEST(fatbin_unpacks_within_its_room) {
    static const char lz4[] = {0x32, 'a', 'b', 'c', 3, 0, 0x10, 'd'};
    Arena arena = {0};
    Made made;
    Str ptx;
    FatbinImage image;
    uint64_t room = 15;
    begin(&made);
    add(&made, PTX, 50, LZ4, (Str){lz4, sizeof lz4}, 10);
    Str bytes = {made.bytes, made.len};
    CHECK_INT(fatbin_read(&arena, bytes, &image), FATBIN_FOUND);
    const FatbinEntry *best = fatbin_best(&image, 100);
    CHECK_INT(fatbin_unpack(&arena, best, &room, &ptx), FATBIN_FOUND);
    CHECK_U64(room, 5);
    CHECK_INT(fatbin_unpack(&arena, best, &room, &ptx), FATBIN_TOO_LARGE);
    arena_free(&arena);
}

// ---- files ---------------------------------------------------------------

static void append(Made *made, const void *bytes, size_t len) {
    memcpy(made->bytes + made->len, bytes, len);
    made->len += len;
}

// An ELF file with one section of that name besides its names.
static Made elf_with(uint16_t machine, const char *name, Str content) {
    Made made = {.len = sizeof(Elf64_Ehdr)};
    Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
                                   EV_CURRENT, 0x41, 8},
                       .e_machine = machine,
                       .e_flags = 0x6006402,
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = 3,
                       .e_shstrndx = 1};
    Elf64_Shdr sections[3] = {{0}};
    sections[1] = (Elf64_Shdr){
        .sh_type = SHT_STRTAB, .sh_offset = made.len, .sh_size = 33};
    append(&made, "", 1);
    append(&made, name, strlen(name));
    made.len = sizeof head + 40;
    sections[2] = (Elf64_Shdr){.sh_name = 1,
                               .sh_type = SHT_PROGBITS,
                               .sh_offset = made.len,
                               .sh_size = content.len};
    append(&made, content.ptr, content.len);
    made.len = (made.len + 7) / 8 * 8;
    head.e_shoff = made.len;
    append(&made, sections, sizeof sections);
    memcpy(made.bytes, &head, sizeof head);
    return made;
}

static Made one_ptx(Str text) {
    Made made;
    begin(&made);
    add(&made, PTX, 100, 0, text, 0);
    return made;
}

// "TEXT;" of each best PTX, with "+" before that of a part.
static FatbinEnd list(const Made *made, const char *wanted) {
    Arena arena = {0};
    FatbinFile file;
    Str all = {0}, ptx = {0};
    uint64_t room = FATBIN_MOST_PTX;
    FatbinEnd end =
        fatbin_read_file(&arena, (Str){made->bytes, made->len}, &file);
    for (size_t i = 0; i < file.count && end == FATBIN_FOUND; i++) {
        const FatbinEntry *best = fatbin_best(&file.images[i], 100);
        if (best)
            CHECK_INT(fatbin_unpack(&arena, best, &room, &ptx), FATBIN_FOUND);
        all = str_format(&arena, "%.*s%s%.*s;", STR_ARG(all),
                         file.images[i].is_part ? "+" : "",
                         STR_ARG(best ? ptx : STR("none")));
    }
    if (end == FATBIN_FOUND)
        CHECK_STR(all, wanted);
    arena_free(&arena);
    return end;
}

TEST(files_of_each_kind_are_read) {
    Made a = one_ptx(STR("one")), two = one_ptx(STR("two")), b = a;
    memset(b.bytes + b.len, 0, 8);
    b.len += 8;
    append(&b, two.bytes, two.len);
    Str both = {b.bytes, b.len};
    CHECK_INT(list(&a, "one;"), FATBIN_FOUND);
    CHECK_INT(list(&b, "one;two;"), FATBIN_FOUND);
    Made object = elf_with(EM_X86_64, ".nv_fatbin", both);
    CHECK_INT(list(&object, "one;two;"), FATBIN_FOUND);
    Str bytes = {object.bytes, object.len}, content;
    CHECK(fatbin_is_file(bytes) && fatbin_is_file(both));
    CHECK(fatbin_find_section(bytes, STR(".nv_fatbin"), &content));
    CHECK(str_equal(content, both));
    CHECK(!fatbin_find_section(bytes, STR(".nv_fat"), &content));
    CHECK(!fatbin_find_section(STR("text"), STR(".nv_fatbin"), &content));
    object = elf_with(EM_X86_64, "__nv_relfatbin", both);
    CHECK_INT(list(&object, "+one;+two;"), FATBIN_FOUND);
    object = elf_with(EM_X86_64, ".text", both);
    CHECK_INT(list(&object, ""), FATBIN_FOUND);
    Made text = {"// PTX", 6};
    CHECK_INT(list(&text, ""), FATBIN_DAMAGED);
    CHECK(!fatbin_is_file((Str){text.bytes, text.len}));
}

TEST(machine_code_has_ptx_if_a_debugger_wants_it) {
    Arena arena = {0};
    FatbinFile file;
    Made cubin = elf_with(190, ".nv_debug_ptx_txt", STR("a\0b\0"));
    CHECK_INT(list(&cubin, "a\nb\n;"), FATBIN_FOUND);
    cubin = elf_with(190, ".text", STR("code"));
    CHECK_INT(list(&cubin, "none;"), FATBIN_FOUND);
    Str bytes = {cubin.bytes, cubin.len};
    CHECK_INT(fatbin_read_file(&arena, bytes, &file), FATBIN_FOUND);
    CHECK_U64(file.images[0].entries[0].arch, 100);
    arena_free(&arena);
}

static void add_member(Made *made, const Made *member) {
    char head[61];
    snprintf(head, sizeof head, "%-16s%-32s%-10zu`\n", "m.o/", "0",
             member->len);
    append(made, head, 60);
    append(made, member->bytes, member->len);
    made->len += made->len % 2;
}

TEST(members_of_a_library_are_read) {
    Made a = one_ptx(STR("one")), text = {"odd", 3}, library = {"!<arch>\n", 8};
    Made object = elf_with(EM_X86_64, ".nv_fatbin", (Str){a.bytes, a.len});
    add_member(&library, &text);
    add_member(&library, &object);
    add_member(&library, &object);
    CHECK_INT(list(&library, "one;one;"), FATBIN_FOUND);
    library.bytes[8 + 48] = '9'; // bytes of the first member
    CHECK_INT(list(&library, ""), FATBIN_DAMAGED);
    library.bytes[8 + 48] = '-';
    CHECK_INT(list(&library, ""), FATBIN_DAMAGED);
}

TEST(a_file_that_is_cut_is_damaged_or_has_less) {
    Made a = one_ptx(STR("one"));
    Made object = elf_with(EM_X86_64, ".nv_fatbin", (Str){a.bytes, a.len});
    size_t whole = object.len;
    for (object.len = 0; object.len < whole; object.len++)
        CHECK_INT(list(&object, ""), FATBIN_DAMAGED);
    object.len = whole;
    put(&object, 40, UINT64_MAX - 8, 8); // where the sections are
    CHECK_INT(list(&object, ""), FATBIN_DAMAGED);
    put(&object, 40, 8, 8);
    list(&object, "");
}

// Sections that are all the same bytes cost no more than the file once.
TEST(a_file_that_lists_its_bytes_often_is_damaged) {
    Made a = one_ptx(STR("one"));
    Made object = elf_with(EM_X86_64, ".nv_fatbin", (Str){a.bytes, a.len});
    uint64_t table = (uint64_t)(object.len - 3 * sizeof(Elf64_Shdr));
    for (int i = 0; i < 8; i++)
        append(&object, object.bytes + table + 2 * sizeof(Elf64_Shdr),
               sizeof(Elf64_Shdr));
    put(&object, 60, 11, 2);
    CHECK_INT(list(&object, "one;one;one;one;one;one;one;one;one;"),
              FATBIN_FOUND);
    for (int i = 0; i < 9; i++) { // each is nearly all of the file
        size_t at = (size_t)table + (2 + (size_t)i) * sizeof(Elf64_Shdr);
        put(&object, at + 24, 0, 8);
        put(&object, at + 32, object.len, 8);
    }
    CHECK_INT(list(&object, ""), FATBIN_DAMAGED);
}

TEST_MAIN(TESTCASE(fatbin_chooses_the_newest_ptx_that_fits),
          TESTCASE(fatbin_decompresses),
          TESTCASE(fatbin_lz4_stays_within_its_buffers),
          TESTCASE(fatbin_that_is_cut_is_damaged),
          TESTCASE(fatbin_refuses_bombs),
          TESTCASE(fatbin_unpacks_within_its_room),
          TESTCASE(files_of_each_kind_are_read),
          TESTCASE(machine_code_has_ptx_if_a_debugger_wants_it),
          TESTCASE(members_of_a_library_are_read),
          TESTCASE(a_file_that_is_cut_is_damaged_or_has_less),
          TESTCASE(a_file_that_lists_its_bytes_often_is_damaged))
