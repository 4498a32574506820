// SPDX-License-Identifier: Apache-2.0
// A grade or a run as one page of HTML that needs nothing else: no network, no
// other file. What a person has to know is in the page itself, so that it can
// be read without scripts and aloud; the pictures are drawn by the page's own
// script (page/page.js) from data that html_data.c writes. Its policy allows
// that script and that style alone, so no text of a student is ever run.
//
// Read report_html, at the end. Every text that is not ours goes through
// encode_html.
#include "report/internal.h"

#include "report/page.h"

typedef unsigned long long Whole; // for printf

// ---- parts of HTML -------------------------------------------------------

static void element(const char *open, Str text, const char *close, Buf *out) {
    if (text.len == 0)
        return;
    buf_str(out, str_from(open));
    encode_html(text, out);
    buf_str(out, str_from(close));
}

static void labelled(const char *label, Str text, Buf *out) {
    if (text.len == 0)
        return;
    buf_printf(out, "<dt>%s</dt><dd>", label);
    encode_html(text, out);
    buf_str(out, STR("</dd>\n"));
}

static void command(const char *label, Str text, Buf *out) {
    if (text.len == 0)
        return;
    buf_printf(out, "<dt>%s</dt><dd><code>", label);
    encode_html(text, out);
    buf_str(out, STR("</code></dd>\n"));
}

// ---- the head ------------------------------------------------------------

// A source of the policy: the hash of an element's content (CSP, level 2).
static void write_hash(const char *content, Buf *out) {
    Arena arena = {0};
    Str hex = hash_sha256(&arena, str_from(content));
    char bytes[32];
    for (size_t i = 0; i < sizeof bytes; i++) {
        uint64_t byte = 0;
        str_to_u64(str_format(&arena, "0x%.2s", hex.ptr + 2 * i), &byte);
        bytes[i] = (char)byte;
    }
    buf_str(out, STR("'sha256-"));
    encode_base64((Str){bytes, sizeof bytes}, out);
    buf_byte(out, '\'');
    arena_free(&arena);
}

void html_head(Str title, Buf *out) {
    buf_str(out, STR("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                     "<meta charset=\"utf-8\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" "
                     "content=\"default-src 'none'; style-src "));
    write_hash(page_css, out);
    buf_str(out, STR("; script-src "));
    write_hash(page_js, out);
    buf_str(out, STR("\">\n<meta name=\"viewport\" "
                     "content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n"));
    element("<title>", title, "</title>\n", out);
    buf_str(out, STR("<style>"));
    buf_str(out, str_from(page_css));
    buf_str(out, STR("</style>\n</head>\n<body>\n"));
}

// ---- checks --------------------------------------------------------------

static const char *status_name(CheckStatus status) {
    switch (status) {
    case CHECK_PASS:
        return "pass";
    case CHECK_FAIL:
        return "fail";
    case CHECK_SKIP:
        return "skip";
    case CHECK_ERROR:
        break;
    }
    return "error";
}

static void write_check(const CheckResult *check, Buf *out) {
    const char *status = status_name(check->status);
    char points[DECIMAL_TEXT], most[DECIMAL_TEXT];
    Str has = decimal_text(points, check->points);
    Str of = decimal_text(most, check->max_points);
    buf_printf(out,
               "<tr class=\"%s\"><td class=\"status\">%s</td><td>%.*s/%.*s"
               "</td><th scope=\"row\">",
               status, status, STR_ARG(has), STR_ARG(of));
    encode_html(check->id, out);
    element("</th><td>", check->title, "", out);
    if (check->status == CHECK_PASS)
        element("<br>", check->figure, "", out);
    buf_str(out, STR("</td></tr>\n"));
}

