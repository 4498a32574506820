// SPDX-License-Identifier: Apache-2.0
// The bug clinic: the report on one case, and the table of all cases. Findings
// that would reveal the rule are withheld until the diagnosis is right.
#include "report/internal.h"

enum { MOST_FINDINGS = 4 };

// ---- marks ---------------------------------------------------------------

static void write_mark(Page *page, ClinicMark mark) {
    switch (mark) {
    case CLINIC_WELL:
        page_tone(page, TONE_GOOD, "WELL");
        return;
    case CLINIC_ILL:
        page_tone(page, TONE_BAD, "ILL ");
        return;
    case CLINIC_OPEN:
        page_tone(page, TONE_FAINT, "OPEN");
        return;
    }
}

static void write_row(Page *page, ClinicMark mark, const char *name, Str what) {
    enum { INDENT = 19 };
    buf_str(page->out, STR("  "));
    write_mark(page, mark);
    buf_printf(page->out, "  %-11s", name);
    page_wrapped(page, what, INDENT, INDENT);
}

static void write_diagnosis(Page *page, const ClinicResult *result) {
    Buf text = {0};
    if (result->given.len == 0)
        buf_str(&text, STR("none: write the rule's code behind DIAGNOSIS"));
    else if (result->asks.len == 0)
        buf_printf(&text, "there is no rule %.*s; clclab explain lists them",
                   STR_ARG(result->given));
    else
        buf_printf(&text, "%.*s, %.*s%s", STR_ARG(result->given),
                   STR_ARG(result->asks),
                   result->diagnosis == CLINIC_WELL ? ""
                                                    : ": it is another rule");
    write_row(page, result->diagnosis, "diagnosis", buf_view(&text));
    buf_free(&text);
}

static bool is_kept_back(const ClinicResult *result,
                         const LaunchFinding *finding) {
    return result->diagnosis != CLINIC_WELL &&
           str_equal(finding->cause.code, result->code);
}

static void write_rules(Page *page, const ClinicResult *result) {
    Buf text = {0};
    const LaunchResult *launch = result->launch;
    if (result->rules == CLINIC_WELL)
        buf_printf(&text, "no rule is broken in %zu schedules",
                   launch->schedule_count);
    else if (launch && launch->schedule_count == 0)
        buf_str(&text, STR("it does not build, or cannot be launched"));
    else if (launch)
        buf_printf(&text, "a rule is broken, in %zu schedules",
                   launch->schedule_count);
    write_row(page, result->rules, "rules", buf_view(&text));
    buf_free(&text);
}

static Str output_what(ClinicMark mark) {
    switch (mark) {
    case CLINIC_WELL:
        return STR("right under every schedule");
    case CLINIC_ILL:
        return STR("not what it has to be, or not under every schedule");
    case CLINIC_OPEN:
        break;
    }
    return STR("");
}

static void write_marks(Page *page, const ClinicResult *result) {
    write_diagnosis(page, result);
    write_rules(page, result);
    write_row(page, result->output, "output", output_what(result->output));
    write_row(page, result->technique, "technique",
              result->technique == CLINIC_WELL ? STR("it still works as it did")
                                               : result->technique_what);
}

// ---- one case ------------------------------------------------------------

static void write_title(Page *page, const ClinicResult *result) {
    Buf title = {0};
    buf_printf(&title, "Case %u: %.*s", result->number, STR_ARG(result->title));
    tone_text(page->style, TONE_BOLD, buf_view(&title), page->out);
    buf_byte(page->out, '\n');
    buf_free(&title);
}

static void write_story(Page *page, Str story) {
    buf_byte(page->out, '\n');
    while (story.len > 0) {
        buf_str(page->out, STR("  "));
        utf8_escape(str_cut(&story, '\n'), page->out);
        buf_byte(page->out, '\n');
    }
}

static void write_findings(Page *page, const ClinicResult *result) {
    const LaunchResult *launch = result->launch;
    size_t shown = 0, kept = 0;
    for (size_t i = 0; launch && i < launch->finding_count; i++) {
        const LaunchFinding *finding = &launch->findings[i];
        if (finding->advisory)
            continue;
        if (is_kept_back(result, finding))
            kept++;
        else if (shown++ < MOST_FINDINGS)
            page_cause(page, "error", TONE_BAD, &finding->cause,
                       finding->cause.code);
    }
    if (kept > 0)
        buf_printf(page->out,
                   "\n%zu finding%s kept back until the diagnosis is right.\n",
                   kept, kept == 1 ? " is" : "s are");
}

static void write_end(Page *page, const ClinicResult *result) {
    buf_byte(page->out, '\n');
    if (result->healed)
        page_tone(page, TONE_GOOD, "Healed.");
    else
        page_tone(page, TONE_BAD, "Not healed yet.");
    buf_byte(page->out, '\n');
}

