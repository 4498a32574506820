// SPDX-License-Identifier: Apache-2.0
// LaunchResult -> text for a person: what was launched, each finding with its
// source line, and the kernel's output; then, for the first schedule, what
// happened to the blocks, the counters and, if it was timed, the modelled time
// (run_time.c); if there were several schedules, a line for each; the verdict.
#include "report/internal.h"

enum {
    MOST_FINDINGS = 12,
    MOST_OUTPUT = 100, // lines that the kernel printed
    MOST_SCHEDULES = 16,
};

typedef unsigned long long Whole; // for printf

// ---- head ----------------------------------------------------------------

static void add_size(Buf *out, const char *name, const uint32_t size[3]) {
    buf_printf(out, "%s %u", name, size[0]);
    if (size[1] > 1 || size[2] > 1)
        buf_printf(out, " x %u", size[1]);
    if (size[2] > 1)
        buf_printf(out, " x %u", size[2]);
}

static void add_launch(Buf *out, const LaunchResult *result) {
    const uint32_t *cluster = result->cluster;
    add_size(out, "grid", result->grid);
    add_size(out, ", block", result->block);
    if (cluster[0] > 1 || cluster[1] > 1 || cluster[2] > 1)
        add_size(out, ", cluster", cluster);
    if (result->dynamic_smem)
        buf_printf(out, ", %u bytes of dynamic shared memory",
                   result->dynamic_smem);
}

static void write_head(Page *page, const LaunchResult *result) {
    Buf line = {0};
    if (result->kernel.len) {
        buf_printf(&line, "Kernel %.*s", STR_ARG(result->kernel));
        tone_text(page->style, TONE_BOLD, buf_view(&line), page->out);
        buf_byte(page->out, '\n');
        line.len = 0;
    }
    buf_str(&line, result->file);
    if (result->device.len)
        buf_printf(&line, " on %.*s:%.*s", STR_ARG(result->device),
                   STR_ARG(result->gpu_model));
    if (result->kernel.len) {
        buf_str(&line, STR(", "));
        add_launch(&line, result);
    }
    page_wrapped(page, buf_view(&line), 0, 0);
    if (result->obey)
        page_obeyed(page, result->obey, result->obeyed_what);
    buf_free(&line);
}

// ---- findings ------------------------------------------------------------

static void write_finding(Page *page, const LaunchFinding *finding,
                          bool is_ours) {
    const Cause *cause = &finding->cause;
    page_flush_replay(page, cause->replay);
    if (finding->advisory)
        page_cause(page, "advisory", TONE_LABEL, cause, cause->code);
    else if (is_ours)
        page_cause(page, "not supported", TONE_ODD, cause, cause->code);
    else
        page_cause(page, "error", TONE_BAD, cause, cause->code);
}

static void write_findings(Page *page, const LaunchResult *result) {
    size_t shown = result->finding_count < MOST_FINDINGS ? result->finding_count
                                                         : MOST_FINDINGS;
    for (size_t i = 0; i < shown; i++) {
        const LaunchFinding *finding = &result->findings[i];
        bool ours = result->verdict == VERDICT_ERROR &&
                    str_equal(finding->cause.code, STR("UNSUPPORTED"));
        write_finding(page, finding, ours);
    }
    page_flush_replay(page, (Str){0});
    uint64_t all = result->errors + result->advisories;
    if (all > shown)
        buf_printf(page->out, "\nand %llu more\n", (Whole)(all - shown));
}

// ---- schedules -----------------------------------------------------------

static bool is_clean(const LaunchSchedule *schedule) {
    return schedule->errors + schedule->advisories == 0 &&
           schedule->status == RUN_DONE;
}

static void add_count(Buf *out, uint64_t count, const char *one,
                      const char *many) {
    buf_printf(out, "%llu %s", (Whole)count, count == 1 ? one : many);
}

static void write_schedule(Page *page, const LaunchResult *result,
                           const LaunchSchedule *schedule) {
    Buf line = {0};
    buf_printf(&line, "  %6llu  %-13.*s %-9s", (Whole)schedule->number,
               STR_ARG(schedule->strategy), run_status_name(schedule->status));
    tone_text(page->style, is_clean(schedule) ? TONE_PLAIN : TONE_BAD,
              buf_view(&line), page->out);
    line.len = 0;
    if (result->is_timed)
        buf_printf(&line, "%10llu cycles  ", (Whole)schedule->cycles);
    add_count(&line, schedule->started, "block started", "blocks started");
    if (result->has_ledger)
        buf_printf(&line, ", %llu stolen", (Whole)schedule->canceled);
    if (schedule->errors) {
        buf_str(&line, STR("; "));
        add_count(&line, schedule->errors, "error", "errors");
    }
    if (schedule->advisories) {
        buf_str(&line, STR("; "));
        add_count(&line, schedule->advisories, "advisory", "advisories");
    }
    if (schedule->outputs == OUTPUTS_DIFFER)
        buf_str(&line, STR("; other output"));
    buf_byte(&line, '\n');
    buf_str(page->out, buf_view(&line));
    buf_free(&line);
}

