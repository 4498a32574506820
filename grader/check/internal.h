// SPDX-License-Identifier: Apache-2.0
// What the files of check/ share. Read in this order:
//
//   place.c      finds places in the learner's file
//   guard.c      the condition round a line
//   names.c      names and elements of the source for what findings name
//   cause.c      makes Causes from places, findings and messages
//   dialect.c    which dialect the submission is written in
//   region.c     which region of a lab's file has to be fixed
//   checks.c     the checks of a result, and how they are set
//   signature.c  builds, signature    (no run needed)
//   static_size.c  builds: variables that no memory holds
//   shape.c      sizes, and which block owns which element
//   run.c        one launch of the kernel at one size under one schedule
//   tally.c      how often each element and block was processed
//   plan.c       launch_plan          (runs of the learner's launch_plan)
//   rules.c      rules:               judged on a Run
//   data.c       correct, exactly_once: judged on a Run
//   pattern.c    what the wrong elements have in common
//   why.c        why a block was not processed once
//   form.c       technique:           what a lab asks of the file itself
//   ledger.c     technique, prologue:   judged on a Run
//   turns.c      technique: whether blocks take turns, as in a grid-stride loop
//   model.c      balance, yield: more of technique, in modelled time; timed.c
//   probe.c      sizes, launches and grids that lab.conf does not list
//   far.c        a few blocks of a very large grid: what is run, and what of it
//                is looked at; far_judge.c what is said of it
//   ahead.c      probes and schedules by several workers at the same time
//   grade.c      check_grade: the order, the plain runs, the schedules
//   trace.c      the trace of the run that the result shows
//   advise.c     edits of the kernel that are tried for a failure: of a grade
//                by advise_grade.c, of a launch by launch_advise.c
//   said.c       what the compiler, or the file, says of the first failure
//   no_code.c    stores that left no code
//   decoded.c    indices of answers that nothing uses, or nobody decodes
//   way_out.c    kernels that no thread can leave
//   trial.c      one schedule of a lab, and a smaller one that fails alike
//   card.c       device: the whole grading once more, on a real GPU
//   launch.c     check_launch: a kernel of no lab; with launch_*.c
//   lab_conf.c   the parser of lab.conf
//
// judge.h has what names a case of a finding.
//
// These have headers of their own: clinic.c; quiz.c and quiz_*.c; compare.c and
// compare_model.c.
//
// A judge looks at one Run. It returns true, or false and a Cause.
#ifndef CLCLAB_CHECK_INTERNAL_H
#define CLCLAB_CHECK_INTERNAL_H

#include "check/check.h"
#include "trials/trials.h"

enum {
    BYTES_PER_ELEMENT = sizeof(float),
    // The first of the streams of random numbers of timed problems, two each:
    // model.c has the first, shape.c the second. Behind all others.
    TIMED_STREAM = LAB_MAX_SIZE + 1024,
    // The block indices at the end of a timed problem among which, of rows, the
    // long one is.
    TIMED_TAIL = 80,
};

// What is known about one block index after a run.
typedef struct BlockTally {
    uint32_t size;  // elements that it owns; 0: nothing is known about it
    uint32_t times; // how often it was processed; valid unless mixed
    bool mixed;     // its elements differ, or hold wrong values
    bool divided;   // each was stored by one cluster and is right; several did
    uint32_t again; // elements that were processed several times
} BlockTally;

enum { ELEMENT_WRONG = 255 }; // in Run.elements

// One launch of the kernel, and its outcome.
typedef struct Run Run;
struct Run {
    LabSize size;
    int32_t n;           // elements
    uint32_t grid;       // blocks launched; 0: nothing to launch
    uint32_t blocks;     // block indices that may own elements
    bool plain;          // the plain schedule
    bool has_more_steps; // with more steps, because it reached the limit
    bool is_relaunch;    // launched again in the module of an unjudged launch
    bool has_other_grid; // not the grid that the lab's rule gives
    bool is_unchecked;   // the device looks for no findings
    bool is_untimed;     // as in DeviceLaunch
    bool is_timed;    // the device is asked to model time, and to check no rule
    uint32_t problem; // is_timed: the number of its problem, from 1
    uint64_t arrival; // as in DeviceLaunch
    bool arrival_stays; // likewise
    bool explored;      // a schedule of an exhaustive search
    uint64_t number;    // unless explored: the schedule's number
    DeviceSchedule schedule;
    const float *in;         // [n], or NULL
    const int32_t *starts;   // [rows + 1], or NULL
    const uint32_t *owner;   // [n]: the block that owns the element
    Str changed;             // the input that the kernel changed; empty: none
    const float *before;     // [n]
    const float *after;      // [n]
    const double *expected;  // [n]
    const uint8_t *elements; // [n]: times processed, or ELEMENT_WRONG
    const BlockTally *tally; // [blocks]
    const TraceWish *wish;   // the device is asked for a trace; NULL: it is not
    Watch watch;             // which CTAs stored to the elements of each block
    struct Far *far;  // of a large grid a few blocks are run, and there are no
                      // arrays of all elements; NULL: all are
    const Run *alike; // a run of the same size, whose problem is the same and
                      // is not made again; NULL: none
    DeviceRun device;
};

