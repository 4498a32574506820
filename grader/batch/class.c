// SPDX-License-Identifier: Apache-2.0
// What was handed in: the folder or archive, whose files they are, and what is
// known of each submission already.
#include "batch/engine.h"
#include "sandbox/paths.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MOST_ARCHIVE = 1 << 30, // bytes
    MOST_RECORD = 1 << 16,
    MOST_RESULT = 16 << 20,
    MOST_LOOKERS = 16,
};

// ---- the class -----------------------------------------------------------

static int source_error(Batch *batch, BatchSource source, Str why) {
    int code = source == BATCH_NO_LIBRARY ? BATCH_MISSING
               : source == BATCH_NOT_NOW  ? BATCH_TRY_LATER
                                          : BATCH_USAGE;
    return batch_fail(batch, code, "%.*s: %.*s", STR_ARG(batch->request.source),
                      STR_ARG(why));
}

static int read_archive(Batch *batch, BatchFiles *files) {
    Str text, why = {0};
    BatchSource source = BATCH_NOT_THERE;
    switch (file_read(&batch->arena, batch->request.source.ptr, MOST_ARCHIVE,
                      &text, &why)) {
    case FILE_READ:
        source = batch_read_archive(&batch->arena, text, files, &why);
        break;
    case FILE_TOO_LARGE:
        why = STR("it is larger than 1 GiB");
        break;
    case FILE_UNREADABLE:
        break;
    }
    return source == BATCH_READ ? BATCH_DONE : source_error(batch, source, why);
}

static int read_tree(Batch *batch, BatchFiles *files) {
    Arena *arena = &batch->arena;
    Str why;
    BatchSource source =
        batch_read_tree(arena, batch->request.source, files, &why);
    if (source != BATCH_READ)
        return source_error(batch, source, why);
    for (size_t i = 0; i < files->count; i++) {
        BatchFile *file = &files->items[i];
        size_t most = batch_most(file->path);
        if (batch_is_source(file->path) || most == 0 || file->problem.len)
            continue;
        Str path =
            str_format(arena, "%.*s/%.*s", STR_ARG(batch->request.source),
                       STR_ARG(file->path));
        if (file_read(arena, path.ptr, most, &file->bytes, &why) ==
            FILE_TOO_LARGE)
            file->problem =
                str_format(arena, "It is larger than %zu MiB.", most >> 20);
    }
    return BATCH_DONE;
}

static int unpack(Batch *batch, BatchFiles *files) {
    Str why = {0};
    BatchSource source = batch_unpack(&batch->arena, files, &why);
    return source == BATCH_READ ? BATCH_DONE : source_error(batch, source, why);
}

int batch_read_class(Batch *batch) {
    Arena *arena = &batch->arena;
    struct stat status;
    BatchFiles *files = arena_new(arena, BatchFiles, 1);
    if (stat(batch->request.source.ptr, &status) != 0)
        return batch_fail(batch, BATCH_USAGE, "%.*s: %s",
                          STR_ARG(batch->request.source), strerror(errno));
    batch->is_tree = S_ISDIR(status.st_mode);
    int code =
        batch->is_tree ? read_tree(batch, files) : read_archive(batch, files);
    if (code == BATCH_DONE)
        code = unpack(batch, files);
    if (code != BATCH_DONE)
        return code;
    batch_roster(arena, files, batch->request.names, batch->request.file,
                 &batch->roster);
    for (size_t i = 0; i < batch->roster.ignored_count; i++)
        batch_log(batch, "ignored %.*s", STR_ARG(batch->roster.ignored[i]));
    batch->rows = arena_new(arena, BatchRow, batch->roster.count + 1);
    return BATCH_DONE;
}

// ---- what is known of a submission ---------------------------------------

static bool has_hash(Batch *batch, const char *path, Str hash) {
    Arena *arena = &batch->scratch;
    Str text, why;
    return file_read(arena, path, MOST_RESULT, &text, &why) == FILE_READ &&
           str_equal(hash_sha256(arena, text), hash);
}

static bool has_files(Batch *batch, const BatchRow *row) {
    for (size_t k = 0; k < row->seed_count; k++) {
        if (!has_hash(batch, batch_result_path(batch, row, k), row->results[k]))
            return false;
    }
    return has_hash(batch,
                    batch_path(batch, "reports/%.*s.txt", STR_ARG(row->id)),
                    row->report);
}

