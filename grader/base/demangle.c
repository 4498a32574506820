// SPDX-License-Identifier: Apache-2.0
// Names of C++ functions as linkers have them -> as people write them: the
// names of kernels, with their template arguments. (Itanium C++ ABI, 5.1.)
//
// A parser of the ABI's grammar. Each function takes one production off the
// text and returns what it stands for. Earlier parts are named again by their
// number (S_, S0_, ...), so they are kept; that makes a short name stand for a
// very long one, so there are limits. What is not in here (expressions beyond
// addresses and numbers, decltype) fails as a whole: the caller has the name as
// it was.
#include "base/base.h"

#include <string.h>

enum {
    MOST_DEPTH = 100,
    MOST_STEPS = 20000,
    MOST_PARTS = 1000,
    MOST_TEXT = 8192, // bytes of a part
};

// A type is written around what it belongs to: "void (*" and ")(int)".
typedef struct Type {
    Str left, right;
} Type;

typedef struct Parser {
    Arena *arena;
    Str text;
    size_t at;
    bool failed;
    size_t depth, steps;
    Type *parts; // what S_ and its like stand for
    size_t part_count, part_capacity;
    Str *args; // of the function's template: T_ and its like
    size_t arg_count, arg_capacity;
} Parser;

// ---- the text ------------------------------------------------------------

static Type nothing(Parser *p) {
    p->failed = true;
    return (Type){0};
}

static char peek(const Parser *p, size_t ahead) {
    size_t at = p->at + ahead;
    return !p->failed && at < p->text.len ? p->text.ptr[at] : '\0';
}

