// SPDX-License-Identifier: Apache-2.0
// Mutations of PTX text whose results mostly still parse, so that fuzzing gets
// past the parser: statements are repeated, dropped and moved; opcodes,
// suffixes, registers and numbers are replaced by others of their kind. Start
// with fuzz_mutate, at the end. A text that is not PTX is not changed, as
// libFuzzer's own mutations take care of it.
#ifndef CLCLAB_TESTS_FUZZ_MUTATE_H
#define CLCLAB_TESTS_FUZZ_MUTATE_H

#include "ptx/ptx.h"
#include "vm/code/support.h"

#include <stdio.h>
#include <string.h>

typedef struct Mutation {
    Buf text;
    Rng rng;
} Mutation;

typedef struct Piece { // bytes [from, to) of the text
    size_t from, to;
} Piece;

typedef enum WordKind {
    MUTATE_NO_WORD,
    MUTATE_NAME,     // mov.u32, a symbol, a label
    MUTATE_REGISTER, // %r1
    MUTATE_NUMBER,
} WordKind;

// ---- finding a place -----------------------------------------------------

static inline bool mutate_in_word(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '$' ||
           byte == '%' || byte == '.';
}

static inline WordKind mutate_word_kind(char first) {
    if (first == '%')
        return MUTATE_REGISTER;
    if (first >= '0' && first <= '9')
        return MUTATE_NUMBER;
    return mutate_in_word(first) && first != '.' ? MUTATE_NAME : MUTATE_NO_WORD;
}

// Finds the next word at or after *at ("::" is part of a word); false if there
// is none.
static inline bool mutate_next_word(Str text, size_t *at, Piece *word) {
    while (*at < text.len && !mutate_in_word(text.ptr[*at]))
        ++*at;
    word->from = *at;
    while (*at < text.len) {
        bool colons = *at + 2 < text.len && text.ptr[*at] == ':' &&
                      text.ptr[*at + 1] == ':';
        if (!colons && !mutate_in_word(text.ptr[*at]))
            break;
        *at += colons ? 2 : 1;
    }
    word->to = *at;
    return word->from < word->to;
}

// A random word of this kind in `within`.
static inline bool mutate_find_word(Mutation *m, Piece within, WordKind kind,
                                    Piece *found) {
    Str text = str_slice(buf_view(&m->text), 0, within.to);
    Piece word;
    uint64_t count = 0;
    for (size_t at = within.from; mutate_next_word(text, &at, &word);)
        if (mutate_word_kind(text.ptr[word.from]) == kind &&
            rng_below(&m->rng, ++count) == 0)
            *found = word;
    return count > 0;
}

// The text between the ends of two statements, without leading blanks, comments
// and labels.
static inline Piece mutate_trim(Str text, Piece piece) {
    for (;;) {
        while (piece.from < piece.to && strchr(" \t\r\n", text.ptr[piece.from]))
            piece.from++;
        Str rest = str_slice(text, piece.from, piece.to);
        size_t line = str_find(rest, '\n');
        bool comment = str_starts(rest, STR("//"));
        bool label = line && rest.len > line && rest.ptr[line - 1] == ':';
        if (!comment && !label)
            return piece;
        piece.from += line;
    }
}

// A random statement, with its ';'.
static inline bool mutate_find_statement(Mutation *m, Piece *found) {
    Str text = buf_view(&m->text);
    uint64_t count = 0;
    size_t from = 0;
    for (size_t at = 0; at < text.len; at++) {
        char byte = text.ptr[at];
        if (byte == ';' && rng_below(&m->rng, ++count) == 0)
            *found = mutate_trim(text, (Piece){from, at + 1});
        if (byte == ';' || byte == '{' || byte == '}')
            from = at + 1;
    }
    return count > 0 && found->from < found->to;
}

// A statement's opcode with its suffixes; false if it has none.
static inline bool mutate_opcode(Str text, Piece statement, Piece *word) {
    size_t at = statement.from;
    Str whole = str_slice(text, 0, statement.to);
    if (text.ptr[at] == '@' && !mutate_next_word(whole, &at, word))
        return false;
    return mutate_next_word(whole, &at, word) &&
           mutate_word_kind(text.ptr[word->from]) == MUTATE_NAME;
}

