// SPDX-License-Identifier: Apache-2.0
// What clclab doctor found, as text and as JSON. In text each line is
//
//   ok      compiler    NVRTC 13.0 has compiled a kernel
//                       for   every lab: a kernel becomes PTX
//                       help  what to do, where something is missing
#include "report/internal.h"

#include <string.h>

enum {
    STATE_WIDTH = 8,
    NAME_WIDTH = 12,
    LABEL_WIDTH = 6,
    TEXT_COLUMN = 2 + STATE_WIDTH + NAME_WIDTH,
};

typedef struct StateName {
    const char *text, *json;
    Tone tone;
} StateName;

static const StateName STATES[] = {
    [DOCTOR_FINE] = {"ok", "fine", TONE_GOOD},
    [DOCTOR_ODD] = {"look", "odd", TONE_ODD},
    [DOCTOR_ABSENT] = {"no", "absent", TONE_FAINT},
    [DOCTOR_NEEDED] = {"NEEDED", "needed", TONE_BAD},
};

typedef struct GroupName {
    const char *text, *json;
} GroupName;

static const GroupName GROUPS[] = {
    [DOCTOR_VM] = {"Grading on the virtual machine", "vm"},
    [DOCTOR_GPU] = {"Running on a GPU", "gpu"},
    [DOCTOR_TOOLS] = {"Other programs", "tools"},
};

// ---- text ----------------------------------------------------------------

static void write_padded(Page *page, Tone tone, Str text, int width) {
    tone_text(page->style, tone, text, page->out);
    buf_printf(page->out, "%*s", width - (int)page_columns(text), "");
}

static void write_part(Page *page, const char *label, Str text) {
    if (text.len == 0)
        return;
    buf_printf(page->out, "%*s", TEXT_COLUMN, "");
    write_padded(page, TONE_LABEL, str_from(label), LABEL_WIDTH);
    size_t column = TEXT_COLUMN + LABEL_WIDTH;
    page_wrapped(page, text, column, column);
}

static void write_line(Page *page, const DoctorLine *line) {
    const StateName *state = &STATES[line->state];
    buf_str(page->out, STR("  "));
    write_padded(page, state->tone, str_from(state->text), STATE_WIDTH);
    write_padded(page, TONE_BOLD, line->name, NAME_WIDTH);
    page_wrapped(page, line->found, TEXT_COLUMN, TEXT_COLUMN);
    write_part(page, "for", line->enables);
    write_part(page, "help", line->help);
}

static void write_end(Page *page, const DoctorReport *report) {
    Str vm = report->vm_ready
                 ? STR("The labs can be graded on the virtual machine.")
                 : STR("No lab can be graded yet: see what is NEEDED above.");
    Str gpu = report->gpu_ready ? STR("There is a GPU that can run them.")
                                : STR("They cannot be run on a GPU here.");
    buf_byte(page->out, '\n');
    tone_text(page->style, report->vm_ready ? TONE_GOOD : TONE_BAD, vm,
              page->out);
    buf_byte(page->out, '\n');
    page_wrapped(page, gpu, 0, 0);
}

void report_doctor_text(const DoctorReport *report, ReportStyle style,
                        Buf *out) {
    Page page = page_open((Str){0}, (Str){0}, style, out);
    for (size_t i = 0; i < report->count; i++) {
        const DoctorLine *line = &report->lines[i];
        if (i == 0 || line->group != line[-1].group) {
            buf_str(out, i ? STR("\n") : STR(""));
            page_tone(&page, TONE_BOLD, GROUPS[line->group].text);
            buf_byte(out, '\n');
        }
        write_line(&page, line);
    }
    write_end(&page, report);
}

// ---- JSON ----------------------------------------------------------------

static void write_item(Json *json, const DoctorLine *line) {
    json_item(json);
    json_open(json, '{');
    json_text(json, STR("group"), str_from(GROUPS[line->group].json));
    json_text(json, STR("id"), line->name);
    json_text(json, STR("state"), str_from(STATES[line->state].json));
    json_text(json, STR("found"), line->found);
    json_text(json, STR("enables"), line->enables);
    json_text_or_null(json, STR("help"), line->help);
    json_close(json, '}');
}

void report_doctor_json(const DoctorReport *report, Buf *out) {
    Json json = {.out = out};
    json_open(&json, '{');
    json_text(&json, STR("schema"), STR("clclab/doctor/v1"));
    json_truth(&json, STR("vm_ready"), report->vm_ready);
    json_truth(&json, STR("gpu_ready"), report->gpu_ready);
    json_open_member(&json, STR("lines"), '[');
    for (size_t i = 0; i < report->count; i++)
        write_item(&json, &report->lines[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    buf_byte(out, '\n');
}
