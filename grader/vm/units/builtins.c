// SPDX-License-Identifier: Apache-2.0
// Functions that the system supplies to kernels. This file has vprintf,
// __assertfail and the table of all of them; malloc and free are in malloc.c.
// Launching kernels from kernels is not supported.
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/memory/memory.h"
#include "vm/units/units.h"

#include <stdio.h>

enum {
    TEXT_MAX = 4096, // bytes of a string
    SPEC_MAX = 32,
    PRINT_MAX = 1 << 16 // bytes that a call prints, and some: the rest is lost
};

// ---- reading a kernel's memory -------------------------------------------

// A generic read of `bytes` for a builtin. False: a fault was reported.
static bool read_memory(VmWarp *w, const VmInstr *in, uint32_t lane,
                        uint64_t address, void *out, uint32_t bytes) {
    w->vm->turns.work[WORK_PRINT] += bytes;
    VmInstr access = *in;
    access.space = PTX_SPACE_GENERIC;
    for (uint32_t i = 0; i < bytes; i++) {
        const uint8_t *at =
            vm_memory(w, &access, lane, address + i, 1, ACCESS_READ);
        if (!at)
            return false;
        ((uint8_t *)out)[i] = *at;
    }
    return true;
}

static bool read_string(VmWarp *w, const VmInstr *in, uint32_t lane,
                        uint64_t address, char *out) {
    for (uint32_t i = 0; i < TEXT_MAX - 1; i++) {
        if (!read_memory(w, in, lane, address + i, out + i, 1))
            return false;
        if (!out[i])
            return true;
    }
    out[TEXT_MAX - 1] = 0;
    return true;
}

// ---- printf --------------------------------------------------------------

// The arguments are stored one after the other, each aligned to its size of 4
// or 8.
typedef struct Args {
    VmWarp *w;
    const VmInstr *in;
    uint32_t lane;
    uint64_t at; // address of the next argument
    uint32_t count;
} Args;

static bool next_arg(Args *args, uint32_t size, uint64_t *bits) {
    *bits = 0;
    args->at = round_up(args->at, size);
    if (!read_memory(args->w, args->in, args->lane, args->at, bits, size))
        return false;
    args->at += size;
    args->count++;
    return true;
}

typedef struct Spec {    // one conversion of a format
    char text[SPEC_MAX]; // the conversion for C's printf, for the widest type
    char kind;           // the conversion letter
    uint8_t size;        // bytes of an integer: 1 (hh), 2 (h), 4, 8
} Spec;

static void append(Spec *out, char c) {
    size_t n = strlen(out->text);
    if (n + 1 < sizeof out->text)
        out->text[n] = c;
}

static const char *find(const char *set, char c) {
    return c ? strchr(set, c) : NULL;
}

// Flags. Only '-' has a meaning for values that are printed as strings.
static void parse_flags(const char **p, Spec *out) {
    size_t end = strcspn(*p, "diouxXcpsfFeEgGaA");
    bool is_text = find("ps", (*p)[end]) != NULL;
    for (size_t kept = 0; find("-+ #0", **p); (*p)++)
        if (kept < 5 && (!is_text || **p == '-')) {
            append(out, **p);
            kept++;
        }
}

// digits := {digit} | '*'. At most three digits are kept; more are a mistake or
// an attack. False: a fault at the argument of '*'.
static bool parse_digits(const char **p, Args *args, bool is_width, Spec *out) {
    if (**p == '*') {
        uint64_t bits;
        char text[16];
        (*p)++;
        if (!next_arg(args, 4, &bits))
            return false;
        int32_t value = (int32_t)bits;
        if (value < 0 && !is_width)
            return true; // as if it were absent; after the '.': 0
        snprintf(text, sizeof text, "%d", value % 1000);
        for (const char *t = text; *t; t++)
            append(out, *t);
        return true;
    }
    for (size_t kept = 0; find("0123456789", **p); (*p)++)
        if (kept++ < 3)
            append(out, **p);
    return true;
}

static uint8_t parse_length(const char **p) {
    uint8_t size = 4;
    for (; find("hlLzjt", **p); (*p)++)
        size = **p != 'h' ? 8 : size == 2 ? 1 : 2;
    return size;
}

typedef enum Parsed { PARSED, NOT_A_SPEC, FAULT } Parsed;

// Parses the conversion at `*at` (which points to '%'): flags, width,
// precision, length, letter. NOT_A_SPEC: it is printed unchanged.
static Parsed parse_spec(const char **at, Args *args, Spec *out) {
    const char *p = *at + 1;
    *out = (Spec){.text = "%"};
    parse_flags(&p, out);
    if (!parse_digits(&p, args, true, out))
        return FAULT;
    if (*p == '.') {
        append(out, *p++);
        if (!parse_digits(&p, args, false, out))
            return FAULT;
    }
    out->size = parse_length(&p);
    if (!find("diouxXcpsfFeEgGaA", *p))
        return NOT_A_SPEC;
    out->kind = *p;
    if (find("diouxX", *p)) {
        append(out, 'l');
        append(out, 'l');
    }
    append(out, *p == 'p' ? 's' : *p);
    *at = p + 1;
    return PARSED;
}

