// SPDX-License-Identifier: Apache-2.0
// The comparison of techniques for a terminal: what was compared, a table for
// each work and prologue with a sentence on what it shows, and the guide's
// table. All sentences are derived from the figures; an unknown figure is shown
// as "-" and not mentioned in a sentence.
#include "report/internal.h"

// Figures within this ratio are called the same.
static const double ALIKE = 1.05;

typedef CompareFigure (*Pick)(const CompareSample *sample);

static CompareFigure pick_time(const CompareSample *sample) {
    return sample->time;
}

static CompareFigure pick_imbalance(const CompareSample *sample) {
    return sample->imbalance;
}

static CompareFigure pick_all_free(const CompareSample *sample) {
    return sample->all_free;
}

static CompareFigure pick_prologues(const CompareSample *sample) {
    return sample->prologues;
}

// ---- the head ------------------------------------------------------------

static bool same_places(const Comparison *c) {
    for (int t = 1; t < COMPARE_TECHNIQUE_COUNT; t++)
        if (c->places[t] != c->places[0])
            return false;
    return true;
}

static void write_places(const Comparison *c, Buf *text) {
    buf_printf(text, "%u SMs, which hold ", c->info.sms);
    if (same_places(c)) {
        buf_printf(text, "%u blocks at once.", c->places[0]);
        return;
    }
    for (int t = 0; t < COMPARE_TECHNIQUE_COUNT; t++)
        buf_printf(text, "%s%u blocks of %s", t ? ", " : "", c->places[t],
                   compare_technique_name((CompareTechnique)t));
    buf_str(text, STR(" at once."));
}

static void write_head(Page *page, const Comparison *c) {
    Buf text = {0};
    const CompareSizes *sizes = &c->sizes;
    tone_text(page->style, TONE_BOLD, STR("The same work by four techniques"),
              page->out);
    buf_byte(page->out, '\n');
    buf_printf(&text, "On %.*s. %.*s", STR_ARG(c->info.device),
               STR_ARG(c->info.how));
    page_wrapped(page, buf_view(&text), 0, 0);
    text.len = 0;
    buf_printf(&text,
               "%d element%s, %u block ind%s of %u threads; a prologue of %d "
               "rounds (light) or %d (heavy). ",
               (int)sizes->n, sizes->n == 1 ? "" : "s", c->blocks,
               c->blocks == 1 ? "ex" : "ices", sizes->threads,
               (int)sizes->light, (int)sizes->heavy);
    write_places(c, &text);
    if (c->info.copy.known) {
        buf_str(&text, STR(" A copy moves "));
        compare_number(&text, c->info.copy, 0, "-");
        buf_str(&text, STR(" GB/s."));
    }
    page_wrapped(page, buf_view(&text), 0, 0);
    buf_free(&text);
}

// ---- words ---------------------------------------------------------------

// The lowest and the highest value of a figure, if all techniques have it.
typedef struct Range {
    CompareTechnique least, most;
    double from, to;
} Range;

static bool range_of(const CompareGroup *group, Pick pick, Range *range) {
    *range = (Range){0};
    for (int t = 0; t < COMPARE_TECHNIQUE_COUNT; t++) {
        CompareFigure figure = pick(&group->samples[t]);
        if (!figure.known)
            return false;
        if (t == 0 || figure.value < range->from) {
            range->from = figure.value;
            range->least = (CompareTechnique)t;
        }
        if (t == 0 || figure.value > range->to) {
            range->to = figure.value;
            range->most = (CompareTechnique)t;
        }
    }
    return true;
}

static void add(Buf *text, double value) {
    compare_cell(text, (CompareFigure){true, value}, 0);
}

