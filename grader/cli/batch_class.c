// SPDX-License-Identifier: Apache-2.0
// The folder of --out, the class, and what of it is known already.
#include "cli/batch.h"
#include "cli/kept.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_ARCHIVE = 1 << 30, // bytes
    MOST_RECORD = 1 << 16,
    MOST_RESULT = 16 << 20,
    MOST_LOOKERS = 16,
};

// ---- files ---------------------------------------------------------------

const char *batch_path(Batch *batch, const char *format, ...) {
    Arena *arena = &batch->scratch;
    va_list args;
    va_start(args, format);
    Str name = str_vformat(arena, format, args);
    va_end(args);
    return str_format(arena, "%.*s/%.*s", STR_ARG(batch->out), STR_ARG(name))
        .ptr;
}

int batch_write(Batch *batch, const char *path, Str text) {
    return output_file(batch->cli, "batch", path, text);
}

void batch_log(Batch *batch, const char *format, ...) {
    Arena arena = {0};
    Buf line = {0};
    char stamp[32];
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ ", &parts);
    buf_str(&line, str_from(stamp));
    va_list args;
    va_start(args, format);
    utf8_escape(str_vformat(&arena, format, args), &line);
    va_end(args);
    buf_byte(&line, '\n');
    int file = open(batch_path(batch, "%s", batch->log),
                    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0) {
        output_write(file, buf_view(&line));
        close(file);
    }
    buf_free(&line);
    arena_free(&arena);
}

// ---- the folder of --out -------------------------------------------------

