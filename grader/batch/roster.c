// SPDX-License-Identifier: Apache-2.0
// Whose files they are. A file's path names its owner, in the way of the
// platform that the class's work was exported from:
//
//   plain       ana.cu, ana/block_clc.cu            or ana.zip
//   Canvas      smithana_LATE_4711_90210_block_clc-1.cu   (user, submission)
//   Moodle      Ana Smith_4711_assignsubmission_file/block_clc.cu
//   Gradescope  submission_4711/block_clc.cu, and submission_metadata.yml
//
// Files are sorted by owner; then one source of each owner is chosen. Start
// reading at batch_roster, at the end.
#include "batch/batch.h"
#include "batch/internal.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ID = 100, MOST_NAMED = 3 };

typedef struct Owned { // a file and its owner
    Str key;           // the same for all of an owner
    Str student, account;
    bool is_late;
    Str name; // of the file, as the student gave it
    const BatchFile *file;
    Str suffix; // of what is graded: ".cu"
} Owned;

// A source is a file that ends as the wanted one does.
static Str suffix_of(Str wanted) {
    size_t at = wanted.len;
    while (at > 0 && wanted.ptr[--at] != '.')
        continue;
    return str_slice(wanted, at, wanted.len);
}

// ---- texts ---------------------------------------------------------------

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_number(Str s) {
    for (size_t i = 0; i < s.len; i++)
        if (!is_digit(s.ptr[i]))
            return false;
    return s.len > 0;
}

static bool is_plain(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           c == '-' || c == '_' || c == '.';
}

static int compare(Str a, Str b) {
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len ? memcmp(a.ptr, b.ptr, len) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static Str last_component(Str path) {
    while (str_find(path, '/') < path.len)
        str_cut(&path, '/');
    return path;
}

// Where `part` begins in s; s.len: nowhere.
static size_t find_text(Str s, Str part) {
    for (size_t i = 0; i + part.len <= s.len; i++)
        if (str_starts(str_slice(s, i, s.len), part))
            return i;
    return s.len;
}

bool batch_is_id(Str text) {
    for (size_t i = 0; i < text.len; i++)
        if (!is_plain(text.ptr[i]))
            return false;
    return text.len > 0 && text.len <= MOST_ID && text.ptr[0] != '.' &&
           text.ptr[0] != '-';
}

// The key itself, if it can be the name of a file; else what can be kept of it
// and a hash of all of it, so that two keys never become one, whoever else is
// in the class.
static Str make_id(Arena *arena, Str key) {
    if (batch_is_id(key))
        return key;
    enum { KEPT = 60 };
    char kept[KEPT];
    size_t len = 0;
    for (size_t i = 0; i < key.len && len < KEPT; i++)
        if (is_plain(key.ptr[i]))
            kept[len++] = key.ptr[i];
        else if (len > 0 && kept[len - 1] != '_')
            kept[len++] = '_';
    bool starts_well = len > 0 && kept[0] != '.' && kept[0] != '-';
    return str_format(arena, "%s%.*s-%.8s", starts_well ? "" : "x", (int)len,
                      kept, hash_sha256(arena, key).ptr);
}

// ---- names of platforms --------------------------------------------------

// Takes the number off the end of "ana_4711"; false: there is none.
static bool cut_number(Str *text, Str *number) {
    size_t at = text->len;
    while (at > 0 && is_digit(text->ptr[at - 1]))
        at--;
    if (at == text->len || at < 2 || text->ptr[at - 1] != '_')
        return false;
    *number = str_slice(*text, at, text->len);
    *text = str_slice(*text, 0, at - 1);
    return true;
}

// Canvas adds "-1", "-2" to the name of a file that is handed in again.
static Str without_count(Arena *arena, Str name) {
    size_t dot = name.len;
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] == '.')
            dot = i;
    size_t at = dot;
    while (at > 0 && is_digit(name.ptr[at - 1]))
        at--;
    if (at == dot || at < 2 || name.ptr[at - 1] != '-')
        return name;
    return str_format(arena, "%.*s%.*s", (int)(at - 1), name.ptr,
                      (int)(name.len - dot), name.ptr + dot);
}