// The format comes from the kernel, but parse_spec has checked each conversion.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void print_integer(Buf *out, const Spec *spec, uint64_t bits) {
    uint32_t unused = 64 - 8u * spec->size;
    if (find("di", spec->kind))
        buf_printf(out, spec->text,
                   (long long)((int64_t)(bits << unused) >> unused));
    else
        buf_printf(out, spec->text,
                   (unsigned long long)(bits << unused >> unused));
}

static void print_text(Buf *out, const Spec *spec, const char *text) {
    buf_printf(out, spec->text, text);
}

static void print_value(Buf *out, const Spec *spec, uint64_t bits) {
    char pointer[24] = "(nil)";
    double real;
    if (find("diouxX", spec->kind)) {
        print_integer(out, spec, bits);
    } else if (spec->kind == 'c') {
        buf_printf(out, spec->text, (int)bits);
    } else if (spec->kind == 'p') {
        if (bits)
            snprintf(pointer, sizeof pointer, "0x%llx",
                     (unsigned long long)bits);
        print_text(out, spec, pointer);
    } else {
        memcpy(&real, &bits, sizeof real);
        buf_printf(out, spec->text, real);
    }
}
#pragma GCC diagnostic pop

static bool print_spec(Args *args, const Spec *spec, Buf *out) {
    uint64_t bits;
    char text[TEXT_MAX] = "(null)";
    bool is_int = find("diouxXc", spec->kind) != NULL;
    if (!next_arg(args, is_int && spec->size < 8 ? 4 : 8, &bits))
        return false;
    if (out->len >= PRINT_MAX)
        return true;
    if (spec->kind != 's') {
        print_value(out, spec, bits);
        return true;
    }
    if (bits && !read_string(args->w, args->in, args->lane, bits, text))
        return false;
    print_text(out, spec, text);
    return true;
}

static bool format_one(Args *args, const char *format, Buf *out) {
    for (const char *p = format; *p;) {
        Spec spec;
        if (p[0] == '%' && p[1] == '%') {
            buf_byte(out, '%');
            p += 2;
            continue;
        }
        Parsed parsed = *p == '%' ? parse_spec(&p, args, &spec) : NOT_A_SPEC;
        if (parsed == FAULT ||
            (parsed == PARSED && !print_spec(args, &spec, out)))
            return false;
        if (parsed == NOT_A_SPEC)
            buf_byte(out, *p++);
    }
    return true;
}

// The result is the number of arguments, or -1 if there is no format (CUDA C++
// Programming Guide, "Formatted output").
static VmNext builtin_printf(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        char format[TEXT_MAX];
        Buf text = {0};
        uint64_t at = vm_argument(w, in, 0, l);
        Args args = {w, in, l, vm_argument(w, in, 1, l), 0};
        bool ok = at == 0 || (read_string(w, in, l, at, format) &&
                              format_one(&args, format, &text));
        vm_print(w->vm, buf_view(&text));
        w->vm->turns.work[WORK_PRINT] += text.len;
        buf_free(&text);
        if (!ok)
            return VM_STOP;
        vm_give_result(w, in, l, at ? args.count : UINT32_MAX);
    }
    return VM_GO;
}

// ---- assert --------------------------------------------------------------

static VmNext builtin_assert(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t lane = vm_first(mask);
    char message[TEXT_MAX];
    if (!read_string(w, in, lane, vm_argument(w, in, 0, lane), message))
        return VM_STOP;
    return vm_faulted(
        w, in, CASE_ASSERT_FAILED,
        FACTS(FACT_LANE(w, lane), FACT_STR(TEXT, str_from(message))));
}

// ---- the table -----------------------------------------------------------

static VmNext builtin_pure_virtual(VmWarp *w, const VmInstr *in,
                                   uint32_t mask) {
    return vm_faulted(w, in, CASE_TRAP_PURE_VIRTUAL,
                      FACTS(FACT_LANE(w, vm_first(mask))));
}

// What nvcc and NVRTC call for a launch, and the device runtime's functions.
static bool launches_kernels(Str name) {
    return str_starts(name, STR("cuda")) || str_starts(name, STR("__cudaCDP"));
}

static VmNext undefined(VmWarp *w, const VmInstr *in, Str name) {
    bool launches = launches_kernels(name);
    vm_faulted(w, in,
               launches ? CASE_UNSUPPORTED_LAUNCH : CASE_UNSUPPORTED_FUNCTION,
               FACTS(FACT_STR(NAME, name)));
    vm_stop(w->vm, RUN_UNSUPPORTED);
    return VM_STOP;
}

VmNext vm_builtin(VmWarp *w, const VmInstr *in, const PtxFunc *func,
                  uint32_t mask) {
    static const struct {
        const char *name;
        uint32_t args;
        VmNext (*call)(VmWarp *w, const VmInstr *in, uint32_t mask);
    } rows[] = {
        {"vprintf", 2, builtin_printf},
        {"__assertfail", 5, builtin_assert},
        {"malloc", 1, vm_malloc},
        {"free", 1, vm_free},
        {"__cxa_pure_virtual", 0, builtin_pure_virtual},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (str_equal(func->name, str_from(rows[i].name)) &&
            in->call->arg_count >= rows[i].args)
            return rows[i].call(w, in, mask);
    return undefined(w, in, func->name);
}
