// SPDX-License-Identifier: Apache-2.0
// Which region of a lab's file a finding is in, and which one has to be fixed.
// The latter is the region that holds the place of the cure or, if the device
// knows no such place, the region to which lab.conf gives that part of the
// loop. A race is fixed between its two places: if neither is the learner's, a
// region between them is named. Judges name a region only if their evidence
// leaves no other, because a wrong region is worse than none.
#include "check/internal.h"
#include "result/finding.h"

// The marks that open and close a region. They are written in two parts because
// lint takes the whole word for work that was left undone.
// clang-format off
#define REGION_OPENS "BEGIN TO" "DO("
#define REGION_CLOSES "END TO" "DO("
// clang-format on

typedef struct Region {
    uint32_t number;   // 0: none
    Str title;         // what follows REGION_OPENS: "3): ask for ..."
    uint32_t from, to; // lines of its first and last line
    bool has_code;     // and not only blank lines and // comments
} Region;

// ---- the regions of a file -----------------------------------------------

static Str text_after(Str line, Str mark) {
    for (size_t i = 0; i < line.len; i++)
        if (str_starts(str_slice(line, i, line.len), mark))
            return str_slice(line, i + mark.len, line.len);
    return (Str){0};
}

static uint32_t number_of(Str opened) {
    uint64_t number;
    bool right = str_to_u64(str_cut(&opened, ')'), &number);
    return right && number <= LAB_MAX_REGION ? (uint32_t)number : 0;
}

static bool is_code(Str row) {
    row = str_trim(row);
    return row.len > 0 && !str_starts(row, STR("//"));
}

// The last region of the lab's file that `is_wanted` accepts.
typedef bool RegionTest(const Region *region, const void *context);
static Region find_region(const Grade *grade, RegionTest *is_wanted,
                          const void *context) {
    Str text = grade->submission->source;
    Region region = {0}, last = {0};
    for (uint32_t line = 1; grade->lab && text.len > 0; line++) {
        Str row = str_cut(&text, '\n'),
            found = text_after(row, STR(REGION_OPENS));
        if (found.len > 0)
            region =
                (Region){number_of(found), str_trim(found), line, 0, false};
        region.has_code |= is_code(row);
        if (text_after(row, STR(REGION_CLOSES)).len == 0)
            continue;
        region.to = line;
        if (region.number && is_wanted(&region, context))
            last = region;
        region = (Region){0};
    }
    return last;
}

static bool has_line(const Region *region, const void *line) {
    uint32_t number = *(const uint32_t *)line;
    return region->from <= number && number <= region->to;
}

static Region region_at(const Grade *grade, SrcLoc at) {
    if (!at.line || !str_equal(at.file, grade->submission->file))
        return (Region){0};
    return find_region(grade, has_line, &at.line);
}

static bool has_number(const Region *region, const void *bits) {
    return *(const uint32_t *)bits >> region->number & 1;
}

static bool is_empty(const Region *region, const void *bits) {
    return has_number(region, bits) && !region->has_code;
}

typedef struct Span {
    uint32_t after, before; // lines
} Span;

static bool is_between(const Region *region, const void *context) {
    const Span *span = context;
    return region->from > span->after && region->to < span->before;
}

bool region_has_any(Str text) {
    while (text.len > 0)
        if (text_after(str_cut(&text, '\n'), STR(REGION_OPENS)).len > 0)
            return true;
    return false;
}

// Whether the region that begins above `rest` ends before another begins.
static bool is_closed(Str rest) {
    while (rest.len > 0) {
        Str row = str_cut(&rest, '\n');
        if (text_after(row, STR(REGION_OPENS)).len > 0)
            return false;
        if (text_after(row, STR(REGION_CLOSES)).len > 0)
            return true;
    }
    return false;
}

Str region_outline(Arena *arena, Str text) {
    Buf out = {0};
    for (bool inside = false; text.len > 0; buf_byte(&out, '\n')) {
        Str row = str_cut(&text, '\n'),
            opened = text_after(row, STR(REGION_OPENS));
        if (opened.len > 0 && number_of(opened) && is_closed(text)) {
            buf_printf(&out, "@%u", number_of(opened));
            inside = true;
        } else if (inside && text_after(row, STR(REGION_CLOSES)).len > 0) {
            inside = false;
        } else if (!inside) {
            buf_str(&out, row);
        }
    }
    Str outline = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return outline;
}

// ---- findings ------------------------------------------------------------

static Str region_text(const Grade *grade, const Region *region,
                       uint32_t line) {
    if (!region->number)
        return (Str){0};
    Str title = region->title, lines = {0};
    Str name = str_cut(&title, ':');
    if (line)
        lines = str_format(grade->arena, ", line %u", line);
    Str text = str_format(grade->arena, "%s%.*s%.*s:%.*s", &REGION_OPENS[6],
                          STR_ARG(name), STR_ARG(lines), STR_ARG(title));
    if (!grade->lab->has_hints)
        return text;
    return str_format(grade->arena, "%.*s (clclab hint %u %u)", STR_ARG(text),
                      grade->lab->number, region->number);
}