static bool of_canvas(Arena *arena, Str path, Owned *owned) {
    Str rest = path, first = str_cut(&rest, '_');
    if (str_starts(rest, STR("LATE_"))) {
        owned->is_late = true;
        rest = str_slice(rest, 5, rest.len);
    }
    Str user = str_cut(&rest, '_'), submission = str_cut(&rest, '_');
    if (first.len == 0 || str_find(first, '/') < first.len ||
        !is_number(user) || !is_number(submission) || rest.len == 0)
        return false;
    owned->student = first;
    owned->account = user;
    owned->name = without_count(arena, last_component(rest));
    owned->key = str_format(arena, "%.*s-%.*s", STR_ARG(first), STR_ARG(user));
    return true;
}

static bool of_moodle(Arena *arena, Str path, Owned *owned) {
    static const Str mark = STR("_assignsubmission_");
    Str rest = path, first = str_cut(&rest, '/');
    size_t at = find_text(first, mark);
    Str who = str_slice(first, 0, at);
    if (at == first.len || !cut_number(&who, &owned->account))
        return false;
    if (rest.len == 0) { // "..._assignsubmission_file_block_clc.cu"
        rest = str_slice(first, at + mark.len, first.len);
        str_cut(&rest, '_');
    }
    owned->student = who;
    owned->name = last_component(rest);
    owned->key =
        str_format(arena, "%.*s-%.*s", STR_ARG(who), STR_ARG(owned->account));
    return owned->name.len > 0;
}

static bool of_gradescope(Arena *arena, Str path, Owned *owned) {
    (void)arena;
    Str rest = path, first = str_cut(&rest, '/');
    if (!str_starts(first, STR("submission_")) || rest.len == 0 ||
        !is_number(str_slice(first, 11, first.len)))
        return false;
    owned->key = owned->student = first;
    owned->account = str_slice(first, 11, first.len);
    owned->name = last_component(rest);
    return true;
}

static bool of_plain(Arena *arena, Str path, Owned *owned) {
    (void)arena;
    Str rest = path, first = str_cut(&rest, '/');
    owned->name = last_component(path);
    size_t packed = batch_archive_suffix(first);
    if (rest.len == 0 && packed == 0) {
        packed = owned->suffix.len;
        if (!str_ends(first, owned->suffix) || first.len == packed)
            return false;
    }
    first.len -= packed;
    owned->key = owned->student = first;
    return true;
}

typedef bool OwnerOf(Arena *arena, Str path, Owned *owned);
static OwnerOf *const OWNER_OF[] = {
    [BATCH_NAMES_PLAIN] = of_plain,
    [BATCH_NAMES_CANVAS] = of_canvas,
    [BATCH_NAMES_MOODLE] = of_moodle,
    [BATCH_NAMES_GRADESCOPE] = of_gradescope,
};

// ---- which platform ------------------------------------------------------

// What programs leave in folders and archives, and nobody handed in.
static bool is_litter(Str path) {
    Str name = last_component(path);
    return name.len == 0 || name.ptr[0] == '.' ||
           str_starts(path, STR("__MACOSX/"));
}

// `skipped`: bytes of each path that are the wrapper's.
static bool all_are(Arena *arena, const BatchFiles *files, size_t skipped,
                    BatchNames names) { // a platform's
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++) {
        Owned owned = {0};
        const BatchFile *file = &files->items[i];
        Str path = str_slice(file->path, skipped, file->path.len);
        if (file->is_lost || file->is_none || is_litter(file->path) ||
            str_equal(path, BATCH_METADATA))
            continue;
        if (!OWNER_OF[names](arena, path, &owned))
            return false;
        count++;
    }
    return count > 0;
}

static BatchNames find_names(Arena *arena, const BatchFiles *files,
                             size_t skipped) {
    static const BatchNames platforms[] = {
        BATCH_NAMES_GRADESCOPE, BATCH_NAMES_MOODLE, BATCH_NAMES_CANVAS};
    for (size_t i = 0; i < COUNT_OF(platforms); i++)
        if (all_are(arena, files, skipped, platforms[i]))
            return platforms[i];
    return BATCH_NAMES_PLAIN;
}