// A random suffix of the word, with its dot; false if it has none.
static inline bool mutate_find_suffix(Mutation *m, Piece word, Piece *found) {
    const char *text = m->text.ptr;
    uint64_t count = 0;
    for (size_t at = word.from; at < word.to; at++) {
        if (text[at] != '.' || rng_below(&m->rng, ++count) != 0)
            continue;
        size_t to = at + 1;
        while (to < word.to && text[to] != '.')
            to++;
        *found = (Piece){at, to};
    }
    return count > 0;
}

// ---- changing it ---------------------------------------------------------

static inline void mutate_replace(Mutation *m, Piece old, Str with) {
    Buf out = {0};
    Str text = buf_view(&m->text);
    buf_str(&out, str_slice(text, 0, old.from));
    buf_str(&out, with); // may be a part of the old text
    buf_str(&out, str_slice(text, old.to, text.len));
    buf_free(&m->text);
    m->text = out;
}

static inline Str mutate_part(const Mutation *m, Piece piece) {
    return str_slice(buf_view(&m->text), piece.from, piece.to);
}

static inline Piece mutate_all(const Mutation *m) {
    return (Piece){0, m->text.len};
}

static inline bool mutate_repeat_statement(Mutation *m) {
    Piece from = {0}, to = {0};
    if (!mutate_find_statement(m, &from) || !mutate_find_statement(m, &to))
        return false;
    mutate_replace(m, (Piece){to.from, to.from}, mutate_part(m, from));
    return true;
}

static inline bool mutate_drop_statement(Mutation *m) {
    Piece piece = {0};
    if (!mutate_find_statement(m, &piece))
        return false;
    mutate_replace(m, piece, STR(""));
    return true;
}

static inline bool mutate_overwrite_statement(Mutation *m) {
    Piece from = {0}, to = {0};
    if (!mutate_find_statement(m, &from) || !mutate_find_statement(m, &to))
        return false;
    mutate_replace(m, to, mutate_part(m, from));
    return true;
}

// Operands of a statement: commas outside of any bracket, and one.
static inline uint32_t mutate_operands(Str text, Piece word, Piece statement) {
    uint32_t count = 0;
    int depth = 0;
    bool any = false;
    for (size_t at = word.to; at < statement.to; at++) {
        char byte = text.ptr[at];
        depth += byte == '[' || byte == '{' || byte == '(';
        depth -= byte == ']' || byte == '}' || byte == ')';
        count += byte == ',' && depth == 0;
        any = any || !strchr(" \t\r\n;", byte);
    }
    return any ? count + 1 : 0;
}

typedef struct MutateOp {
    const char *name;
    uint32_t min, max; // operands
} MutateOp;

// An opcode that takes this number of operands; mostly one that the virtual
// machine has.
static inline Str mutate_random_op(Mutation *m, uint32_t operands) {
    static const MutateOp ops[] = {
#define OP(id, name, dsts, least, most, sink, types, operands, traits, \
           sentence)                                                   \
    {name, least, most},
        PTX_OPCODES(OP)
#undef OP
    };
    static const VmSupport support[] = {
#define SUPPORT(id, family, kind, status, note) VM_SUPPORT_##status,
        VM_INSTRUCTIONS(SUPPORT)
#undef SUPPORT
    };
    size_t op = 0;
    for (int tries = 0; tries < 50; tries++) {
        op = rng_below(&m->rng, COUNT_OF(ops));
        if (ops[op].min <= operands && operands <= ops[op].max &&
            (support[op] == VM_SUPPORT_DONE || tries >= 40))
            break;
    }
    return str_from(ops[op].name);
}

static inline bool mutate_change_op(Mutation *m) {
    Piece statement = {0}, word = {0};
    if (!mutate_find_statement(m, &statement) ||
        !mutate_opcode(buf_view(&m->text), statement, &word))
        return false;
    Str text = buf_view(&m->text);
    Str name = mutate_random_op(m, mutate_operands(text, word, statement));
    Str old = mutate_part(m, word);
    word.to = word.from + str_find(old, '.'); // its suffixes stay
    mutate_replace(m, word, name);
    return true;
}

