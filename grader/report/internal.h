// SPDX-License-Identifier: Apache-2.0
// What the files of report/ share: formats.c (the table of formats), tell.c
// (texts of findings), tone.c (colours), excerpt.c (a source line and its
// caret), page.c (text), json_parts.c (JSON), encode.c (XML and others),
// problems.c (what is wrong, one by one). text.c and json.c write a Result,
// run_text.c and run_json.c a LaunchResult; run_counts.c names its counters and
// states, and run_time.c draws its modelled time. trace_text.c, trace_svg.c,
// trace_steps.c and trace_json.c show a trace, book.c its steps one by one;
// html.c, html_source.c and html_data.c a page with pictures. junit.c, sarif.c,
// github.c and platforms.c write what other programs read. explain.c shows a
// rule's page, quiz.c a quiz and its result, doctor.c what a machine has.
// compare.c (CSV, JSON), compare_text.c and compare_svg.c show a Comparison;
// batch.c (CSV) and batch_page.c (text, HTML) a class.
#ifndef CLCLAB_REPORT_INTERNAL_H
#define CLCLAB_REPORT_INTERNAL_H

#include "report/report.h"

// The line of the call that led to a related place, if that is in a function;
// else 0.
uint32_t report_called_line(const CausePlace *place);

// What heals, for every format that is read by a person: an edit that was tried
// or the rule's help, and where. A part of the lab's file to mend goes before
// the part that the place is in.
typedef struct ReportHelp {
    const char *label; // "tried", "help"
    Str text;          // may be empty
    const char *where; // "mend in", "region"
    Str region;        // may be empty
} ReportHelp;
ReportHelp report_help(const Cause *cause);
// What happened, where the headline does not say it already; else empty.
Str report_found(const Cause *cause);

typedef enum Tone {
    TONE_PLAIN,
    TONE_BOLD,
    TONE_GOOD,
    TONE_BAD,
    TONE_ODD,
    TONE_FAINT,
    TONE_LABEL,
} Tone;

// Appends escaped text in a tone.
void tone_text(ReportStyle style, Tone tone, Str text, Buf *out);

// The line as a terminal shows it, without what is beyond 4 KiB.
void excerpt_line(Str line, Buf *out);
// Writes line `at.line` of `source` with a caret under `at.col`; nothing if
// there is no such line.
void excerpt_write(ReportStyle style, Str source, SrcLoc at, Buf *out);

// ---- page.c: text --------------------------------------------------------

typedef struct Page {
    Str file;   // the submission, as given, whose lines are shown
    Str source; // its text
    ReportStyle style;
    Buf *out;
    Str replay; // to be printed by page_flush_replay
    Str more;   // the last command printed after "more"
    Str help;   // the previous cause's
} Page;

Page page_open(Str file, Str source, ReportStyle style, Buf *out);
size_t page_columns(Str text);              // of UTF-8 on a screen
Str page_fitting(Str text, size_t columns); // its beginning
// Writes text from column `column` on, wrapped between words, with `indent`
// blanks before each further line, and a newline at the end.
void page_wrapped(Page *page, Str text, size_t column, size_t indent);
// The edit that was asked for, by its number, and its phrase; empty: the report
// tells none.
void page_obeyed(Page *page, uint32_t number, Str what);
void page_tone(Page *page, Tone tone, const char *text);
// Writes "  expected  text"; nothing if the text is empty.
void page_labeled(Page *page, const char *label, Str text);
// `kind`: "error"; `code`: printed in brackets after the sentence.
void page_cause(Page *page, const char *kind, Tone tone, const Cause *cause,
                Str code);
// The causes of one run have the same replay, which is printed after the last
// of them: when `next`, the next one's replay, differs.
void page_flush_replay(Page *page, Str next);
void page_warnings(Page *page, const Diag *messages, size_t count);
// What the kernel printed: `most` lines of it.
void page_output(Page *page, Str text, size_t most);
void page_chains(Page *page, const LedgerSummary *ledger);

// ---- encode.c: texts in other formats -------------------------------------

// A field of CSV in quotes (RFC 4180), which no spreadsheet computes; a control
// byte becomes a blank.
void encode_csv(Str text, Buf *out);
void encode_xml(Str text, Buf *out);
// A blank, the name, and the value in quotes.
void encode_xml_attribute(const char *name, Str value, Buf *out);
// As utf8_escape writes it, and nothing in it means anything in HTML.
void encode_html(Str text, Buf *out);
void encode_base64(Str bytes, Buf *out);
// A path as a URI: relative, or file:///...
void encode_uri(Str path, Buf *out);

// ---- problems.c: what programs are told ------------------------------------

typedef enum ProblemLevel { // in the order in which they are listed
    PROBLEM_OURS,           // the grader's fault, or the machine's
    PROBLEM_ERROR,
    PROBLEM_WARNING, // of the compiler
    PROBLEM_ADVISORY,
    PROBLEM_LEVELS
} ProblemLevel;

typedef struct Problem {
    ProblemLevel level;
    Str rule;  // "CLC006"; if it has no code, the check's id
    Str check; // "rules"; of a run "run"
    const Cause *cause;
} Problem;

typedef void ProblemTake(void *context, const Problem *problem);
// For each problem of a grade or a run, by level.
void problems_each(const Report *report, ProblemTake *take, void *context);
// As in a terminal, 80 columns wide, without colours.
void problem_text(const Report *report, const Problem *problem, Buf *out);
void check_text(const Report *report, const CheckResult *check, Buf *out);

// ---- text.c
// ------------------------------------------------------------------