// The state of one call of check_grade.
typedef struct Grade {
    Arena *arena; // lives as long as the result
    const Lab *lab;
    const Submission *submission;
    Device *device;
    const GradeOptions *options;
    Result *result;
    const PtxFunc *entry;
    SrcLoc kernel_at; // where the learner's kernel is
    DeviceInfo info;
    uint32_t blocks_per_sm;
    uint32_t dynamic_smem; // bytes given to each block: see run.c
    double alpha;          // the prologue's value in this grading
    Run *runs;             // plain ones, ascending n
    size_t run_count;
    bool shown;          // grade.c: the result already shows a run that failed
    Run shown_run;       // what to run to see the run that the result shows
    bool plan_failed;    // plan.c: the right grid is used instead
    bool correct_failed; // data.c: see collect
    bool spins;          // a run ended that needed more steps than usual
    bool once_failed;    // ledger.c: see judge_technique
    bool bar_missed;     // model.c: all that technique failed for
    const struct Ahead *ahead; // what has been run ahead; NULL: nothing
    // advise_grade.c: the submission with each edit that is told.
    const PtxModule *advised[ADVICE_MOST_EDITS];
} Grade;

// grade.c
// With nothing judged yet. The result is given and not changed.
Grade grade_new(Arena *arena, const Lab *lab, const Submission *submission,
                Device *device, const GradeOptions *options, Result *result);

// place.c
// The first use of an integer type of 8 or 16 bits; line 0: there is none.
SrcLoc place_find_narrow(const Submission *submission, uint32_t bits);
// The first place of identifier `name` in the submission's source, outside
// comments and strings; line 0 if there is none.
SrcLoc place_find_name(const Submission *submission, Str name);
// Takes the next token off *text, comments and blanks left out; empty: there is
// none. *next: the place of the text, moved on. *at: the token's place.
Str place_token(Str *text, SrcLoc *next, SrcLoc *at);
bool place_is_mark(Str token, char mark); // a token of this character alone
bool place_is_name(Str token);            // a word that is no number
// Whether the text is short enough to be read again and again, for names and
// declarations. Of a longer one nothing is told that has to be read off it.
bool place_is_short(const Submission *submission);
// A place in one of the PTX's source files, with the submission's file named as
// the user gave it.
SrcLoc place_as_given(const Submission *submission, SrcLoc at);

// no_code.c
typedef struct NoCode {
    SrcLoc at;    // a store of the kernel that left no code
    Str name;     // the pointer
    bool in_loop; // of which there is none either
    Str value; // the variable that is stored; empty: it is another expression
    uint32_t same_from; // in this line it took what is there; 0: it did not
} NoCode;
bool no_code_find(const Submission *submission, Str kernel, NoCode *found);

// decoded.c
typedef struct Decoded {
    SrcLoc at;      // a call that decodes an index, and left no code
    Str name;       // what it is given to; empty: not known
    uint32_t again; // the line that sets this again, unread; 0: there is none
} Decoded;
bool decoded_without_code(const Submission *submission, Decoded *found);
// The last place of the file that calls is_canceled by name, and the last that
// decodes an index so; line 0: there is none.
SrcLoc decoded_asked(const Submission *submission);
SrcLoc decoded_last(const Submission *submission);
// Of a kernel that decodes indices: the axis along which it decodes none,
// though the lab's grids have several blocks there; NULL: there is none.
const char *decoded_axis_left_out(const Grade *grade);
// Where the block's own index is added to that of an answer; line 0: nowhere.
SrcLoc decoded_own_added(const Submission *submission);

// way_out.c
// Whether no thread can come to the kernel's end, whatever happens.
bool way_out_is_missing(const Grade *grade);

// said.c
// Puts first what is known of the first failure without a run, if anything is.
void said_first(Grade *grade);

