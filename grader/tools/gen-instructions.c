// SPDX-License-Identifier: Apache-2.0
// Prints docs/instructions.md: which PTX instructions the virtual machine has.
// It is made only from two tables: ptx/instructions.h (names, sentences, the
// manual's chapters) and vm/code/support.h (what is supported). No arguments.
#include "base/base.h"
#include "ptx/opcodes.h"
#include "vm/code/support.h"

#include <stdio.h>

typedef struct Row {
    const char *name, *sentence;
} Row;

typedef struct Support {
    VmSupport status;
    const char *note;
} Support;

typedef struct Chapter {
    const char *title, *sections; // of the PTX ISA
    size_t count;                 // of its rows
} Chapter;

typedef struct Counts {
    unsigned of[VM_SUPPORT_COUNT];
} Counts;

static const Row rows[] = {
#define ROW(id, name, dsts, least, most, sink, types, operands, traits, \
            sentence)                                                   \
    {name, sentence},
    PTX_OPCODES(ROW)
#undef ROW
};

// Both tables have their rows in the same order, which support.h ensures.
static const Support support[] = {
#define ROW(id, family, kind, status, note) {VM_SUPPORT_##status, note},
    VM_INSTRUCTIONS(ROW)
#undef ROW
};

_Static_assert(COUNT_OF(rows) == COUNT_OF(support), "one row per opcode");

#define ONE(id, ...) +1
static const Chapter chapters[] = {
    {"Arithmetic and logic", "9.7.1 to 9.7.8", PTX_OPCODES_MATH(ONE)},
    {"Moves, conversions and memory", "9.7.9", PTX_OPCODES_MEMORY(ONE)},
    {"Asynchronous copies", "9.7.9.25", PTX_OPCODES_COPY(ONE)},
    {"Control flow", "9.7.12", PTX_OPCODES_CONTROL(ONE)},
    {"Barriers, fences, atomics, votes", "9.7.13", PTX_OPCODES_SYNC(ONE)},
    {"mbarrier", "9.7.13.15", PTX_OPCODES_MBARRIER(ONE)},
    {"Cluster launch control", "9.7.13.17", PTX_OPCODES_CLC(ONE)},
    {"Matrices", "9.7.14 to 9.7.16", PTX_OPCODES_MATRIX(ONE)},
    {"Textures and surfaces", "9.7.10 and 9.7.11", PTX_OPCODES_TEXTURE(ONE)},
    {"Video, stack and the rest", "9.7.17 to 9.7.19", PTX_OPCODES_MISC(ONE)},
};
#undef ONE

static const char *status_name(VmSupport status) {
    switch (status) {
    case VM_SUPPORT_DONE:
        return "done";
    case VM_SUPPORT_PARTLY:
        return "partly";
    case VM_SUPPORT_OUTSIDE:
        return "out of scope";
    case VM_SUPPORT_COUNT:
        break;
    }
    return "";
}

static Counts count_rows(size_t from, size_t to) {
    Counts counts = {0};
    for (size_t i = from; i < to; i++)
        counts.of[support[i].status]++;
    return counts;
}

static void print_counts(const char *name, size_t from, size_t to) {
    Counts counts = count_rows(from, to);
    printf("| %s | %zu | %u | %u | %u |\n", name, to - from,
           counts.of[VM_SUPPORT_DONE], counts.of[VM_SUPPORT_PARTLY],
           counts.of[VM_SUPPORT_OUTSIDE]);
}

// Prints a cell of a table, with bars escaped, as they would end the cell.
static void print_cell(const char *text) {
    for (; *text; text++) {
        if (*text == '|')
            putchar('\\');
        putchar(*text);
    }
}

static void print_row(const Row *row, const Support *s) {
    printf("| `%s` | ", row->name);
    print_cell(row->sentence);
    printf(" | %s", status_name(s->status));
    if (s->note[0]) {
        printf(s->status == VM_SUPPORT_PARTLY ? " (missing: " : " (");
        print_cell(s->note);
        putchar(')');
    }
    printf(" |\n");
}

static void print_opening(void) {
    printf("<!-- Made by `make instructions`: do not edit. -->\n\n"
           "# PTX instructions in the virtual machine\n\n"
           "Each row is an instruction of the PTX ISA.\n\n"
           "- **done**: every form that ptxas accepts.\n"
           "- **partly**: all but what the row names as missing.\n"
           "- **out of scope**: not a purpose of this machine; the row says "
           "why.\n\n"
           "A form that is missing is reported as UNSUPPORTED, with its line, "
           "when a kernel\nreaches it; it is never guessed at.\n\n"
           "| chapter | instructions | done | partly | out of scope |\n"
           "|---|--:|--:|--:|--:|\n");
}

static void print_summary(void) {
    size_t from = 0;
    for (size_t i = 0; i < COUNT_OF(chapters); i++) {
        print_counts(chapters[i].title, from, from + chapters[i].count);
        from += chapters[i].count;
    }
    print_counts("**all**", 0, COUNT_OF(rows));
}

int main(void) {
    print_opening();
    print_summary();
    size_t at = 0;
    for (size_t i = 0; i < COUNT_OF(chapters); i++) {
        printf("\n## %s\n\nPTX ISA %s.\n\n| instruction | what it does | "
               "status |\n|---|---|---|\n",
               chapters[i].title, chapters[i].sections);
        for (size_t k = 0; k < chapters[i].count; k++, at++)
            print_row(&rows[at], &support[at]);
    }
    return fflush(stdout) != 0;
}
