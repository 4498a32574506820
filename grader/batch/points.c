// SPDX-License-Identifier: Apache-2.0
// Points that people give, of a table in CSV (RFC 4180), beside those of the
// grader:
//
//   id,points,note
//   ana,7.5,"knows what the fence is for"
//
// The first line names the columns. One of id, account or student says who it
// is, as in grades.csv; points is a number; note and other columns may be left
// out. The grades.csv of another batch, such as the quiz's, is such a table,
// too: its score counts, and who has none has no points. Where spreadsheets
// write a comma into numbers, fields are separated by semicolons: the first
// line tells. What cannot be understood is an error with its line: points that
// are passed over would be lost.
#include "batch/batch.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 64, MOST_POINTS = 10000 };

typedef struct Reader {
    Arena *arena;
    Str path, rest;
    Diags *diags;
    uint32_t line; // of the record that is read
    uint32_t next; // of the one that follows
    char separator;
    Str fields[MOST_FIELDS];
    size_t count;
} Reader;

static bool complain(Reader *reader, const char *what, Str about) {
    diag_add(reader->diags, DIAG_ERROR, (SrcLoc){reader->path, reader->line, 1},
             what, STR_ARG(about));
    return false;
}

// ---- records -------------------------------------------------------------

// A field in quotation marks, which are doubled inside; the first is taken off
// already. False: there is no last one.
static bool read_quoted(Reader *reader, Str *field) {
    Buf out = {0};
    bool ends = false;
    while (reader->rest.len > 0 && !ends) {
        char byte = reader->rest.ptr[0];
        bool doubled = reader->rest.len > 1 && reader->rest.ptr[1] == '"';
        ends = byte == '"' && !doubled;
        if (!ends)
            buf_byte(&out, byte);
        reader->next += byte == '\n';
        reader->rest = str_slice(reader->rest, byte == '"' && doubled ? 2 : 1,
                                 reader->rest.len);
    }
    *field = str_copy(reader->arena, buf_view(&out));
    buf_free(&out);
    return ends;
}

static Str read_plain(Reader *reader) {
    size_t n = 0;
    while (n < reader->rest.len && reader->rest.ptr[n] != reader->separator &&
           reader->rest.ptr[n] != '\n')
        n++;
    Str field = str_trim(str_slice(reader->rest, 0, n));
    reader->rest = str_slice(reader->rest, n, reader->rest.len);
    return field;
}

static bool read_field(Reader *reader) {
    if (reader->count == MOST_FIELDS)
        return complain(reader, "This line has too many fields.", STR(""));
    Str *field = &reader->fields[reader->count++];
    if (!str_starts(reader->rest, STR("\""))) {
        *field = read_plain(reader);
        return true;
    }
    reader->rest = str_slice(reader->rest, 1, reader->rest.len);
    if (!read_quoted(reader, field))
        return complain(reader, "A quotation mark is never closed.", STR(""));
    if (read_plain(reader).len > 0)
        return complain(reader, "Text follows a closing quotation mark.",
                        STR(""));
    return true;
}

// False, with *ok: the table ends here.
static bool read_record(Reader *reader, bool *ok) {
    *ok = true;
    reader->count = 0;
    reader->line = reader->next++;
    if (reader->rest.len == 0)
        return false;
    while ((*ok = read_field(reader)) &&
           str_starts(reader->rest, (Str){&reader->separator, 1}))
        reader->rest = str_slice(reader->rest, 1, reader->rest.len);
    if (reader->rest.len > 0)
        reader->rest = str_slice(reader->rest, 1, reader->rest.len); // '\n'
    return *ok;
}

static bool is_blank(const Reader *reader) {
    return reader->count == 1 && reader->fields[0].len == 0;
}

// ---- columns -------------------------------------------------------------

typedef struct Columns {
    size_t who, points, note; // MOST_FIELDS: there is none
    bool may_lack;            // not everybody has points
    Str (*key)(const BatchRow *row);
} Columns;

static Str id_of(const BatchRow *row) {
    return row->id;
}

static Str account_of(const BatchRow *row) {
    return row->account;
}

static Str student_of(const BatchRow *row) {
    return row->student;
}

static size_t find_column(const Reader *reader, Str name) {
    for (size_t i = 0; i < reader->count; i++)
        if (str_equal(reader->fields[i], name))
            return i;
    return MOST_FIELDS;
}

