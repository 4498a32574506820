// SPDX-License-Identifier: Apache-2.0
// Forms of inline asm (compile/asm.c), for grader/tools/known-asm.
//
//   asm-forms [--numbers] FILE...   the forms in sources of CUDA C++, and in
//   PTX
//                                   that a compiler made; with their numbers
//   asm-forms --module N [stop]     forms on standard input -> a module of PTX,
//                                   with N in place of each #. Each form has a
//                                   line, from line 4 on, and is a kernel
//                                   line_N of its own. stop: a line after them
//                                   is wrong, so that no code is made
//   asm-forms --expand              patterns on standard input -> forms: (a|b)
//                                   is a or b, ~ is |; "# " begins a comment
//
// Of a source, asm whose text is not written out (made by macros) is left out.
#include "compile/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE_MOST = 16 << 20, OPERANDS_MOST = 64 };

// ---- sources -------------------------------------------------------------

typedef struct Source {
    Str text;
    size_t at;
} Source;

static char here(const Source *s) {
    return s->at < s->text.len ? s->text.ptr[s->at] : 0;
}

static Str ahead(const Source *s) {
    return str_slice(s->text, s->at, s->text.len);
}

static void skip_blanks(Source *s) {
    for (;;) {
        while (here(s) && strchr(" \t\r\n\\", here(s)))
            s->at++;
        if (!str_starts(ahead(s), STR("//")))
            return;
        s->at += str_find(ahead(s), '\n');
    }
}

// String literals that follow each other. False: there is none.
static bool take_strings(Source *s, Buf *out) {
    bool any = false;
    for (skip_blanks(s); here(s) == '"'; skip_blanks(s), any = true) {
        for (s->at++; here(s) && here(s) != '"'; s->at++) {
            char c = here(s);
            if (c == '\\') {
                s->at++;
                c = here(s) == 'n' || here(s) == 't' ? '\n' : here(s);
            }
            buf_byte(out, c);
        }
        s->at++;
    }
    return any;
}

// The constraint of each operand, "=r"(x) or [name] "r"(x), up to the end of
// the asm. False: this is something else.
static bool take_operands(Source *s, char letters[OPERANDS_MOST],
                          size_t *count) {
    int colons = 0, depth = 1;
    for (; here(s) && depth; s->at++) {
        char c = here(s);
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ':' && s->text.ptr[s->at + 1] != ':' &&
            s->text.ptr[s->at - 1] != ':' && depth == 1)
            colons++;
        if (c != '"' || depth != 1)
            continue;
        size_t end = s->at + 1 +
                     str_find(str_slice(s->text, s->at + 1, s->text.len), '"');
        if (colons <= 2 && *count < OPERANDS_MOST)
            letters[(*count)++] = s->text.ptr[end - 1];
        s->at = end;
    }
    return colons > 0 && colons <= 3;
}

static const char *register_of(char letter) {
    switch (letter) {
    case 'h':
        return "%rs1";
    case 'r':
        return "%r1";
    case 'l':
        return "%rd1";
    case 'q':
        return "%rq1";
    case 'f':
        return "%f1";
    case 'd':
        return "%fd1";
    case 'n':
        return "1";
    default:
        return NULL;
    }
}

// The text as the compiler would write it. False: an operand is not known.
static bool fill_in(Str text, const char *letters, size_t count, Buf *out) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i], next = i + 1 < text.len ? text.ptr[i + 1] : 0;
        if (c != '%') {
            buf_byte(out, c);
        } else if (next == '%') {
            buf_byte(out, '%');
            i++;
        } else {
            char *end;
            size_t which = strtoul(text.ptr + i + 1, &end, 10);
            const char *name = which < count && next >= '0' && next <= '9'
                                   ? register_of(letters[which])
                                   : NULL;
            if (!name)
                return false;
            buf_str(out, str_from(name));
            i = (size_t)(end - text.ptr) - 1;
        }
    }
    return true;
}

static void take_asm(Source *s, Buf *out) {
    Buf text = {0}, filled = {0};
    char letters[OPERANDS_MOST];
    size_t count = 0;
    skip_blanks(s);
    if (str_starts(ahead(s), STR("volatile")))
        s->at += 8;
    skip_blanks(s);
    if (here(s) != '(')
        return;
    s->at++;
    if (take_strings(s, &text) && (here(s) == ':' || here(s) == ')') &&
        (take_operands(s, letters, &count) || count == 0) &&
        fill_in(buf_view(&text), letters, count, &filled))
        buf_printf(out, "// begin inline asm\n%.*s\n// end inline asm\n",
                   (int)filled.len, filled.ptr);
    buf_free(&text);
    buf_free(&filled);
}

static void read_source(Str text, Buf *out) {
    Source s = {.text = text};
    while (s.at < text.len) {
        const char *hit = memmem(text.ptr + s.at, text.len - s.at, "asm", 3);
        if (!hit)
            return;
        s.at = (size_t)(hit - text.ptr) + 3;
        take_asm(&s, out);
    }
}