// "lab.conf, the grader": what has changed since the record.
static Str name_changes(Arena *arena, const BatchRow *then,
                        const BatchRow *now) {
    static const char *const words[] = {
#define PART_WORDS(id, member, text) [BATCH_PART_##id] = text,
        BATCH_PARTS(PART_WORDS)
#undef PART_WORDS
    };
    Str list = {0};
    for (size_t i = 0; i < BATCH_PART_COUNT; i++)
        if (!str_equal(then->parts[i], now->parts[i]))
            list = str_format(arena, "%.*s%s%s", STR_ARG(list),
                              list.len ? ", " : "", words[i]);
    return list;
}

static void copy_texts(Arena *arena, BatchRow *row) {
    Str *texts[] = {&row->student, &row->account, &row->file,   &row->check,
                    &row->code,    &row->report,  &row->changed};
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        *texts[i] = str_copy(arena, *texts[i]);
    for (size_t i = 0; i < BATCH_PART_COUNT; i++)
        row->parts[i] = str_copy(arena, row->parts[i]);
    for (size_t k = 0; k < row->seed_count; k++)
        row->results[k] = str_copy(arena, row->results[k]);
}

bool batch_is_kept(Batch *batch, BatchRow *row) {
    Arena *scratch = &batch->scratch, *arena = &batch->arena;
    BatchRow kept;
    Str text, why;
    const char *path = batch_path(batch, "records/%.*s.json", STR_ARG(row->id));
    bool is_there =
        file_read(scratch, path, MOST_RECORD, &text, &why) == FILE_READ &&
        batch_record_read(scratch, text, row->id, &kept);
    Str changed = is_there ? name_changes(arena, &kept, row) : (Str){0};
    bool fits = is_there && changed.len == 0;
    if (fits && has_files(batch, &kept)) {
        kept.student = row->student;
        kept.account = row->account;
        kept.is_late = row->is_late;
        if (kept.batch != batch->ended) { // an earlier batch has told it
            kept.has_before = false;
            kept.changed = (Str){0};
        }
        copy_texts(arena, &kept);
        *row = kept;
    } else {
        if (is_there && !fits) {
            row->has_before = true;
            row->before = kept.score;
            row->changed = changed;
        }
        fits = false;
    }
    return fits;
}

// ---- one submission ------------------------------------------------------

uint64_t batch_seed_of(Arena *arena, const char *from, Str id) {
    Str text = str_format(arena, "%s\n%.*s", from, STR_ARG(id));
    Str hex = str_format(arena, "0x%.12s", hash_sha256(arena, text).ptr);
    uint64_t seed = 0;
    str_to_u64(hex, &seed);
    return seed;
}

static void set_seeds(Batch *batch, BatchRow *row) {
    const BatchRequest *request = &batch->request;
    uint64_t first =
        request->seed_from
            ? batch_seed_of(&batch->arena, request->seed_from, row->id)
            : batch->seed;
    row->seed_count = request->seeds ? request->seeds : 1;
    for (size_t k = 0; k < row->seed_count; k++)
        row->seeds[k] = k ? hash_u64(first + k) >> 16 : first;
}

void batch_set_options(Batch *batch, BatchRow *row) {
    Buf text = {0};
    for (size_t k = 0; k < row->seed_count; k++)
        buf_printf(&text, "%s%llu", k ? "," : "seed ",
                   (unsigned long long)row->seeds[k]);
    buf_str(&text, batch->request.options);
    row->parts[BATCH_PART_OPTIONS] =
        hash_sha256(&batch->arena, buf_view(&text));
    buf_free(&text);
}

// The bytes to grade; false: there are none, and *why says why.
static bool read_source(Batch *batch, const BatchSubmission *submission,
                        Str *bytes, Str *why) {
    Arena *arena = &batch->scratch;
    if (!batch->is_tree || submission->file->is_inner) {
        *bytes = submission->file->bytes;
        return true;
    }
    Str path = str_format(arena, "%.*s/%.*s", STR_ARG(batch->request.source),
                          STR_ARG(submission->file->path));
    *why = STR("it is a symbolic link");
    if (file_is_link(path.ptr))
        return false;
    switch (file_read(arena, path.ptr, BATCH_MOST_SOURCE, bytes, why)) {
    case FILE_READ:
        return true;
    case FILE_TOO_LARGE:
        *why = STR("it is larger than 1 MiB");
        break;
    case FILE_UNREADABLE:
        break;
    }
    return false;
}

// The student's name of the file, if it can be a file's name here.
static Str safe_name(Batch *batch, Str name) {
    bool plain = name.len > 0 && name.len <= 200 && name.ptr[0] != '.' &&
                 name.ptr[0] != '-' && str_find(name, '/') == name.len;
    return plain ? name : batch->request.file;
}

static bool refuse(Batch *batch, BatchRow *row, Str why) {
    row->status = BATCH_UNGRADABLE;
    row->why = why;
    batch_log(batch, "%.*s: not gradable: %.*s", STR_ARG(row->id),
              STR_ARG(why));
    return false;
}

