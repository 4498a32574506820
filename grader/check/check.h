// SPDX-License-Identifier: Apache-2.0
// check: a lab and a submission, run on a Device, become a Result; a kernel of
// no lab becomes a LaunchResult.
//
//   lab.conf's text --check_parse_lab--> Lab
//   Lab + Submission + Device --check_grade--> Result
//   Submission + LaunchRequest + Device --check_launch--> LaunchResult
//
// Both results are in result/, for report/ to read.
// Opens no files, prints nothing and knows no kind of Device. The checks and
// what each needs are listed in check/internal.h; the order in which they are
// judged is check_grade's.
#ifndef CLCLAB_CHECK_H
#define CLCLAB_CHECK_H

#include "base/base.h"
#include "device/device.h"
#include "result/result.h"

// ---- a lab ---------------------------------------------------------------

// The same struct as the one that labs/common/reference.h shows to students.
typedef struct LabProblem {
    int n;                    // elements
    const float *data;        // [n], before the kernel ran
    double scalar;            // the prologue's value
    int width, height, depth; // n = width * height * depth
    const float *in;          // [n]; NULL: the kernel has no such input
    int rows;                 // of a lab whose blocks own a row each
    const int *starts;        // [rows + 1]: row r is data[starts[r]] up to,
                              // not including, data[starts[r + 1]]; or NULL
} LabProblem;

// Fills expected[n]: what data[] must hold after the kernel.
typedef void (*LabReference)(const LabProblem *problem, double *expected);

typedef enum LabTechnique {
    TECHNIQUE_FIXED,      // one block a block index, no loop over them
    TECHNIQUE_PERSISTENT, // as many blocks as fit, in a grid-stride loop
    TECHNIQUE_CLC,        // block indices stolen by Cluster Launch Control
} LabTechnique;

// What the kernel is given. LAB_PARAMS: X(ID, "name in lab.conf", "type in C")
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

// check/shape.c: from the parameters follows which block owns which elements.
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
    uint32_t number; // 4; not in lab.conf: the caller's
    Str folder;      // "04-cluster-clc"; the caller's as well
    Str title;
    Str kernel;        // name of the entry
    Str file;          // its file's name, without a folder
    uint32_t threads;  // a block
    uint32_t block[3]; // threads a block along x, y, z
    uint32_t cluster;  // CTAs a cluster, along x
    LabTechnique technique;
    uint32_t in_flight; // requests that a block must have under way at once
    uint32_t balance;   // percent; 0: not asked for. See judge_model
    uint32_t yield;     // likewise
    bool plan;          // the learner writes launch_plan
    LabParam *params;   // of the kernel
    size_t param_count;
    Str data_name;  // the parameter that the kernel accumulates in
    Str work;       // what is done with an element; a sentence for help
    LabSize *sizes; // ascending
    size_t size_count;
    uint32_t parts[DEVICE_PART_COUNT]; // bit k: region k of the file has it
    LabCheck *checks; // in the order of the design; points sum to 100
    size_t check_count;
    LabReference reference; // the caller's
} Lab;

enum {
    LAB_MAX_SIZE = 1 << 27, // most elements
    LAB_MAX_SIZES = 32,
    LAB_MAX_THREADS = 1024, // a block
    LAB_MAX_CLUSTER = 8,    // the portable limit (CUDA guide, clusters)
    LAB_MAX_PARAMS = 8,
    LAB_MAX_PERCENT = 10000,
    LAB_MAX_IN_FLIGHT = 32,
    LAB_MAX_REGION = 31,
};

// Parses the text of a lab.conf; `path` is for messages. False where there is
// an error; each error has its line and column, and code "CONF". Slices of
// *lab point into `text`.
bool check_parse_lab(Arena *arena, Str path, Str text, Lab *lab, Diags *diags);

// "1000" or "40x20x3": a size as in lab.conf. False: it is none, or too large.
bool check_parse_size(Str text, LabSize *size);
// Whether the lab has sizes with so many numbers.
bool check_fits_size(const Lab *lab, LabSize size);

// ---- grading -------------------------------------------------------------