static void write_checks(const Result *result, Buf *out) {
    buf_str(out, STR("<section aria-labelledby=\"checks\">\n"
                     "<h2 id=\"checks\">Checks</h2>\n"
                     "<table class=\"checks\">\n"
                     "<thead><tr><th>Verdict</th><th>Points</th>"
                     "<th>Check</th><th>What it asks for</th></tr></thead>\n"
                     "<tbody>\n"));
    for (size_t i = 0; i < result->check_count; i++)
        write_check(&result->checks[i], out);
    buf_str(out, STR("</tbody>\n</table>\n</section>\n"));
}

// ---- findings ------------------------------------------------------------

// A place: a link if the line is shown in the page.
static void write_place(const Listing *listing, SrcLoc at, Buf *out) {
    if (at.file.len == 0)
        return;
    bool shown =
        str_equal(at.file, listing->file) && html_shows_line(listing, at.line);
    if (shown)
        buf_printf(out, "<a href=\"#L%u\">", at.line);
    encode_html(at.file, out);
    if (at.line)
        buf_printf(out, ":%u", at.line);
    if (shown)
        buf_str(out, STR("</a>"));
}

static void write_related(const Listing *listing, const Cause *cause,
                          Buf *out) {
    for (uint32_t i = 0; i < cause->related_count; i++) {
        const CausePlace *place = &cause->related[i];
        buf_printf(out, "<dt>%s</dt><dd>",
                   cause->in_order && place->at.line ? "before" : "see");
        write_place(listing, place->at, out);
        element(place->at.file.len ? ": " : "", place->what, "", out);
        buf_str(out, STR("</dd>\n"));
    }
}

static void write_callers(const Listing *listing, const Cause *cause,
                          Buf *out) {
    for (uint32_t i = 0; i < cause->caller_count; i++) {
        buf_printf(out, "<dt>%s</dt><dd>", i == 0 ? "called" : "and that");
        write_place(listing, cause->callers[i], out);
        buf_str(out, STR("</dd>\n"));
    }
}

typedef struct Findings {
    const Listing *listing;
    Buf *out;
    size_t count, left;
} Findings;

static const char *level_name(ProblemLevel level) {
    switch (level) {
    case PROBLEM_OURS:
        return "the grader's fault, or the machine's";
    case PROBLEM_ERROR:
        return "mistake";
    case PROBLEM_WARNING:
        return "warning of the compiler";
    case PROBLEM_ADVISORY:
    case PROBLEM_LEVELS:
        break;
    }
    return "advice";
}

// A ProblemTake.
static void write_finding(void *context, const Problem *problem) {
    enum { MOST = 40 };
    Findings *f = context;
    const Cause *cause = problem->cause;
    Buf *out = f->out;
    if (f->count == MOST) {
        f->left++;
        return;
    }
    f->count++;
    buf_printf(out, "<article class=\"finding level%d\">\n<h3>",
               (int)problem->level);
    encode_html(problem->rule, out);
    buf_printf(out, " <small>%s</small></h3>\n", level_name(problem->level));
    element("<p class=\"what\">", cause_headline(cause), "</p>\n", out);
    buf_str(out, STR("<p class=\"place\">"));
    write_place(f->listing, cause->at, out);
    buf_str(out, STR("</p>\n"));
    html_line(f->listing, cause->at, out);
    buf_str(out, STR("<dl>\n"));
    ReportHelp help = report_help(cause);
    labelled(help.label, help.text, out);
    labelled(help.where, help.region, out);
    labelled("found", report_found(cause), out);
    labelled("expected", cause->expected, out);
    labelled("actual", cause->actual, out);
    labelled("missing", cause->missing, out);
    write_related(f->listing, cause, out);
    write_callers(f->listing, cause, out);
    labelled("who", cause->who, out);
    labelled("run", cause->context, out);
    command("more", cause->explain, out);
    command("replay", cause->replay, out);
    buf_str(out, STR("</dl>\n</article>\n"));
}