static int make_folder(Batch *batch, const char *path) {
    struct stat status;
    if (mkdir(path, 0777) == 0)
        return CLI_FULL_MARKS;
    int error = errno;
    if (error == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return CLI_FULL_MARKS;
    return output_error(
        batch->cli,
        error == ENOSPC || error == EDQUOT ? CLI_TRY_LATER : CLI_USAGE,
        "--out: cannot make the folder %s: %s", path, strerror(error));
}

static int make_folders(Batch *batch) {
    static const char *const names[] = {"submissions", "results", "reports",
                                        "records"};
    int code = CLI_FULL_MARKS;
    for (size_t i = 0; i < COUNT_OF(names) && code == CLI_FULL_MARKS; i++)
        code = make_folder(batch, batch_path(batch, "%s", names[i]));
    for (uint32_t k = 2; k <= batch->lab.seeds && code == CLI_FULL_MARKS; k++)
        code = make_folder(batch, batch_path(batch, "results-%u", k));
    return code;
}

// Removes the files of a folder but `kept`; where that is empty, what a batch
// that was killed had begun to write: such files have names that begin with a
// dot until they are whole (output.c). None of ours does.
static void sweep(const char *path, Str kept) {
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (kept.len ? !str_equal(str_from(entry->d_name), kept)
                     : entry->d_name[0] == '.')
            unlinkat(dirfd(folder), entry->d_name, 0); // fails for "." and ".."
    if (folder)
        closedir(folder);
}

void batch_sweep(Batch *batch) {
    static const char *const names[] = {"results", "reports", "records"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        sweep(batch_path(batch, "%s", names[i]), (Str){0});
    for (uint32_t k = 2; k <= batch->lab.seeds; k++)
        sweep(batch_path(batch, "results-%u", k), (Str){0});
}

// By a lock of the process (POSIX), which a child does not have: it is gone
// when the batch is, also if a grade that it had begun lives a moment longer.
static int take_lock(Batch *batch) {
    const char *path = batch_path(batch, ".lock");
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    batch->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (batch->lock < 0)
        return output_error(batch->cli, CLI_USAGE, "--out: %s: %s", path,
                            strerror(errno));
    if (fcntl(batch->lock, F_SETLK, &all) == 0 ||
        (errno != EACCES && errno != EAGAIN))
        return CLI_FULL_MARKS;
    return output_error(batch->cli, CLI_TRY_LATER,
                        "another batch is at work in %.*s: wait for it to end",
                        STR_ARG(batch->out));
}

// Nobody has to remember it: it is written down, and can be given.
static uint64_t draw_seed(void) {
    uint32_t drawn = 0;
    if (getrandom(&drawn, sizeof drawn, 0) != (ssize_t)sizeof drawn)
        drawn = (uint32_t)time(NULL) ^ ((uint32_t)getpid() << 16);
    return drawn ? drawn : 2;
}

// What is graded here: a folder has the grades of one thing.
static Str plan_name(Batch *batch) {
    return str_format(&batch->cli->arena, "%.*s%s", STR_ARG(batch->lab.folder),
                      batch->args->is_quiz ? " (quiz)" : "");
}

static int write_plan(Batch *batch) {
    Str text = str_format(
        &batch->cli->arena,
        "{\n  \"schema\": \"clclab/batch/v1\",\n  \"lab\": \"%.*s\",\n"
        "  \"seed\": %llu,\n  \"ended\": %llu\n}\n",
        STR_ARG(plan_name(batch)), (unsigned long long)batch->seed,
        (unsigned long long)batch->ended);
    return batch_write(batch, batch_path(batch, "batch.json"), text);
}

int batch_end(Batch *batch) {
    batch->ended++;
    return write_plan(batch);
}

// The seed that is given, else that of the batch which this one goes on with,
// else a new one.
int batch_settle_seed(Batch *batch) {
    Arena *arena = &batch->cli->arena;
    const char *path = batch_path(batch, "batch.json");
    Str text, why, json, lab;
    size_t at;
    const char *error;
    batch->seed =
        batch->args->seed.given ? batch->args->seed.value : draw_seed();
    if (file_read(arena, path, MOST_RECORD, &text, &why) != FILE_READ ||
        !json_check(text, &json, &at, &error))
        return write_plan(batch);
    lab = json_find_text(arena, json, "lab");
    if (!str_equal(lab, plan_name(batch)))
        return output_error(batch->cli, CLI_USAGE,
                            "--out: %.*s has the grades of %.*s: name another "
                            "folder",
                            STR_ARG(batch->out), STR_ARG(lab));
    if (!batch->args->seed.given)
        json_find_number(arena, json, "seed", &batch->seed);
    json_find_number(arena, json, "ended", &batch->ended);
    return write_plan(batch);
}

// Else the next batch would take what this one wrote for submissions.
static int check_apart(Batch *batch) {
    char source[PATH_MAX];
    if (!realpath(batch->source.ptr, source))
        return CLI_FULL_MARKS; // batch_read_class says why
    Str rest = batch->out, inside = str_from(source);
    if (!str_starts(rest, inside) ||
        (rest.len > inside.len && rest.ptr[inside.len] != '/'))
        return CLI_FULL_MARKS;
    return output_error(batch->cli, CLI_USAGE,
                        "--out: %.*s lies in the folder of submissions: name "
                        "one beside it",
                        STR_ARG(batch->out));
}

int batch_open(Batch *batch) {
    Arena *arena = &batch->cli->arena;
    const char *given = batch->cli->args.out;
    int code = make_folder(batch, given);
    if (code != CLI_FULL_MARKS)
        return code;
    char absolute[PATH_MAX];
    if (!realpath(given, absolute))
        return output_error(batch->cli, CLI_USAGE, "--out: %s: %s", given,
                            strerror(errno));
    batch->out = str_copy(arena, str_from(absolute));
    code = check_apart(batch);
    if (code == CLI_FULL_MARKS)
        code = take_lock(batch);
    return code == CLI_FULL_MARKS ? make_folders(batch) : code;
}

// ---- the class -----------------------------------------------------------

static int source_error(Batch *batch, BatchSource source, Str why) {
    int code = source == BATCH_NO_LIBRARY ? CLI_MISSING
               : source == BATCH_NOT_NOW  ? CLI_TRY_LATER
                                          : CLI_USAGE;
    return output_error(batch->cli, code, "%.*s: %.*s", STR_ARG(batch->source),
                        STR_ARG(why));
}

static int read_archive(Batch *batch, BatchFiles *files) {
    Str text, why = {0};
    BatchSource source = BATCH_NOT_THERE;
    switch (file_read(&batch->cli->arena, batch->source.ptr, MOST_ARCHIVE,
                      &text, &why)) {
    case FILE_READ:
        source = batch_read_archive(&batch->cli->arena, text, files, &why);
        break;
    case FILE_TOO_LARGE:
        why = STR("it is larger than 1 GiB");
        break;
    case FILE_UNREADABLE:
        break;
    }
    return source == BATCH_READ ? CLI_FULL_MARKS
                                : source_error(batch, source, why);
}

static int read_tree(Batch *batch, BatchFiles *files) {
    Arena *arena = &batch->cli->arena;
    Str why;
    BatchSource source = batch_read_tree(arena, batch->source, files, &why);
    if (source != BATCH_READ)
        return source_error(batch, source, why);
    for (size_t i = 0; i < files->count; i++) {
        BatchFile *file = &files->items[i];
        size_t most = batch_most(file->path);
        if (batch_is_source(file->path) || most == 0 || file->problem.len)
            continue;
        Str path = str_format(arena, "%.*s/%.*s", STR_ARG(batch->source),
                              STR_ARG(file->path));
        if (file_read(arena, path.ptr, most, &file->bytes, &why) ==
            FILE_TOO_LARGE)
            file->problem =
                str_format(arena, "It is larger than %zu MiB.", most >> 20);
    }
    return CLI_FULL_MARKS;
}

static int unpack(Batch *batch, BatchFiles *files) {
    Str why = {0};
    BatchSource source = batch_unpack(&batch->cli->arena, files, &why);
    return source == BATCH_READ ? CLI_FULL_MARKS
                                : source_error(batch, source, why);
}

int batch_read_class(Batch *batch) {
    Arena *arena = &batch->cli->arena;
    struct stat status;
    BatchFiles *files = arena_new(arena, BatchFiles, 1);
    if (stat(batch->source.ptr, &status) != 0)
        return output_error(batch->cli, CLI_USAGE, "%.*s: %s",
                            STR_ARG(batch->source), strerror(errno));
    batch->is_tree = S_ISDIR(status.st_mode);
    int code =
        batch->is_tree ? read_tree(batch, files) : read_archive(batch, files);
    if (code == CLI_FULL_MARKS)
        code = unpack(batch, files);
    if (code != CLI_FULL_MARKS)
        return code;
    batch_roster(arena, files, (BatchNames)batch->args->names, batch->lab.file,
                 &batch->roster);
    for (size_t i = 0; i < batch->roster.ignored_count; i++)
        batch_log(batch, "ignored %.*s", STR_ARG(batch->roster.ignored[i]));
    batch->rows = arena_new(arena, BatchRow, batch->roster.count + 1);
    return CLI_FULL_MARKS;
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
        const char *path =
            k ? batch_path(batch, "results-%zu/%.*s.json", k + 1,
                           STR_ARG(row->id))
              : batch_path(batch, "results/%.*s.json", STR_ARG(row->id));
        if (!has_hash(batch, path, row->results[k]))
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
    Arena *scratch = &batch->scratch, *arena = &batch->cli->arena;
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

static void set_seeds(Batch *batch, BatchRow *row) {
    uint64_t first = batch->args->seed_from
                         ? shared_seed_of(&batch->cli->arena,
                                          batch->args->seed_from, row->id)
                         : batch->seed;
    row->seed_count = batch->lab.seeds ? batch->lab.seeds : 1;
    for (size_t k = 0; k < row->seed_count; k++)
        row->seeds[k] = k ? hash_u64(first + k) >> 16 : first;
}

void batch_set_options(Batch *batch, BatchRow *row) {
    Buf text = {0};
    const Args *args = &batch->cli->args;
    for (size_t k = 0; k < row->seed_count; k++)
        buf_printf(&text, "%s%llu", k ? "," : "seed ",
                   (unsigned long long)row->seeds[k]);
    buf_printf(&text, "; schedules %llu; model %s; compiler %u; feedback %u",
               (unsigned long long)batch->args->schedule.schedules,
               args->gpu_model ? args->gpu_model : "mini", args->compiler,
               batch->args->feedback);
    for (size_t i = 0; i < args->flags.count; i++)
        buf_printf(&text, "; flag %s", args->flags.items[i]);
    if (batch->args->on_gpu)
        buf_str(&text, STR("; on a GPU"));
    row->parts[BATCH_PART_OPTIONS] =
        hash_sha256(&batch->cli->arena, buf_view(&text));
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
    Str path = str_format(arena, "%.*s/%.*s", STR_ARG(batch->source),
                          STR_ARG(submission->file->path));
    *why = STR("it is a symbolic link");
    if (file_is_link(path.ptr))
        return false;
    switch (file_read(arena, path.ptr, CLI_MAX_SOURCE, bytes, why)) {
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
    return plain ? name : batch->lab.file;
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
    sweep(folder, row->file); // she may have given it another name
    if (file_read(&batch->scratch, path, CLI_MAX_SOURCE, &copied, &why) ==
            FILE_READ &&
        str_equal(copied, bytes))
        return true;
    if (make_folder(batch, folder) == CLI_FULL_MARKS &&
        batch_write(batch, path, bytes) == CLI_FULL_MARKS)
        return true;
    row->status = BATCH_FAILED;
    row->why = batch->cli->said;
    return false;
}

// The row before anything is known of it, and the bytes to grade. false: there
// are none, and *why says why.
static bool begin_row(Batch *batch, size_t i, Str *bytes, Str *why) {
    const BatchSubmission *submission = &batch->roster.items[i];
    Arena *arena = &batch->cli->arena;
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
    memcpy(row->parts, batch->parts, sizeof row->parts);
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
    Cli cli = *look->batch->cli;
    Batch batch = *look->batch;
    Str bytes, why;
    cli.arena = (Arena){0};
    batch.cli = &cli;
    batch.scratch = (Arena){0};
    for (size_t i = look->next++; i < batch.roster.count; i = look->next++) {
        look->is_kept[i] = begin_row(&batch, i, &bytes, &why) &&
                           batch_is_kept(&batch, &batch.rows[i]);
        arena_free(&batch.scratch);
    }
    look->batch->looked[worker] = cli.arena;
}

const bool *batch_look(Batch *batch) {
    Arena *arena = &batch->cli->arena;
    Crew *crew = crew_new(shared_processors(MOST_LOOKERS));
    Look work = {.batch = batch};
    work.is_kept = arena_new(arena, bool, batch->roster.count + 1);
    batch->looker_count = crew_workers(crew);
    batch->looked = arena_new(arena, Arena, batch->looker_count);
    crew_run(crew, look, &work);
    return work.is_kept;
}