// cause.c (cause.h of result/ has what no grade needs to be known for)
// The cause of a finding, its places named as the user gave the file.
Cause cause_from_finding(const Grade *grade, const Finding *finding);
// The Cause of a grade that was ended.
Cause cause_of_excess(const Grade *grade, const GradeExceeded *exceeded);
// Of the check that was being judged.
CheckStatus exceeded_status(const GradeExceeded *exceeded);
Cause cause_from_diag(const Grade *grade, const Diag *diag);
// Of a message of the compiler: without help, if it has none of its own.
Cause cause_from_message(const Grade *grade, const Diag *message);
// Of `count` of these, in the compiler's order: says that the first is to be
// corrected first, if others follow and nothing better is said of it.
void cause_set_first(Cause *first, size_t count);
// The Cause for a run that did not end, if no finding says so. Returns false if
// the run ended, was refused or met an unknown instruction.
bool cause_of_stop(const Grade *grade, RunStatus status, Cause *cause);
Str cause_replay(const Grade *grade); // the command that grades it again
// Sets cause->context and cause->replay from the run.
void cause_in_run(const Grade *grade, const Run *run, Cause *cause);
Str cause_run_name(Arena *arena, const Run *run); // "plain", "schedule 5 (..)"

// dialect.c
Dialect dialect_of(const Submission *submission);

// region.c
// Sets cause->region and cause->mend.
void region_name(const Grade *grade, const Finding *finding, Cause *cause);
// Does the same for what a judge found, if the judge is sure of the part: names
// the region at `at` if that has the part, or the only region that has it.
void region_cure(const Grade *grade, DevicePart part, SrcLoc at, Cause *cause);
// Once edits were tried: the region of the line that the first of those told
// changes is the one to mend, whatever part is usual.
void region_of_advice(const Grade *grade, Cause *cause);
// The same for a mistake that was made at `at`: names the region there, or
// else the only one that has the part.
void region_cure_place(const Grade *grade, DevicePart part, SrcLoc at,
                       Cause *cause);
// The part that decides what a block works on, if a single region has it, as in
// a lab without work stealing. Else PART_HERE, which no region has.
DevicePart region_of_work(const Grade *grade);
// Sets cause->region for a mistake that is at the cause's own place.
void region_here(const Grade *grade, Cause *cause);
bool region_has_any(Str text); // whether a region's mark is in it
// The text with the same lines, each region replaced by a mark.
Str region_outline(Arena *arena, Str text);
// The regions of the lab's file in which no code stands yet, by number; empty:
// there are none.
Str region_list_empty(const Grade *grade);

// checks.c
// Tells options->enter that a stage begins.
void grade_enter(const Grade *grade, GradeStage stage);
void grade_make_checks(Grade *grade);
CheckResult *grade_check(Grade *grade, Str id); // NULL: not in the lab
bool grade_has_passed(Grade *grade, Str id);    // or is not in the lab
void grade_set(Grade *grade, Str id, CheckStatus status, const Cause *cause);
void grade_set_causes(Grade *grade, Str id, CheckStatus status, Cause *causes,
                      size_t count);
// The check has passed on less than its sentence says: it gets one that says
// what was compared.
void grade_narrow(Grade *grade, Str id);
// Says for each check that is still skipped what it is waiting for.
void grade_explain_skips(Grade *grade);
// In the order of lab.conf; NULL: none failed.
CheckResult *check_first_failed(const Grade *grade);

// signature.c: each sets its check, and returns false if no later check can be
// judged.
bool signature_judge_builds(Grade *grade);
bool signature_judge(Grade *grade);

// static_size.c
// Sets builds only where a variable is too large; false then.
bool static_size_judge(Grade *grade);

// shape.c
bool shape_has_param(const Lab *lab, LabParam param);
LabShape shape_of(const Lab *lab);
uint64_t shape_volume(LabSize size);
uint64_t shape_most_elements(const Grade *grade); // larger sizes are left out
// Blocks along x, y, z, and in all; not rounded up to clusters.
void shape_grid(const Lab *lab, LabSize size, uint32_t grid[3]);
uint32_t shape_blocks(const Lab *lab, LabSize size);
// The blocks of the launch along x, y, z.
void shape_launch(const Lab *lab, const Run *run, uint32_t grid[3]);
// A size with at least this many blocks.
LabSize shape_filling(const Lab *lab, uint32_t blocks);
Str shape_size_digits(Arena *arena, const Lab *lab, LabSize size); // "1000"
Str shape_size_text(Arena *arena, const Lab *lab, LabSize size);   // "n = 1000"
Str shape_block_name(const Grade *grade, const Run *run, uint32_t block);
Str shape_element_name(const Grade *grade, const Run *run, int32_t i);
// Fills in, from run->size: n, blocks, owner and the kernel's inputs.
void shape_make(const Grade *grade, Arena *arena, Run *run);
// The problem for the reference, with `data` as it is before the kernel runs.
LabProblem shape_problem(const Grade *grade, const Run *run, const float *data);