static void write_search(Page *page, const LaunchResult *result) {
    Whole count = result->schedule_count;
    Buf text = {0};
    switch (result->search) {
    case SEARCH_NONE:
        return;
    case SEARCH_COMPLETE:
        buf_str(&text, STR("Exhaustive: all "));
        add_count(&text, count, "schedule", "schedules");
        buf_str(&text, STR(" of this launch"));
        break;
    case SEARCH_CUT:
        buf_printf(&text, "Incomplete: the search was stopped after %llu runs",
                   count + (Whole)result->search_redundant);
        break;
    case SEARCH_STOPPED:
        buf_printf(&text,
                   "Incomplete: schedule %llu did not come to its end, "
                   "and the search stops there",
                   count - 1);
        break;
    case SEARCH_TOO_LARGE:
        buf_printf(&text,
                   "Incomplete: a run after schedule %llu is too large to be "
                   "searched",
                   count - 1);
        break;
    }
    if (result->search_redundant)
        buf_printf(&text, " (%llu runs that only repeat others were cut short)",
                   (Whole)result->search_redundant);
    buf_byte(page->out, '\n');
    page_wrapped(page, buf_view(&text), 0, 2);
    buf_free(&text);
}

// What probabilistic concurrency testing guarantees, in a line for each depth.
static void write_bounds(Page *page, const LaunchResult *result) {
    for (size_t i = 0; i < PCT_DEPTHS; i++) {
        const PctBound *bound = &result->pct[i];
        if (bound->runs == 0)
            continue;
        Buf text = {0};
        buf_printf(&text,
                   "  PCT-%u: a bug of depth %u shows in a run with a "
                   "probability of at least 1 in %llu (%llu warps, %llu "
                   "steps)",
                   bound->depth, bound->depth, (Whole)bound->one_in,
                   (Whole)bound->warps, (Whole)bound->steps);
        if (bound->runs > 1)
            buf_printf(&text, ", in these %llu runs 1 in %llu",
                       (Whole)bound->runs, (Whole)bound->all_one_in);
        page_wrapped(page, buf_view(&text), 0, 4);
        buf_free(&text);
    }
}

// All schedules if they are few; otherwise those with something to report come
// first.
static void write_schedules(Page *page, const LaunchResult *result) {
    size_t count = result->schedule_count, shown = 0, other = 0;
    if (result->schedules_asked < 2 || count == 0)
        return;
    if (result->search == SEARCH_NONE)
        buf_printf(page->out, "\nSchedules of seed %llu:\n",
                   (Whole)result->seed);
    else
        buf_str(page->out, STR("\nSchedules:\n"));
    for (size_t i = 0; i < count; i++) {
        const LaunchSchedule *schedule = &result->schedules[i];
        bool clean = is_clean(schedule);
        if (shown == MOST_SCHEDULES ||
            (count > MOST_SCHEDULES && i > 0 && clean)) {
            other += !clean;
            continue;
        }
        write_schedule(page, result, schedule);
        shown++;
    }
    if (shown < count)
        buf_printf(page->out, "  and %zu more%s\n", count - shown,
                   other ? "" : ", all clean");
    if (count < result->schedules_asked && result->search == SEARCH_NONE)
        buf_printf(page->out, "  the other %llu were not tried\n",
                   (Whole)(result->schedules_asked - count));
    write_bounds(page, result);
}

// ---- what became of the blocks -------------------------------------------

static void write_ledger(Page *page, const LaunchResult *result) {
    const LedgerTotals *totals = &result->ledger.totals;
    if (!result->has_ledger)
        return;
    Buf text = {0};
    buf_printf(&text, "\nBlocks, %.*s:\n", STR_ARG(result->ledger.schedule));
    buf_str(page->out, buf_view(&text));
    text.len = 0;
    buf_printf(&text,
               "  %llu in the grid: %llu started, %llu stolen, %llu pending at "
               "the end; %llu lost",
               (Whole)totals->grid, (Whole)totals->started,
               (Whole)totals->granted,
               (Whole)(totals->grid - totals->started - totals->granted),
               (Whole)totals->lost);
    page_wrapped(page, buf_view(&text), 0, 4);
    text.len = 0;
    buf_str(&text, STR("  "));
    add_count(&text, totals->requests, "request", "requests");
    buf_printf(&text, ": %llu refused, %llu of them while blocks were pending",
               (Whole)totals->refused, (Whole)totals->refused_pending);
    page_wrapped(page, buf_view(&text), 0, 4);
    text.len = 0;
    buf_printf(&text, "  a started block came to own %u", totals->shortest);
    if (totals->longest != totals->shortest)
        buf_printf(&text, " to %u", totals->longest);
    buf_str(&text, totals->longest == 1 ? STR(" block") : STR(" blocks"));
    page_wrapped(page, buf_view(&text), 0, 4);
    buf_free(&text);
    page_chains(page, &result->ledger);
}

// ---- counters ------------------------------------------------------------

