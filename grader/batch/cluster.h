// SPDX-License-Identifier: Apache-2.0
// The class as an array of jobs of Slurm's, which decides when and where each
// task runs, and runs it again if its node is lost.
//
//   programs.c  sbatch, squeue and scancel: started, and read strictly
//   shards.c    the files that a batch and its tasks share
//   array.c     the batch: submits, waits, tries again what is missing
//   task.c      a task: grades its shard as any batch does
//
// In the folder of --out, which all nodes share, as long as it is needed:
//
//   slurm/job.json        the name of the array, written before it is
//                         submitted, so that no array is ever unknown
//   slurm/NAME/task       the script: it executes its arguments
//   slurm/NAME/K.plan     the submissions of shard K: a record of each, without
//                         points; task K is there for them
//   slurm/NAME/K.taken    who grades shard K: "TASK-RUN" as a link's target
//   slurm/NAME/K.end      how shard K ended, and what could not be graded
//   slurm/NAME/K.log, K.out  what task K logged, and what it printed
//
// Between the end of a task and the start of the next a node may wait for
// seconds. So a task that has graded its shard takes over those of tasks that
// have not begun, and such a task, when it does begin, finds nothing to do.
//
// Only records count. A task may be lost, run twice, or twice at once: each
// writes whole files, and the same. Slurm is asked only whether somebody is
// still at work.
#ifndef CLCLAB_BATCH_CLUSTER_H
#define CLCLAB_BATCH_CLUSTER_H

#include "batch/engine.h"

// ---- programs.c ----------------------------------------------------------

// The tasks of the jobs of this name; false: no answer, and *why.
bool slurm_queue(Batch *batch, Str name, BatchQueue *queue, Str *why);
// An array of `shards` tasks whose folder and script are there.
int slurm_submit(Batch *batch, Str name, size_t shards, uint64_t *job);
// Ends the jobs of this name, and waits until none of their tasks is left.
int slurm_cancel(Batch *batch, Str name, BatchQueue queue);
// Those that have not begun have nothing to do any more.
void slurm_cancel_waiting(Batch *batch, Str name);
bool slurm_is_live(const BatchQueue *queue);

// ---- shards.c ------------------------------------------------------------

// Rows that must be graded, in tasks.
typedef struct Shards {
    Str name;     // of the array, and of its folder; empty: there is none
    size_t count; // tasks
    const size_t *indices;
    size_t index_count;
} Shards;

// What job.json says. false: there is none.
bool shards_read(Batch *batch, Shards *shards);
// A new name, the plans, the script, and job.json.
int shards_write(Batch *batch, Shards *shards);
// Whether the plans that are there have all these rows, as they are now.
bool shards_cover(Batch *batch, const Shards *shards);
void shards_remove(Batch *batch); // all that is in slurm/

typedef struct ShardEnd {
    int code; // the exit code
    Str why;  // if it ended before all was tried
} ShardEnd;

// Whether an array can have that name.
bool shards_is_name(Str name);
typedef struct Worker {
    size_t task;
    uint32_t run; // drawn: Slurm may run a task again while it runs
} Worker;
typedef enum Taken {
    TAKEN_NOW,
    TAKEN_BEFORE, // by an earlier run of the same task
    TAKEN_BY_OTHER,
    TAKEN_UNKNOWN, // that cannot be told
} Taken;
// Gives the shard to that worker unless somebody has it.
Taken shard_take(Batch *batch, const Shards *shards, size_t shard,
                 Worker worker);
// In a task: the rows of a shard's plan.
int shard_read(Batch *batch, size_t shard);
int shard_write_end(Batch *batch, size_t shard, const ShardEnd *end);
// In the batch. Rows that the task could not grade learn why. false: the task
// has not ended by itself.
bool shard_read_end(Batch *batch, const Shards *shards, size_t shard,
                    ShardEnd *end);
bool shard_has_ended(Batch *batch, const Shards *shards, size_t shard);

// ---- array.c -------------------------------------------------------------

// Before anything is touched in the folder: *live says whether tasks of an
// earlier command are at work in it, which must be asked only if there is a
// job.json. Without a cluster they are an error.
int batch_array_look(Batch *batch, bool *live);
// As batch_work; *ends: the batch has come to its summary.
int batch_array_work(Batch *batch, const size_t *indices, size_t count,
                     bool *ends);

#endif
