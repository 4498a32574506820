// SPDX-License-Identifier: Apache-2.0
// batch: many submissions. It says which there are in a folder or an archive,
// has each graded once, whatever happens, and says what a class came to. How to
// grade one, and how to say anything, it is given as functions: BatchHost.
//
//   engine.h   grading a class, on this machine or (cluster.h) on many
//   tree.c     the files of a folder
//   archive.c  the files of a tarball or a zip; archive_child.c reads it, in a
//              sandbox, by libarchive
//   nested.c   archives among those files
//   kinds.c    what a file is, by its name
//   roster.c   whose files they are: platforms have names of their own
//   points.c   a table of points that people gave
//   alike.c    which submissions are alike
//   tally.c    rows -> distribution, causes, the slowest
//   slurm.c    what sbatch and squeue print
#ifndef CLCLAB_BATCH_H
#define CLCLAB_BATCH_H

#include "result/batch.h"
#include "result/summary.h"

enum {
    BATCH_MOST_FILES = 200000,
    BATCH_MOST_DEPTH = 6,         // folders within folders
    BATCH_MOST_SOURCE = 1 << 20,  // bytes of a source, or of metadata
    BATCH_MOST_PACKED = 16 << 20, // of an archive that a student made
};

// A file that was handed in.
typedef struct BatchFile {
    Str path;      // within the folder or the archive: "ana/block_clc.cu"
    Str bytes;     // of an archive's, if it may be a source or metadata
    Str problem;   // it is not taken; a sentence says why. Empty: it is
    bool is_lost;  // its path leads out of the archive: it is nobody's
    bool is_inner; // of an archive that a student made
    bool is_none;  // "ana/*": the folder is empty, which says who gave nothing
} BatchFile;

typedef struct BatchFiles {
    BatchFile *items; // sorted by path
    size_t count;
    bool has_bytes; // of an archive; a folder's are read when they are needed
} BatchFiles;

typedef enum BatchSource {
    BATCH_READ,
    BATCH_NOT_THERE,  // *why: it cannot be read, or is nothing that we know
    BATCH_NO_LIBRARY, // *why: libarchive is not there
    BATCH_NOT_NOW,    // *why: the machine ran out of something
} BatchSource;

// Links, devices, absolute paths and those that lead out of the archive are
// there as problems.
BatchSource batch_read_tree(Arena *arena, Str path, BatchFiles *files,
                            Str *why);
// `text`: the archive's bytes.
BatchSource batch_read_archive(Arena *arena, Str text, BatchFiles *files,
                               Str *why);
// Puts the files of archives among them in their places. What the machine lacks
// for it ends it; what is wrong with an archive is its own problem.
BatchSource batch_unpack(Arena *arena, BatchFiles *files, Str *why);
// How many bytes of a file are read at most: a source, an archive, or what a
// platform says of those who handed in. 0: it is not read.
size_t batch_most(Str path);
// Whether its name is one of a source or of answers to a quiz.
bool batch_is_source(Str path);

typedef enum BatchNames {
    BATCH_NAMES_AUTO,
    BATCH_NAMES_PLAIN,      // ana.cu, or a folder ana/ with one file
    BATCH_NAMES_CANVAS,     // anasmith_LATE_123_456_block_clc.cu
    BATCH_NAMES_MOODLE,     // Ana Smith_123_assignsubmission_file/block_clc.cu
    BATCH_NAMES_GRADESCOPE, // submission_123/block_clc.cu, and a .yml
} BatchNames;

typedef struct BatchSubmission {
    Str id, student, account; // as in BatchRow
    bool is_late;
    const BatchFile *file; // NULL: there is none
    Str name;              // of the file, as the student gave it
    Str problem;           // it cannot be graded: a sentence
} BatchSubmission;

typedef struct BatchRoster {
    BatchNames names;       // never AUTO
    BatchSubmission *items; // sorted by id, each once
    size_t count;
    Str *ignored; // "PATH: why"
    size_t ignored_count;
} BatchRoster;

// `wanted`: the name that the lab gives its file. Sources are files that end as
// it does; if a student has several, it is that one.
void batch_roster(Arena *arena, const BatchFiles *files, BatchNames names,
                  Str wanted, BatchRoster *roster);

// The same choice where all files are one student's. Its id, student and
// account are empty.
void batch_choose(Arena *arena, const BatchFiles *files, Str wanted,
                  BatchSubmission *submission);

// Whether the text can be a BatchRow.id.
bool batch_is_id(Str text);

typedef struct BatchTable {
    BatchExtra *extras; // of the rows, in their order
    BatchStrangers strangers;
} BatchTable;

// Reads a table of points that people gave; points.c has its form. False, with
// a Diag: it cannot be understood.
bool batch_points(Arena *arena, Str path, Str text, const BatchRow *rows,
                  size_t count, BatchTable *table, Diags *diags);

typedef struct BatchAlikeRequest {
    const Str *texts; // of the rows, in their order; empty: not compared
    size_t count;
    const Str *known; // what all were given
    size_t known_count;
    uint32_t percent; // from which on a pair is listed
} BatchAlikeRequest;

// A hint for a person, never a verdict (alike.c). What was not possible is said
// in `found`.
void batch_find_alike(Arena *arena, const BatchAlikeRequest *request,
                      BatchAlikes *found);

// `rows`, sorted by id, must outlive the tally.
void batch_tally(Arena *arena, const BatchRow *rows, size_t count,
                 BatchTally *tally);