void report_clinic_case(const ClinicResult *result, Str source,
                        ReportStyle style, Buf *out) {
    Page page = page_open(result->file, source, style, out);
    write_title(&page, result);
    if (result->is_new) {
        write_story(&page, result->story);
        return;
    }
    page_wrapped(&page, result->file, 0, 0);
    buf_byte(out, '\n');
    write_marks(&page, result);
    write_findings(&page, result);
    write_end(&page, result);
}

// ---- all cases -----------------------------------------------------------

static Str why_ill(const ClinicResult *result) {
    if (result->diagnosis == CLINIC_OPEN)
        return STR("no diagnosis");
    if (result->diagnosis == CLINIC_ILL)
        return STR("another diagnosis");
    if (result->rules != CLINIC_WELL)
        return STR("a rule is broken");
    if (result->output != CLINIC_WELL)
        return STR("another output");
    return STR("another kernel");
}

static void write_line(Page *page, const ClinicResult *result) {
    Buf text = {0};
    buf_str(page->out, STR("  "));
    if (result->is_new)
        page_tone(page, TONE_FAINT, "NEW   ");
    else if (result->healed)
        page_tone(page, TONE_GOOD, "HEALED");
    else
        page_tone(page, TONE_BAD, "ILL   ");
    buf_printf(page->out, "  %2u  ", result->number);
    buf_str(&text, result->title);
    if (!result->is_new)
        buf_printf(&text, ": %.*s",
                   STR_ARG(result->healed ? result->given : why_ill(result)));
    page_wrapped(page, buf_view(&text), 14, 14);
    buf_free(&text);
}

static size_t count_healed(const ClinicResult *results, size_t count) {
    size_t healed = 0;
    for (size_t i = 0; i < count; i++)
        healed += results[i].healed;
    return healed;
}

void report_clinic(const ClinicResult *results, size_t count, ReportStyle style,
                   Buf *out) {
    Page page = page_open((Str){0}, (Str){0}, style, out);
    page_tone(&page, TONE_BOLD, "Clinic");
    buf_str(out, STR("\n\n"));
    for (size_t i = 0; i < count; i++)
        write_line(&page, &results[i]);
    buf_printf(out,
               "\n%zu of %zu healed. clclab clinic CASE says more of one, and "
               "lets a new one in.\n",
               count_healed(results, count), count);
}

// ---- JSON ----------------------------------------------------------------

static Str mark_name(ClinicMark mark) {
    switch (mark) {
    case CLINIC_WELL:
        return STR("well");
    case CLINIC_ILL:
        return STR("ill");
    case CLINIC_OPEN:
        break;
    }
    return STR("open");
}

static void write_json_findings(Json *json, const ClinicResult *result) {
    const LaunchResult *launch = result->launch;
    json_open_member(json, STR("findings"), '[');
    for (size_t i = 0; launch && i < launch->finding_count; i++) {
        const LaunchFinding *finding = &launch->findings[i];
        if (finding->advisory || is_kept_back(result, finding))
            continue;
        json_item(json);
        json_open(json, '{');
        json_cause_members(json, &finding->cause);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_json_checksum(Json *json, uint64_t checksum) {
    Buf digits = {0};
    if (checksum)
        buf_printf(&digits, "%016llx", (unsigned long long)checksum);
    json_text_or_null(json, STR("checksum"), buf_view(&digits));
    buf_free(&digits);
}

static void write_json_case(Json *json, const ClinicResult *result) {
    json_open(json, '{');
    json_number(json, STR("number"), result->number);
    json_text(json, STR("title"), result->title);
    json_text(json, STR("story"), result->story);
    json_text_or_null(json, STR("file"), result->file);
    json_text(json, STR("state"),
              result->is_new   ? STR("new")
              : result->healed ? STR("healed")
                               : STR("ill"));
    json_text_or_null(json, STR("given"), result->given);
    json_text(json, STR("diagnosis"), mark_name(result->diagnosis));
    json_text(json, STR("rules"), mark_name(result->rules));
    json_text(json, STR("output"), mark_name(result->output));
    write_json_checksum(json, result->checksum);
    json_text(json, STR("technique"), mark_name(result->technique));
    write_json_findings(json, result);
    json_close(json, '}');
}

void report_clinic_json(const ClinicResult *results, size_t count, Buf *out) {
    Json writer = {.out = out}, *json = &writer;
    json_open(json, '{');
    json_text(json, STR("schema"), STR("clclab/clinic/v1"));
    json_number(json, STR("healed"), count_healed(results, count));
    json_number(json, STR("count"), count);
    json_open_member(json, STR("cases"), '[');
    for (size_t i = 0; i < count; i++) {
        json_item(json);
        write_json_case(json, &results[i]);
    }
    json_close(json, ']');
    json_close(json, '}');
    buf_byte(out, '\n');
}