static void write_findings(const Report *report, const Listing *listing,
                           Buf *out) {
    Findings findings = {.listing = listing, .out = out};
    buf_str(out, STR("<section aria-labelledby=\"findings\">\n"
                     "<h2 id=\"findings\">Findings</h2>\n"));
    problems_each(report, write_finding, &findings);
    if (findings.count == 0)
        buf_str(out, STR("<p>Nothing was found.</p>\n"));
    if (findings.left)
        buf_printf(out, "<p>And %zu more.</p>\n", findings.left);
    buf_str(out, STR("</section>\n"));
}

// ---- pictures ------------------------------------------------------------

// What the pictures show, in words and figures.
static void write_totals(const RunTrace *trace, Buf *out) {
    const LedgerTotals *totals = &trace->totals;
    element("<p>", trace->run, ": ", out);
    buf_printf(out,
               "%llu blocks, %llu started, %llu stolen, %llu lost; %llu "
               "requests refused; %llu %s%s.</p>\n",
               (Whole)totals->grid, (Whole)totals->started,
               (Whole)totals->granted, (Whole)totals->lost,
               (Whole)totals->refused, (Whole)trace->end,
               trace->is_timed ? "modelled cycles" : "steps of the machine",
               trace->is_cut ? ", where it was cut" : "");
}

static void write_map_counts(const TraceMap *map, Buf *out) {
    uint64_t never = 0, more = 0, known = 0;
    for (size_t i = 0; i < map->bin_count; i++) {
        const TraceBin *bin = &map->bins[i];
        never += bin->never;
        more += bin->more;
        known += (uint64_t)bin->pending + bin->started + bin->stolen;
        known += bin->lost;
    }
    if (known < map->blocks)
        buf_printf(out,
                   "<p>What became of the first %llu was recorded, and not of "
                   "the others.</p>\n",
                   (Whole)known);
    if (map->knows_times)
        buf_printf(out,
                   "<p>Never processed: %llu block indices; more than once: "
                   "%llu.</p>\n",
                   (Whole)never, (Whole)more);
    if (map->each > 1)
        buf_printf(out,
                   "<p>A square stands for %u block indices that follow each "
                   "other.</p>\n",
                   map->each);
}

static void write_sms(const RunTrace *trace, Buf *out) {
    buf_str(out, STR("<details><summary>The same in figures</summary>\n<table>"
                     "\n<thead><tr><th>SM</th><th>started</th><th>in them</th>"
                     "<th>stolen</th><th>in them</th></tr></thead>\n<tbody>"));
    for (uint32_t i = 0; i < trace->sm_count; i++) {
        const TraceSm *sm = &trace->sms[i];
        buf_printf(out,
                   "<tr><th scope=\"row\">%u</th><td>%llu</td><td>%llu</td>"
                   "<td>%llu</td><td>%llu</td></tr>\n",
                   i, (Whole)sm->started, (Whole)sm->started_time,
                   (Whole)sm->stolen, (Whole)sm->stolen_time);
    }
    buf_str(out, STR("</tbody></table></details>\n"));
}

static void write_stepper(const RunTrace *trace, Buf *out) {
    const TraceMoment *moment = &trace->moment;
    if (!moment->is_there)
        return;
    buf_str(out, STR("<section aria-labelledby=\"moment\">\n"
                     "<h2 id=\"moment\">The moment, step by step</h2>\n<p>"));
    encode_html(moment->code, out);
    buf_printf(out,
               " was found at line %u. These are the %zu steps around it of "
               "the warps concerned, as the machine took them. Go through "
               "them with the buttons, or with the arrow keys.</p>\n"
               "<div id=\"stepper\"></div>\n</section>\n",
               moment->at.line, moment->step_count);
}

static void write_thinning(const RunTrace *trace, Buf *out) {
    if (trace->every > 1)
        buf_printf(out,
                   "<p>Of %llu stays of a block at an SM, one of %llu is "
                   "drawn.</p>\n",
                   (Whole)trace->stay_total, (Whole)trace->every);
}

// The schedule's doing is what differs between the two.
static void write_plain(const RunTrace *plain, Buf *out) {
    if (!plain)
        return;
    buf_str(out, STR("<h3>The same kernel under the plain schedule</h3>\n"));
    write_totals(plain, out);
    write_thinning(plain, out);
    buf_str(out, STR("<div id=\"plain\"></div>\n"));
}

