// SPDX-License-Identifier: Apache-2.0
// Inline asm in the PTX that a compiler made. Compilers copy it without reading
// it, between two comments:
//
//   // begin inline asm
//   mbarrier.init.shared::cta.b64 [%r10], 1;
//   // end inline asm
//
// The form of a statement is its text with each register replaced by its class
// and each number by #: "mbarrier.init.shared::cta.b64 [%r], #". The class of a
// register that the asm declares is that of the compiler's registers of that
// type, or the type, "<u32>". Guards and what is added to an address are left
// out. Two statements of the same form are accepted or rejected alike, so those
// that the assembler is known to accept (known_asm.txt) need not be shown to
// it.
#include "compile/internal.h"

#include <string.h>

enum { NAMES_MOST = 64, FORM_BYTES = 512 };

// A register that the asm declares.
typedef struct Declared {
    Str name;
    bool is_range; // p<4>: p0 to p3
    Str type;      // "pred"
} Declared;

typedef struct Reader {
    Str rest; // of the text
    Declared names[NAMES_MOST];
    size_t count;
    size_t blocks[16]; // by the braces that are open: what count was before
    size_t depth;
    char form[FORM_BYTES];
    size_t len;
    bool keeps_numbers;
    bool is_odd; // something here is not understood
} Reader;

// ---- tokens --------------------------------------------------------------

static bool is_word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '.' ||
           c == '%';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void skip_to(Reader *r, size_t at) {
    r->rest = str_slice(r->rest, at, r->rest.len);
}

// Blanks, comments, and the lines that say where the code is from.
static void skip_blanks(Reader *r) {
    for (;;) {
        r->rest = str_trim(r->rest);
        if (str_starts(r->rest, STR("//")) || str_starts(r->rest, STR(".loc")))
            skip_to(r, str_find(r->rest, '\n'));
        else if (str_starts(r->rest, STR("/*"))) {
            const char *end = memmem(r->rest.ptr, r->rest.len, "*/", 2);
            skip_to(r, end ? (size_t)(end - r->rest.ptr) + 2 : r->rest.len);
        } else
            return;
    }
}

// A word with its suffixes ("ld.shared::cta.b32"), a number, or one byte.
// Empty at the end.
static Str next_token(Reader *r) {
    skip_blanks(r);
    size_t len = 0;
    while (len < r->rest.len) {
        bool joins =
            len && str_starts(str_slice(r->rest, len, r->rest.len), STR("::"));
        if (!joins && !is_word_byte(r->rest.ptr[len]))
            break;
        len += joins ? 2 : 1;
    }
    len = len ? len : r->rest.len > 0;
    Str token = str_slice(r->rest, 0, len);
    skip_to(r, len);
    return token;
}

static Str peek_token(const Reader *r) {
    Reader ahead = *r;
    return next_token(&ahead);
}

static bool is_byte(Str token, char c) {
    return token.len == 1 && token.ptr[0] == c;
}

static bool takes(Reader *r, char c) {
    bool found = is_byte(peek_token(r), c);
    if (found)
        next_token(r);
    return found;
}

// ---- declarations --------------------------------------------------------

static void declare(Reader *r, Str name, Str type) {
    bool is_range = takes(r, '<');
    if (is_range) {
        next_token(r);
        r->is_odd |= !takes(r, '>');
    }
    if (r->count == NAMES_MOST)
        r->is_odd = true;
    else
        r->names[r->count++] = (Declared){name, is_range, type};
}

// .reg type name {, name};
static void read_declaration(Reader *r) {
    Str type = next_token(r);
    r->is_odd |= type.len < 2 || type.ptr[0] != '.';
    type = str_slice(type, 1, type.len);
    do
        declare(r, next_token(r), type);
    while (takes(r, ','));
    r->is_odd |= !takes(r, ';');
}

static bool is_number(Str text) {
    for (size_t i = 0; i < text.len; i++)
        if (!is_digit(text.ptr[i]))
            return false;
    return text.len > 0;
}