// Archives often have everything in one folder, which is no student's if there
// are several sources in it. Returns its length with the "/"; 0: there is none.
static size_t wrapper(const BatchFiles *files, Str suffix) {
    Str first = {0};
    size_t sources = 0;
    for (size_t i = 0; i < files->count && files->has_bytes; i++) {
        Str rest = files->items[i].path, top;
        if (files->items[i].is_lost || is_litter(rest))
            continue;
        sources += str_ends(rest, suffix);
        top = str_cut(&rest, '/');
        if (rest.len == 0 || (first.len && !str_equal(first, top)))
            return 0;
        first = top;
    }
    return sources > 1 ? first.len + 1 : 0;
}

// ---- Gradescope's metadata -----------------------------------------------

// The value of "  - :name: 'Ana'" if the line has that key.
static bool yaml_value(Str line, Str key, Str *value) {
    line = str_trim(line);
    if (str_starts(line, STR("- ")))
        line = str_trim(str_slice(line, 2, line.len));
    if (!str_starts(line, key))
        return false;
    Str text = str_trim(str_slice(line, key.len, line.len));
    bool quoted = text.len > 1 && (text.ptr[0] == '\'' || text.ptr[0] == '"') &&
                  text.ptr[text.len - 1] == text.ptr[0];
    *value = quoted ? str_slice(text, 1, text.len - 1) : text;
    return true;
}

// Names the owner of `key` as the metadata do; several students may have handed
// in together.
static void name_student(Arena *arena, Str metadata, Str key,
                         BatchSubmission *submission) {
    Str value, names = {0};
    bool inside = false;
    while (metadata.len > 0) {
        Str line = str_cut(&metadata, '\n');
        if (line.len > 0 && line.ptr[0] != ' ' && line.ptr[0] != '-')
            inside = str_starts(line, key) &&
                     str_starts(str_slice(line, key.len, line.len), STR(":"));
        else if (inside && yaml_value(line, STR(":name:"), &value))
            names = str_format(arena, "%.*s%s%.*s", STR_ARG(names),
                               names.len ? ", " : "", STR_ARG(value));
        else if (inside && yaml_value(line, STR(":sid:"), &value) && value.len)
            submission->account = value;
    }
    if (names.len)
        submission->student = names;
}

// ---- one source of each --------------------------------------------------

// The starter's copy, in what a student has handed in of the whole course, is
// not what she has written.
static bool is_starter(Str path) {
    static const Str folder = STR("/starter/");
    return find_text(path, folder) < path.len;
}

static bool is_source(const Owned *owned) {
    return str_ends(owned->name, owned->suffix) &&
           !is_starter(owned->file->path);
}

static Str list_names(Arena *arena, const Owned *files, size_t count,
                      bool sources) {
    Str list = {0};
    size_t named = 0;
    for (size_t i = 0; i < count; i++) {
        if ((sources && !is_source(&files[i])) || files[i].file->is_none)
            continue;
        if (named++ == MOST_NAMED)
            return str_format(arena, "%.*s, ...", STR_ARG(list));
        list = str_format(arena, "%.*s%s%.*s", STR_ARG(list),
                          list.len ? ", " : "", STR_ARG(files[i].name));
    }
    return list;
}

// Why an owner has no source: an archive that could not be read, or other
// files.
static Str say_none(Arena *arena, const Owned *files, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (batch_archive_suffix(files[i].name) && files[i].file->problem.len)
            return str_format(arena, "%.*s: %.*s", STR_ARG(files[i].name),
                              STR_ARG(files[i].file->problem));
    Str names = list_names(arena, files, count, false);
    if (names.len == 0)
        return files[0].file->problem;
    return str_format(arena, "No file ends in %.*s: there is %.*s.",
                      STR_ARG(files[0].suffix), STR_ARG(names));
}

// The source among an owner's files; NULL: *problem says why there is none.
static const Owned *choose(Arena *arena, const Owned *files, size_t count,
                           Str wanted, Str *problem) {
    const Owned *only = NULL, *named = NULL;
    size_t sources = 0, matches = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_source(&files[i]))
            continue;
        sources++;
        only = &files[i];
        if (str_equal(files[i].name, wanted)) {
            matches++;
            named = &files[i];
        }
    }
    if (matches == 1 || (matches == 0 && sources == 1))
        return matches ? named : only;
    if (matches > 1)
        *problem = str_format(arena, "%zu files are called %.*s.", matches,
                              STR_ARG(wanted));
    else if (sources > 1)
        *problem = str_format(
            arena, "%zu sources (%.*s), and none is called %.*s.", sources,
            STR_ARG(list_names(arena, files, count, true)), STR_ARG(wanted));
    else
        *problem = say_none(arena, files, count);
    return NULL;
}