static bool read_head(Reader *reader, Columns *columns) {
    static const struct {
        Str name;
        Str (*key)(const BatchRow *row);
    } ways[] = {{STR("id"), id_of},
                {STR("account"), account_of},
                {STR("student"), student_of}};
    bool ok;
    Str line = str_slice(reader->rest, 0, str_find(reader->rest, '\n'));
    bool has_semicolons = str_find(line, ';') < line.len;
    reader->separator =
        has_semicolons && str_find(line, ',') == line.len ? ';' : ',';
    read_record(reader, &ok);
    if (!ok)
        return false;
    columns->who = MOST_FIELDS;
    for (size_t i = 0; i < COUNT_OF(ways) && columns->who == MOST_FIELDS; i++) {
        columns->who = find_column(reader, ways[i].name);
        columns->key = ways[i].key;
    }
    columns->points = find_column(reader, STR("points"));
    if (columns->points == MOST_FIELDS) { // another batch's grades.csv
        columns->points = find_column(reader, STR("score"));
        columns->may_lack = columns->points < MOST_FIELDS;
    }
    columns->note = find_column(reader, STR("note"));
    if (columns->who == MOST_FIELDS || columns->points == MOST_FIELDS)
        return complain(reader,
                        "The first line has to name the columns: one of id, "
                        "account or student, and points.",
                        STR(""));
    return true;
}

// ---- who -----------------------------------------------------------------

typedef struct Named {
    Str key;
    size_t row;
} Named;

static int compare_keys(Str x, Str y) {
    size_t len = x.len < y.len ? x.len : y.len;
    int order = len ? memcmp(x.ptr, y.ptr, len) : 0;
    return order ? order : (x.len > y.len) - (x.len < y.len);
}

static int by_key(const void *a, const void *b) {
    return compare_keys(((const Named *)a)->key, ((const Named *)b)->key);
}

typedef struct Class {
    Named *items; // sorted
    size_t count;
} Class;

static Class sort_class(Arena *arena, const Columns *columns,
                        const BatchRow *rows, size_t count) {
    Class class = {arena_new(arena, Named, count + 1), count};
    for (size_t i = 0; i < count; i++)
        class.items[i] = (Named){columns->key(&rows[i]), i};
    qsort(class.items, count, sizeof class.items[0], by_key);
    return class;
}

// NULL: there is none.
static const Named *find_name(const Class *class, Str key) {
    Named wanted = {.key = key};
    return bsearch(&wanted, class->items, class->count, sizeof class->items[0],
                   by_key);
}

static bool is_only_one(const Class *class, const Named *found) {
    const Named *end = class->items + class->count;
    return (found == class->items || by_key(found - 1, found) != 0) &&
           (found + 1 == end || by_key(found + 1, found) != 0);
}

// ---- lines ---------------------------------------------------------------

static bool read_points(Reader *reader, Str text, double *points) {
    char *end, *digits = str_cstring(reader->arena, text);
    if (reader->separator == ';')
        for (char *comma = digits; (comma = strchr(comma, ','));)
            *comma = '.';
    size_t plain = strspn(digits, "+-.0123456789");
    *points = strtod(digits, &end);
    if (text.len > 0 && plain == text.len && *end == '\0' &&
        *points >= -MOST_POINTS && *points <= MOST_POINTS)
        return true;
    return complain(reader, "\"%.*s\" is no number of points.", text);
}

static Str field_of(const Reader *reader, size_t column) {
    return column < reader->count ? reader->fields[column] : (Str){0};
}

static void add_stranger(Reader *reader, BatchStrangers *strangers, Str who) {
    arena_grow(reader->arena, strangers->items, strangers->count,
               strangers->capacity);
    strangers->items[strangers->count++] = str_copy(reader->arena, who);
}

static bool take_line(Reader *reader, const Columns *columns,
                      const Class *class, BatchTable *table) {
    Str who = field_of(reader, columns->who);
    double points;
    if (who.len == 0)
        return complain(reader, "This line does not say whose points it has.",
                        STR(""));
    Str given = field_of(reader, columns->points);
    if (given.len == 0 && columns->may_lack)
        return true;
    if (!read_points(reader, given, &points))
        return false;
    const Named *found = find_name(class, who);
    if (!found) {
        add_stranger(reader, &table->strangers, who);
        return true;
    }
    if (!is_only_one(class, found))
        return complain(
            reader,
            "Several submissions are of \"%.*s\": name them by their ids.",
            who);
    BatchExtra *extra = &table->extras[found->row];
    if (extra->is_there)
        return complain(reader, "\"%.*s\" has points in an earlier line.", who);
    Str note = field_of(reader, columns->note);
    *extra = (BatchExtra){true, points, str_copy(reader->arena, note)};
    return true;
}

bool batch_points(Arena *arena, Str path, Str text, const BatchRow *rows,
                  size_t count, BatchTable *table, Diags *diags) {
    static const Str mark = STR("\xef\xbb\xbf"); // as spreadsheets begin UTF-8
    Reader *reader = arena_new(arena, Reader, 1);
    Columns columns = {0};
    bool ok;
    *reader = (Reader){
        .arena = arena, .path = path, .rest = text, .diags = diags, .next = 1};
    *table = (BatchTable){.extras = arena_new(arena, BatchExtra, count + 1)};
    if (str_starts(text, mark))
        reader->rest = str_slice(text, mark.len, text.len);
    if (!read_head(reader, &columns))
        return false;
    Class class = sort_class(arena, &columns, rows, count);
    while (read_record(reader, &ok))
        if (!is_blank(reader) && !take_line(reader, &columns, &class, table))
            return false;
    return ok;
}