typedef struct Submission {
    Str file;       // as the user gave it: what every message shows
    Str source;     // its text
    Diag *messages; // of the compiler
    size_t message_count;
    Str compiler;            // "NVRTC 13.0"; may be empty
    const PtxModule *module; // NULL: it did not build; messages say why
    Diag reject;             // `what` not empty: refused before it was compiled
} Submission;

typedef struct GradeOptions {
    uint64_t seed;
    uint64_t schedules; // how many; 0: the check is skipped
    bool is_single;     // only this one of the schedules
    uint64_t single;    // is_single: its number
    bool has_size;      // is_single: `size` alone; else as in a whole grading
    LabSize size;
    bool is_limited;   // is_single: as in DeviceSchedule
    uint64_t switches; // likewise
    Str replay; // "clclab grade 4 cluster_clc.cu"; the schedule is appended
    uint64_t step_limit; // thread-instructions a run; 0: by its size
    int32_t max_size;    // sizes of the lab beyond it are left out; 0: none
} GradeOptions;

// Runs all checks of the lab. Everything in *result is allocated from `arena`
// or is part of the arguments. The Device is left with a module loaded.
// A function of its arguments: the same seed gives the same result.
void check_grade(Arena *arena, const Lab *lab, const Submission *submission,
                 Device *device, const GradeOptions *options, Result *result);

// The same once more on a real GPU, behind check_grade: what came of it is one
// more check, "device", of no points, that can fail the verdict.
void check_on_card(Arena *arena, const Lab *lab, const Submission *submission,
                   Device *card, const GradeOptions *options, Result *result);

// ---- a kernel of no lab --------------------------------------------------

// What a buffer holds before each launch.
typedef enum LaunchFill {
    FILL_ZERO,
    FILL_RANDOM, // little-endian 32-bit words; word i is the upper half of
                 // hash_u64(seed + i), the first output of splitmix64 from
                 // the state seed + i (wrapping)
    FILL_IOTA32, // little-endian 32-bit words 0, 1, 2, ...
    FILL_BYTES,
} LaunchFill;

typedef struct LaunchArgument {
    bool is_buffer;       // else a value, of its parameter's size
    uint64_t size;        // bytes; a size that is no multiple of 4 cuts the
                          // last word of a fill
    LaunchFill fill;      // of a buffer
    uint64_t seed;        // FILL_RANDOM
    const uint8_t *bytes; // [size]: FILL_BYTES, or the value
} LaunchArgument;

typedef struct LaunchRequest {
    const Submission *submission; // with a module
    const PtxFunc *kernel;        // of that module
    uint32_t grid[3], block[3];
    uint32_t cluster[3];             // all 1: none asked for
    uint32_t dynamic_smem;           // bytes
    const LaunchArgument *arguments; // one a parameter of the kernel
    size_t argument_count;
    uint64_t seed;
    uint64_t first, schedules; // numbers first ... first + schedules - 1;
                               // 0 is the plain one, others are as for a lab
    bool is_limited;           // as in DeviceSchedule
    uint64_t switches;         // likewise
    bool is_exhaustive;  // instead: all schedules, `schedules` of them at most
    uint64_t unchecked;  // as in DeviceLaunch
    bool compare;        // buffers after each schedule with the first's
    uint64_t step_limit; // thread-instructions a schedule
    Str prologue;        // as in DeviceLaunch; may be empty
    Str replay;          // the command; what names the schedule is appended
} LaunchRequest;

// Fills [offset, offset + count) of a buffer; offset is a multiple of 4.
void launch_fill(const LaunchArgument *argument, uint64_t offset, uint8_t *out,
                 size_t count);

// The reasons for which a submission has no module, as findings.
void check_launch_build(Arena *arena, const Submission *submission,
                        LaunchResult *result);

// Runs the schedules one after another; stops after one that is not judged to
// its end (the step limit, an unknown instruction). Findings are shown by the
// fewest context switches that were found to show them. False where the device
// refuses the launch: *error says why, and is the caller's fault unless its
// code is "UNSUPPORTED". outputs: NULL, or [argument_count], gets each
// buffer's bytes after the first schedule. A function of its arguments.
bool check_launch(Arena *arena, const LaunchRequest *request, Device *device,
                  LaunchResult *result, Str *outputs, Diag *error);

#endif
