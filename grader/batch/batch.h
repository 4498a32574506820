// SPDX-License-Identifier: Apache-2.0
// batch: many submissions. It says which there are in a folder or an archive,
// and what a class came to; it grades nothing and prints nothing.
//
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

#endif
