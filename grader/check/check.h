// SPDX-License-Identifier: Apache-2.0
// check: runs a submission to a lab on a Device and judges it, which gives a
// Result. A kernel that belongs to no lab gives a LaunchResult.
//
//   lab.conf's text --check_parse_lab--> Lab
//   Lab + Submission + Device --check_grade--> Result
//   Submission + LaunchRequest + Device --check_launch--> LaunchResult
//
// Both results are declared in result/, and report/ reads them. This room opens
// no files, prints nothing and knows no particular kind of Device. The checks
// and what each needs are listed in check/internal.h; check_grade decides the
// order in which they are judged.
#ifndef CLCLAB_CHECK_H
#define CLCLAB_CHECK_H

#include "base/base.h"
#include "device/device.h"
#include "device/limits.h"
#include "result/part.h"
#include "result/result.h"
#include "trials/element.h"

// ---- a lab ---------------------------------------------------------------

// The same struct as the one that labs/common/reference.h shows to students.
typedef struct LabProblem {
    int n;                    // elements
    const float *data;        // [n], before the kernel ran
    double scalar;            // the value that the prologue computes
    int width, height, depth; // n = width * height * depth
    const float *in;          // [n]; NULL: the kernel has no such input
    int rows;                 // of a lab in which each block owns one row
    const int *starts;        // [rows + 1]: row r is data[starts[r]] up to,
                              // not including, data[starts[r + 1]]; or NULL
} LabProblem;

// Fills expected[n]: what data[] must hold after the kernel.
typedef void (*LabReference)(const LabProblem *problem, double *expected);

typedef enum LabTechnique {
    TECHNIQUE_FIXED,      // one block for each block index, no loop
    TECHNIQUE_PERSISTENT, // as many blocks as fit, in a grid-stride loop
    TECHNIQUE_CLC,        // block indices stolen by Cluster Launch Control
} LabTechnique;

// The parameters a kernel can have. LAB_PARAMS: X(ID, "name in lab.conf", "type
// in C")
#define LAB_PARAMS(X)                  \
    X(DATA, "data", "float *")         \
    X(OUT, "out", "float *")           \
    X(IN, "in", "const float *")       \
    X(STARTS, "starts", "const int *") \
    X(N, "n", "int ")                  \
    X(WIDTH, "width", "int ")          \
    X(HEIGHT, "height", "int ")        \
    X(DEPTH, "depth", "int ")          \
    X(ROWS, "rows", "int ")
typedef enum LabParam {
#define LAB_PARAM_ENUM(id, name, type) LAB_PARAM_##id,
    LAB_PARAMS(LAB_PARAM_ENUM)
#undef LAB_PARAM_ENUM
        LAB_PARAM_COUNT
} LabParam;

// The parameters decide which block owns which elements: see check/shape.c.
typedef enum LabShape { SHAPE_LINE, SHAPE_BOX, SHAPE_ROWS } LabShape;

// n, 1, 1; or width, height, depth; or rows, 1, 1.
typedef struct LabSize {
    int32_t dim[3];
} LabSize;

typedef struct LabCheck {
    Str id;
    Str title; // a sentence
    double points;
} LabCheck;

typedef struct Lab {
    uint32_t number; // 4; set by the caller, not in lab.conf
    Str folder;      // "04-cluster-clc"; set by the caller too
    Str title;
    Str kernel;        // name of the entry function
    Str file;          // name of its file, without the folder
    uint32_t threads;  // per block
    uint32_t block[3]; // threads per block along x, y, z
    uint32_t cluster;  // CTAs per cluster, along x
    LabTechnique technique;
    uint32_t in_flight; // requests that a block must have pending at once
    uint32_t balance;   // percent; 0: not judged. See model.c
    uint32_t yield;     // likewise
    uint32_t seeds;     // that a batch grades with; 0: one
    bool seeds_mean;    // their mean counts; else the worst
    bool plan;          // the learner writes launch_plan
    // What the lab asks of the file itself: see form.c.
    bool own_asm, strict_regions;
    bool no_advice; // no edits are tried for a failure, as in an exam
    Str *forbidden; // names
    size_t forbidden_count;
    // Set by the caller, as they are no part of lab.conf:
    Str starter;      // the lab's own file; empty: not known
    bool has_hints;   // this copy of the course has the lab's hints.md
    LabParam *params; // of the kernel
    size_t param_count;
    Str data_name;  // the parameter that the kernel accumulates in
    Str work;       // what the kernel does with an element; a sentence for help
    LabSize *sizes; // ascending
    size_t size_count;
    uint32_t parts[DEVICE_PART_COUNT]; // bit k: region k has this part
    LabCheck *checks; // in the order of the design; points sum to 100
    size_t check_count;
    LabReference reference; // set by the caller
} Lab;

