// SPDX-License-Identifier: Apache-2.0
// report: writes a Result or a LaunchResult as bytes. It never grades, opens no
// files and reads no clock.
//
//   Result --report_tell--> the findings in it have texts
//   a Report --the writer of a ReportFormat--> bytes; the table of formats is
//   in formats.c. The writers call functions that can also be called alone:
//
//   Result --report_text--> what a person reads in a terminal
//   Result --report_json--> schema "clclab/result/v1", keys in a fixed order
//   Result, LaunchResult --> what other programs read: JUnit, SARIF, GitHub's
//     annotations; a grade also for Gradescope, GitHub Classroom and Autolab
//   Diag   --report_diag--> one message with its source line and a caret
//   a page of docs/rules --report_explain--> the same for a terminal
//
// Every text of a Result may contain bytes that a student chose. In text
// formats, control bytes, direction overrides and invalid UTF-8 are escaped
// (\x1b); in JSON control bytes are \u escapes and invalid UTF-8 becomes
// U+FFFD.
#ifndef CLCLAB_REPORT_H
#define CLCLAB_REPORT_H

#include "base/base.h"
#include "result/result.h"

typedef struct RuleLine RuleLine; // result/rule.h

typedef struct ReportStyle {
    bool color;     // ANSI escape sequences
    uint32_t width; // columns to wrap at; 0: 80; at least 40
    bool frames;   // also the lines of headers that a place was reached through
    bool pictures; // of a grade as text: the moment of a mistake in time, if it
                   // was recorded
} ReportStyle;

// ---- formats -------------------------------------------------------------

typedef enum ReportKind {
    REPORT_GRADE,
    REPORT_RUN,
    REPORT_EXEC,
    REPORT_QUIZ,
    REPORT_CASE,  // one case of the clinic
    REPORT_CASES, // all cases of the clinic
    REPORT_COMPARE,
    REPORT_DOCTOR,
    REPORT_RULE,  // a rule's page
    REPORT_RULES, // the list of rules
    REPORT_KIND_COUNT,
} ReportKind;

enum { REPORT_TRACED = 1 << REPORT_KIND_COUNT };

// What to show; the kind says which member is set.
typedef struct Report {
    ReportKind kind;
    union {
        const Result *grade;
        const LaunchResult *run;
        const ExecResult *exec;
        const QuizResult *quiz;
        struct {
            const ClinicResult *items;
            size_t count; // REPORT_CASE: 1
        } cases;
        const Comparison *compare;
        const DoctorReport *doctor;
        struct {
            Str code, markdown;
        } rule;
        struct {
            const RuleLine *lines;
            size_t count;
        } rules;
    };
    Str source; // text of the file that the result is about; may be empty
    ReportStyle style;
} Report;

typedef enum ReportReader {
    READER_PERSON,
    READER_PROGRAM,
    READER_PLATFORM, // a program that takes any exit code but 0 for a grader
                     // that broke
} ReportReader;

typedef struct ReportFormat {
    const char *name; // "json"
    uint32_t kinds;   // a bit for each ReportKind that it can show, and
                      // REPORT_TRACED if the run has to be recorded for it
    ReportReader reader;
    void (*write)(const Report *report, Buf *out);
} ReportFormat;

// The format with that name for results of that kind, or NULL. name NULL: the
// default.
const ReportFormat *report_format(ReportKind kind, const char *name);
// The names of that kind's formats: "text, json" if `between` is ", ".
Str report_format_names(Arena *arena, ReportKind kind, const char *between);

// ---- texts of findings ---------------------------------------------------

// Makes the texts of what devices found, in the submission's dialect. This
// comes before a Result is written in any format. The texts are in the arena.
void report_tell(Arena *arena, Result *result);
void report_tell_launch(Arena *arena, LaunchResult *result);

// ---- who reads it --------------------------------------------------------

typedef enum ReportFeedback {
    FEEDBACK_FULL,    // everything
    FEEDBACK_POINTS,  // the checks, and what they gave
    FEEDBACK_STUDENT, // and what is wrong, where, and what to try; no seed, no
                      // expected data, no output of the kernel, no path
} ReportFeedback;

// Takes out of the result what this reader is not to see. It comes after
// report_tell. `root`: the course's folder, ending in "/", or empty.
void report_limit(Arena *arena, ReportFeedback feedback, Str root,
                  Result *result);

// ---- one by one ----------------------------------------------------------

// `source`: text of the submission, for excerpts; may be empty.
void report_text(const Result *result, Str source, ReportStyle style, Buf *out);

