// SPDX-License-Identifier: Apache-2.0
// Names and elements for what a finding names by offsets: "full[3]" for a byte
// of a shared variable, "data[1]" for one of what a parameter points to. They
// are read off declarations in the submission's text: of a type whose size is
// known, an array of it, or a struct of such members, as the language lays them
// out. Whatever is declared in another way (templates, macros, alignas) keeps
// its offset. The facts of the finding stay: Finding.named goes before them
// where it is put in words.
#include "check/names.h"
#include "check/guard.h"
#include "check/judge.h"

enum { MOST_DIMS = 3, MOST_DEPTH = 4, MOST_ALIGN = 16, MOST_SCANS = 256 };

// The submission's text. It is read from its beginning for each type and each
// size; of structs within structs that could be very often.
typedef struct Source {
    Str text;
    uint32_t scans; // so far, for one finding
} Source;

typedef struct Shape { // of a declared thing, or of a member
    uint32_t size;     // of one element; 0: not known
    uint32_t align;
    Str tag; // of a struct whose members are known; empty: none
    uint64_t dims[MOST_DIMS];
    uint32_t dim_count;
} Shape;

// ---- tokens --------------------------------------------------------------

static Str next_token(Str *text) {
    SrcLoc next = {0}, at;
    return place_token(text, &next, &at);
}

// The whole text; once it was read too often, nothing.
static Str scan(Source *source) {
    return source->scans++ < MOST_SCANS ? source->text : (Str){0};
}

// A number, or a name that the text sets to one: "STAGES = 4", or by #define.
static bool value_of(Source *source, Str token, uint64_t *value) {
    if (str_to_u64(token, value))
        return true;
    Str before = {0}, text = scan(source);
    for (Str t = next_token(&text); t.len; before = t, t = next_token(&text)) {
        if (!str_equal(t, token))
            continue;
        Str rest = text, next = next_token(&rest);
        if (place_is_mark(next, '='))
            next = next_token(&rest);
        else if (!str_equal(before, STR("define")))
            continue;
        Str end = next_token(&rest);
        bool is_whole = str_equal(before, STR("define")) ||
                        place_is_mark(end, ',') || place_is_mark(end, ';') ||
                        place_is_mark(end, '}');
        return is_whole && str_to_u64(next, value);
    }
    return false;
}

// ---- types ---------------------------------------------------------------

static uint32_t size_of_type(Str name) {
    static const struct {
        const char *name;
        uint32_t size;
    } types[] = {
        {"char", 1},       {"bool", 1},        {"int8_t", 1},   {"uint8_t", 1},
        {"short", 2},      {"int16_t", 2},     {"uint16_t", 2}, {"int", 4},
        {"unsigned", 4},   {"float", 4},       {"int32_t", 4},  {"uint32_t", 4},
        {"double", 8},     {"int64_t", 8},     {"uint64_t", 8}, {"size_t", 8},
        {"uintptr_t", 8},  {"int2", 8},        {"uint2", 8},    {"float2", 8},
        {"int4", 16},      {"uint4", 16},      {"float4", 16},  {"double2", 16},
        {"longlong2", 16}, {"ulonglong2", 16},
    };
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (str_equal(name, str_from(types[i].name)))
            return types[i].size;
    return 0;
}

static bool layout(Source *source, Str tag, uint32_t depth, Shape *shape);

// The type that the words in front of a name say: their last is the type's,
// those before it may say more of it.
static Shape type_of(Source *source, const Str *words, size_t count,
                     uint32_t depth) {
    Shape shape = {0};
    if (count == 0)
        return shape;
    Str last = words[count - 1];
    bool is_long = str_equal(last, STR("long"));
    for (size_t i = 0; i + 1 < count; i++)
        is_long |= str_equal(words[i], STR("long"));
    shape.size = is_long ? 8 : size_of_type(last);
    shape.align = shape.size;
    if (shape.size == 0)
        layout(source, last, depth + 1, &shape);
    return shape;
}

