// SPDX-License-Identifier: Apache-2.0
// Which submissions are alike: a hint for a person, never a verdict. sim_c++
// compares them (Debian's similarity-tester): it sees tokens, names as one kind
// of token except those of functions that are called, and finds segments
// wherever they stand. So new names, comments, layout and another order of the
// parts hide nothing. It runs in a sandbox, since it reads strangers' files.
//
// What all have is no hint. The lines that a submission shares with the starter
// or the solution are taken off first; what is left is its own:
//
//   sim_c++ -S   each against the known texts       -> Side.own
//   sim_c++ -es  each against each of the others    -> matches -> pairs
//
// Both print a line a segment, "3: line 7-88   |12: line 9-85   [277]", with
// the names of the files, which are numbers here ("k1": a known one).
#include "batch/batch.h"
#include "batch/internal.h"
#include "sandbox/files.h"
#include "sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_TEXTS = 1000, // each is compared with each
    MOST_LINES = 5000, // of a text
    LEAST_OWN = 8,     // lines of its own without which there is no hint
    LEAST_RUN = 16,    // tokens
    CPU_SECONDS = 300,
};

#define PROGRAM "sim_c++"

typedef struct Side { // one text
    size_t index;     // in the request
    Str text;
    uint32_t lines, own_count;
    bool *own; // of each line, from 0: it is code, and not in the known texts
} Side;

typedef struct Segment { // lines from 1, the last one included
    uint32_t side, first, last;
} Segment;

typedef struct Match {
    Segment a, b; // a.side < b.side
} Match;

typedef struct Search {
    Arena *arena;
    const BatchAlikeRequest *request;
    BatchAlikes *found;
    Side *sides;
    size_t count;
    Scratch scratch;
    const char *program;
    Match *matches;
    size_t match_count, match_capacity;
} Search;

// ---- texts ---------------------------------------------------------------