// A copy of what is graded: results can be disputed when the folder is gone.
// One that is right is not written again: a batch that is killed meanwhile
// would leave what it had begun, and if tasks grade the row before the next
// batch, nobody would sweep.
static bool keep_copy(Batch *batch, BatchRow *row, Str bytes) {
    Str copied, why;
    const char *folder =
        batch_path(batch, "submissions/%.*s", STR_ARG(row->id));
    const char *path = batch_path(batch, "submissions/%.*s/%.*s",
                                  STR_ARG(row->id), STR_ARG(row->file));
    batch_sweep_folder(folder, row->file); // she may have given it another name
    if (file_read(&batch->scratch, path, BATCH_MOST_SOURCE, &copied, &why) ==
            FILE_READ &&
        str_equal(copied, bytes))
        return true;
    if (batch_make_folder(batch, folder) == BATCH_DONE &&
        batch_write(batch, path, bytes) == BATCH_DONE)
        return true;
    row->status = BATCH_FAILED;
    row->why = batch->said;
    return false;
}

// The row before anything is known of it, and the bytes to grade. false: there
// are none, and *why says why.
static bool begin_row(Batch *batch, size_t i, Str *bytes, Str *why) {
    const BatchSubmission *submission = &batch->roster.items[i];
    Arena *arena = &batch->arena;
    BatchRow *row = &batch->rows[i];
    *row = (BatchRow){.id = submission->id,
                      .student = submission->student,
                      .account = submission->account,
                      .is_late = submission->is_late,
                      .file = submission->name};
    *why = submission->problem;
    if (why->len)
        return false;
    if (!read_source(batch, submission, bytes, why)) {
        *why = str_format(arena, "%.*s: %.*s.", STR_ARG(submission->name),
                          STR_ARG(*why));
        return false;
    }
    row->file = safe_name(batch, submission->name);
    memcpy(row->parts, batch->request.parts, sizeof row->parts);
    row->parts[BATCH_PART_SUBMISSION] = hash_sha256(arena, *bytes);
    row->batch = batch->ended;
    set_seeds(batch, row);
    batch_set_options(batch, row);
    return true;
}

// A source that includes more than its lab's header may take ten times as long
// to compile. What takes long is begun first, so that nothing else waits for it
// at the end.
static bool includes_more(Str text) {
    size_t count = 0;
    while (text.len)
        count += str_starts(str_trim(str_cut(&text, '\n')), STR("#include"));
    return count > 1;
}

static bool prepare(Batch *batch, size_t i) {
    BatchRow *row = &batch->rows[i];
    Str bytes, why;
    if (!begin_row(batch, i, &bytes, &why))
        return refuse(batch, row, why);
    if (batch_is_kept(batch, row))
        return false;
    row->is_heavy = includes_more(bytes);
    row->status = BATCH_FAILED;
    row->why = STR("It was not graded.");
    return keep_copy(batch, row, bytes);
}

bool batch_prepare(Batch *batch, size_t i) {
    bool must_be_graded = prepare(batch, i);
    arena_free(&batch->scratch);
    return must_be_graded;
}

// ---- what is kept of the class -------------------------------------------

// Reading what is kept of 100,000 takes a processor ten seconds or more. So all
// processors do it, before the others are prepared one by one.
typedef struct Look {
    Batch *batch;
    bool *is_kept;       // of each submission
    _Atomic size_t next; // that nobody has looked at
} Look;

// A row is its worker's alone, and so are the arenas: texts of rows stay in
// that of the worker.
static void look(void *context, size_t worker) {
    Look *look = context;
    Batch batch = *look->batch;
    Str bytes, why;
    batch.arena = batch.scratch = (Arena){0};
    for (size_t i = look->next++; i < batch.roster.count; i = look->next++) {
        look->is_kept[i] = begin_row(&batch, i, &bytes, &why) &&
                           batch_is_kept(&batch, &batch.rows[i]);
        arena_free(&batch.scratch);
    }
    look->batch->looked[worker] = batch.arena;
}

const bool *batch_look(Batch *batch) {
    Arena *arena = &batch->arena;
    size_t processors = batch->request.processors;
    Crew *crew =
        crew_new(processors < MOST_LOOKERS ? processors : MOST_LOOKERS);
    Look work = {.batch = batch};
    work.is_kept = arena_new(arena, bool, batch->roster.count + 1);
    batch->looker_count = crew_workers(crew);
    batch->looked = arena_new(arena, Arena, batch->looker_count);
    crew_run(crew, look, &work);
    return work.is_kept;
}