static inline Str mutate_random_suffix(Mutation *m) {
    static const char *const types[] = {
#define TYPE(id, name, bytes) name,
        PTX_TYPES(TYPE)
#undef TYPE
    };
    static const char *const mods[] = {
#define MOD(id, name) name,
        PTX_MODS(MOD)
#undef MOD
    };
    bool is_type = rng_below(&m->rng, 2) == 0;
    return str_from(is_type ? types[rng_below(&m->rng, COUNT_OF(types))]
                            : mods[rng_below(&m->rng, COUNT_OF(mods))]);
}

// Changes, removes or adds a suffix. The new suffix is that of another
// instruction of the text, or any suffix.
static inline bool mutate_change_suffix(Mutation *m) {
    Piece statement, word, suffix = {0}, other = {0};
    if (!mutate_find_statement(m, &statement) ||
        !mutate_opcode(buf_view(&m->text), statement, &word) ||
        !mutate_find_suffix(m, word, &suffix))
        return false;
    char with[64] = "";
    uint64_t how = rng_below(&m->rng, 8);
    if (how == 0)
        suffix.from = suffix.to; // one more
    if (how == 1) {
        mutate_replace(m, suffix, STR(""));
        return true;
    }
    Str name = mutate_random_suffix(m);
    if (how < 5 && mutate_find_statement(m, &statement) &&
        mutate_opcode(buf_view(&m->text), statement, &word) &&
        mutate_find_suffix(m, word, &other))
        name = mutate_part(m, (Piece){other.from + 1, other.to});
    int len = snprintf(with, sizeof with, ".%.*s",
                       (int)(name.len < 50 ? name.len : 50), name.ptr);
    mutate_replace(m, suffix, (Str){with, (size_t)len});
    return true;
}

// Replaces a register by another one, mostly with the same letter.
static inline bool mutate_change_register(Mutation *m) {
    Piece from = {0}, to = {0};
    for (int tries = 0; tries < 4; tries++) {
        if (!mutate_find_word(m, mutate_all(m), MUTATE_REGISTER, &from) ||
            !mutate_find_word(m, mutate_all(m), MUTATE_REGISTER, &to))
            return false;
        if (to.to - to.from > 1 && from.to - from.from > 1 &&
            m->text.ptr[from.from + 1] == m->text.ptr[to.from + 1])
            break;
    }
    mutate_replace(m, to, mutate_part(m, from));
    return true;
}

// Numbers round which programs change their ways.
static const char *const MUTATE_NUMBERS[] = {
    "0",
    "1",
    "2",
    "3",
    "4",
    "7",
    "8",
    "15",
    "16",
    "17",
    "31",
    "32",
    "33",
    "63",
    "64",
    "65",
    "127",
    "128",
    "255",
    "256",
    "1023",
    "1024",
    "1025",
    "4095",
    "65535",
    "65536",
    "0x7FFFFFFF",
    "0x80000000",
    "0xFFFFFFFF",
    "0x100000000",
    "0xFFFFFF",
    "0x1000000",
    "0x2000400",
    "-1",
    "-16",
    "-2147483648",
    "0f7FC00000",
    "0f00000001",
    "0f7F800000",
    "0f80000000",
    "0f4F000000",
    "0d7FF0000000000000",
    "1048576",
    "1099511627776",
    "0x7FFFFFFFFFFFFFFF",
    "0x8000000000000000",
    "0xFFFFFFFFFFFFFFFF",
    "0x7FFF010000000400",
};

static inline bool mutate_change_number(Mutation *m) {
    Piece number = {0}, statement = {0};
    // Numbers of .loc decide nothing: rather one of an instruction.
    for (int tries = 0; tries < 4; tries++) {
        if (!mutate_find_statement(m, &statement) ||
            !mutate_find_word(m, statement, MUTATE_NUMBER, &number))
            continue;
        size_t choice = rng_below(&m->rng, COUNT_OF(MUTATE_NUMBERS));
        mutate_replace(m, number, str_from(MUTATE_NUMBERS[choice]));
        return true;
    }
    return false;
}