// Whether the line has code: not only blanks, braces or a comment.
static bool has_code(Str line) {
    line = str_trim(line);
    if (str_starts(line, STR("//")) || str_starts(line, STR("*")) ||
        str_starts(line, STR("/*")) || str_starts(line, STR("#")))
        return false;
    for (size_t i = 0; i < line.len; i++) {
        char byte = line.ptr[i];
        if ((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
            (byte >= '0' && byte <= '9'))
            return true;
    }
    return false;
}

static void take_text(Search *search, size_t index, Str text) {
    Side *side = &search->sides[search->count];
    *side = (Side){.index = index, .text = text};
    for (size_t i = 0; i < text.len; i++)
        side->lines += text.ptr[i] == '\n';
    side->lines += text.len > 0 && text.ptr[text.len - 1] != '\n';
    if (side->lines == 0 || side->lines > MOST_LINES)
        return;
    side->own = arena_new(search->arena, bool, side->lines);
    for (uint32_t i = 0; i < side->lines; i++)
        side->own[i] = has_code(str_cut(&text, '\n'));
    search->count++;
}

static bool write_file(Search *search, const char *kind, size_t number,
                       Str text) {
    Str path = str_format(search->arena, "%.*s/%s%zu",
                          STR_ARG(search->scratch.path), kind, number);
    return files_write_atomic(search->arena, path, text);
}

static bool write_all(Search *search) {
    const BatchAlikeRequest *request = search->request;
    bool ok = true;
    for (size_t i = 0; i < search->count && ok; i++)
        ok = write_file(search, "", i, search->sides[i].text);
    for (size_t i = 0; i < request->known_count && ok; i++)
        ok = write_file(search, "k", i, request->known[i]);
    return ok;
}

// ---- the program ---------------------------------------------------------

// The names of the files, a line each, as its input.
static Str name_files(Search *search, bool with_known) {
    Buf names = {0};
    for (size_t i = 0; i < search->count; i++)
        buf_printf(&names, "%zu\n", i);
    if (with_known)
        buf_str(&names, STR("/\n"));
    for (size_t i = 0; with_known && i < search->request->known_count; i++)
        buf_printf(&names, "k%zu\n", i);
    Str text = str_copy(search->arena, buf_view(&names));
    buf_free(&names);
    return text;
}

static bool run(Search *search, const char *way, Str names, Str *out) {
    static const Str libraries[] = {
        {"/lib", 4}, {"/lib64", 6}, {"/usr", 4}, {"/etc/ld.so.cache", 16}};
    Str readable[COUNT_OF(libraries) + 2];
    memcpy(readable, libraries, sizeof libraries);
    readable[COUNT_OF(libraries)] = search->scratch.path;
    readable[COUNT_OF(libraries) + 1] = str_from(search->program);
    Str least = str_format(search->arena, "%d", LEAST_RUN);
    const char *argv[] = {PROGRAM, "-i",      "-F", "-n", "-T",
                          "-r",    least.ptr, way,  NULL};
    SandboxJob job = {.argv = argv,
                      .program = search->program,
                      .input = names,
                      .folder =
                          str_cstring(search->arena, search->scratch.path),
                      .paths = {.read = readable,
                                .read_count = COUNT_OF(readable),
                                .read_only_these = true},
                      .limits = {.cpu_s = CPU_SECONDS,
                                 .wall_s = 2 * CPU_SECONDS,
                                 .output = (uint64_t)256 << 20},
                      .scratch = &search->scratch,
                      .scratch_count = 1};
    SandboxResult result;
    Diags diags = diags_new(search->arena);
    BatchAlikes *found = search->found;
    if (!sandbox_run(search->arena, &job, &result, &diags)) {
        found->why = diags.items[0].what;
        return false;
    }
    *out = result.out;
    if (result.status == SANDBOX_EXITED && result.code == 0)
        return true;
    Str end = result.status == SANDBOX_EXITED
                  ? str_format(search->arena, "ended with %d: %.*s",
                               result.code, STR_ARG(str_trim(result.err)))
                  : sandbox_describe(search->arena, &job, &result);
    found->why = str_format(search->arena, PROGRAM " %.*s.", STR_ARG(end));
    return false;
}

// ---- what it prints ------------------------------------------------------

static bool read_number(Str *rest, uint32_t *number) {
    uint64_t value;
    size_t n = 0;
    while (n < rest->len && rest->ptr[n] >= '0' && rest->ptr[n] <= '9')
        n++;
    if (n > 9 || !str_to_u64(str_slice(*rest, 0, n), &value))
        return false;
    *number = (uint32_t)value;
    *rest = str_slice(*rest, n, rest->len);
    return true;
}

static bool skip(Str *rest, Str word) {
    if (!str_starts(*rest, word))
        return false;
    *rest = str_slice(*rest, word.len, rest->len);
    return true;
}

// "3: line 7-88", in a text that there is.
static bool read_segment(const Search *search, Str text, Segment *segment) {
    text = str_trim(text);
    return read_number(&text, &segment->side) && skip(&text, STR(": line ")) &&
           read_number(&text, &segment->first) && skip(&text, STR("-")) &&
           read_number(&text, &segment->last) && text.len == 0 &&
           segment->side < search->count && segment->first >= 1 &&
           segment->first <= segment->last &&
           segment->last <= search->sides[segment->side].lines;
}

static void take_off(Search *search, Str out) {
    Segment known;
    while (out.len > 0) {
        Str line = str_cut(&out, '\n');
        if (!read_segment(search, str_cut(&line, '|'), &known))
            continue;
        bool *own = search->sides[known.side].own;
        for (uint32_t i = known.first - 1; i < known.last; i++)
            own[i] = false;
    }
    for (size_t i = 0; i < search->count; i++)
        for (uint32_t k = 0; k < search->sides[i].lines; k++)
            search->sides[i].own_count += search->sides[i].own[k];
}

static void take_matches(Search *search, Str out) {
    while (out.len > 0) {
        Str line = str_cut(&out, '\n'), left = str_cut(&line, '|'),
            right = str_cut(&line, '[');
        Match match;
        if (!read_segment(search, left, &match.a) ||
            !read_segment(search, right, &match.b) ||
            match.a.side == match.b.side)
            continue;
        if (match.a.side > match.b.side) {
            Segment other = match.a;
            match.a = match.b;
            match.b = other;
        }
        arena_grow(search->arena, search->matches, search->match_count,
                   search->match_capacity);
        search->matches[search->match_count++] = match;
    }
}

// ---- pairs ---------------------------------------------------------------

static int by_sides(const void *x, const void *y) {
    const Match *a = x, *b = y;
    if (a->a.side != b->a.side)
        return a->a.side < b->a.side ? -1 : 1;
    if (a->b.side != b->b.side)
        return a->b.side < b->b.side ? -1 : 1;
    if (a->a.first != b->a.first)
        return a->a.first < b->a.first ? -1 : 1;
    return (a->a.last > b->a.last) - (a->a.last < b->a.last);
}

// Marks the own lines of a segment with the number of their match, and returns
// how many had none.
static uint32_t mark(const Side *side, Segment segment, uint16_t number,
                     uint16_t *marks) {
    uint32_t count = 0;
    for (uint32_t i = segment.first - 1; i < segment.last; i++) {
        if (!side->own[i] || marks[i])
            continue;
        marks[i] = number;
        count++;
    }
    return count;
}

static uint32_t percent_of(uint32_t part, const Side *side) {
    return side->own_count < LEAST_OWN ? 0 : part * 100 / side->own_count;
}

// Of `count` matches between two texts.
static BatchAlike compare(Search *search, const Match *matches, size_t count) {
    const Side *a = &search->sides[matches->a.side],
               *b = &search->sides[matches->b.side];
    BatchAlike pair = {.rows = {a->index, b->index},
                       .texts = {a->text, b->text},
                       .own = {a->own_count, b->own_count},
                       .marks = {arena_new(search->arena, uint16_t, a->lines),
                                 arena_new(search->arena, uint16_t, b->lines)}};
    for (size_t i = 0; i < count && i < UINT16_MAX - 1; i++) {
        uint16_t number = (uint16_t)(i + 1);
        pair.shared[0] += mark(a, matches[i].a, number, pair.marks[0]);
        pair.shared[1] += mark(b, matches[i].b, number, pair.marks[1]);
    }
    uint32_t of_a = percent_of(pair.shared[0], a),
             of_b = percent_of(pair.shared[1], b);
    pair.percent = of_a > of_b ? of_a : of_b;
    return pair;
}

static int by_percent(const void *x, const void *y) {
    const BatchAlike *a = x, *b = y;
    if (a->percent != b->percent)
        return a->percent < b->percent ? 1 : -1;
    if (a->rows[0] != b->rows[0])
        return a->rows[0] < b->rows[0] ? -1 : 1;
    return (a->rows[1] > b->rows[1]) - (a->rows[1] < b->rows[1]);
}

static void find_pairs(Search *search) {
    BatchAlikes *found = search->found;
    const Match *matches = search->matches;
    size_t capacity = 0;
    if (search->match_count)
        qsort(search->matches, search->match_count, sizeof *matches, by_sides);
    for (size_t i = 0, n; i < search->match_count; i += n) {
        for (n = 1; i + n < search->match_count &&
                    matches[i].a.side == matches[i + n].a.side &&
                    matches[i].b.side == matches[i + n].b.side;)
            n++;
        BatchAlike pair = compare(search, &matches[i], n);
        if (pair.percent < search->request->percent)
            continue;
        arena_grow(search->arena, found->items, found->count, capacity);
        found->items[found->count++] = pair;
    }
    if (found->count)
        qsort(found->items, found->count, sizeof found->items[0], by_percent);
}

// ---- the whole -----------------------------------------------------------

static void search_in_scratch(Search *search) {
    Str out;
    if (!write_all(search)) {
        search->found->why = STR("Their copies could not be written.");
        return;
    }
    if (!run(search, "-S", name_files(search, true), &out))
        return;
    take_off(search, out);
    if (!run(search, "-es", name_files(search, false), &out))
        return;
    take_matches(search, out);
    find_pairs(search);
}

void batch_find_alike(Arena *arena, const BatchAlikeRequest *request,
                      BatchAlikes *found) {
    Search search = {.arena = arena, .request = request, .found = found};
    *found = (BatchAlikes){.is_asked = true};
    Str program = files_find_program(arena, PROGRAM);
    if (program.len == 0) {
        found->why = STR(PROGRAM " is not there (apt-get install "
                                 "similarity-tester).");
        return;
    }
    search.program = str_cstring(arena, program);
    search.sides = arena_new(arena, Side, request->count + 1);
    for (size_t i = 0; i < request->count; i++)
        take_text(&search, i, request->texts[i]);
    if (search.count > MOST_TEXTS) {
        found->why = str_format(arena, "There are more than %d.", MOST_TEXTS);
        return;
    }
    Diags diags = diags_new(arena);
    if (!sandbox_make_scratch(arena, (Str){0}, &search.scratch, &diags)) {
        found->why = diags.items[0].what;
        return;
    }
    search_in_scratch(&search);
    sandbox_remove_scratch(&search.scratch);
}