// ---- Slurm ---------------------------------------------------------------

// The number that `sbatch --parsable` prints; false: that is not what it is.
bool batch_read_job(Str text, uint64_t *job);

// The tasks of the jobs of a name. Those that have ended are there for some
// minutes, then no longer.
typedef struct BatchQueue {
    uint64_t job; // the newest; 0: there is none
    size_t waiting, running, ended;
    size_t cancelled;
    size_t held; // of those waiting: they could not be started, and Slurm will
                 // not try again
    Str reason;  // why the last of those waiting waits: "Resources"
} BatchQueue;

// What to ask squeue for, with --array, so that each task has a line.
#define BATCH_QUEUE_FORMAT "%F|%T|%r"
bool batch_read_queue(Str text, BatchQueue *queue);

// Whether an option of sbatch may be the administrator's: "--account=cs",
// "-pgpu". Those that say what is run, and where its output goes, are ours.
bool batch_is_job_option(const char *option);

// ---- grading a class -----------------------------------------------------

// How work ended: exit codes, which children end with and tasks of a cluster
// write down.
typedef enum BatchEnd {
    BATCH_DONE = 0,
    BATCH_BELOW = 1,     // of a class: some cannot be graded
    BATCH_USAGE = 2,     // who asked, or handed in, has to change something
    BATCH_MISSING = 69,  // something that all need is not there
    BATCH_OURS = 70,     // the grader's own fault
    BATCH_TRY_LATER = 75 // the same call, later, may do it
} BatchEnd;

// An array of jobs of a Slurm cluster.
typedef struct BatchCluster {
    uint64_t shards;       // tasks; 0: by the size of the class
    const char *partition; // NULL: the cluster's default
    const char *const *options;
    size_t option_count; // of sbatch: batch_is_job_option
    uint64_t cpus;       // of each task; 0: the default
    bool has_gpu;        // so has each task
    bool no_wait;        // submit, or say how far it is, and end
} BatchCluster;

typedef struct BatchRequest {
    // Paths, each with a NUL behind it: the folder for all that comes out of
    // it, and the folder or archive of what was handed in.
    Str out, source;
    BatchNames names;
    // What the points depend on. A task finds it anew, on its own machine.
    Str exercise;                // a folder has the grades of one
    Str file;                    // as all were asked to call theirs
    uint32_t seeds;              // that each is graded with; 0: one
    bool is_mean;                // their mean counts; else the worst
    Str options;                 // what else, as a text: "; schedules 64"
    Str parts[BATCH_PART_COUNT]; // the same for all, but SUBMISSION and OPTIONS

    bool has_seed;
    uint64_t seed;         // of all, if has_seed; else drawn once, and kept
    const char *seed_from; // each has a seed of her own; NULL: none
    const char *points;    // a table of points that people gave; NULL: none
    uint32_t similarity;   // percent from which pairs are listed; 0: none are
    const Str *known;      // what all were given: not compared
    size_t known_count;
    size_t jobs;                 // graded at a time
    size_t processors;           // of this machine
    const BatchCluster *cluster; // NULL: all is graded here
} BatchRequest;

// One submission, graded with one seed. Its texts live as long as the process.
typedef struct BatchGrade {
    ResultSummary summary; // of its Result
    Str result, report;    // bytes to keep: for programs, for the student
} BatchGrade;

typedef struct BatchProgress { // how far a batch is, for whoever waits
    size_t done, count;
    double start; // clock_ms
} BatchProgress;

typedef struct BatchTables { // of a class that has been graded
    Buf csv, html, text;     // files
    Buf shown;               // to whoever waits
} BatchTables;

typedef struct BatchWords { // of a command line
    const char **items;
    size_t count, capacity;
} BatchWords;
void batch_add_word(Arena *arena, BatchWords *words, const char *word);

// All that the engine needs of those who know labs, reports and terminals.
typedef struct BatchHost {
    void *context;
    // Called in a child process, in the folder that holds the file. BATCH_DONE
    // or BATCH_BELOW, and *grade; or why there is none: its last line on
    // standard error says it.
    int (*grade)(void *context, Str file, uint64_t seed, BatchGrade *grade);
    void (*tables)(void *context, const BatchTally *tally, BatchTables *tables);
    // Of an array: the command that each task runs, in the folder `out`.
    void (*command)(void *context, Str out, Str array, Arena *arena,
                    BatchWords *words);
    // In a task: fills in what the points depend on. If something is missing
    // here, *why is what it has said of it.
    int (*prepare)(void *context, BatchRequest *request, Str *why);
    void (*say)(void *context, Str what);                           // an error
    void (*explain)(void *context, const Diags *diags, Str source); // errors
    int (*print)(void *context, Str text); // what was asked for
    // `more` is about the cluster, or empty. Called again and again.
    void (*progress)(void *context, const BatchProgress *progress, Str more,
                     bool is_last);
} BatchHost;

// Grades the class, goes on with what an earlier batch left, and writes all
// into the folder (engine.h lists it). Returns a BatchEnd; the host has been
// told why.
int batch_run(const BatchHost *host, const BatchRequest *request);
// A task of the array of that name: the same for its part of the class.
int batch_run_task(const BatchHost *host, const BatchRequest *request,
                   const char *array);
// The program of Slurm's that is not there; NULL: all are.
const char *batch_lacks_slurm(Arena *arena);

// A student's own seed, made of a name that is kept secret and her id.
uint64_t batch_seed_of(Arena *arena, const char *from, Str id);

#endif