static void say_time(const CompareGroup *group, Buf *text) {
    Range time;
    if (!range_of(group, pick_time, &time) || time.from <= 0)
        return;
    if (time.to < ALIKE * time.from) {
        buf_str(text, STR("All take the same time within 5%. "));
        return;
    }
    buf_printf(text, "Fastest: %s", compare_technique_name(time.least));
    size_t near = 0;
    for (int t = 0; t < COMPARE_TECHNIQUE_COUNT; t++)
        if (t != (int)time.least &&
            group->samples[t].time.value < ALIKE * time.from)
            buf_printf(text, "%s%s", near++ ? ", " : " (",
                       compare_technique_name((CompareTechnique)t));
    if (near)
        buf_str(text, STR(" within 5%)"));
    buf_printf(text, "; %s takes ", compare_technique_name(time.most));
    add(text, time.to / time.from);
    buf_str(text, STR(" times as long"));
    Range prologues;
    if (range_of(group, pick_prologues, &prologues) &&
        prologues.most == time.most && prologues.from > 0 &&
        prologues.to >= 2 * prologues.from) {
        buf_str(text, STR(", and runs "));
        compare_number(text, (CompareFigure){true, prologues.to}, 0, "");
        buf_str(text, STR(" prologues instead of "));
        compare_number(text, (CompareFigure){true, prologues.from}, 0, "");
    }
    buf_str(text, STR(". "));
}

static void say_balance(const CompareGroup *group, Buf *text) {
    Range ends;
    if (!range_of(group, pick_imbalance, &ends))
        return;
    if (ends.to < ALIKE * ends.from) {
        buf_str(text, STR("The SMs end equally evenly. "));
        return;
    }
    buf_printf(text, "The SMs end least evenly with %s, the last at ",
               compare_technique_name(ends.most));
    add(text, ends.to);
    buf_printf(text, " of their mean; with %s at ",
               compare_technique_name(ends.least));
    add(text, ends.from);
    buf_str(text, STR(". "));
}

static void say_waiting(const CompareGroup *group, Buf *text) {
    Range wait;
    if (!range_of(group, pick_all_free, &wait))
        return;
    buf_str(text, STR("The other kernel has all places soonest from "));
    buf_printf(text, "%s, after ", compare_technique_name(wait.least));
    add(text, wait.from);
    buf_printf(text, " us, and latest from %s, after ",
               compare_technique_name(wait.most));
    add(text, wait.to);
    buf_str(text, STR(" us."));
}

// ---- a table -------------------------------------------------------------

static void write_percent(Buf *out, CompareFigure share, int least) {
    Buf text = {0};
    share.value *= 100;
    compare_number(&text, share, 0, "-");
    if (share.known)
        buf_byte(&text, '%');
    buf_printf(out, "%*.*s", least, STR_ARG(buf_view(&text)));
    buf_free(&text);
}

static void write_count(Buf *out, CompareFigure count, int least) {
    Buf text = {0};
    compare_number(&text, count, 0, "-");
    buf_printf(out, "%*.*s", least, STR_ARG(buf_view(&text)));
    buf_free(&text);
}

static void write_row(Buf *out, const CompareGroup *group,
                      CompareTechnique technique) {
    const CompareSample *sample = &group->samples[technique];
    buf_printf(out, "  %-11s", compare_technique_name(technique));
    write_count(out, sample->started, 8);
    write_count(out, sample->prologues, 9);
    compare_cell(out, sample->time, 8);
    compare_cell(out, sample->q1, 8);
    compare_cell(out, sample->q3, 8);
    compare_cell(out, sample->imbalance, 6);
    write_percent(out, sample->of_copy, 5);
    compare_cell(out, sample->first_free, 7);
    compare_cell(out, sample->all_free, 8);
    buf_byte(out, '\n');
}

