// SPDX-License-Identifier: Apache-2.0
// The command p of clclab debug: the values that the book has for a step. What
// PTX tells is shown and no more: registers by their numbers, beside the line
// that wrote them, and parameters by name. A variable of the source is a name
// for the lines that set it.
//
// Read values_show, at the end.
#include <string.h>

#include "cli/debug/debug.h"

// ---- reading -------------------------------------------------------------

bool values_read(Str text, BookReg *reg) {
    uint64_t line, count;
    uint32_t lane = 0;
    if (!str_to_u64(str_cut(&text, ' '), &line) || line >= UINT32_MAX)
        return false;
    *reg = (BookReg){.line = (uint32_t)line};
    reg->name = str_cut(&text, ' ');
    while (text.len) {
        bool is_count = str_to_u64(str_cut(&text, ' '), &count);
        Str value = str_cut(&text, ' ');
        if (!is_count || value.len == 0 || count > TRACE_LANES - lane)
            return false;
        for (uint64_t i = 0; i < count; i++)
            reg->lanes[lane++] = value;
    }
    return reg->name.len && lane == TRACE_LANES;
}

// The step that says what the present step's warp has written: itself, or an
// earlier one. BOOK_NO_STEP: none does.
static size_t step_with_values(const Walk *walk) {
    const BookStep *now = &walk->book->steps[walk->now];
    for (size_t i = walk->now + 1; i-- > 0;) {
        const BookStep *step = &walk->book->steps[i];
        if (step->cta != now->cta || step->warp != now->warp)
            continue;
        for (size_t k = step->from; k < step->to; k++)
            if (walk->book->notes[k].word == BOOK_REG)
                return i;
    }
    return BOOK_NO_STEP;
}

// ---- names of the source -------------------------------------------------

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= '0' && c <= '9');
}

// "= 1", "+= 1", "<<= 1", "++", "--"; not "== 1".
static bool sets(Str behind) {
    static const Str ways[] = {STR("+="), STR("-="), STR("*="),  STR("/="),
                               STR("%="), STR("&="), STR("|="),  STR("^="),
                               STR("++"), STR("--"), STR("<<="), STR(">>=")};
    Str text = str_trim(behind);
    for (size_t i = 0; i < COUNT_OF(ways); i++)
        if (str_starts(text, ways[i]))
            return true;
    return str_starts(text, STR("=")) && !str_starts(text, STR("=="));
}

static bool sets_ahead(Str before) {
    Str text = str_trim(before);
    return str_ends(text, STR("++")) || str_ends(text, STR("--"));
}

// Whether the line of the source sets a variable of this name.
static bool line_sets(Str line, Str name) {
    for (size_t i = 0; name.len && i + name.len <= line.len; i++) {
        size_t end = i + name.len;
        if (str_starts(str_slice(line, i, line.len), STR("//")))
            return false;
        bool is_name =
            str_equal(str_slice(line, i, end), name) &&
            (i == 0 || (!is_word(line.ptr[i - 1]) && line.ptr[i - 1] != '.')) &&
            (end == line.len || !is_word(line.ptr[end]));
        if (is_name && (sets(str_slice(line, end, line.len)) ||
                        sets_ahead(str_slice(line, 0, i))))
            return true;
    }
    return false;
}

// ---- showing -------------------------------------------------------------

typedef struct Wanted {
    bool is_lane;
    uint32_t lane;
    Str name; // empty: every register
} Wanted;

static bool is_register(const BookReg *reg, Str name) {
    return str_equal(reg->name, name) ||
           (reg->name.ptr[0] == '%' &&
            str_equal(str_slice(reg->name, 1, reg->name.len), name));
}

static bool is_wanted(const Walk *walk, const BookReg *reg,
                      const Wanted *wanted) {
    const Book *book = walk->book;
    if (wanted->name.len == 0 || is_register(reg, wanted->name))
        return true;
    return reg->line && reg->line <= book->source_count &&
           line_sets(book->source[reg->line - 1], wanted->name);
}

// The lane behind those that have the value of `from`.
static uint32_t end_of_row(const BookReg *reg, uint32_t from) {
    uint32_t to = from + 1;
    while (to < TRACE_LANES && str_equal(reg->lanes[to], reg->lanes[from]))
        to++;
    return to;
}

static size_t count_rows(const BookReg *reg) {
    size_t rows = 0;
    for (uint32_t lane = 0; lane < TRACE_LANES; lane = end_of_row(reg, lane))
        rows++;
    return rows;
}