// What is about the submission as a whole, from the advisories to the score.
void report_foot(const Result *result, Str source, Buf *out);
// Whether nothing at all was judged, so that there is not even a maximum.
bool report_is_unjudged(const Result *result);

// ---- other programs' formats
// -------------------------------------------------

void report_junit(const Report *report, Buf *out);
void report_sarif(const Report *report, Buf *out);
void report_github(const Report *report, Buf *out);
void report_classroom(const Report *report, Buf *out);
void report_gradescope(const Report *report, Buf *out);
void report_autolab(const Report *report, Buf *out);

// ---- explain.c: Markdown --------------------------------------------------

// Appends text without its Markdown marks. Nothing within `x` is a mark.
void explain_plain(Str text, Buf *out);

// ---- run_counts.c: names of what a run has -------------------------------

// Counters and their names.
typedef struct Counts {
    const char *const *names; // [count]
    const uint64_t *values;   // [count]
    size_t count;
} Counts;

Counts counts_by_kind(const uint64_t values[DEVICE_KIND_COUNT]);
Counts counts_by_space(const uint64_t values[DEVICE_SPACE_COUNT]);
const char *run_status_name(RunStatus status); // "done"

// ---- run_time.c: modelled time -------------------------------------------

const char *time_span_name(DeviceSpanKind kind); // "prologue"
// Writes the section on modelled time: figures and a picture.
void time_write(Page *page, const LaunchResult *result);

// ---- trace_text.c, trace_json.c: traces ----------------------------------

void report_trace(const Report *report, Buf *out);
void report_trace_svg(const Report *report, Buf *out); // trace_svg.c
// In at most eight lines what led to a finding that is a matter of time;
// nothing of any other.
void trace_write_moment(Page *page, const TraceMoment *moment);
const char *trace_kind_name(uint32_t kind); // of a TraceEvent: "request"
// The stay with this number; NULL: it is not listed.
const TraceStay *trace_find_stay(const RunTrace *trace, uint64_t number);
// trace_steps.c
// What the step did, without who and where.
void trace_step_text(const TraceEvent *step, Buf *out);
// What the mbarrier lacks after it, if it changed that: "; its phase lacks ..."
void trace_state_text(const TraceEvent *step, Buf *out);
void trace_left_text(int32_t pending, int32_t tx, Buf *out); // "lacks ..."
// "bar", "bar+8", or the byte of shared memory if no variable is known there.
void trace_object_name(const TraceEvent *step, Buf *out);
// The step at the other end of what is wrong, if possible of the thread that
// the finding names. False: there is none.
bool trace_origin(const TraceMoment *moment, size_t *at);
// The order that is missing, of the finding that the moment shows; may be
// empty.
Str trace_missing(const Report *report, const TraceMoment *moment);

// ---- colour.c --------------------------------------------------------------

// A colour of the course: "started-fill". See page.css; ink if it has none.
Str report_colour(const char *name);

// ---- book_values.c: values, for book.c -----------------------------------

void book_params(const TraceMoment *moment, Buf *out);
void book_values(const TraceEvent *step, Buf *out); // after the step

// ---- html.c: a page --------------------------------------------------------

// A line of the source that a problem names.
typedef struct ListingMark {
    uint32_t line;
    bool is_finding; // else a place that belongs to one
    Str rule, what;
} ListingMark;

// The source as the page shows it: lines [from, to], with their marks.
typedef struct Listing {
    Str file, text;
    uint32_t lines, from, to;
    uint32_t first; // line of the first mistake; 0: none is in the file
    ListingMark marks[128];
    size_t count;
} Listing;

void report_html(const Report *report, Buf *out);
// html_source.c
Listing html_list(const Report *report);
bool html_shows_line(const Listing *listing, uint32_t line);
// The code of the place, if it is in the source.
void html_line(const Listing *listing, SrcLoc at, Buf *out);
void html_source(const Listing *listing, Buf *out);
// html_data.c: what the page's script draws; the report has a trace.
void html_data(const Report *report, Buf *out);

// ---- compare.c: figures of the comparison --------------------------------

// Appends the figure with that many decimals (at most 3) in any locale, or
// `unknown` if it is not known.
void compare_number(Buf *out, CompareFigure figure, uint32_t decimals,
                    const char *unknown);
// The same with about four digits, and at least `least` wide.
void compare_cell(Buf *out, CompareFigure figure, int least);
const char *compare_technique_name(CompareTechnique technique); // "CLC"
const char *compare_kind_name(CompareKind kind);                // "modelled"
// "uneven work, light prologue"
Str compare_group_name(const CompareGroup *group);

// ---- html.c --------------------------------------------------------------

// From <!DOCTYPE html> to <body>. The page may hold our script and our style,
// and no other.
void html_head(Str title, Buf *out);
// Submissions that are alike, as a part of a class's summary (batch_alike.c).
void batch_alike_text(const BatchTally *tally, Buf *out);
void batch_alike_html(const BatchTally *tally, Buf *out);

// ---- json_parts.c: JSON --------------------------------------------------

void json_obeyed(Json *json, const AdviceEdit *edit); // null: none was made
void json_cause_members(Json *json, const Cause *cause);
void json_messages(Json *json, const Diag *messages, size_t count);
void json_environment(Json *json, Str version, Str compiler);
void json_pct(Json *json, const PctBound *bound);
// The member "pct": the depths that were run.
void json_pct_list(Json *json, const PctBound bounds[PCT_DEPTHS]);
// The members of a ledger, within an object.
void json_ledger_members(Json *json, const LedgerSummary *ledger);

#endif
