// SPDX-License-Identifier: Apache-2.0
// clclab batch: many submissions of a lab, each graded once, whatever happens.
//
//   batch.c         the command: what is graded, by what; the tables at the end
//   batch_lab.c     the lab, and what all points depend on
//   batch_class.c   the folder or archive -> the class; what is kept of it
//   batch_record.c  a record of an earlier batch -> a BatchRow
//   batch_work.c    several children at a time; who is tried again
//   batch_grade.c   the child: grades one submission, and writes what came out
//   batch_slurm.h   the other engine: tasks of a Slurm cluster
//
// In the folder of --out:
//
//   batch.json              the lab, the seed and how many batches have
//                           ended, for whoever goes on
//   submissions/ID/FILE     what was graded
//   results/ID.json         as clclab grade --format json writes it; with more
//                           seeds the second is in results-2/, and so on
//   reports/ID.txt          for the student
//   records/ID.json         the points, and hashes of all that they depend on
//   grades.csv, summary.txt, summary.html, batch.log
//
// A record is written last, and names the hashes of the result and the report.
// Where it fits to them and to what the points depend on, the submission is not
// graded again. So a batch can be killed at any time: what has a record counts,
// and all else is made again.
#ifndef CLCLAB_CLI_BATCH_H
#define CLCLAB_CLI_BATCH_H

#include "batch/batch.h"
#include "cli/grade.h"
#include "cli/quiz.h"

typedef struct BatchArgs {
    ScheduleArgs schedule;
    CliNumber seed;
    const char *seed_from; // each student has a seed of her own; NULL: none
    uint64_t jobs;         // at a time; 0: one for each processor
    uint32_t names;        // BatchNames
    uint32_t gradebook;    // ReportGradebook
    const char *column;    // NULL: the lab's title
    const char *points;    // a table of points that people gave; NULL: none
    uint64_t similarity;   // percent from which pairs are listed; 0: none are
    uint32_t feedback;     // ReportFeedback, of the reports for students
    bool is_quiz;          // answers to the lab's quiz are graded, no kernels
    uint32_t on_gpu;       // --device: 0 the virtual machine alone, 1 a GPU too
    uint32_t engine;       // BatchEngine
    uint64_t shards;       // tasks for Slurm; 0: by the size of the class
    const char *partition; // NULL: the cluster's default
    CliValues sbatch_options;
    bool no_wait;
    const char *task; // in a task: the name of its array
} BatchArgs;

typedef enum BatchEngine { BATCH_LOCAL, BATCH_SLURM } BatchEngine;

typedef struct Batch {
    Cli *cli;
    const BatchArgs *args;
    Course course;
    Lab lab;
    Str out;        // the folder, absolute
    Str source;     // the folder or archive
    bool is_tree;   // a folder
    uint64_t seed;  // of all, unless seed_from
    uint64_t ended; // batches in this folder that came to their summary
    BatchRoster roster;
    BatchRow *rows;              // of the roster's items, in their order
    BatchTable table;            // of points that people gave
    Str parts[BATCH_PART_COUNT]; // the same for all, but for the submission
    int lock;
    const char *log; // in the folder of --out
    Arena scratch;   // for one submission: a class can be large
    Arena *looked;   // of each worker of batch_look: texts of rows
    size_t looker_count;
} Batch;

// batch_class.c: fill in the roster and the rows; a row that needs no work has
// its points, or why it has none.
int batch_open(Batch *batch);        // the folder of --out, locked
int batch_settle_seed(Batch *batch); // batch.json is read and written
int batch_read_class(Batch *batch);  // the roster
// Which rows have their points from an earlier batch; the others are not filled
// in.
const bool *batch_look(Batch *batch);
bool batch_prepare(Batch *batch, size_t i); // true: it must be graded
// Removes what a batch or a task that was killed had begun to write.
void batch_sweep(Batch *batch);
void batch_log(Batch *batch, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// A path in the folder of --out: "records/ana.json". It is in batch->scratch.
const char *batch_path(Batch *batch, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int batch_write(Batch *batch, const char *path, Str text);
// The summary is written: what has changed until now is told, and not again.
int batch_end(Batch *batch);

// What the points depend on is found again in each task, and compared.
void batch_set_options(Batch *batch, BatchRow *row);

// batch_lab.c: the lab, and what is the same for all of row->parts.
int batch_find_lab(Batch *batch);
int batch_check_flags(Batch *batch);

// batch_record.c: false: it is no record of this id.
bool batch_record_read(Arena *arena, Str text, Str id, BatchRow *row);
// The same for one without points: a submission that is to be graded.
bool batch_plan_read(Arena *arena, Str text, BatchRow *row);

// batch_grade.c: in a child. Returns the exit code: 0 if the record is written.
int batch_grade(Batch *batch, size_t i);
// The row as the record has it, if it fits to the parts of `row` and to the
// files that it names.
bool batch_is_kept(Batch *batch, BatchRow *row);

// batch_work.c: how far a batch is, for whoever waits.
typedef struct BatchProgress {
    size_t done, count;
    double start, told; // shared_now_ms
} BatchProgress;
BatchProgress batch_progress(size_t count);
// A line that is replaced on a terminal; elsewhere a line each half minute.
void batch_tell(BatchProgress *progress, Str more, bool is_last);
// The row has its points now. false: it has no record that fits.
bool batch_take_record(Batch *batch, BatchRow *row);
// Grades those; an exit code that ends the batch, or 0.
int batch_work(Batch *batch, const size_t *indices, size_t count);

#endif