static void write_pictures(const RunTrace *trace, Buf *out) {
    if (!trace) {
        buf_str(out, STR("<p>There are no pictures: no run was recorded.</p>"
                         "\n"));
        return;
    }
    buf_str(out, STR("<noscript><p>The pictures need scripts; all else is "
                     "here.</p></noscript>\n"));
    write_stepper(trace, out);
    buf_str(out, STR("<section aria-labelledby=\"map\">\n<h2 id=\"map\">"
                     "Block indices</h2>\n"));
    write_totals(trace, out);
    write_map_counts(&trace->map, out);
    buf_str(out, STR("<div id=\"blocks\"></div>\n</section>\n"
                     "<section aria-labelledby=\"time\">\n<h2 id=\"time\">"
                     "Where the blocks ran</h2>\n"));
    write_thinning(trace, out);
    buf_str(out, STR("<div id=\"places\"></div>\n<div id=\"sms\"></div>\n"));
    write_sms(trace, out);
    write_plain(trace->plain, out);
    buf_str(out, STR("</section>\n"));
}

// ---- three ways ----------------------------------------------------------

static void write_way(const TraceWay *way, size_t index, Buf *out) {
    const RunTrace *trace = way->trace;
    element("<h3>", way->name, "</h3>\n", out);
    buf_printf(out,
               "<p>%llu blocks started, %llu stolen, %llu modelled cycles.</p>"
               "\n<div id=\"way%zu\"></div>\n",
               (Whole)trace->totals.started, (Whole)trace->totals.granted,
               (Whole)trace->end, index);
}

static void write_ways(const Result *result, Buf *out) {
    if (result->way_count == 0)
        return;
    buf_str(out,
            STR("<section aria-labelledby=\"ways\">\n<h2 id=\"ways\">"
                "Three ways to do the same work</h2>\n<p>These are not your "
                "kernel, but the course's own, recorded in modelled time on "
                "the model mini: with a heavy prologue, and with parts of the "
                "work of which some take sixteen times as long as others. Who "
                "pays the prologue how often, and who ends with idle SMs?</p>"
                "\n"));
    for (size_t i = 0; i < result->way_count; i++)
        write_way(&result->ways[i], i, out);
    buf_str(out, STR("</section>\n"));
}

// ---- the rest ------------------------------------------------------------

static void write_lines(const char *heading, Str text, Buf *out) {
    if (text.len == 0)
        return;
    buf_printf(out,
               "<section><h2>%s</h2>\n<pre class=\"printed\" tabindex=\"0\" "
               "role=\"group\" aria-label=\"%s\">",
               heading, heading);
    while (text.len) {
        encode_html(str_cut(&text, '\n'), out);
        buf_byte(out, '\n');
    }
    buf_str(out, STR("</pre></section>\n"));
}

static void write_chains(const LedgerSummary *ledger, Buf *out) {
    if (ledger->chain_count == 0)
        return;
    buf_str(out, STR("<section><h2>Chains</h2>\n<p>The blocks that a block "
                     "worked on, one after another.</p>\n<ul>\n"));
    for (size_t i = 0; i < ledger->chain_count; i++)
        element("<li><code>", ledger->chains[i], "</code></li>\n", out);
    buf_str(out, STR("</ul></section>\n"));
}

static void write_foot(Str compiler, Str version, Buf *out) {
    buf_str(out, STR("<footer><p>Made by clclab "));
    encode_html(version, out);
    element(", ", compiler, "", out);
    buf_str(out, STR(". The run is that of a virtual machine.</p></footer>\n"
                     "</main>\n"));
}

