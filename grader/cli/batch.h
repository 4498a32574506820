// SPDX-License-Identifier: Apache-2.0
// clclab batch: what the engine (batch/batch.h) is asked for, and is given.
//
//   batch.c       the command: its options, and what they ask for
//   batch_lab.c   the lab, and what all points depend on
//   batch_host.c  one grade, the tables of a class, how far it is
#ifndef CLCLAB_CLI_BATCH_H
#define CLCLAB_CLI_BATCH_H

#include "batch/batch.h"
#include "cli/internal.h"

typedef enum BatchEngine { BATCH_LOCAL, BATCH_SLURM } BatchEngine;

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

typedef struct Class { // the context of the BatchHost
    Cli *cli;
    const BatchArgs *args;
    Course course;
    Lab lab;
    double told; // clock_ms: when it was said last how far it is
} Class;

// batch_lab.c: fills in class->lab, and of the request what the points depend
// on.
int class_find_lab(Class *class, BatchRequest *request);
// A flag of the compiler that is refused.
int class_check_flags(Class *class);
// What all students were given, as far as it is there.
void class_read_known(Class *class, BatchRequest *request);

// batch_host.c
BatchHost class_host(Class *class);

#endif