// "4 (lanes 0 to 3), 3 (lane 4)": no other lane has written it.
static void add_rows(const BookReg *reg, Buf *out) {
    const char *comma = "";
    for (uint32_t from = 0, to; from < TRACE_LANES; from = to) {
        to = end_of_row(reg, from);
        if (str_equal(reg->lanes[from], STR("-")))
            continue;
        buf_printf(out, "%s%.*s (lane", comma, STR_ARG(reg->lanes[from]));
        buf_printf(out, to == from + 1 ? " %u" : "s %u", from);
        if (to > from + 1)
            buf_printf(out, " to %u", to - 1);
        buf_byte(out, ')');
        comma = ", ";
    }
}

// One value for all lanes, a few with their lanes, or 32 in order.
static void add_lanes(const BookReg *reg, Buf *out) {
    enum { FEW = 4 };
    size_t rows = count_rows(reg);
    if (rows == 1)
        buf_str(out, reg->lanes[0]);
    else if (rows <= FEW)
        add_rows(reg, out);
    else
        buf_str(out, STR("by lane:"));
    for (uint32_t lane = 0; rows > FEW && lane < TRACE_LANES; lane++)
        buf_printf(out, " %.*s", STR_ARG(reg->lanes[lane]));
}

static void show_register(const Walk *walk, const BookReg *reg,
                          const Wanted *wanted, Buf *out) {
    Buf text = {0};
    buf_printf(&text, "%-6.*s ", STR_ARG(reg->name));
    if (wanted->is_lane)
        buf_str(&text, reg->lanes[wanted->lane]);
    else
        add_lanes(reg, &text);
    buf_str(out, STR("    "));
    if (wanted->name.len)
        walk_wrapped(walk, "", buf_view(&text), out);
    else
        walk_cut(walk, INK_PLAIN, 4, buf_view(&text), out);
    buf_free(&text);
}

static bool show_registers(const Walk *walk, size_t index, const Wanted *wanted,
                           Buf *out) {
    const BookStep *step = &walk->book->steps[index];
    uint32_t line = UINT32_MAX;
    BookReg reg;
    for (size_t i = step->from; i < step->to; i++) {
        const BookNote *note = &walk->book->notes[i];
        if (note->word != BOOK_REG || !values_read(note->text, &reg) ||
            !is_wanted(walk, &reg, wanted))
            continue;
        if (reg.line != line && reg.line)
            walk_source(walk, reg.line, false, out);
        else if (reg.line != line)
            buf_str(out, STR("  at no line of the file\n"));
        line = reg.line;
        show_register(walk, &reg, wanted, out);
    }
    return line != UINT32_MAX;
}

static bool show_params(const Walk *walk, const Wanted *wanted, Buf *out) {
    Buf text = {0};
    bool any = false;
    for (size_t i = 0; i < walk->book->param_count; i++) {
        Str rest = walk->book->params[i], name = str_cut(&rest, ' ');
        if (wanted->name.len && !str_equal(wanted->name, name))
            continue;
        buf_printf(&text, any ? ", %.*s %.*s" : "%.*s %.*s", STR_ARG(name),
                   STR_ARG(rest));
        any = true;
    }
    if (any)
        walk_wrapped(walk, "  parameters: ", buf_view(&text), out);
    buf_free(&text);
    return any;
}

static void show_head(const Walk *walk, size_t index, const Wanted *wanted,
                      Buf *out) {
    walk_who(&walk->book->steps[walk->now], out);
    if (wanted->is_lane)
        buf_printf(out, ", lane %u", wanted->lane);
    buf_printf(out, ", after step %zu: what was written last\n", index + 1);
}

void values_show(const Walk *walk, Str word, Buf *out) {
    uint64_t lane;
    Wanted wanted = {.is_lane = str_to_u64(word, &lane)};
    if (wanted.is_lane && lane >= TRACE_LANES) {
        buf_str(out, STR("there are lanes 0 to 31\n"));
        return;
    }
    if (wanted.is_lane)
        wanted.lane = (uint32_t)lane;
    else
        wanted.name = word;
    size_t index = step_with_values(walk);
    if (index != BOOK_NO_STEP)
        show_head(walk, index, &wanted, out);
    bool any = show_params(walk, &wanted, out);
    if (index != BOOK_NO_STEP)
        any |= show_registers(walk, index, &wanted, out);
    if (any && index == BOOK_NO_STEP && wanted.name.len == 0)
        buf_str(out, STR("  no register is known at this step\n"));
    if (!any)
        buf_str(out,
                STR("nothing of that name has been written lately: a name "
                    "is that of a register in\nthe PTX (p lists them), "
                    "of a parameter, or of a variable that a line sets\n"));
}
