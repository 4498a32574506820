// SPDX-License-Identifier: Apache-2.0
// Parses the head of a case, and judges a copy. The head consists of comments:
//
//   // Case 3: Works harder than the others
//   //
//   // "What the patient says."
//   //
//   // clclab run: --grid 40 --block 32 --arg buf:5120     (may be repeated)
//   // output: 0123456789abcdef
//   // DIAGNOSIS: ?
#include "check/clinic.h"
#include "device/device.h"
#include "result/rule.h"

typedef struct Head {
    Arena *arena;
    Str path;
    Diags *diags;
    ClinicCase *about;
    const char *story; // its first byte; NULL: no title has been read yet
    uint32_t number;   // of the line
    Str line;
} Head;

static void head_error(Head *head, const char *help, const char *what) {
    SrcLoc at = {head->path, head->number ? head->number : 1, 1};
    Diag *diag = diag_add(head->diags, DIAG_ERROR, at, "%s", what);
    diag->code = STR("CASE");
    diag->help = str_from(help);
}

// ---- the diagnosis -------------------------------------------------------

// Whether the line is "// NAME: value"; *value is then the trimmed value.
static bool take_value(Str line, const char *name, Str *value) {
    Str rest = str_trim(line);
    if (!str_starts(rest, STR("//")))
        return false;
    rest = str_trim(str_slice(rest, 2, rest.len));
    Str key = str_cut(&rest, ':');
    *value = str_trim(rest);
    return str_equal(str_trim(key), str_from(name));
}

static Str first_word(Str text) {
    size_t len = 0;
    while (len < text.len && text.ptr[len] != ' ' && text.ptr[len] != '\t' &&
           text.ptr[len] != ',' && text.ptr[len] != '.')
        len++;
    return str_slice(text, 0, len);
}

static Str capitals(Arena *arena, Str word) {
    char *out = str_cstring(arena, word);
    for (size_t i = 0; i < word.len; i++)
        if (out[i] >= 'a' && out[i] <= 'z')
            out[i] = (char)(out[i] - 'a' + 'A');
    return (Str){out, word.len};
}

Str clinic_diagnosis(Arena *arena, Str path, Str text, SrcLoc *at) {
    Str value;
    *at = (SrcLoc){path, 0, 0};
    for (uint32_t number = 1; text.len > 0; number++) {
        Str line = str_cut(&text, '\n');
        if (!take_value(line, "DIAGNOSIS", &value))
            continue;
        Str word = first_word(value);
        const char *where = word.len ? word.ptr : line.ptr;
        *at = (SrcLoc){path, number, (uint32_t)(where - line.ptr) + 1};
        return str_equal(word, STR("?")) ? STR("") : capitals(arena, word);
    }
    return STR("");
}

// ---- the head ------------------------------------------------------------

static bool read_hex(Str text, uint64_t *out) {
    Str prefixed = text;
    char digits[19] = "0x";
    if (prefixed.len != 16)
        return false;
    for (size_t i = 0; i < 16; i++)
        digits[i + 2] = prefixed.ptr[i];
    return str_to_u64((Str){digits, 18}, out);
}

static bool read_title(Head *head) {
    Str rest = head->line;
    if (!str_starts(rest, STR("// Case ")))
        return false;
    rest = str_slice(rest, 8, rest.len);
    uint64_t number = 0;
    if (!str_to_u64(str_cut(&rest, ':'), &number) || number == 0 ||
        number > UINT32_MAX || str_trim(rest).len == 0)
        head_error(head, "Write \"// Case 3: Works harder\".",
                   "This title has no number or no text.");
    head->about->number = (uint32_t)number;
    head->about->title = str_trim(rest);
    return true;
}

// Sets the story: the lines from the title to here, without their "// ".
static void end_story(Head *head) {
    Buf story = {0};
    Str text = {head->story, (size_t)(head->line.ptr - head->story)};
    while (text.len > 0) {
        Str line = str_trim(str_cut(&text, '\n'));
        line = str_trim(str_slice(line, 2, line.len));
        buf_str(&story, line);
        buf_byte(&story, '\n');
    }
    head->about->story = str_trim(str_copy(head->arena, buf_view(&story)));
    buf_free(&story);
}

static void read_head_line(Head *head) {
    ClinicCase *about = head->about;
    Str value;
    if (about->number == 0 && read_title(head)) {
        head->story = head->line.ptr + head->line.len;
    } else if (take_value(head->line, "clclab run", &value)) {
        if (about->launch.len == 0 && head->story)
            end_story(head);
        about->launch =
            str_format(head->arena, "%.*s%s%.*s", STR_ARG(about->launch),
                       about->launch.len ? " " : "", STR_ARG(value));
    } else if (take_value(head->line, "output", &value)) {
        if (!read_hex(value, &about->checksum))
            head_error(head,
                       "Write \"// output: \" and 16 digits, as the "
                       "report of the clinic prints them.",
                       "This is no checksum.");
    }
}