static BatchSubmission submission_of(Arena *arena, const Owned *files,
                                     size_t count, Str wanted) {
    BatchSubmission submission = {.id = make_id(arena, files->key),
                                  .student = files->student,
                                  .account = files->account};
    const Owned *source =
        choose(arena, files, count, wanted, &submission.problem);
    for (size_t i = 0; i < count; i++)
        submission.is_late |= files[i].is_late;
    if (!source)
        return submission;
    submission.name = source->name;
    submission.file = source->file;
    if (source->file->problem.len)
        submission.problem =
            str_format(arena, "%.*s: %.*s", STR_ARG(source->name),
                       STR_ARG(source->file->problem));
    return submission;
}

void batch_choose(Arena *arena, const BatchFiles *files, Str wanted,
                  BatchSubmission *submission) {
    Owned *owned = arena_new(arena, Owned, files->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++)
        if (!is_litter(files->items[i].path) && !files->items[i].is_none)
            owned[count++] =
                (Owned){.name = last_component(files->items[i].path),
                        .file = &files->items[i],
                        .suffix = suffix_of(wanted)};
    if (count)
        *submission = submission_of(arena, owned, count, wanted);
    else
        *submission =
            (BatchSubmission){.problem = STR("There is no file in it.")};
    submission->id = (Str){0};
}

// ---- the whole -----------------------------------------------------------

static void ignore(Arena *arena, BatchRoster *roster, size_t *capacity,
                   const BatchFile *file, const char *why) {
    arena_grow(arena, roster->ignored, roster->ignored_count, *capacity);
    roster->ignored[roster->ignored_count++] =
        str_format(arena, "%.*s: %s", STR_ARG(file->path), why);
}

// All files that have an owner; the others are noted as ignored.
static Owned *find_owners(Arena *arena, const BatchFiles *files, size_t skipped,
                          Str suffix, BatchRoster *roster, size_t *count,
                          Str *metadata) {
    Owned *owned = arena_new(arena, Owned, files->count + 1);
    size_t capacity = 0;
    *count = 0;
    for (size_t i = 0; i < files->count; i++) {
        const BatchFile *file = &files->items[i];
        Str path = str_slice(file->path, skipped, file->path.len);
        Owned *next = &owned[*count];
        if (is_litter(file->path))
            continue;
        if (str_equal(path, BATCH_METADATA)) {
            *metadata = file->bytes;
            continue;
        }
        *next = (Owned){.file = file, .suffix = suffix};
        if (file->is_lost)
            ignore(arena, roster, &capacity, file, "its path is none");
        else if (OWNER_OF[roster->names](arena, path, next))
            ++*count;
        else
            ignore(arena, roster, &capacity, file,
                   "its name is no submission's");
    }
    return owned;
}

static int by_owner(const void *a, const void *b) {
    const Owned *x = a, *y = b;
    int order = compare(x->key, y->key);
    return order ? order : compare(x->file->path, y->file->path);
}

static int by_id(const void *a, const void *b) {
    return compare(((const BatchSubmission *)a)->id,
                   ((const BatchSubmission *)b)->id);
}

void batch_roster(Arena *arena, const BatchFiles *files, BatchNames names,
                  Str wanted, BatchRoster *roster) {
    size_t count;
    size_t skipped = wrapper(files, suffix_of(wanted));
    Str metadata = {0};
    *roster = (BatchRoster){.names = names};
    if (names == BATCH_NAMES_AUTO)
        roster->names = find_names(arena, files, skipped);
    Owned *owned = find_owners(arena, files, skipped, suffix_of(wanted), roster,
                               &count, &metadata);
    if (count == 0)
        return;
    qsort(owned, count, sizeof owned[0], by_owner);
    roster->items = arena_new(arena, BatchSubmission, count);
    for (size_t i = 0, n; i < count; i += n) {
        for (n = 1; i + n < count && str_equal(owned[i].key, owned[i + n].key);)
            n++;
        BatchSubmission *next = &roster->items[roster->count++];
        *next = submission_of(arena, &owned[i], n, wanted);
        name_student(arena, metadata, owned[i].key, next);
    }
    qsort(roster->items, roster->count, sizeof roster->items[0], by_id);
}