static const Declared *find_declared(const Reader *r, Str name) {
    for (size_t i = r->count; i-- > 0;) {
        const Declared *d = &r->names[i];
        if (d->is_range ? str_starts(name, d->name) &&
                              is_number(str_slice(name, d->name.len, name.len))
                        : str_equal(name, d->name))
            return d;
    }
    return NULL;
}

// ---- forms ---------------------------------------------------------------

static void put(Reader *r, Str text) {
    if (r->len + text.len > FORM_BYTES) {
        r->is_odd = true;
        return;
    }
    memcpy(r->form + r->len, text.ptr, text.len);
    r->len += text.len;
}

// The letters of a compiler's register: "%rd" of "%rd12". Empty: it is none.
static Str class_of(Str word) {
    size_t at = 1;
    while (at < word.len && word.ptr[at] >= 'a' && word.ptr[at] <= 'z')
        at++;
    bool is_register = word.ptr[0] == '%' && at > 1 && at < 5 &&
                       is_number(str_slice(word, at, word.len));
    return is_register ? str_slice(word, 0, at) : (Str){0};
}

// Numbers of 32 bits, so that one stands for all; larger ones stay as they are.
static bool is_small(Str text) {
    uint64_t value = 0;
    if (str_starts(text, STR("0f")) || str_starts(text, STR("0F")))
        return text.len == 10;
    if (str_starts(text, STR("0x")) || str_starts(text, STR("0X")))
        return text.len <= 10;
    return str_to_u64(text, &value) && value <= UINT32_MAX;
}

static void put_number(Reader *r, Str text) {
    bool is_float = text.len > 1 && (text.ptr[1] | 32) == 'f';
    put(r, r->keeps_numbers || !is_small(text) ? text
           : is_float                          ? STR("#f")
                                               : STR("#"));
}

static void put_declared(Reader *r, Str type) {
    static const char *const alike[][2] = {
        {"pred", "%p"},  {"b16", "%rs"}, {"b32", "%r"},  {"b64", "%rd"},
        {"b128", "%rq"}, {"f32", "%f"},  {"f64", "%fd"},
    };
    for (size_t i = 0; i < COUNT_OF(alike); i++)
        if (str_equal(type, str_from(alike[i][0]))) {
            put(r, str_from(alike[i][1]));
            return;
        }
    put(r, STR("<"));
    put(r, type);
    put(r, STR(">"));
}

static void put_operand(Reader *r, Str token) {
    char first = token.ptr[0];
    const Declared *declared = find_declared(r, token);
    Str letters = class_of(token);
    if (declared)
        put_declared(r, declared->type);
    else if (letters.len)
        put(r, letters);
    else if (is_digit(first))
        put_number(r, token);
    else
        put(r, token);
}

// The operands up to the ';'. A negative number is a number; labels are alike.
static void read_operands(Reader *r, bool is_branch) {
    for (;;) {
        Str token = next_token(r);
        if (token.len == 0 || is_byte(token, ';')) {
            r->is_odd |= token.len == 0;
            return;
        }
        Str after = peek_token(r);
        bool negative = is_byte(token, '-') && after.len &&
                        is_digit(after.ptr[0]) && !r->keeps_numbers;
        if (negative)
            continue;
        if (is_byte(token, '+') && !r->keeps_numbers && is_small(after)) {
            next_token(r);
            continue;
        }
        if (is_branch && is_word_byte(token.ptr[0]))
            put(r, STR("LABEL"));
        else
            put_operand(r, token);
        if (is_byte(token, ','))
            put(r, STR(" "));
    }
}