static void demand_head(Head *head) {
    const ClinicCase *about = head->about;
    head->number = 1;
    if (about->title.len == 0)
        head_error(head, "Write \"// Case 3: Works harder\" in line 2.",
                   "The case has no title.");
    else if (about->launch.len == 0)
        head_error(head, "Write \"// clclab run: --grid 8 --block 32 ...\".",
                   "The case does not say how it is launched.");
    else if (about->diagnosis_at.line == 0)
        head_error(head, "Write \"// DIAGNOSIS: ?\".",
                   "The case has no line for the diagnosis.");
}

bool clinic_parse(Arena *arena, Str path, Str text, ClinicCase *out,
                  Diags *diags) {
    size_t errors = diags->errors;
    *out = (ClinicCase){0};
    Head head = {.arena = arena, .path = path, .diags = diags, .about = out};
    out->diagnosis = clinic_diagnosis(arena, path, text, &out->diagnosis_at);
    while (str_starts(text, STR("//"))) {
        head.number++;
        head.line = str_cut(&text, '\n');
        read_head_line(&head);
    }
    if (diags->errors == errors)
        demand_head(&head);
    return diags->errors == errors;
}

// ---- judging -------------------------------------------------------------

uint64_t clinic_checksum(const Str *outputs, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum = hash_bytes(sum, outputs[i].ptr, outputs[i].len);
    return sum;
}

// The code of the first error that a schedule showed; empty if there is none.
// OUTPUT does not count, because it is the consequence of another mistake.
static Str first_code(const LaunchResult *launch) {
    for (size_t i = 0; i < launch->finding_count; i++) {
        const LaunchFinding *finding = &launch->findings[i];
        if (!finding->advisory && finding->schedules > 0 &&
            !str_equal(finding->cause.code, STR("OUTPUT")))
            return finding->cause.code;
    }
    return STR("");
}

static bool has_word(Str text, const char *word) {
    Str part = str_from(word);
    for (size_t i = 0; i + part.len <= text.len; i++)
        if (str_starts((Str){text.ptr + i, part.len}, part))
            return true;
    return false;
}

static bool copies_bytes(const DeviceCounters *counters) {
    for (size_t i = 0; i < DEVICE_SPACE_COUNT; i++)
        if (counters->copied_to[i] > 0)
            return true;
    return false;
}

// What the case does and the copy no longer does; empty if nothing is lost. A
// case is not fixed by leaving out what went wrong.
static Str lost_technique(const ClinicRun *original, const ClinicRun *mine) {
    const DeviceCounters *now = &mine->launch->counters;
    if (has_word(original->ptx, "clusterlaunchcontrol.try_cancel") &&
        mine->launch->ledger.totals.granted == 0)
        return STR("It steals no block any more.");
    if (has_word(original->ptx, "mbarrier.try_wait") &&
        now->mbarrier_phases == 0)
        return STR("It uses no mbarrier any more.");
    if (has_word(original->ptx, "cp.async.bulk") && !copies_bytes(now))
        return STR("It copies nothing asynchronously any more.");
    if (has_word(original->ptx, "mapa.") && !has_word(mine->ptx, "mapa."))
        return STR("It does not read its neighbour's memory any more.");
    return STR("");
}

static bool depends_on_schedule(const LaunchResult *launch) {
    for (size_t i = 0; i < launch->schedule_count; i++)
        if (launch->schedules[i].outputs == OUTPUTS_DIFFER)
            return true;
    return false;
}

static void judge_copy(const ClinicCase *about, const ClinicRun *original,
                       const ClinicRun *mine, ClinicResult *result) {
    const LaunchResult *launch = mine->launch;
    bool ran = mine->outputs && launch->schedule_count > 0;
    result->launch = launch;
    result->rules = launch->errors == 0 && ran ? CLINIC_WELL : CLINIC_ILL;
    if (!ran)
        return;
    result->checksum = clinic_checksum(mine->outputs, mine->output_count);
    bool same =
        result->checksum == about->checksum && !depends_on_schedule(launch);
    result->output = same ? CLINIC_WELL : CLINIC_ILL;
    result->technique_what = lost_technique(original, mine);
    result->technique = result->technique_what.len ? CLINIC_ILL : CLINIC_WELL;
}

bool clinic_judge(const ClinicCase *about, const ClinicRun *original,
                  const ClinicRun *mine, ClinicResult *result) {
    result->code = first_code(original->launch);
    if (result->code.len == 0)
        return false;
    if (result->given.len > 0)
        result->diagnosis =
            str_equal(result->given, result->code) ? CLINIC_WELL : CLINIC_ILL;
    result->asks = rule_line(rule_find(result->given)).asks;
    judge_copy(about, original, mine, result);
    result->healed =
        result->diagnosis == CLINIC_WELL && result->rules == CLINIC_WELL &&
        result->output == CLINIC_WELL && result->technique == CLINIC_WELL;
    return true;
}