static bool take(Parser *p, const char *what) {
    Str rest = str_slice(p->text, p->at, p->text.len);
    if (p->failed || !str_starts(rest, str_from(what)))
        return false;
    p->at += strlen(what);
    return true;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool enter(Parser *p) {
    p->depth++;
    if (p->depth > MOST_DEPTH || ++p->steps > MOST_STEPS)
        p->failed = true;
    return !p->failed;
}

static Str join(Parser *p, Str a, const char *between, Str b) {
    if (a.len + b.len > MOST_TEXT)
        p->failed = true;
    if (p->failed)
        return (Str){0};
    size_t middle = strlen(between);
    char *out = arena_new(p->arena, char, a.len + middle + b.len + 1);
    if (a.len)
        memcpy(out, a.ptr, a.len);
    memcpy(out + a.len, between, middle);
    if (b.len)
        memcpy(out + a.len + middle, b.ptr, b.len);
    return (Str){out, a.len + middle + b.len};
}

static Type plain(Str name) {
    return (Type){.left = name};
}

static Str whole(Parser *p, Type type) {
    return join(p, type.left, "", type.right);
}

static void keep_part(Parser *p, Type part) {
    if (p->part_count == MOST_PARTS)
        p->failed = true;
    if (p->failed)
        return;
    arena_grow(p->arena, p->parts, p->part_count, p->part_capacity);
    p->parts[p->part_count++] = part;
}

static size_t number(Parser *p) {
    size_t value = 0;
    if (!is_digit(peek(p, 0)))
        p->failed = true;
    for (; is_digit(peek(p, 0)); p->at++)
        value =
            value < MOST_TEXT ? value * 10 + (size_t)(peek(p, 0) - '0') : value;
    return value;
}

// "_" is 0, "0_" 1, "Z_" 36: behind the S of a part, or with digits alone
// behind the T of an argument.
static size_t sequence(Parser *p, size_t base) {
    size_t value = 0;
    if (take(p, "_"))
        return 0;
    for (; !take(p, "_"); p->at++) {
        char c = peek(p, 0);
        size_t digit = is_digit(c)            ? (size_t)(c - '0')
                       : c >= 'A' && c <= 'Z' ? (size_t)(c - 'A') + 10
                                              : base;
        if (digit >= base || value > MOST_PARTS) {
            p->failed = true;
            return 0;
        }
        value = value * base + digit;
    }
    return value + 1;
}

// ---- names ---------------------------------------------------------------

static Type parse_type(Parser *p);
static Str parse_encoding(Parser *p, Str *parameters);
static Str parse_name(Parser *p, bool is_function, bool *has_args);

// What compilers call functions of one file alone, and nobody else.
static bool is_hidden(Str name) {
    return str_starts(name, STR("_INTERNAL_"));
}

static Str source_name(Parser *p) {
    size_t len = number(p);
    if (p->failed || len == 0 || len > p->text.len - p->at) {
        p->failed = true;
        return (Str){0};
    }
    Str name = str_slice(p->text, p->at, p->at + len);
    p->at += len;
    if (str_starts(name, STR("_GLOBAL__N")))
        return STR("(anonymous namespace)");
    return name;
}

// Types up to `end` (not taken), with commas between.
static Str type_list(Parser *p, char end) {
    Str list = {0};
    while (!p->failed && peek(p, 0) != end) {
        Str type = whole(p, parse_type(p));
        if (type.len)
            list = join(p, list, list.len ? ", " : "", type);
        if (p->at >= p->text.len && end)
            p->failed = true;
    }
    return list;
}

// Ut_, UlivE_: a type without a name, a lambda.
static Str unnamed(Parser *p) {
    Str parameters = {0};
    bool is_lambda = take(p, "Ul");
    if (!is_lambda && !take(p, "Ut"))
        p->failed = true;
    if (is_lambda) {
        parameters = take(p, "v") ? (Str){0} : type_list(p, 'E');
        if (!take(p, "E"))
            p->failed = true;
    }
    size_t count = 1;
    if (is_digit(peek(p, 0)))
        count = number(p) + 2;
    if (!take(p, "_") || p->failed)
        return (Str){0};
    return is_lambda ? str_format(p->arena, "{lambda(%.*s)#%zu}",
                                  STR_ARG(parameters), count)
                     : str_format(p->arena, "{unnamed type#%zu}", count);
}

static Str operator_name(Parser *p) {
    static const char *const names[][2] = {
        {"cl", "operator()"}, {"pl", "operator+"},  {"mi", "operator-"},
        {"ml", "operator*"},  {"eq", "operator=="}, {"lt", "operator<"},
        {"aS", "operator="},  {"ix", "operator[]"},
    };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (take(p, names[i][0]))
            return str_from(names[i][1]);
    p->failed = true;
    return (Str){0};
}

static Str unqualified(Parser *p) {
    Str name;
    take(p, "L"); // of one file alone
    if (is_digit(peek(p, 0)))
        name = source_name(p);
    else if (peek(p, 0) == 'U')
        name = unnamed(p);
    else
        name = operator_name(p);
    while (take(p, "B")) // an ABI tag
        source_name(p);
    return name;
}

// St, Sa, ...: false if it is none of them.
static bool standard_part(Parser *p, Type *part) {
    static const char *const names[][2] = {
        {"St", "std"},
        {"Sa", "std::allocator"},
        {"Sb", "std::basic_string"},
        {"Ss", "std::string"},
        {"Si", "std::istream"},
        {"So", "std::ostream"},
        {"Sd", "std::iostream"},
    };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (take(p, names[i][0])) {
            *part = plain(str_from(names[i][1]));
            return true;
        }
    return false;
}

static Type kept_part(Parser *p) {
    Type part;
    if (standard_part(p, &part))
        return part;
    if (!take(p, "S"))
        return nothing(p);
    size_t index = sequence(p, 36);
    return !p->failed && index < p->part_count ? p->parts[index] : nothing(p);
}

static Str template_parameter(Parser *p) {
    if (!take(p, "T"))
        p->failed = true;
    size_t index = sequence(p, 10);
    if (p->failed || index >= p->arg_count) {
        p->failed = true;
        return (Str){0};
    }
    return p->args[index];
}

// ---- template arguments --------------------------------------------------

static Str literal_value(Parser *p) {
    bool negative = take(p, "n");
    size_t from = p->at;
    while (peek(p, 0) && peek(p, 0) != 'E')
        p->at++;
    Str digits = str_slice(p->text, from, p->at);
    return join(p, negative ? STR("-") : STR(""), "", digits);
}

// Li128E, Lb1E, L_Z3fooiE, LN2ns4EnumE2E.
static Str literal(Parser *p) {
    static const char integers[] = "ahstijlmxyno";
    Str value;
    if (take(p, "_Z")) {
        Str parameters;
        value = parse_encoding(p, &parameters);
    } else if (take(p, "b")) {
        value = take(p, "1") ? STR("true") : STR("false");
        if (str_equal(value, STR("false")) && !take(p, "0"))
            p->failed = true;
    } else if (take(p, "Dn")) {
        take(p, "0");
        value = STR("nullptr");
    } else {
        bool is_integer = peek(p, 0) && strchr(integers, peek(p, 0));
        Str type = whole(p, parse_type(p));
        value = literal_value(p);
        if (!is_integer && !p->failed)
            value = str_format(p->arena, "(%.*s)%.*s", STR_ARG(type),
                               STR_ARG(value));
    }
    if (!take(p, "E"))
        p->failed = true;
    return value;
}

static Str template_argument(Parser *p);

// Arguments up to an E, which is taken. `into`: their list is kept, too.
static Str template_arguments(Parser *p, bool is_function) {
    Str list = {0}, *args = NULL;
    size_t count = 0, capacity = 0;
    while (!p->failed && !take(p, "E")) {
        Str argument = template_argument(p);
        arena_grow(p->arena, args, count, capacity);
        args[count++] = argument;
        if (argument.len)
            list = join(p, list, list.len ? ", " : "", argument);
        if (is_function) { // a later one may name those before
            p->args = args;
            p->arg_count = count;
        }
    }
    return list;
}

static Str template_argument(Parser *p) {
    Str value = {0};
    if (!enter(p))
        return value;
    if (take(p, "L")) {
        value = literal(p);
    } else if (take(p, "J")) {
        value = template_arguments(p, false);
    } else if (take(p, "XadL_Z")) {
        Str parameters;
        value = join(p, STR("&"), "", parse_encoding(p, &parameters));
        if (!take(p, "EE"))
            p->failed = true;
    } else if (peek(p, 0) == 'X') {
        p->failed = true;
    } else {
        value = whole(p, parse_type(p));
    }
    p->depth--;
    return value;
}

static Str add_arguments(Parser *p, Str name, bool is_function) {
    Str list = template_arguments(p, is_function);
    bool closes = list.len && list.ptr[list.len - 1] == '>';
    return join(p, join(p, name, "<", list), closes ? " >" : ">", (Str){0});
}

// N...E: parts with "::" between, each of which can be named again.
static Str nested_name(Parser *p, bool is_function, bool *has_args) {
    Str name = {0};
    while (take(p, "r") || take(p, "V") || take(p, "K"))
        continue;
    while (take(p, "R") || take(p, "O"))
        continue;
    size_t before = p->part_count;
    while (!p->failed && !take(p, "E")) {
        bool is_kept = true;
        *has_args = false;
        if (take(p, "I")) {
            name = add_arguments(p, name, is_function);
            *has_args = true;
        } else if (peek(p, 0) == 'S') {
            name = whole(p, kept_part(p));
            is_kept = false;
        } else if (peek(p, 0) == 'T') {
            name = template_parameter(p);
        } else if (take(p, "C1") || take(p, "C2") || take(p, "D1")) {
            name = join(p, name, "::", STR("{constructor}"));
        } else {
            Str part = unqualified(p);
            if (!is_hidden(part))
                name = join(p, name, name.len ? "::" : "", part);
        }
        if (is_kept)
            keep_part(p, plain(name));
    }
    if (!p->failed && p->part_count > before)
        p->part_count--; // the whole is kept by whoever asked for it
    return name;
}

// Z function E name: something within a function.
static Str local_name(Parser *p) {
    Str parameters, inner;
    bool has_args;
    Str outer = parse_encoding(p, &parameters);
    if (!take(p, "E"))
        p->failed = true;
    outer = join(p, outer, "", parameters);
    if (take(p, "s"))
        inner = STR("{string}");
    else
        inner = parse_name(p, false, &has_args);
    if (take(p, "__")) {
        number(p);
        if (!take(p, "_"))
            p->failed = true;
    } else if (take(p, "_")) {
        number(p);
    }
    return join(p, outer, "::", inner);
}

static Str unscoped_name(Parser *p, bool is_function, bool *has_args) {
    Str name;
    bool is_kept = true;
    if (peek(p, 0) == 'S' && peek(p, 1) != 't') {
        name = whole(p, kept_part(p));
        is_kept = false;
        if (peek(p, 0) != 'I')
            p->failed = true;
    } else if (take(p, "St")) {
        name = join(p, STR("std"), "::", unqualified(p));
    } else {
        name = unqualified(p);
    }
    if (take(p, "I")) {
        if (is_kept)
            keep_part(p, plain(name));
        name = add_arguments(p, name, is_function);
        *has_args = true;
    }
    return name;
}

// is_function: the template's arguments are those that its parameters name.
static Str parse_name(Parser *p, bool is_function, bool *has_args) {
    Str name = {0};
    *has_args = false;
    if (!enter(p))
        return name;
    if (take(p, "N"))
        name = nested_name(p, is_function, has_args);
    else if (take(p, "Z"))
        name = local_name(p);
    else
        name = unscoped_name(p, is_function, has_args);
    p->depth--;
    return name;
}

// A function's name and parameters; of a template its result comes first.
static Str parse_encoding(Parser *p, Str *parameters) {
    bool has_args;
    *parameters = (Str){0};
    if (!enter(p))
        return (Str){0};
    Str name = parse_name(p, true, &has_args);
    char next = peek(p, 0);
    if (next && next != 'E' && next != '.') {
        if (has_args)
            parse_type(p);
        Str list = {0};
        while (peek(p, 0) && peek(p, 0) != 'E' && peek(p, 0) != '.') {
            Str type = whole(p, parse_type(p));
            if (type.len && !str_equal(type, STR("void")))
                list = join(p, list, list.len ? ", " : "", type);
        }
        *parameters = join(p, join(p, STR("("), "", list), ")", (Str){0});
    }
    p->depth--;
    return name;
}

// ---- types ---------------------------------------------------------------

static bool builtin(Parser *p, Str *name) {
    static const char *const names[][2] = {
        {"v", "void"},         {"w", "wchar_t"},
        {"b", "bool"},         {"c", "char"},
        {"a", "signed char"},  {"h", "unsigned char"},
        {"s", "short"},        {"t", "unsigned short"},
        {"i", "int"},          {"j", "unsigned int"},
        {"l", "long"},         {"m", "unsigned long"},
        {"x", "long long"},    {"y", "unsigned long long"},
        {"n", "__int128"},     {"o", "unsigned __int128"},
        {"f", "float"},        {"d", "double"},
        {"e", "long double"},  {"g", "__float128"},
        {"z", "..."},          {"Di", "char32_t"},
        {"Ds", "char16_t"},    {"Du", "char8_t"},
        {"Da", "auto"},        {"Dn", "std::nullptr_t"},
        {"DF16_", "_Float16"}, {"DF16b", "__bf16"},
        {"Dh", "half"},
    };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (take(p, names[i][0])) {
            *name = str_from(names[i][1]);
            return true;
        }
    return false;
}

// P, R, O: to functions and arrays it is written in parentheses.
static Type reference(Parser *p, const char *mark) {
    Type to = parse_type(p);
    bool inside =
        to.right.len && (to.right.ptr[0] == '(' || to.right.ptr[0] == '[');
    to.left = join(p, to.left, inside ? " (" : "", str_from(mark));
    if (inside)
        to.right = join(p, STR(")"), "", to.right);
    return to;
}

static Type function_type(Parser *p) {
    take(p, "Y");
    Type result = parse_type(p);
    Str list = type_list(p, 'E');
    if (!take(p, "E"))
        p->failed = true;
    if (str_equal(list, STR("void")))
        list = (Str){0};
    Str right = join(p, join(p, STR("("), "", list), ")", result.right);
    return (Type){result.left, right};
}

static Type array_type(Parser *p) {
    size_t from = p->at;
    while (is_digit(peek(p, 0)))
        p->at++;
    Str size = str_slice(p->text, from, p->at);
    if (!take(p, "_"))
        return nothing(p);
    Type of = parse_type(p);
    of.right = join(p, join(p, STR("["), "", size), "]", of.right);
    return of;
}

// Behind what is qualified: "float const", so that pointers read right.
static Type qualified(Parser *p) {
    bool is_const = false, is_volatile = false;
    for (;;) {
        if (take(p, "K"))
            is_const = true;
        else if (take(p, "V"))
            is_volatile = true;
        else if (!take(p, "r"))
            break;
    }
    Type type = parse_type(p);
    if (is_const)
        type.left = join(p, type.left, " const", (Str){0});
    if (is_volatile)
        type.left = join(p, type.left, " volatile", (Str){0});
    return type;
}

static Type class_type(Parser *p) {
    bool has_args;
    return plain(parse_name(p, false, &has_args));
}

// A part that is named again, and may get template arguments here.
static Type part_or_template(Parser *p, bool *is_kept) {
    if (peek(p, 1) == 't' && peek(p, 2) != 'I')
        return class_type(p);
    Type part = kept_part(p);
    *is_kept = take(p, "I");
    return *is_kept ? plain(add_arguments(p, whole(p, part), false)) : part;
}

static Type parameter_or_template(Parser *p) {
    Type part = plain(template_parameter(p));
    if (peek(p, 0) != 'I')
        return part;
    keep_part(p, part);
    take(p, "I");
    return plain(add_arguments(p, part.left, false));
}

static Type compound(Parser *p, bool *is_kept) {
    switch (peek(p, 0)) {
    case 'r':
    case 'V':
    case 'K':
        return qualified(p);
    case 'P':
        return take(p, "P") ? reference(p, "*") : nothing(p);
    case 'R':
        return take(p, "R") ? reference(p, "&") : nothing(p);
    case 'O':
        return take(p, "O") ? reference(p, "&&") : nothing(p);
    case 'F':
        return take(p, "F") ? function_type(p) : nothing(p);
    case 'A':
        return take(p, "A") ? array_type(p) : nothing(p);
    case 'T':
        return parameter_or_template(p);
    case 'S':
        return part_or_template(p, is_kept);
    case 'u':
        return take(p, "u") ? plain(source_name(p)) : nothing(p);
    case 'D':
        return take(p, "Dp") ? parse_type(p) : nothing(p);
    default:
        return class_type(p);
    }
}

static Type parse_type(Parser *p) {
    Str name;
    Type type = {0};
    if (!enter(p))
        return type;
    if (builtin(p, &name)) {
        type = plain(name);
    } else {
        bool is_kept = peek(p, 0) != 'S' || peek(p, 1) == 't';
        type = compound(p, &is_kept);
        if (is_kept)
            keep_part(p, type);
    }
    p->depth--;
    return type;
}

// ---- the whole -----------------------------------------------------------

bool demangle(Arena *arena, Str mangled, Str *name, Str *parameters) {
    Parser p = {.arena = arena, .text = mangled};
    if (!take(&p, "_Z"))
        return false;
    *name = parse_encoding(&p, parameters);
    return !p.failed && name->len &&
           (p.at == mangled.len || peek(&p, 0) == '.');
}