enum {
    LAB_MAX_SIZE = 1 << 27, // most elements
    LAB_MAX_SIZES = 32,
    LAB_MAX_THREADS = DEVICE_MOST_THREADS, // per block
    LAB_MAX_CLUSTER = DEVICE_PORTABLE_CLUSTER,
    LAB_MAX_PARAMS = 8,
    LAB_MAX_PERCENT = 10000,
    LAB_MAX_IN_FLIGHT = 32,
    LAB_MAX_REGION = 31,
    LAB_MAX_FORBIDDEN = 32, // names
    LAB_MAX_SEEDS = 16,
};

// Parses the text of a lab.conf; `path` is for messages. Returns false if
// there is an error; each error has its line and column, and code "CONF".
// Slices of *lab point into `text`.
bool check_parse_lab(Arena *arena, Str path, Str text, Lab *lab, Diags *diags);

// Parses a size as lab.conf writes it: "1000" or "40x20x3". Returns false if
// the text is not a size, or the size is too large.
bool check_parse_size(Str text, LabSize *size);
// Whether the size has as many numbers as the sizes of the lab.
bool check_fits_size(const Lab *lab, LabSize size);

// ---- grading -------------------------------------------------------------

typedef struct Submission {
    Str file;       // as the user gave it: what every message shows
    Str source;     // its text
    Diag *messages; // of the compiler
    size_t message_count;
    Str compiler;            // "NVRTC 13.0"; may be empty
    const PtxModule *module; // NULL: it did not build; messages say why
    Diag reject;             // `what` not empty: refused before compilation
} Submission;

// The parts of a grade, in their order. Reading is done before check_grade.
typedef enum GradeStage {
    GRADE_READING, // of the PTX: builds, signature
    GRADE_RUNS,    // the plain ones
    GRADE_TIMED,
    GRADE_PROBES,
    GRADE_SCHEDULES,
    GRADE_ADVICE, // all is judged; edits are tried for what failed
    GRADE_CARD,   // check_on_card
    GRADE_STAGE_COUNT
} GradeStage;

// Called while long work goes on: of so much, so much is done. NULL: nobody is
// told.
typedef void Tell(void *context, uint64_t done, uint64_t of);

typedef struct GradeOptions {
    uint64_t seed;
    uint64_t schedules; // how many to run; 0: the check is skipped
    bool is_single;     // run only one of the schedules
    uint64_t single;    // is_single: its number
    bool has_size;      // is_single: run only `size`; else the sizes of a whole
                        // grading
    LabSize size;
    bool is_limited;   // is_single: as in DeviceSchedule
    uint64_t switches; // likewise
    Str replay; // "clclab grade 4 cluster_clc.cu"; the schedule is appended
    uint64_t step_limit; // thread-instructions per run; 0: chosen from its size
    int32_t max_size;    // larger sizes of the lab are left out; 0: no limit
    bool is_traced;      // the result has a trace of the run that it shows
    bool has_pictures;   // it has one if that explains its first mistake
    bool is_tried; // with an edit, for advice: only what runs show is told
    bool advice;   // edits of the kernel are tried for its first failure
    // Not 0: the edit of that number which is told is made, and the kernel
    // graded with it. Where none is told, result->obeyed.number stays 0.
    uint32_t obey;
    Device *timed; // models time: balance and yield are judged on it alone;
                   // NULL: they are not judged
    // Runs that do not depend on each other are shared out to the crew; each of
    // its workers but the caller has a device of the same model. NULL: there is
    // none.
    Crew *crew;
    Device *const *helpers;
    // Called when a stage begins, with the checks so far; may be NULL.
    void (*enter)(void *context, GradeStage stage, const Result *result);
    void *enter_context;
    Tell *tell; // of schedules
    void *tell_context;
} GradeOptions;

// Runs all checks of the lab. Everything in *result is allocated from `arena`
// or is part of the arguments. The Device is left with a module loaded.
// The result depends only on the arguments: the same seed gives the same one.
void check_grade(Arena *arena, const Lab *lab, const Submission *submission,
                 Device *device, const GradeOptions *options, Result *result);

// A grade that was ended because it cost too much.
typedef struct GradeExceeded {
    GradeStage stage; // in which it was
    bool is_memory;   // else processor time
    uint64_t limit;   // MiB, or seconds
    Str spent;        // the time, on what: "the plain runs 2.1 s, the schedules
                      // 27.9 s"; where the memory was: "the plain runs"
    bool passed[64];  // by check: whether it had passed before
} GradeExceeded;

// The result of such a grade: the check that was being judged fails (LIMIT), or
// is an error if it took too much time. The arguments are those of check_grade;
// the module is not looked at.
void check_exceeded(Arena *arena, const Lab *lab, const Submission *submission,
                    Device *device, const GradeOptions *options,
                    const GradeExceeded *exceeded, Result *result);

// Grades once more, on a real GPU; call it after check_grade. The outcome is
// one more check, "device", which carries no points but can fail the verdict.
void check_on_card(Arena *arena, const Lab *lab, const Submission *submission,
                   Device *card, const GradeOptions *options, Result *result);