static void write_score(const Result *result, Buf *out) {
    char points[DECIMAL_TEXT], most[DECIMAL_TEXT];
    Str has = decimal_text(points, result->score);
    Str of = decimal_text(most, result->max_score);
    const char *tone = result->verdict == VERDICT_PASS   ? "pass"
                       : result->verdict == VERDICT_FAIL ? "fail"
                                                         : "error";
    if (result->max_score > 0)
        buf_printf(out, "<p class=\"score %s\">%.*s of %.*s points</p>\n", tone,
                   STR_ARG(has), STR_ARG(of));
    if (result->verdict == VERDICT_ERROR)
        buf_str(out, STR("<p>Not final: the grader itself failed, which is not "
                         "your fault.</p>\n"));
}

static void write_grade_title(const Result *result, Buf *out) {
    Buf title = {0};
    buf_printf(&title, "Lab %u: %.*s", result->lab, STR_ARG(result->title));
    html_head(buf_view(&title), out);
    buf_str(out, STR("<main>\n<header>\n"));
    element("<h1>", buf_view(&title), "</h1>\n", out);
    title.len = 0;
    buf_printf(&title, "%.*s on %.*s%s%.*s", STR_ARG(result->file),
               STR_ARG(result->device), result->gpu_model.len ? ":" : "",
               STR_ARG(result->gpu_model));
    if (!result->is_seed_hidden)
        buf_printf(&title, ", seed %llu", (Whole)result->seed);
    buf_printf(&title, ", %llu schedule%s", (Whole)result->schedules,
               result->schedules == 1 ? "" : "s");
    element("<p>", buf_view(&title), "</p>\n", out);
    write_score(result, out);
    buf_str(out, STR("</header>\n"));
    buf_free(&title);
}

static void write_run_title(const LaunchResult *result, Buf *out) {
    Buf title = {0};
    buf_printf(&title, "%.*s of %.*s", STR_ARG(result->kernel),
               STR_ARG(result->file));
    html_head(buf_view(&title), out);
    buf_str(out, STR("<main>\n<header>\n"));
    element("<h1>", buf_view(&title), "</h1>\n", out);
    buf_printf(out, "<p class=\"score %s\">Mistakes: %llu, advice: %llu</p>\n",
               result->verdict == VERDICT_PASS ? "pass" : "fail",
               (Whole)result->errors, (Whole)result->advisories);
    buf_printf(out,
               "<p>%u x %u x %u blocks of %u x %u x %u threads, seed %llu, %zu "
               "schedule%s</p>\n</header>\n",
               result->grid[0], result->grid[1], result->grid[2],
               result->block[0], result->block[1], result->block[2],
               (Whole)result->seed, result->schedule_count,
               result->schedule_count == 1 ? "" : "s");
    buf_free(&title);
}

// ---- the whole -----------------------------------------------------------

static void write_script(const Report *report, Buf *out) {
    buf_str(out, STR("<script type=\"application/json\" id=\"data\">"));
    html_data(report, out);
    buf_str(out, STR("</script>\n<script>"));
    buf_str(out, str_from(page_js));
    buf_str(out, STR("</script>\n"));
}

void report_html(const Report *report, Buf *out) {
    bool is_grade = report->kind == REPORT_GRADE;
    const Result *grade = is_grade ? report->grade : NULL;
    const LaunchResult *run = is_grade ? NULL : report->run;
    const RunTrace *trace = grade ? grade->trace : run->trace;
    Listing listing = html_list(report);
    if (grade)
        write_grade_title(grade, out);
    else
        write_run_title(run, out);
    write_findings(report, &listing, out);
    if (grade)
        write_checks(grade, out);
    write_pictures(trace, out);
    html_source(&listing, out);
    if (grade ? grade->has_ledger : run->has_ledger)
        write_chains(grade ? &grade->ledger : &run->ledger, out);
    if (grade && trace)
        write_ways(grade, out);
    write_lines("What the kernel printed", grade ? grade->output : run->output,
                out);
    write_foot(grade ? grade->compiler : run->compiler,
               grade ? grade->version : run->version, out);
    if (trace)
        write_script(report, out);
    buf_str(out, STR("</body>\n</html>\n"));
}
