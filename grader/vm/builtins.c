// SPDX-License-Identifier: Apache-2.0
// Functions that the system supplies to kernels: vprintf and __assertfail.
// Left out: malloc, free.
#include "vm/exec.h"
#include "vm/machine.h"

#include <stdio.h>

enum { TEXT_MAX = 4096, SPEC_MAX = 32 };

// ---- reading a kernel's memory -------------------------------------------

// A generic read of `bytes` for a builtin; false: a fault was reported.
static bool read_memory(VmWarp *w, const VmInstr *in, uint32_t lane,
                        uint64_t address, void *out, uint32_t bytes) {
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

static uint64_t argument(const VmWarp *w, const VmCall *call, uint32_t index,
                         uint32_t lane) {
    uint64_t value = 0;
    uint32_t size = call->sizes[index] < 8 ? call->sizes[index] : 8;
    memcpy(&value,
           w->base[0] + call->from[index] + (size_t)lane * call->sizes[index],
           size);
    return value;
}

// ---- printf --------------------------------------------------------------

typedef struct Spec {    // one conversion of a format
    char text[SPEC_MAX]; // with its length modifier removed
    char kind;           // the conversion letter
    bool is_long;        // 8 bytes
} Spec;

// Takes the characters of `set` at `*p`, and keeps at most `most` of them: a
// width of four digits is a mistake, or an attack.
static void copy_run(const char **p, const char *set, size_t most, Spec *out,
                     size_t *n) {
    for (; **p && strchr(set, **p); (*p)++)
        if (most && most--)
            out->text[(*n)++] = **p;
}

// Parses the conversion at `*at` ('%' itself): flags, width, precision, length,
// letter. False: not one: it is printed as it is.
static bool parse_spec(const char **at, Spec *out) {
    static const char digits[] = "0123456789";
    const char *p = *at + 1;
    size_t n = 0;
    out->text[n++] = '%';
    out->is_long = false;
    copy_run(&p, "-+ #0", 5, out, &n);
    copy_run(&p, digits, 3, out, &n);
    if (*p == '.') {
        copy_run(&p, ".", 1, out, &n);
        copy_run(&p, digits, 3, out, &n);
    }
    for (; *p && strchr("hlzjt", *p); p++)
        out->is_long = out->is_long || *p != 'h';
    if (!*p || !strchr("diouxXcpsfFeEgGaA", *p))
        return false;
    out->kind = *p;
    if (strchr("diouxX", *p)) {
        out->text[n++] = 'l';
        out->text[n++] = 'l';
    }
    out->text[n++] = *p;
    out->text[n] = 0;
    *at = p + 1;
    return true;
}

// The format comes from the kernel, but each conversion was parsed by us.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void print_value(Buf *out, const Spec *spec, uint64_t bits) {
    double real;
    switch (spec->kind) {
    case 'd':
    case 'i':
        buf_printf(out, spec->text,
                   spec->is_long ? (long long)bits : (long long)(int32_t)bits);
        break;
    case 'c':
        buf_printf(out, spec->text, (int)bits);
        break;
    case 'p':
        buf_printf(out, "0x%llx", (unsigned long long)bits);
        break;
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        buf_printf(out, spec->text,
                   spec->is_long ? (unsigned long long)bits
                                 : (unsigned long long)(uint32_t)bits);
        break;
    default:
        memcpy(&real, &bits, sizeof real);
        buf_printf(out, spec->text, real);
        break;
    }
}

static void print_string(Buf *out, const Spec *spec, const char *text) {
    buf_printf(out, spec->text, text);
}
#pragma GCC diagnostic pop

// Arguments lie one behind the other, each aligned to its size: 4 or 8 bytes.
static bool format_one(VmWarp *w, const VmInstr *in, uint32_t lane,
                       const char *format, uint64_t args, Buf *out) {
    uint64_t offset = 0;
    for (const char *p = format; *p;) {
        Spec spec;
        if (p[0] == '%' && p[1] == '%') {
            buf_byte(out, '%');
            p += 2;
            continue;
        }
        if (*p != '%' || !parse_spec(&p, &spec)) {
            buf_byte(out, *p++);
            continue;
        }
        bool wide = spec.is_long || strchr("psfFeEgGaA", spec.kind);
        uint32_t size = wide ? 8 : 4;
        uint64_t bits = 0;
        offset = (offset + size - 1) / size * size;
        if (!read_memory(w, in, lane, args + offset, &bits, size))
            return false;
        offset += size;
        if (spec.kind == 's') {
            char text[TEXT_MAX];
            if (!read_string(w, in, lane, bits, text))
                return false;
            print_string(out, &spec, text);
        } else {
            print_value(out, &spec, bits);
        }
    }
    return true;
}

static VmNext builtin_printf(VmWarp *w, const VmInstr *in, uint32_t mask) {
    const VmCall *call = in->call;
    EACH_LANE(l, mask) {
        char format[TEXT_MAX];
        Buf text = {0};
        uint64_t args = argument(w, call, 1, l);
        bool ok = read_string(w, in, l, argument(w, call, 0, l), format) &&
                  format_one(w, in, l, format, args, &text);
        vm_print(w->vm, buf_view(&text));
        uint32_t printed = (uint32_t)text.len;
        buf_free(&text);
        if (!ok)
            return VM_STOP;
        if (call->result != VM_NONE && call->result_size == 4)
            memcpy(w->base[0] + call->result + (size_t)l * 4, &printed, 4);
    }
    return VM_GO;
}

// ---- assert --------------------------------------------------------------

static VmNext builtin_assert(VmWarp *w, const VmInstr *in, uint32_t mask) {
    uint32_t lane = vm_first(mask);
    char message[TEXT_MAX];
    if (!read_string(w, in, lane, argument(w, in->call, 0, lane), message))
        return VM_STOP;
    Str who = vm_who_lane(w, lane);
    return vm_fault(w, in, RULE_ASSERT, "find out why the condition is false",
                    "%.*s: assertion `%s` failed", STR_ARG(who), message);
}

VmNext vm_builtin(VmWarp *w, const VmInstr *in, uint32_t mask) {
    const PtxInstr *ptx = in->ptx;
    const PtxOperand *target = &ptx->operands[0];
    if (target->kind == PTX_OPND_LIST)
        target = &ptx->operands[1];
    Str name = target->symbol.func->name;
    if (str_equal(name, STR("vprintf")) && in->call->count == 2)
        return builtin_printf(w, in, mask);
    if (str_equal(name, STR("__assertfail")) && in->call->count == 5)
        return builtin_assert(w, in, mask);
    vm_fault(w, in, RULE_UNSUPPORTED,
             "define the function in the file itself; of the system's, the "
             "virtual machine has printf and assert",
             "the kernel calls %.*s, which is not defined", STR_ARG(name));
    vm_stop(w->vm, RUN_UNSUPPORTED);
    return VM_STOP;
}