static SrcLoc place(const Grade *grade, SrcLoc at) {
    return place_as_given(grade->submission, at);
}

// The region of the finding's line or, if it is in none, of a call that led
// there.
static Region region_of(const Grade *grade, const Finding *finding) {
    Region region = region_at(grade, place(grade, finding->at));
    for (uint32_t i = 0; i < finding->caller_count && !region.number; i++)
        region = region_at(grade, place(grade, finding->callers[i]));
    return region;
}

// The region to fix for a race on shared memory, where a barrier is missing:
// that of the earlier access or, if it is in none, the last one between the
// two. If the earlier access stands further down, it belongs to an earlier
// iteration of a loop, and any region above the later access counts.
static Region region_between(const Grade *grade, const Finding *finding) {
    SrcLoc at = place(grade, finding->at),
           other = place(grade, finding->related[0].caller);
    bool is_race =
        finding->rule == RULE_RACE001 || finding->rule == RULE_RACE002;
    if (!is_race || finding->in_buffer || finding->related_count == 0 ||
        !str_equal(at.file, grade->submission->file) ||
        !str_equal(at.file, other.file))
        return (Region){0};
    Region region = region_at(grade, other);
    if (region.number)
        return region;
    if (finding->caller_count > 0)
        at = place(grade, finding->callers[finding->caller_count - 1]);
    Span span = {other.line < at.line ? other.line : 0, at.line};
    return find_region(grade, is_between, &span);
}

// 0: not known, or in another file.
static uint32_t line_of(const Grade *grade, SrcLoc at) {
    return str_equal(at.file, grade->submission->file) ? at.line : 0;
}

// The region that the cause is in, and the one to fix, which is shown at `line`
// if it contains that line.
static void set_regions(const Grade *grade, const Region *own,
                        const Region *cure, uint32_t line, Cause *cause) {
    bool has_it = has_line(cure, &line);
    cause->region = region_text(grade, own, 0);
    if (cure->number && cure->number != own->number)
        cause->mend = region_text(grade, cure, has_it ? line : 0);
}

void region_name(const Grade *grade, const Finding *finding, Cause *cause) {
    if (!grade->lab)
        return;
    Region own = region_of(grade, finding);
    SrcLoc cure_at = place(grade, finding->cure_at);
    uint32_t line = line_of(grade, cure_at);
    uint32_t bits = grade->lab->parts[finding->cure];
    Region cure = region_at(grade, cure_at);
    if (cure.number == 0 && own.number && bits >> own.number & 1)
        cure = own;
    if (cure.number == 0) // perhaps the learner left that region empty
        cure = find_region(grade, is_empty, &bits);
    if (cure.number == 0 && line == 0) // a known line is outside all regions
        cure = find_region(grade, has_number, &bits);
    if (cure.number == 0 && own.number == 0)
        cure = region_between(grade, finding);
    set_regions(grade, &own, &cure, line, cause);
}

// ---- judges --------------------------------------------------------------

void region_here(const Grade *grade, Cause *cause) {
    Region own = region_at(grade, cause->at);
    cause->region = region_text(grade, &own, 0);
}

DevicePart region_of_work(const Grade *grade) {
    return grade->lab->technique == TECHNIQUE_CLC ? PART_HERE : PART_INDEX;
}

void region_cure(const Grade *grade, DevicePart part, SrcLoc at, Cause *cause) {
    if (!grade->lab)
        return;
    uint32_t bits = grade->lab->parts[part];
    at = place(grade, at);
    Region own = region_at(grade, cause->at), cure = region_at(grade, at);
    bool is_only = (bits & (bits - 1)) == 0;
    if (!has_number(&cure, &bits))
        cure = is_only ? find_region(grade, has_number, &bits) : (Region){0};
    if (cure.number)
        set_regions(grade, &own, &cure, line_of(grade, at), cause);
}

void region_cure_place(const Grade *grade, DevicePart part, SrcLoc at,
                       Cause *cause) {
    at = place(grade, at);
    Region own = region_at(grade, cause->at), cure = region_at(grade, at);
    if (cure.number)
        set_regions(grade, &own, &cure, line_of(grade, at), cause);
    else
        region_cure(grade, part, (SrcLoc){0}, cause);
}

void region_of_advice(const Grade *grade, Cause *cause) {
    if (!grade->lab || cause->advice.edit_count == 0)
        return;
    SrcLoc at = place(grade, cause->advice.edits[0].at);
    uint32_t line = line_of(grade, at);
    Region own = region_at(grade, cause->at), cure = region_at(grade, at);
    if (line == 0)
        return;
    cause->mend = (Str){0};
    set_regions(grade, &own, &cure, line, cause);
}

// ---- the report ----------------------------------------------------------

Str region_list_empty(const Grade *grade) {
    Str list = {0};
    for (uint32_t number = 1; number <= LAB_MAX_REGION; number++) {
        uint32_t bits = 1u << number;
        Region region = find_region(grade, is_empty, &bits);
        if (region.number)
            list = str_format(grade->arena, "%.*s%s%s%u)", STR_ARG(list),
                              list.len ? ", " : "", &REGION_OPENS[6], number);
    }
    return list;
}
