// SPDX-License-Identifier: Apache-2.0
// The parser of lab.conf. Grammar, a line at a time:
//
//   line  = [ entry ] [ "#" anything ]      "#": at the start, or after a blank
//   entry = key "=" value | "check" id points sentence
//
// Each key stands once, and all of KEYS must be there; the checks must be
// those of CHECK_IDS, in that order, and their points sum to 100.
#include "check/check.h"

#include <string.h>

// Order as in the reports. launch_plan only where plan = yes.
static const char *const CHECK_IDS[] = {
    "builds",    "signature", "launch_plan", "correct",   "exactly_once",
    "technique", "prologue",  "rules",       "schedules",
};
enum { PLAN_CHECK = 2 };

typedef struct Conf {
    Arena *arena;
    Str path;
    Lab *lab;
    Diags *diags;
    uint32_t line;
    Str text;             // the line
    uint32_t seen[16];    // by KEYS: line of the first one; 0: none yet
    uint32_t last_check;  // index in CHECK_IDS + 1 of the latest check
    uint32_t checks_seen; // bit by index in CHECK_IDS
    size_t check_capacity;
} Conf;

static SrcLoc conf_at(const Conf *conf, const char *where) {
    uint32_t col = (uint32_t)(where - conf->text.ptr) + 1;
    return (SrcLoc){conf->path, conf->line, col};
}

static Diag *conf_error(Conf *conf, Str at, const char *what,
                        const char *help) {
    Diag *diag = diag_add(conf->diags, DIAG_ERROR, conf_at(conf, at.ptr), what,
                          STR_ARG(at));
    diag->code = STR("CONF");
    diag->help = str_from(help);
    return diag;
}

// ---- values --------------------------------------------------------------

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

// Takes the first word off *rest.
static Str next_word(Str *rest) {
    *rest = str_trim(*rest);
    size_t len = 0;
    while (len < rest->len && !is_blank(rest->ptr[len]))
        len++;
    Str word = str_slice(*rest, 0, len);
    *rest = str_slice(*rest, len, rest->len);
    return word;
}

static bool conf_number(Conf *conf, Str word, uint64_t least, uint64_t most,
                        uint64_t *out) {
    if (str_to_u64(word, out) && *out >= least && *out <= most)
        return true;
    Diag *diag =
        conf_error(conf, word, "\"%.*s\" is not a number in range.", NULL);
    diag->help =
        str_format(conf->arena, "Write a whole number from %llu to %llu.",
                   (unsigned long long)least, (unsigned long long)most);
    return false;
}

static bool is_name(Str s) {
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool letter =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        bool digit = c >= '0' && c <= '9';
        if (!letter && !(digit && i > 0))
            return false;
    }
    return s.len > 0;
}

static void read_title(Conf *conf, Str value) {
    conf->lab->title = value;
}

static void read_kernel(Conf *conf, Str value) {
    if (!is_name(value))
        conf_error(conf, value, "\"%.*s\" is not the name of a kernel.",
                   "Write a C identifier.");
    conf->lab->kernel = value;
}

static void read_file(Conf *conf, Str value) {
    bool plain = str_find(value, '/') == value.len &&
                 str_find(value, '\0') == value.len && value.ptr[0] != '.';
    if (!plain)
        conf_error(conf, value, "\"%.*s\" is not the plain name of a file.",
                   "Name a file of the lab's own folder.");
    conf->lab->file = value;
}

static void read_threads(Conf *conf, Str value) {
    uint64_t number;
    if (conf_number(conf, value, 1, LAB_MAX_THREADS, &number))
        conf->lab->threads = (uint32_t)number;
}

static void read_cluster(Conf *conf, Str value) {
    uint64_t number;
    if (conf_number(conf, value, 1, LAB_MAX_CLUSTER, &number))
        conf->lab->cluster = (uint32_t)number;
}