// run.c
typedef enum RunOutcome {
    OUTCOME_RAN,    // it ran; findings are in run->device
    OUTCOME_OURS,   // could not run: *cause, not the learner's fault
    OUTCOME_THEIRS, // could not run: *cause, the learner's fault
} RunOutcome;
// Loads the module, sets the secret, chooses the residency, and runs lab.h's
// prologue, which must give what the grader computes itself.
RunOutcome run_prepare(Grade *grade, Cause *cause);
// The caller decides `grid`. Everything in *run is allocated from `arena`.
RunOutcome run_kernel(Grade *grade, Arena *arena, LabSize size, uint32_t grid,
                      Run *run, Cause *cause);
// Of a run that is recorded: so many thread-instructions, then it is cut.
uint64_t run_traced_steps(uint64_t limit);
// Runs the learner's launch_plan.
typedef struct PlanQuery { // labs/common/lab.h: LaunchQuery
    int32_t n, threads_per_block, sm_count, blocks_per_sm;
} PlanQuery;
RunOutcome run_plan(Grade *grade, PlanQuery query, int32_t *blocks,
                    Cause *cause);

// trial.c
typedef enum TrialCheck {
    TRIAL_PASSED,
    TRIAL_RULES,
    TRIAL_CORRECT,
    TRIAL_ONCE,
    TRIAL_TECHNIQUE,
    TRIAL_PROLOGUE
} TrialCheck;

// The first check that the run does not pass, with its *cause.
TrialCheck trial_judge(Grade *grade, const Run *run, Cause *cause);

// One schedule of a lab's kernel: what to run, and the outcome.
typedef struct LabTrial {
    Grade *grade;
    const Run *plain; // of the same size
    Trial asked;
    Arena *arena; // holds what the fields below point to
    Run run;
    RunOutcome outcome; // OUTCOME_THEIRS: it shows a mistake
    TrialCheck failed;
    Cause cause;
} LabTrial;

void trial_run(LabTrial *trial);
// Replaces a trial that failed by one that fails the same way with fewer blocks
// and context switches, if it finds one.
void trial_minimise(LabTrial *trial);
// Says in the cause of a trial that failed out of order if neither its schedule
// nor the first of the others fails in order.
void trial_keep_order(LabTrial *trial);

// advise_grade.c: tries edits for the first failure, and sets its cause's
// advice.
// `whole` is check_grade, which calls this.
typedef void GradeWhole(Arena *arena, const Lab *lab,
                        const Submission *submission, Device *device,
                        const GradeOptions *options, Result *result);
void advise_grade(Grade *grade, GradeWhole *whole);

// tally.c
void tally_run(const Grade *grade, Arena *arena, Run *run);
// How often the element was processed: by what it holds, or because several
// clusters stored to it.
uint32_t tally_times(const Run *run, int32_t i);

// plan.c
bool plan_judge(Grade *grade); // false: the grader's own error
// The blocks of the lab's kernel: the learner's number, or the right one where
// launch_plan failed or is not asked for.
RunOutcome plan_grid(Grade *grade, LabSize size, uint32_t *grid, Cause *cause);

// probe.c
typedef struct Probe {
    LabSize size;
    uint32_t grid; // blocks; 0: as many as for a listed size
    bool is_relaunch;
    bool is_unchecked; // faster; what breaks a rule was seen at other sizes
    bool is_far;       // a few of its blocks are run
} Probe;
enum { MAX_PROBES = 16 };
// The probes for runs of the lab that have passed; none on a card.
size_t probe_choose(const Grade *grade, Probe probes[MAX_PROBES]);
RunOutcome probe_run(Grade *grade, Arena *arena, const Probe *probe, Run *run,
                     Cause *cause);
// The check that the run does not pass, with its *cause; NULL: it passes all.
const char *probe_failure(Grade *grade, const Run *run, Cause *cause);
// The size at which, on one SM, each place gets more than 256 blocks on
// average.
LabSize probe_long(const Grade *grade);
// The same for a lab that has several requests in flight: as many rounds, each
// of which takes so many blocks.
LabSize probe_rounds(const Grade *grade);