// Likewise, after check_exceeded: of the check, if that was ended on the GPU.
void check_exceeded_on_card(Arena *arena, const Lab *lab,
                            const Submission *submission, Device *card,
                            const GradeOptions *options,
                            const GradeExceeded *exceeded, Result *result);

// ---- a kernel of no lab --------------------------------------------------

// What a buffer holds before each launch.
typedef enum LaunchFill {
    FILL_ZERO,
    FILL_RANDOM, // little-endian elements: element_drawn. hash_u64(seed + i) is
                 // the first output of splitmix64 from the state seed + i
    FILL_IOTA,   // little-endian elements 0, 1, 2, ...
    FILL_BYTES,
    FILL_POISON, // nothing: it counts as not written
} LaunchFill;

// What the buffer may hold after a schedule that is not the first.
typedef enum LaunchOutput {
    OUTPUT_TOLD,  // anything: an advisory tells that it depends on the schedule
    OUTPUT_SAME,  // what the first schedule left, bit for bit
    OUTPUT_CLOSE, // floats close to those that the first schedule left
    OUTPUT_ANY,   // anything, and nothing is said
} LaunchOutput;

// Whether buffers are compared with those of the first schedule.
typedef enum LaunchCompare {
    COMPARE_NONE,
    COMPARE_TELL,   // each as its LaunchOutput says
    COMPARE_DEMAND, // likewise, but OUTPUT_TOLD is OUTPUT_SAME
} LaunchCompare;

// An address among the bytes of a value, or of a buffer.
typedef struct LaunchPart {
    uint64_t at;     // byte of its first byte
    size_t argument; // index of the buffer whose address it is
    Str function;    // not empty: it is the address of this function, or what
                     // this variable holds
} LaunchPart;

typedef struct LaunchArgument {
    Str name;             // as a person counts it: "1", "0.2"
    bool is_buffer;       // else a value, of its parameter's size
    uint64_t size;        // bytes; if it is no multiple of an element, the last
                          // one of a fill is cut off
    LaunchFill fill;      // of a buffer
    uint64_t seed;        // FILL_RANDOM
    const uint8_t *bytes; // [size]: FILL_BYTES, or the value
    LaunchPart *parts;    // within `bytes`
    size_t part_count;
    ElementType element; // of a buffer
    LaunchOutput output; // of a buffer
    double tolerance;    // OUTPUT_CLOSE: difference / the greater of the two
} LaunchArgument;

typedef struct LaunchRequest {
    const Submission *submission; // with a module
    const PtxFunc *kernel;        // of that module
    uint32_t grid[3], block[3];
    uint32_t cluster[3];   // all 1: no cluster is asked for
    uint32_t dynamic_smem; // bytes
    // One for each parameter; behind them, the buffers that others point to.
    const LaunchArgument *arguments;
    size_t argument_count;
    bool is_cooperative; // all blocks run together, and can synchronise
    uint64_t seed;
    uint64_t first, schedules; // numbers first ... first + schedules - 1;
                               // 0 is the plain one, others are as for a lab
    bool is_limited;           // as in DeviceSchedule
    uint64_t switches;         // likewise
    bool in_order;             // likewise, of all schedules
    bool is_exhaustive; // instead search all schedules, at most `schedules`
    uint64_t unchecked; // as in DeviceLaunch
    LaunchCompare compare;
    uint64_t step_limit; // thread-instructions per schedule
    // As in GradeOptions: schedules are shared out, if it is no search.
    Crew *crew;
    Device *const *helpers;
    uint64_t memory; // bytes that its workers may have together, each as much
                     // as the process had at most after the first schedule
    Tell *tell;      // of schedules
    void *tell_context;
    bool is_timed;  // the device models time for all launches
    bool is_traced; // the result has a trace of the run of its first finding
    bool is_tried;  // with an edit: only what runs show is told
    bool advice;    // edits of the kernel are tried for its first error
    uint32_t obey;  // as in GradeOptions
    Str prologue;   // as in DeviceLaunch; may be empty
    Str replay;     // the command, to which the schedule is appended
} LaunchRequest;

// Fills [offset, offset + count) of a buffer; offset is a multiple of 8.
void launch_fill(const LaunchArgument *argument, uint64_t offset, uint8_t *out,
                 size_t count);

// Adds the reasons why a submission has no module to the result, as findings.
void check_launch_build(Arena *arena, const Submission *submission,
                        LaunchResult *result);

// Runs the schedules and judges them in order, up to one that could not be
// judged to its end (step limit, unknown instruction). Each finding is shown
// with the fewest context switches that were found to reproduce it, and says so
// if it stays away when blocks are launched and granted in order. Returns
// false if the device refuses the launch: *error says why, and the caller is at
// fault unless its code is "UNSUPPORTED". outputs: NULL, or [argument_count],
// which receives each buffer's bytes after the first schedule. The result
// depends only on the arguments.
bool check_launch(Arena *arena, const LaunchRequest *request, Device *device,
                  LaunchResult *result, Str *outputs, Diag *error);

#endif