// Ends with a newline. Numbers do not depend on the locale. elapsed_ms is as in
// the Result: a caller that leaves it 0 gets the same bytes for the same seed.
void report_json(const Result *result, Buf *out);

// The same for clclab run; the schema is "clclab/run/v1".
void report_run_text(const LaunchResult *result, Str source, ReportStyle style,
                     Buf *out);
void report_run_json(const LaunchResult *result, Buf *out);

// The same for clclab exec, whose findings have their sources themselves; the
// schema is "clclab/exec/v1".
void report_exec_text(const ExecResult *result, ReportStyle style, Buf *out);
void report_exec_json(const ExecResult *result, Buf *out);
// As a run, for the formats that show one. Items are in the arena.
void report_exec_run(Arena *arena, const ExecResult *result, LaunchResult *run);

// A quiz. `quiz_file`, `grade`: how the template names the questions' path and
// the command that grades the answers.
void report_quiz_questions(const Quiz *quiz, ReportStyle style, Buf *out);
void report_quiz_template(const Quiz *quiz, Str quiz_file, Str grade, Buf *out);
// `source`: text of the file of the answers; may be empty. The schema of the
// JSON is "clclab/quiz/v1".
void report_quiz_text(const QuizResult *result, Str source, ReportStyle style,
                      Buf *out);
void report_quiz_json(const QuizResult *result, Buf *out);
// QTI 1.2, with the right answers: there must be a key.
void report_quiz_qti(const QuizResult *result, Buf *out);

// The bug clinic: one case, or the table of all cases. `source`: text of the
// copy.
// The schema of the JSON is "clclab/clinic/v1".
void report_clinic_case(const ClinicResult *result, Str source,
                        ReportStyle style, Buf *out);
void report_clinic(const ClinicResult *results, size_t count, ReportStyle style,
                   Buf *out);
void report_clinic_json(const ClinicResult *results, size_t count, Buf *out);

// ---- traces --------------------------------------------------------------

// The steps around the finding, for clclab debug: book.c says how they are
// written. False, and nothing is appended: there are none.
bool report_book(const Report *report, Buf *out);
// Chrome's JSON, for Perfetto; `device`: the name of the GPU. NULL: there is no
// trace, which gives a file without events.
void report_trace_json(const RunTrace *trace, Str device, Buf *out);

// ---- what a machine has --------------------------------------------------

// clclab doctor; the schema of the JSON is "clclab/doctor/v1".
void report_doctor_text(const DoctorReport *report, ReportStyle style,
                        Buf *out);
void report_doctor_json(const DoctorReport *report, Buf *out);

// ---- a class -------------------------------------------------------------

// Whose columns a table of points has: ours, or those that a platform imports.
typedef enum ReportGradebook {
    GRADEBOOK_OWN,
    GRADEBOOK_CANVAS,
    GRADEBOOK_MOODLE,
} ReportGradebook;
// A line for each submission; without points the field is empty, never 0.
// `column`: what the platform calls the assignment.
void report_batch_csv(const BatchTally *tally, ReportGradebook gradebook,
                      Str column, Buf *out);

// What the class came to. `title`: "Lab 4: ...".
void report_batch_text(const BatchTally *tally, Str title, ReportStyle style,
                       Buf *out);
void report_batch_html(const BatchTally *tally, Str title, Buf *out);

// ---- parts ---------------------------------------------------------------
// The comparison of techniques: tables with sentences on what they show; CSV
// with a line for each case (RFC 4180; an unknown figure is an empty field); a
// chart; and JSON of the schema "clclab/compare/v1".
void report_compare_text(const Comparison *comparison, ReportStyle style,
                         Buf *out);
void report_compare_csv(const Comparison *comparison, Buf *out);
void report_compare_svg(const Comparison *comparison, Buf *out);
void report_compare_json(const Comparison *comparison, Buf *out);

// `source`: text of the file that the message is about; may be empty.
void report_diag(const Diag *diag, Str source, ReportStyle style, Buf *out);

// A rule's page, in Markdown as explain.c describes it. The JSON's schema is
// "clclab/rule/v1".
void report_explain(Str markdown, ReportStyle style, Buf *out);
void report_explain_json(Str code, Str markdown, Buf *out);

// The list of rules; the JSON's schema is "clclab/rules/v1".
void report_rules_text(const RuleLine *lines, size_t count, Buf *out);
void report_rules_json(const RuleLine *lines, size_t count, Buf *out);

#endif