// Writes `lead` and the counters that are not zero; nothing if all are.
static void add_counts(Buf *text, const char *lead, Counts counts) {
    const char *before = lead;
    for (size_t i = 0; i < counts.count; i++) {
        if (counts.values[i] == 0)
            continue;
        buf_printf(text, "%s%s %llu", before, counts.names[i],
                   (Whole)counts.values[i]);
        before = ", ";
    }
}

static void write_list(Page *page, const char *label, const char *unit,
                       Counts counts) {
    Buf text = {0};
    add_counts(&text, "", counts);
    if (text.len > 0) {
        buf_str(&text, str_from(unit));
        page_labeled(page, label, buf_view(&text));
    }
    buf_free(&text);
}

// st.async and red.async copy from registers: then there is no "from".
static void write_copied(Page *page, const DeviceCounters *counters) {
    Buf text = {0};
    add_counts(&text, "from ", counts_by_space(counters->copied_from));
    add_counts(&text, text.len ? "; to " : "to ",
               counts_by_space(counters->copied_to));
    if (text.len > 0)
        buf_str(&text, STR(" (bytes)"));
    page_labeled(page, "copied", buf_view(&text));
    buf_free(&text);
}

static void add_if(Buf *out, uint64_t count, const char *name) {
    if (count > 0)
        buf_printf(out, "%s%llu %s", out->len ? ", " : "", (Whole)count, name);
}

static void write_counters(Page *page, const LaunchResult *result) {
    const DeviceCounters *counters = &result->counters;
    if (result->schedule_count == 0)
        return;
    if (result->gpu_us > 0)
        buf_printf(page->out, "\nOn the GPU: %.4g us, a ledger kept\n",
                   result->gpu_us);
    if (counters->warp_instructions == 0)
        return;
    Str name = result->ledger.schedule;
    buf_printf(page->out, "\nCounted, %.*s:\n", STR_ARG(name));
    Buf text = {0};
    buf_printf(&text, "%llu instructions of threads, %llu of warps",
               (Whole)counters->thread_instructions,
               (Whole)counters->warp_instructions);
    page_labeled(page, "executed", buf_view(&text));
    write_list(page, "by kind", "", counts_by_kind(counters->by_kind));
    write_list(page, "loaded", " (bytes)", counts_by_space(counters->loaded));
    write_list(page, "stored", " (bytes)", counts_by_space(counters->stored));
    write_copied(page, counters);
    text.len = 0;
    add_if(&text, counters->cta_barriers, "of CTAs");
    add_if(&text, counters->cluster_barriers, "of clusters");
    add_if(&text, counters->mbarrier_phases, "phases of mbarriers");
    page_labeled(page, "barriers", buf_view(&text));
    text.len = 0;
    add_if(&text, result->ledger.totals.granted, "blocks");
    page_labeled(page, "steals", buf_view(&text));
    buf_free(&text);
}

// ---- the verdict ---------------------------------------------------------

static void add_found(Buf *text, const LaunchResult *result) {
    if (result->errors)
        add_count(text, result->errors, "error", "errors");
    if (result->errors && result->advisories)
        buf_str(text, STR(" and "));
    if (result->advisories)
        add_count(text, result->advisories, "advisory", "advisories");
}

static bool is_cut_short(const LaunchResult *result) {
    return result->search != SEARCH_NONE && result->search != SEARCH_COMPLETE;
}

static void write_verdict(Page *page, const LaunchResult *result) {
    Buf text = {0};
    Tone tone = TONE_GOOD;
    switch (result->verdict) {
    case VERDICT_PASS:
        buf_str(&text, is_cut_short(result) ? STR("Incomplete, so far: ")
                                            : STR("Clean: "));
        if (result->advisories)
            add_found(&text, result);
        else
            buf_str(&text, STR("nothing found"));
        break;
    case VERDICT_FAIL:
        tone = TONE_BAD;
        buf_str(&text, STR("Found: "));
        add_found(&text, result);
        break;
    case VERDICT_ERROR:
        tone = TONE_ODD;
        buf_str(&text, STR("Not judged to the end: the virtual machine lacks "
                           "an instruction"));
        break;
    }
    if (result->schedule_count > 0 && result->verdict != VERDICT_ERROR) {
        buf_str(&text, STR(" in "));
        add_count(&text, result->schedule_count, "schedule", "schedules");
    }
    buf_byte(page->out, '\n');
    tone_text(page->style, tone, buf_view(&text), page->out);
    buf_byte(page->out, '\n');
    buf_free(&text);
}

void report_run_text(const LaunchResult *result, Str source, ReportStyle style,
                     Buf *out) {
    Page page = page_open(result->file, source, style, out);
    write_head(&page, result);
    write_findings(&page, result);
    page_warnings(&page, result->messages, result->message_count);
    page_output(&page, result->output, MOST_OUTPUT);
    if (result->output_lost)
        buf_printf(out, "  | ... %llu more bytes were not kept\n",
                   (Whole)result->output_lost);
    write_ledger(&page, result);
    write_counters(&page, result);
    time_write(&page, result);
    write_schedules(&page, result);
    write_search(&page, result);
    write_verdict(&page, result);
}