static void print_forms(Arena *arena, Str path, bool numbers) {
    Str text;
    Buf pieces = {0}, forms = {0};
    if (!files_read(arena, path, SOURCE_MOST, &text))
        return;
    if (str_ends(path, STR(".ptx")))
        buf_str(&pieces, text);
    else
        read_source(text, &pieces);
    asm_print_forms(buf_view(&pieces), numbers, &forms);
    fwrite(forms.ptr, 1, forms.len, stdout);
    buf_free(&pieces);
    buf_free(&forms);
}

// ---- modules -------------------------------------------------------------

// <pred> and %p are registers again.
static void print_statement(const char *form, const char *number) {
    for (const char *c = form; *c && *c != '\n'; c++) {
        size_t letters = strspn(c + 1, "abcdefghijklmnopqrstuvwxyz");
        if (*c == '<') {
            const char *end = strchr(c, '>');
            printf("%%%.*s_", (int)(end - c - 1), c + 1);
            c = end;
        } else if (*c == '#') {
            bool is_float = c[1] == 'f';
            printf("%s", is_float ? "0f3F800000" : number);
            c += is_float;
        } else if (*c == '%' && letters <= 2 && c[letters + 1] != '_' &&
                   c[letters + 1] != '.') {
            printf("%.*s1", (int)letters + 1, c);
            c += letters;
        } else
            putchar(*c);
    }
    putchar(';');
}

static const char registers[] =
    ".reg .pred %p<9>, %pred_; .reg .b16 %rs<9>; .reg .b32 %r<9>; "
    ".reg .b64 %rd<9>; .reg .b128 %rq<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; "
    ".reg .b8 %b8_, %u8_, %s8_; .reg .b16 %b16_; .reg .u16 %u16_; "
    ".reg .s16 %s16_; .reg .b32 %b32_; .reg .u32 %u32_; .reg .s32 %s32_; "
    ".reg .b64 %b64_; .reg .u64 %u64_; .reg .s64 %s64_; .reg .b128 %b128_; "
    ".reg .f32 %f32_; .reg .f64 %f64_; .reg .f16 %f16_; .reg .f16x2 %f16x2_; ";

static void print_module(const char *number, bool stops) {
    char form[4096];
    puts(".version 9.0\n.target sm_100a\n.address_size 64");
    for (int line = 4; fgets(form, sizeof form, stdin); line++) {
        printf(".visible .entry line_%d() { %sLABEL: ", line, registers);
        print_statement(form, number);
        puts(" ret; }");
    }
    if (stops)
        puts(".visible .entry stops() { stop; }");
}

// ---- patterns ------------------------------------------------------------

// Where the ')' of the '(' at text.ptr[0] is.
static size_t closing(Str text) {
    size_t depth = 0, at = 0;
    for (; at < text.len; at++) {
        depth += text.ptr[at] == '(';
        if (text.ptr[at] == ')' && --depth == 0)
            break;
    }
    return at;
}

// The first alternative, up to a '|' that is in no parentheses.
static Str first_choice(Str choices) {
    size_t depth = 0, at = 0;
    for (; at < choices.len; at++) {
        char c = choices.ptr[at];
        depth += c == '(';
        depth -= c == ')';
        if (c == '|' && depth == 0)
            break;
    }
    return str_slice(choices, 0, at);
}

static void expand(Str pattern) {
    size_t open = str_find(pattern, '(');
    if (open == pattern.len) {
        for (size_t i = 0; i < pattern.len; i++)
            putchar(pattern.ptr[i] == '~' ? '|' : pattern.ptr[i]);
        putchar('\n');
        return;
    }
    Str rest = str_slice(pattern, open, pattern.len);
    size_t close = closing(rest);
    Str choices = str_slice(rest, 1, close);
    rest = str_slice(rest, close + 1, rest.len);
    for (bool more = true; more;) {
        Arena arena = {0};
        Str choice = first_choice(choices);
        more = choice.len < choices.len;
        choices = str_slice(choices, choice.len + 1, choices.len);
        expand(str_format(&arena, "%.*s%.*s%.*s", (int)open, pattern.ptr,
                          STR_ARG(choice), STR_ARG(rest)));
        arena_free(&arena);
    }
}

static void expand_all(void) {
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        Str pattern = str_trim(str_from(line));
        if (pattern.len && !str_starts(pattern, STR("# ")))
            expand(pattern);
    }
}

static bool is_mode(int argc, char **argv, const char *mode) {
    return argc > 1 && strcmp(argv[1], mode) == 0;
}

int main(int argc, char **argv) {
    Arena arena = {0};
    bool numbers = is_mode(argc, argv, "--numbers");
    if (is_mode(argc, argv, "--expand"))
        expand_all();
    else if (is_mode(argc, argv, "--module") && argc >= 3)
        print_module(argv[2], argc > 3);
    else
        for (int i = 1 + numbers; i < argc; i++)
            print_forms(&arena, str_from(argv[i]), numbers);
    arena_free(&arena);
    return 0;
}