// Reads "[2][STAGES]" behind a name. False: a size is not known.
static bool read_dims(Source *source, Str *text, Shape *shape) {
    Str rest = *text;
    while (place_is_mark(next_token(&rest), '[')) {
        Str size = next_token(&rest);
        uint64_t value = 0; // "[]": as many as there are
        if (shape->dim_count == MOST_DIMS ||
            (!place_is_mark(size, ']') &&
             (!value_of(source, size, &value) ||
              !place_is_mark(next_token(&rest), ']'))))
            return false;
        shape->dims[shape->dim_count++] = value;
        *text = rest;
    }
    return true;
}

static uint64_t whole_size(const Shape *shape) {
    uint64_t size = shape->size;
    for (uint32_t i = 0; i < shape->dim_count; i++)
        size *= shape->dims[i];
    return size;
}

// ---- members -------------------------------------------------------------

typedef struct Member {
    Str name;
    Shape shape;
    uint64_t offset;
} Member;

// Reads one member of a struct off its body, "uint64_t full[STAGES];", and
// moves *offset behind it. False: the end, or a member that is not known.
static bool read_member(Source *source, Str *body, uint32_t depth,
                        Member *member, uint64_t *offset) {
    Str words[8];
    size_t count = 0;
    for (Str rest = *body; count < COUNT_OF(words);) {
        Str token = next_token(&rest);
        if (!place_is_name(token))
            break;
        words[count++] = token;
        *body = rest;
    }
    if (count < 2)
        return false;
    member->name = words[count - 1];
    member->shape = type_of(source, words, count - 1, depth);
    if (!member->shape.size || !read_dims(source, body, &member->shape) ||
        !place_is_mark(next_token(body), ';'))
        return false;
    uint64_t align = member->shape.align;
    member->offset = (*offset + align - 1) / align * align;
    *offset = member->offset + whole_size(&member->shape);
    return true;
}

// The text behind "struct TAG {"; empty: there is none.
static Str body_of(Source *source, Str tag) {
    Str text = scan(source);
    for (Str t = next_token(&text); t.len; t = next_token(&text)) {
        Str rest = text;
        if (str_equal(t, STR("struct")) && str_equal(next_token(&rest), tag) &&
            place_is_mark(next_token(&rest), '{'))
            return rest;
    }
    return (Str){0};
}

static bool layout(Source *source, Str tag, uint32_t depth, Shape *shape) {
    Str body = body_of(source, tag);
    uint64_t size = 0;
    uint32_t align = 1;
    Member member = {0};
    if (body.len == 0 || depth > MOST_DEPTH)
        return false;
    while (read_member(source, &body, depth, &member, &size))
        if (member.shape.align > align)
            align = member.shape.align;
    if (size == 0 || align > MOST_ALIGN ||
        !place_is_mark(next_token(&body), '}') ||
        !place_is_mark(next_token(&body), ';'))
        return false;
    shape->size = (uint32_t)((size + align - 1) / align * align);
    shape->align = align;
    shape->tag = tag;
    return true;
}

// ---- elements ------------------------------------------------------------

// Appends what is at this offset: "[3]", ".empty[0]". False: it is within an
// element.
static bool add_element(Source *source, const Shape *shape, uint64_t offset,
                        Buf *out) {
    uint64_t inner = shape->size;
    for (uint32_t i = 1; i < shape->dim_count; i++)
        inner *= shape->dims[i];
    for (uint32_t i = 0; i < shape->dim_count; i++) {
        if (inner == 0)
            return false;
        buf_printf(out, "[%llu]", (unsigned long long)(offset / inner));
        offset %= inner;
        if (i + 1 < shape->dim_count)
            inner /= shape->dims[i + 1];
    }
    if (shape->tag.len == 0)
        return offset == 0;
    Str body = body_of(source, shape->tag);
    Member member = {0};
    for (uint64_t end = 0; read_member(source, &body, 0, &member, &end);) {
        if (offset < member.offset || offset >= end)
            continue;
        buf_printf(out, ".%.*s", STR_ARG(member.name));
        return add_element(source, &member.shape, offset - member.offset, out);
    }
    return false;
}