// One name for another: symbols, labels, whole opcodes with their suffixes.
static inline bool mutate_change_name(Mutation *m) {
    Piece from = {0}, to = {0}, statement = {0};
    if (!mutate_find_statement(m, &statement) ||
        !mutate_find_word(m, statement, MUTATE_NAME, &to) ||
        !mutate_find_statement(m, &statement) ||
        !mutate_find_word(m, statement, MUTATE_NAME, &from))
        return false;
    mutate_replace(m, to, mutate_part(m, from));
    return true;
}

static inline bool mutate_change_guard(Mutation *m) {
    static const char *const guards[] = {"@%p1 ", "@!%p1 ", "@%p2 ", "@!%p2 "};
    Piece statement = {0}, word = {0};
    if (!mutate_find_statement(m, &statement))
        return false;
    Piece old = {statement.from, statement.from};
    if (m->text.ptr[old.from] == '@' &&
        mutate_next_word(buf_view(&m->text), &old.to, &word)) {
        mutate_replace(m, old, STR(""));
        return true;
    }
    mutate_replace(m, old, str_from(guards[rng_below(&m->rng, 4)]));
    return true;
}

// Another launch: the virtual machine's target hashes the first line.
static inline bool mutate_change_launch(Mutation *m) {
    char line[32];
    size_t len = (size_t)snprintf(line, sizeof line, "// %u\n",
                                  (unsigned)rng_below(&m->rng, 10000));
    Str text = buf_view(&m->text), first = str_line(text, 1);
    bool comment = str_starts(first, STR("//")) && first.len < text.len;
    mutate_replace(m, (Piece){0, comment ? first.len + 1 : 0},
                   (Str){line, len});
    return true;
}

static inline bool mutate_once(Mutation *m) {
    typedef bool Change(Mutation * m);
    static Change *const changes[] = {
        mutate_repeat_statement,    mutate_drop_statement,
        mutate_overwrite_statement, mutate_change_op,
        mutate_change_suffix,       mutate_change_suffix,
        mutate_change_register,     mutate_change_register,
        mutate_change_number,       mutate_change_number,
        mutate_change_name,         mutate_change_guard,
    };
    if (rng_below(&m->rng, 12) == 0)
        return mutate_change_launch(m);
    return changes[rng_below(&m->rng, COUNT_OF(changes))](m);
}

// What the fuzzer calls: ------------------------------------------------------

static inline size_t mutate_store(Mutation *m, size_t size, uint8_t *to,
                                  size_t max) {
    if (m->text.len && m->text.len <= max) {
        memcpy(to, m->text.ptr, m->text.len);
        size = m->text.len;
    }
    buf_free(&m->text);
    return size;
}

// Changes the `size` bytes at `data` in place, by one to four mutations that
// `seed` decides. They grow to `max` bytes at most. Returns their new number.
static inline size_t fuzz_mutate(uint8_t *data, size_t size, size_t max,
                                 unsigned seed) {
    Mutation m = {.rng = {seed}};
    buf_bytes(&m.text, data, size);
    for (uint64_t left = 1 + rng_below(&m.rng, 4); left; left--)
        mutate_once(&m);
    return mutate_store(&m, size, data, max);
}

// Writes `a` with some statements of `b` among its own; how many bytes.
static inline size_t fuzz_cross(Str a, Str b, uint8_t *out, size_t max,
                                unsigned seed) {
    Mutation into = {.rng = {seed}}, from = {.rng = {seed + 1u}};
    Piece to = {0}, piece = {0};
    buf_str(&into.text, a);
    buf_str(&from.text, b);
    for (uint64_t left = 1 + rng_below(&into.rng, 4); left; left--)
        if (mutate_find_statement(&into, &to) &&
            mutate_find_statement(&from, &piece))
            mutate_replace(&into, (Piece){to.from, to.from},
                           mutate_part(&from, piece));
    buf_free(&from.text);
    return mutate_store(&into, 0, out, max);
}

#endif