// [@[!]p] opcode operands ;
static void read_instruction(Reader *r, Str token) {
    if (is_byte(token, '@')) {
        takes(r, '!');
        const Declared *guard = find_declared(r, peek_token(r));
        Str letters = class_of(next_token(r));
        r->is_odd |= guard ? !str_equal(guard->type, STR("pred"))
                           : !str_equal(letters, STR("%p"));
        token = next_token(r);
    }
    put(r, token);
    if (!is_byte(peek_token(r), ';'))
        put(r, STR(" "));
    read_operands(r, str_equal(token, STR("bra")) ||
                         str_equal(token, STR("bra.uni")));
}

static void open_block(Reader *r) {
    if (r->depth < COUNT_OF(r->blocks))
        r->blocks[r->depth] = r->count;
    else
        r->is_odd = true;
    r->depth++;
}

static void close_block(Reader *r) {
    if (r->depth == 0 || r->depth > COUNT_OF(r->blocks)) {
        r->is_odd = true;
        return;
    }
    r->count = r->blocks[--r->depth];
}

// Reads on to the end of the next statement that has a form. False: there is
// none.
static bool read_statement(Reader *r) {
    r->len = 0;
    for (;;) {
        Str token = next_token(r);
        if (token.len == 0)
            return false;
        if (is_byte(token, '{'))
            open_block(r);
        else if (is_byte(token, '}'))
            close_block(r);
        else if (str_equal(token, STR(".reg")))
            read_declaration(r);
        else if (!is_byte(token, ';') && !takes(r, ':')) {
            read_instruction(r, token);
            return true;
        }
    }
}

// ---- the whole -----------------------------------------------------------

AsmPieces asm_pieces(Str ptx) {
    return (AsmPieces){.text = ptx};
}

bool asm_next(AsmPieces *pieces, Str *piece) {
    Str rest = str_slice(pieces->text, pieces->at, pieces->text.len);
    if (rest.len == 0)
        return false;
    const char *begin =
        memmem(rest.ptr, rest.len, ASM_BEGINS, sizeof ASM_BEGINS - 1);
    if (!begin)
        return false;
    size_t from = (size_t)(begin - rest.ptr) + sizeof ASM_BEGINS - 1;
    rest = str_slice(rest, from, rest.len);
    const char *end = memmem(rest.ptr, rest.len, ASM_ENDS, sizeof ASM_ENDS - 1);
    size_t len = end ? (size_t)(end - rest.ptr) : rest.len;
    *piece = str_slice(rest, 0, len);
    pieces->at += from + len;
    return true;
}

static bool is_known(const char *const *known, size_t count, Str form) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        Str at = str_from(known[middle]);
        size_t both = at.len < form.len ? at.len : form.len;
        int order = memcmp(at.ptr, form.ptr, both);
        if (order == 0 && at.len == form.len)
            return true;
        if (order < 0 || (order == 0 && at.len < form.len))
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

// Reads the statement at r->rest as a form, with numbers or without.
static bool read_form(Reader *r, bool keeps_numbers) {
    r->keeps_numbers = keeps_numbers;
    return read_statement(r);
}

bool asm_is_known(Str ptx, const char *const *known, size_t count) {
    AsmPieces pieces = asm_pieces(ptx);
    Reader r = {0};
    Str piece;
    while (asm_next(&pieces, &piece)) {
        r.rest = piece;
        for (;;) {
            Reader before = r;
            if (!read_form(&r, false))
                break;
            if (!r.is_odd && is_known(known, count, (Str){r.form, r.len}))
                continue;
            r = before;
            read_form(&r, true);
            if (r.is_odd || !is_known(known, count, (Str){r.form, r.len}))
                return false;
        }
    }
    return !r.is_odd;
}

void asm_print_forms(Str ptx, bool keeps_numbers, Buf *out) {
    AsmPieces pieces = asm_pieces(ptx);
    Reader r = {0};
    Str piece;
    while (asm_next(&pieces, &piece)) {
        for (r.rest = piece; read_form(&r, keeps_numbers);)
            if (!r.is_odd)
                buf_printf(out, "%.*s\n", (int)r.len, r.form);
    }
}