static Str element_of(Arena *arena, Source *source, Str name,
                      const Shape *shape, uint64_t offset) {
    Buf out = {0};
    Str text = {0};
    buf_str(&out, name);
    if (shape->size && add_element(source, shape, offset, &out))
        text = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return text;
}

// ---- declarations --------------------------------------------------------

static bool is_same_shape(const Shape *a, const Shape *b) {
    bool same = a->size == b->size && a->dim_count == b->dim_count &&
                str_equal(a->tag, b->tag);
    for (uint32_t i = 0; i < a->dim_count && same; i++)
        same = a->dims[i] == b->dims[i];
    return same;
}

// The declaration of a shared variable: a statement with __shared__ and one
// name. False: there is none, or several differ.
static bool find_shared(Source *source, Str name, Shape *shape) {
    Str words[8], text = scan(source);
    size_t count = 0;
    bool is_shared = false;
    *shape = (Shape){0};
    for (Str t = next_token(&text); t.len; t = next_token(&text)) {
        if (is_shared && str_equal(t, name)) {
            Shape found = type_of(source, words, count, 0);
            Str rest = text;
            if (!found.size || !read_dims(source, &rest, &found) ||
                !place_is_mark(next_token(&rest), ';') ||
                (shape->size && !is_same_shape(shape, &found)))
                return false;
            *shape = found;
        } else if (str_equal(t, STR("__shared__"))) {
            is_shared = true;
        } else if (!place_is_name(t)) {
            count = 0;
            is_shared = false;
        } else if (is_shared && count < COUNT_OF(words)) {
            words[count++] = t;
        }
    }
    return shape->size > 0;
}

typedef struct Param {
    Str name;
    Shape pointee; // size 0: it is no pointer, or its type is not known
    bool is_pointer;
    bool may_hold_one; // it is none, and may be given an address all the same
} Param;

enum { MOST_PARAMS = 32 };

// Reads "(float *data, int n) {". Returns how many; 0: it is no definition.
static uint32_t read_params(Source *source, Str text,
                            Param params[MOST_PARAMS]) {
    Str words[8], t;
    size_t words_count = 0;
    uint32_t count = 0;
    Param param = {0};
    if (!place_is_mark(next_token(&text), '('))
        return 0;
    while ((t = next_token(&text)).len) {
        if (place_is_mark(t, '*')) {
            param.pointee = param.is_pointer
                                ? (Shape){.size = 8, .align = 8}
                                : type_of(source, words, words_count, 0);
            param.is_pointer = true;
        } else if (place_is_mark(t, ',') || place_is_mark(t, ')')) {
            if (count == MOST_PARAMS || param.name.len == 0)
                return 0;
            Shape own = type_of(source, words, words_count - 1, 0);
            param.may_hold_one =
                !param.is_pointer && (own.size == 0 || own.size > 4);
            params[count++] = param;
            param = (Param){0};
            words_count = 0;
            if (place_is_mark(t, ')'))
                return place_is_mark(next_token(&text), '{') ? count : 0;
        } else if (place_is_name(t) && words_count < COUNT_OF(words)) {
            words[words_count++] = t;
            param.name = t;
        } else {
            return 0; // templates, arrays, defaults
        }
    }
    return 0;
}

// The parameters of the kernel, as many as it has; 0: not known.
static uint32_t find_params(const Grade *grade, Source *source,
                            Param params[MOST_PARAMS]) {
    if (!grade->entry)
        return 0;
    Str text = scan(source);
    Str name = ptx_plain_name(grade->entry->name);
    for (Str t = next_token(&text); t.len; t = next_token(&text)) {
        uint32_t count =
            str_equal(t, name) ? read_params(source, text, params) : 0;
        if (count && count == grade->entry->param_count)
            return count;
    }
    return 0;
}