// far.c
// Elements of one block that are looked at, and the block's. The arrays have
// one value for each of its elements, x first.
typedef struct FarPiece {
    uint32_t block;
    int32_t from[3], size[3];
    const float *before;
    const double *expected;
    float *after;
} FarPiece;
typedef struct Far {
    uint32_t *clusters; // [cluster_count]: those that are run, in this order
    size_t cluster_count;
    FarPiece *pieces; // none where blocks take turns: then see run->watch
    size_t piece_count;
    uint64_t work; // elements and threads
} Far;
// The sizes of such runs: FAR_MOST at most. None if the lab's reference depends
// on more than an element's surroundings.
enum { FAR_MOST = 4 };
size_t far_choose(const Grade *grade, Rng *rng, Probe probes[FAR_MOST]);
// Elements and threads of such a run.
uint64_t far_work(const Grade *grade);
// Chooses the blocks, and makes the problem. Everything is allocated from
// `arena`.
void far_make(const Grade *grade, Arena *arena, Run *run);
// Writes the elements that are needed to the buffers that were just allocated;
// reads those that are looked at.
void far_fill(const Grade *grade, const Run *run, uint32_t data, uint32_t in);
void far_read(const Grade *grade, Run *run);

// far_judge.c: the check that the run does not pass, with its *cause; NULL: it
// passes all.
const char *far_failure(const Grade *grade, const Run *run, Cause *cause);

// ahead.c
enum { AHEAD_MOST = 4096 }; // schedules
typedef struct AheadTask {
    bool is_probe;
    Probe probe;     // is_probe
    uint64_t number; // of the schedule, with the plain run of its size
    const Run *plain;
} AheadTask;
typedef struct Ahead {
    AheadTask *tasks; // in the order in which they are run
    size_t count;
    Grade *grade;
    uint64_t steps_each; // expected, for each element and thread
    struct AheadWorker *workers;
    Share *share;
} Ahead;
// There is room for them; all probes come before the first schedule.
void ahead_add_probe(Ahead *ahead, const Probe *probe);
void ahead_add_schedule(Ahead *ahead, uint64_t number, const Run *plain);
// Shares them out, if there are workers and it is worth it; else false.
bool ahead_begin(Ahead *ahead, Grade *grade);
void ahead_end(Ahead *ahead);
// Whether it has passed, and said nothing that was not known.
bool ahead_probe_passed(const Ahead *ahead, size_t index);
// The same, with the bound of the run; NULL: it is not known to have passed.
const PctBound *ahead_schedule_passed(const Ahead *ahead, uint64_t number,
                                      const Run *plain);

// rules.c
enum { MAX_RULE_CAUSES = 8 };
// Lists the rules broken in a run, in order of time, each rule and place once,
// and returns how many. Advisories go to the result.
size_t judge_rules(Grade *grade, const Run *run, Cause *causes);
// Adds an advisory to the result, each rule and line once.
void grade_advise(Grade *grade, const Cause *cause);

// data.c
bool judge_correct(const Grade *grade, const Run *run, Cause *cause);
// Whether the run has a block that judge_correct can judge.
bool judge_has_evidence(const Run *run);
// Whether judge_correct judges every block: none was left out or repeated as a
// whole, which exactly_once judges.
bool judge_has_all(const Run *run);
// Returns false if no element has changed.
bool judge_touched(const Grade *grade, const Run *run, Cause *cause);
bool judge_exactly_once(const Grade *grade, const Run *run, Cause *cause);

// form.c
// Judges what the lab asks of the file. Looks at text and PTX, and at no run.
bool judge_form(const Grade *grade, Cause *cause);
void form_advise(Grade *grade);

// ledger.c
bool judge_technique(const Grade *grade, const Run *run, Cause *cause);
bool judge_prologue(const Grade *grade, const Run *run, Cause *cause);
// Whether compute_scalar() alone uses what its value is computed from. Looks at
// the PTX, and at no run.
bool judge_secret(const Grade *grade, Cause *cause);
LedgerSummary ledger_summary(const Grade *grade, const Run *run);

// turns.c
// Whether the blocks go through the data in turns, each the same number of
// elements, from its own on.
bool turns_are_taken(const Grade *grade, const Run *run);

// model.c: balance and yield, if the lab asks for them and there is a device
// that models time. Sets the check that fails. False: it is technique, since a
// bar was missed.
bool judge_model(Grade *grade);

#endif