static void read_technique(Conf *conf, Str value) {
    static const char *const names[] = {"fixed", "persistent", "clc"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_equal(value, str_from(names[i]))) {
            conf->lab->technique = (LabTechnique)i;
            return;
        }
    conf_error(conf, value, "There is no technique \"%.*s\".",
               "Write fixed, persistent or clc.");
}

static void read_plan(Conf *conf, Str value) {
    conf->lab->plan = str_equal(value, STR("yes"));
    if (!conf->lab->plan && !str_equal(value, STR("no")))
        conf_error(conf, value, "plan is \"%.*s\".", "Write yes or no.");
}

// Keeps sizes[] ascending.
static void insert_size(Conf *conf, Str word, int32_t n) {
    Lab *lab = conf->lab;
    size_t at = lab->size_count;
    while (at > 0 && lab->sizes[at - 1] >= n)
        at--;
    if (at < lab->size_count && lab->sizes[at] == n) {
        conf_error(conf, word, "Size %.*s is given twice.", "Remove one.");
        return;
    }
    memmove(lab->sizes + at + 1, lab->sizes + at,
            (lab->size_count - at) * sizeof lab->sizes[0]);
    lab->sizes[at] = n;
    lab->size_count++;
}

static void read_sizes(Conf *conf, Str value) {
    conf->lab->sizes = arena_new(conf->arena, int32_t, LAB_MAX_SIZES + 1);
    for (Str rest = value, word; (word = next_word(&rest)).len > 0;) {
        uint64_t number;
        if (conf->lab->size_count == LAB_MAX_SIZES) {
            conf_error(conf, word, "Size %.*s is one too many.",
                       "At most 32 sizes are run.");
            return;
        }
        if (conf_number(conf, word, 0, LAB_MAX_SIZE, &number))
            insert_size(conf, word, (int32_t)number);
    }
}

// ---- lines ---------------------------------------------------------------

typedef struct ConfKey {
    const char *name;
    void (*read)(Conf *conf, Str value); // value is not empty
} ConfKey;

static const ConfKey KEYS[] = {
    {"title", read_title},     {"kernel", read_kernel},
    {"file", read_file},       {"threads", read_threads},
    {"cluster", read_cluster}, {"technique", read_technique},
    {"plan", read_plan},       {"sizes", read_sizes},
};

static void read_entry(Conf *conf, Str line) {
    Str value = line;
    Str key = str_trim(str_cut(&value, '='));
    if (key.len == line.len) {
        conf_error(
            conf, key, "\"%.*s\" has no \"=\".",
            "A line is \"key = value\" or \"check id points sentence\".");
        return;
    }
    value = str_trim(value);
    for (size_t i = 0; i < COUNT_OF(KEYS); i++) {
        if (!str_equal(key, str_from(KEYS[i].name)))
            continue;
        if (conf->seen[i])
            conf_error(conf, key, "The key %.*s is given twice.",
                       "Remove one.");
        else if (value.len == 0)
            conf_error(conf, key, "The key %.*s has no value.",
                       "Write one behind the \"=\".");
        else
            KEYS[i].read(conf, value);
        conf->seen[i] = conf->line;
        return;
    }
    if (key.len == 0)
        key = str_slice(line, 0, 1);
    conf_error(conf, key, "There is no key \"%.*s\".",
               "The keys are title, kernel, file, threads, cluster, technique, "
               "plan and sizes.");
}

static bool find_check(Str id, uint32_t *index) {
    for (uint32_t i = 0; i < COUNT_OF(CHECK_IDS); i++)
        if (str_equal(id, str_from(CHECK_IDS[i]))) {
            *index = i;
            return true;
        }
    return false;
}

static void add_check(Conf *conf, Str id, double points, Str title) {
    Lab *lab = conf->lab;
    arena_grow(conf->arena, lab->checks, lab->check_count,
               conf->check_capacity);
    lab->checks[lab->check_count++] = (LabCheck){id, title, points};
}