// ---- facts ---------------------------------------------------------------

typedef struct Naming {
    const Grade *grade;
    Source source;
    Param params[MOST_PARAMS];
    uint32_t param_count;
    bool has_params; // they have been looked for
    Fact facts[8];
    size_t count;
} Naming;

static void add(Naming *n, Fact fact) {
    if (n->count < COUNT_OF(n->facts))
        n->facts[n->count++] = fact;
}

static uint64_t number_of(Facts facts, FactKey key) {
    const Fact *fact = fact_find(facts, key);
    return fact ? fact->number : 0;
}

static void name_shared(Naming *n, Facts facts, Fact element_word) {
    const Fact *name = fact_find(facts, FACT_NAME);
    Shape shape = {0};
    if (!name || !find_shared(&n->source, name->text, &shape))
        return;
    Str element = element_of(n->grade->arena, &n->source, name->text, &shape,
                             number_of(facts, FACT_OFFSET));
    if (element.len == 0)
        return;
    add(n, element_word);
    add(n, FACT_STR(NAME, element));
}

// The parameter behind a number of a fact: of a buffer of a launch, the
// pointers are counted.
static const Param *param_of(Naming *n, uint64_t number, bool counts_pointers) {
    if (!n->has_params)
        n->param_count = find_params(n->grade, &n->source, n->params);
    n->has_params = true;
    for (uint32_t i = 0; i < n->param_count; i++) {
        const Param *param = &n->params[i];
        if (counts_pointers && param->may_hold_one)
            return NULL;
        if (counts_pointers && !param->is_pointer)
            continue;
        if (number-- == 0)
            return param->pointee.size ? param : NULL;
    }
    return NULL;
}

static Str element_behind(Naming *n, const Param *param, uint64_t offset) {
    Shape many = param->pointee;
    many.dims[many.dim_count++] = 0;
    return element_of(n->grade->arena, &n->source, param->name, &many, offset);
}

static void name_memory(Naming *n, Facts facts) {
    const Fact *memory = fact_find(facts, FACT_MEMORY);
    if (!memory)
        return;
    if (memory->number == WORD_MEMORY_OWN_VARIABLE)
        name_shared(n, facts, FACT_SAYS(MEMORY, OWN_ELEMENT));
    if (memory->number == WORD_MEMORY_OTHERS_VARIABLE)
        name_shared(n, facts, FACT_SAYS(MEMORY, OTHERS_ELEMENT));
    bool is_buffer = memory->number == WORD_MEMORY_GLOBAL;
    if (!is_buffer && memory->number != WORD_MEMORY_OF_PARAMETER)
        return;
    const Param *param = param_of(n, number_of(facts, FACT_NUMBER), is_buffer);
    Str element = param
                      ? element_behind(n, param, number_of(facts, FACT_OFFSET))
                      : (Str){0};
    if (element.len == 0)
        return;
    add(n, FACT_SAYS(MEMORY, OWN_ELEMENT));
    add(n, FACT_STR(NAME, element));
}

static void name_mbarrier(Naming *n, Facts facts) {
    const Fact *word = fact_find(facts, FACT_MBARRIER);
    if (word && word->number != WORD_MBARRIER_UNKNOWN)
        name_shared(n, facts, FACT_SAYS(MBARRIER, VARIABLE));
}

// An access behind the end of what a parameter points to.
static void name_past_end(Naming *n, Finding *finding) {
    Facts facts = finding->facts;
    const Fact *buffer = fact_find(facts, FACT_BUFFER);
    if (finding->which != CASE_MEM001_PAST_END ||
        buffer->number != WORD_BUFFER_OF_PARAMETER)
        return;
    const Param *param = param_of(n, number_of(facts, FACT_NUMBER), false);
    uint64_t size = number_of(facts, FACT_SIZE),
             at = size + number_of(facts, FACT_DISTANCE);
    if (!param || size % param->pointee.size)
        return;
    Str element = element_behind(n, param, at);
    if (element.len == 0)
        return;
    uint64_t elements = size / param->pointee.size;
    finding->told = CASE_MEM001_PAST_ELEMENT;
    add(n, FACT_STR(ELEMENT, element));
    add(n, FACT(COUNT, at / param->pointee.size - elements + 1));
    add(n, FACT_STR(NAME, param->name));
    add(n, FACT(ELEMENTS, elements));
}

