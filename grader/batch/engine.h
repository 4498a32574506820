// SPDX-License-Identifier: Apache-2.0
// The engine: many submissions, each graded once, whatever happens.
//
//   engine.c    the whole: what is graded, by what; the summary at its end
//   folder.c    the folder of --out
//   class.c     the folder or archive -> the class; what is kept of it
//   record.c    a BatchRow <-> the record that is kept of it
//   work.c      several children at a time; who is tried again
//   worker.c    the child: grades one submission, and writes what came out
//   cluster.h   the other way to work: tasks of a Slurm cluster
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
//
// Every function that fails has told the host why and returns a BatchEnd.
#ifndef CLCLAB_BATCH_ENGINE_H
#define CLCLAB_BATCH_ENGINE_H

#include "batch/batch.h"

typedef struct Batch {
    const BatchHost *host;
    BatchRequest request;
    Str out;        // the folder, absolute
    bool is_tree;   // the source is a folder
    uint64_t seed;  // of all, unless request.seed_from
    uint64_t ended; // batches in this folder that came to their summary
    BatchRoster roster;
    BatchRow *rows;   // of the roster's items, in their order
    BatchTable table; // of points that people gave
    int lock;
    const char *log;   // in the folder of --out
    const char *array; // in a task: the name of its array
    Str said;          // the last error; empty: none
    Arena arena;
    Arena scratch; // for one submission: a class can be large
    Arena *looked; // of each worker of batch_look: texts of rows
    size_t looker_count;
} Batch;

// say.c: tells the host the error, and returns `code`.
int batch_fail(Batch *batch, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void batch_close(Batch *batch); // engine.c

// folder.c
int batch_open(Batch *batch);        // the folder of --out, locked
int batch_settle_seed(Batch *batch); // batch.json is read and written
// Removes what a batch or a task that was killed had begun to write.
void batch_sweep(Batch *batch);
// The files of a folder but `kept`; empty: only what was begun there.
void batch_sweep_folder(const char *path, Str kept);
int batch_make_folder(Batch *batch, const char *path);
void batch_log(Batch *batch, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// A path in the folder of --out: "records/ana.json". It is in batch->scratch.
const char *batch_path(Batch *batch, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Of the k-th result, from 0.
const char *batch_result_path(Batch *batch, const BatchRow *row, size_t k);
int batch_write(Batch *batch, const char *path, Str text);
// The summary is written: what has changed until now is told, and not again.
int batch_end(Batch *batch);
// A number for a seed or a name, which is never the same.
uint32_t batch_draw(void);

// class.c: fill in the roster and the rows; a row that needs no work has its
// points, or why it has none.
int batch_read_class(Batch *batch); // the roster
// Which rows have their points from an earlier batch; the others are not filled
// in.
const bool *batch_look(Batch *batch);
bool batch_prepare(Batch *batch, size_t i); // true: it must be graded
// The row as the record has it, if it fits to the parts of `row` and to the
// files that it names.
bool batch_is_kept(Batch *batch, BatchRow *row);
// What the points depend on is found again in each task, and compared.
void batch_set_options(Batch *batch, BatchRow *row);

// record.c: what is kept of a submission; the schema is
// "clclab/batch-record/v1". false: it is no record of this id.
void batch_write_record(const BatchRow *row, Buf *out);
bool batch_record_read(Arena *arena, Str text, Str id, BatchRow *row);
// The same for one without points: a submission that is to be graded.
bool batch_plan_read(Arena *arena, Str text, BatchRow *row);

// worker.c: in a child. Returns the exit code: 0 if the record is written.
int batch_grade(Batch *batch, size_t i);

// work.c
BatchProgress batch_progress(size_t count);
// The row has its points now. false: it has no record that fits.
bool batch_take_record(Batch *batch, BatchRow *row);
// Grades those; an exit code that ends the batch, or 0.
int batch_work(Batch *batch, const size_t *indices, size_t count);

#endif