// `rest` is what stands behind the word "check".
static void read_check(Conf *conf, Str word, Str rest) {
    Str id = next_word(&rest);
    Str points = next_word(&rest);
    Str title = str_trim(rest);
    uint32_t index;
    uint64_t number;
    if (title.len == 0)
        conf_error(conf, word, "This %.*s lacks its id, points or sentence.",
                   "Write \"check builds 5 The file compiles.\".");
    else if (!find_check(id, &index))
        conf_error(conf, id, "There is no check \"%.*s\".",
                   "The checks are builds, signature, launch_plan, correct, "
                   "exactly_once, technique, prologue, rules and schedules.");
    else if (conf->checks_seen & 1u << index)
        conf_error(conf, id, "The check %.*s is given twice.", "Remove one.");
    else if (index < conf->last_check)
        conf_error(conf, id, "The check %.*s is out of order.",
                   "The order is builds, signature, launch_plan, correct, "
                   "exactly_once, technique, prologue, rules, schedules.");
    else if (conf_number(conf, points, 0, 100, &number)) {
        conf->last_check = index;
        conf->checks_seen |= 1u << index;
        add_check(conf, id, (double)number, title);
    }
}

static Str strip_comment(Str line) {
    for (size_t i = 0; i < line.len; i++)
        if (line.ptr[i] == '#' && (i == 0 || is_blank(line.ptr[i - 1])))
            return str_slice(line, 0, i);
    return line;
}

static void read_line(Conf *conf, Str line) {
    line = str_trim(strip_comment(line));
    if (line.len == 0)
        return;
    Str rest = line;
    Str word = next_word(&rest);
    if (str_equal(word, STR("check")))
        read_check(conf, word, rest);
    else
        read_entry(conf, line);
}

// ---- the whole -----------------------------------------------------------

static void whole_error(Conf *conf, const char *what, const char *name,
                        const char *help) {
    SrcLoc end = {conf->path, conf->line ? conf->line : 1, 1};
    Diag *diag = diag_add(conf->diags, DIAG_ERROR, end, what, name);
    diag->code = STR("CONF");
    diag->help = str_from(help);
}

static void demand_keys(Conf *conf) {
    for (size_t i = 0; i < COUNT_OF(KEYS); i++)
        if (!conf->seen[i])
            whole_error(conf, "The key %s is missing.", KEYS[i].name,
                        "Add it; every key must be there.");
    if (conf->seen[COUNT_OF(KEYS) - 1] && conf->lab->size_count == 0)
        whole_error(conf, "There is no valid value in %s.", "sizes",
                    "Give at least one n.");
}

static void demand_checks(Conf *conf) {
    for (uint32_t i = 0; i < COUNT_OF(CHECK_IDS); i++) {
        bool seen = conf->checks_seen >> i & 1;
        bool wanted = i != PLAN_CHECK || conf->lab->plan;
        if (wanted && !seen)
            whole_error(conf, "The check %s is missing.", CHECK_IDS[i],
                        "Add it, with 0 points if it shall not count.");
        if (seen && !wanted)
            whole_error(conf, "The check %s needs \"plan = yes\".",
                        CHECK_IDS[i], "Remove the check or set plan.");
    }
}

static void demand_points(Conf *conf) {
    double sum = 0;
    for (size_t i = 0; i < conf->lab->check_count; i++)
        sum += conf->lab->checks[i].points;
    if (sum == 100 || conf->lab->check_count == 0)
        return;
    Str number = str_format(conf->arena, "%d", (int)sum);
    whole_error(conf, "The points sum to %s.", number.ptr,
                "They must sum to 100.");
}

bool check_parse_lab(Arena *arena, Str path, Str text, Lab *lab, Diags *diags) {
    size_t errors = diags->errors;
    *lab = (Lab){0};
    Conf conf = {.arena = arena, .path = path, .lab = lab, .diags = diags};
    while (text.len > 0) {
        conf.line++;
        conf.text = str_cut(&text, '\n');
        read_line(&conf, conf.text);
    }
    demand_keys(&conf);
    demand_checks(&conf);
    if (diags->errors == errors)
        demand_points(&conf);
    return diags->errors == errors;
}