// The same facts, with those that were named in place of theirs.
static Facts renamed(const Naming *n, Facts facts) {
    Fact *items = arena_new(n->grade->arena, Fact, facts.count + 1);
    for (size_t i = 0; i < facts.count; i++) {
        const Fact *named =
            fact_find((Facts){n->facts, n->count}, facts.items[i].key);
        items[i] = named ? *named : facts.items[i];
    }
    return (Facts){items, facts.count};
}

static void name_place(Naming *n, RelatedPlace *place) {
    n->count = 0;
    name_memory(n, place->facts);
    name_mbarrier(n, place->facts);
    if (n->count)
        place->facts = renamed(n, place->facts);
}

static bool is_by_index(FindingCase which) {
    static const FindingCase cases[] = {CASE_MEM001_PAST_END,
                                        CASE_MEM001_SHARED,
                                        CASE_MEM001_LOCAL,
                                        CASE_MEM001_LOCAL_BEFORE,
                                        CASE_MEM001_LOCAL_GAP,
                                        CASE_MEM001_SHARED_GAP,
                                        CASE_MEM001_MBARRIER_OVERRUN,
                                        CASE_BAR002_OVERRUN,
                                        CASE_CLC005_SLOT_OVERRUN,
                                        CASE_MEM003_LOCAL};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (which == cases[i])
            return true;
    return false;
}

// Whether an element is named in the line by an index that may change.
static bool has_index(Str line) {
    Str last = {0};
    for (Str t = next_token(&line); t.len; last = t, t = next_token(&line)) {
        Str rest = line, index = next_token(&rest);
        uint64_t number;
        if (place_is_mark(t, '[') && place_is_name(last) && index.len &&
            !str_to_u64(index, &number))
            return true;
    }
    return false;
}

// Of an access out of bounds, or to an element that was not written: the
// condition that let it through goes first.
static void quote_condition(const Grade *grade, Finding *finding) {
    Str source = grade->submission->source;
    SrcLoc at = place_as_given(grade->submission, finding->at);
    Guard guard = {0};
    if (!is_by_index(finding->which) ||
        !str_equal(at.file, grade->submission->file))
        return;
    if (finding->which == CASE_MEM003_LOCAL && finding->reason == REASON_NONE &&
        has_index(str_line(source, at.line)))
        finding->reason = REASON_ELEMENT_NOT_WRITTEN;
    if (finding->related_count == COUNT_OF(finding->related) ||
        !guard_of(source, at.line, &guard))
        return;
    SrcLoc there = {at.file, guard.line, 0};
    for (uint32_t i = finding->related_count++; i > 0; i--)
        finding->related[i] = finding->related[i - 1];
    finding->related[0] = (RelatedPlace){
        .at = there,
        .caller = there,
        .place = guard.is_passed ? PLACE_NOT_STOPPED : PLACE_LET_THROUGH,
        .facts =
            facts_copy(grade->arena, FACTS(FACT_STR(TEXT, guard.condition)))};
}

void names_give(const Grade *grade, Finding *finding) {
    Naming n = {.grade = grade, .source = {.text = grade->submission->source}};
    if (!place_is_short(grade->submission))
        return;
    for (uint32_t i = 0; i < finding->related_count; i++)
        name_place(&n, &finding->related[i]);
    quote_condition(grade, finding);
    n.count = 0;
    name_memory(&n, finding->facts);
    name_mbarrier(&n, finding->facts);
    name_past_end(&n, finding);
    finding->named = facts_copy(grade->arena, (Facts){n.facts, n.count});
}