static void write_group(Page *page, const CompareGroup *group) {
    Buf text = {0};
    buf_byte(page->out, '\n');
    buf_str(&text, compare_group_name(group));
    text.ptr[0] = (char)(text.ptr[0] - 'a' + 'A');
    tone_text(page->style, TONE_BOLD, buf_view(&text), page->out);
    buf_printf(page->out, "\n%21s%9s%16s%14s%5s%15s\n", "blocks", "prologue",
               "time (us)", "last", "of", "other waits us");
    buf_printf(page->out, "%21s%9s%8s%8s%8s%6s%5s%7s%8s\n", "started", "runs",
               "median", "q1", "q3", "/mean", "copy", "first", "all");
    for (int t = 0; t < COMPARE_TECHNIQUE_COUNT; t++)
        write_row(page->out, group, (CompareTechnique)t);
    text.len = 0;
    say_time(group, &text);
    say_balance(group, &text);
    say_waiting(group, &text);
    if (text.len > 0) {
        buf_str(page->out, STR("  "));
        page_wrapped(page, str_trim(buf_view(&text)), 2, 2);
    }
    buf_free(&text);
}

// ---- the guide's table ---------------------------------------------------

static void write_claim(Page *page, const Comparison *c, CompareClaimKind kind,
                        const char *name) {
    const CompareClaim *claim = &c->claims[kind];
    buf_printf(page->out, "  %-18s", name);
    for (int t = 0; t < COMPARE_TECHNIQUE_COUNT; t++) {
        CompareFigure figure = claim->figures[t];
        buf_printf(page->out, "%8s",
                   !figure.known                 ? ""
                   : figure.value <= claim->most ? "yes"
                                                 : "no");
        if (kind == CLAIM_BALANCE)
            compare_cell(page->out, figure, 6);
        else
            write_percent(page->out, figure, 6);
    }
    buf_byte(page->out, '\n');
}

static void write_rules(Page *page, const Comparison *c) {
    Buf text = {0};
    const CompareClaim *claims = c->claims;
    buf_str(&text, STR("Reduced overheads: prologues for each block index, "
                       "with even work and a heavy prologue; yes is up to "));
    write_percent(&text, (CompareFigure){true, claims[CLAIM_OVERHEADS].most},
                  0);
    buf_str(&text, STR(". Preemption: the wait for all places over the whole "
                       "time, with even work and a light prologue; yes is up "
                       "to "));
    write_percent(&text, (CompareFigure){true, claims[CLAIM_PREEMPTION].most},
                  0);
    buf_str(&text, STR(". Load balancing: last / mean, with uneven work and a "
                       "light prologue; yes is up to "));
    add(&text, claims[CLAIM_BALANCE].most);
    buf_byte(&text, '.');
    buf_str(page->out, STR("  "));
    page_wrapped(page, buf_view(&text), 2, 2);
    buf_free(&text);
}

static void write_guide(Page *page, const Comparison *c) {
    buf_byte(page->out, '\n');
    page_tone(page, TONE_BOLD, "The guide's table, in these figures");
    buf_printf(page->out, "\n%20s", "");
    for (int t = 0; t < COMPARE_TECHNIQUE_COUNT; t++)
        buf_printf(page->out, "%14s",
                   compare_technique_name((CompareTechnique)t));
    buf_byte(page->out, '\n');
    write_claim(page, c, CLAIM_OVERHEADS, "reduced overheads");
    write_claim(page, c, CLAIM_PREEMPTION, "preemption");
    write_claim(page, c, CLAIM_BALANCE, "load balancing");
    write_rules(page, c);
}

void report_compare_text(const Comparison *comparison, ReportStyle style,
                         Buf *out) {
    Page page = page_open((Str){0}, (Str){0}, style, out);
    write_head(&page, comparison);
    for (size_t i = 0; i < COMPARE_GROUPS; i++)
        write_group(&page, &comparison->groups[i]);
    write_guide(&page, comparison);
    page_wrapped(
        &page,
        STR("q1, q3: quartiles of the time. last / mean: the last SM's "
            "end over the mean end. of copy: of the bandwidth of a "
            "copy. other waits: a kernel of higher priority that arrives "
            "half-way, for a place and for all. docs/compare.md"),
        0, 0);
}
