// SPDX-License-Identifier: Apache-2.0
// The parser of lab.conf. The grammar of a line:
//
//   line  = [ entry ] [ "#" anything ]      "#": at the start, or after a blank
//   entry = key "=" value | "check" id points sentence
//         | "region" number part { part }
//
// A key may appear only once, and every key of KEYS that is not optional must
// be there. The checks must be those of CHECK_IDS, in that order, and their
// points must sum to 100.
#include "check/internal.h"

#include <string.h>

// In the order of the reports. launch_plan is there only if plan = yes.
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
    Str text;              // of that line
    uint32_t seen[24];     // by index in KEYS: the line of the key; 0: none yet
    Str sizes, sizes_text; // the value of the key `sizes`, and its whole line
    uint32_t sizes_line;   // the number of that line
    uint32_t last_check;   // index in CHECK_IDS of the latest check
    uint32_t checks_seen;  // bit i: CHECK_IDS[i] is there
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

// Of `what` there are `most`, and the word is one more.
static void too_many(Conf *conf, Str word, const char *what, const char *things,
                     int most) {
    SrcLoc at = conf_at(conf, word.ptr);
    Diag *diag = diag_add(conf->diags, DIAG_ERROR, at,
                          "%s %.*s is one too many.", what, STR_ARG(word));
    diag->code = STR("CONF");
    diag->help = str_format(conf->arena, "At most %d %s.", most, things);
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

static void read_number(Conf *conf, Str value, uint64_t least, uint64_t most,
                        uint32_t *out) {
    uint64_t number;
    if (conf_number(conf, value, least, most, &number))
        *out = (uint32_t)number;
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

// "128", or "16x8x1".
static void read_threads(Conf *conf, Str value) {
    Lab *lab = conf->lab;
    LabSize block;
    uint64_t number;
    if (str_find(value, 'x') == value.len) {
        if (!conf_number(conf, value, 1, LAB_MAX_THREADS, &number))
            return;
        block = (LabSize){{(int32_t)number, 1, 1}};
    } else if (!check_parse_size(value, &block) || shape_volume(block) == 0 ||
               shape_volume(block) > LAB_MAX_THREADS ||
               block.dim[2] > DEVICE_MOST_THREADS_Z) {
        Diag *diag = conf_error(conf, value,
                                "\"%.*s\" is not the size of a block.", NULL);
        diag->help = str_format(conf->arena,
                                "Write threads along x, y, z, as in 16x8x1: at "
                                "most %d in all, %d along z.",
                                LAB_MAX_THREADS, DEVICE_MOST_THREADS_Z);
        return;
    }
    lab->threads = (uint32_t)shape_volume(block);
    for (size_t i = 0; i < 3; i++)
        lab->block[i] = (uint32_t)block.dim[i];
}

static void read_cluster(Conf *conf, Str value) {
    read_number(conf, value, 1, LAB_MAX_CLUSTER, &conf->lab->cluster);
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

static void read_in_flight(Conf *conf, Str value) {
    read_number(conf, value, 1, LAB_MAX_IN_FLIGHT, &conf->lab->in_flight);
}

// `what`: the message for another value.
static bool read_yes(Conf *conf, Str value, const char *what) {
    bool yes = str_equal(value, STR("yes"));
    if (!yes && !str_equal(value, STR("no")))
        conf_error(conf, value, what, "Write yes or no.");
    return yes;
}

static void read_plan(Conf *conf, Str value) {
    conf->lab->plan = read_yes(conf, value, "plan is \"%.*s\".");
}

static void read_own_asm(Conf *conf, Str value) {
    conf->lab->own_asm = read_yes(conf, value, "own-asm is \"%.*s\".");
}

static void read_strict_regions(Conf *conf, Str value) {
    conf->lab->strict_regions =
        read_yes(conf, value, "strict-regions is \"%.*s\".");
}

static void read_advice(Conf *conf, Str value) {
    conf->lab->no_advice = !read_yes(conf, value, "advice is \"%.*s\".");
}

static void read_forbid(Conf *conf, Str value) {
    Lab *lab = conf->lab;
    lab->forbidden = arena_new(conf->arena, Str, LAB_MAX_FORBIDDEN);
    for (Str rest = value, word; (word = next_word(&rest)).len > 0;) {
        if (!is_name(word))
            conf_error(conf, word, "\"%.*s\" is not a name.",
                       "Write C identifiers, with blanks between them.");
        else if (lab->forbidden_count == LAB_MAX_FORBIDDEN)
            too_many(conf, word, "The name", "names are forbidden",
                     LAB_MAX_FORBIDDEN);
        else
            lab->forbidden[lab->forbidden_count++] = word;
    }
}

static bool is_param(Str word, LabParam *param) {
    static const char *const names[] = {
#define PARAM_NAME(id, name, type) name,
        LAB_PARAMS(PARAM_NAME)
#undef PARAM_NAME
    };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_equal(word, str_from(names[i]))) {
            *param = (LabParam)i;
            return true;
        }
    return false;
}

// For a help text, all names: " data out ...".
#define PARAM_WORD(id, name, type) " " name
static void read_params(Conf *conf, Str value) {
    Lab *lab = conf->lab;
    LabParam param;
    lab->params = arena_new(conf->arena, LabParam, LAB_MAX_PARAMS);
    for (Str rest = value, word; (word = next_word(&rest)).len > 0;) {
        if (!is_param(word, &param)) {
            conf_error(conf, word, "There is no parameter \"%.*s\".",
                       "The parameters are:" LAB_PARAMS(PARAM_WORD) ".");
        } else if (shape_has_param(lab, param) ||
                   lab->param_count == LAB_MAX_PARAMS) {
            conf_error(conf, word, "The parameter %.*s is one too many.",
                       "Name each once, at most eight.");
        } else {
            lab->params[lab->param_count++] = param;
            if (param == LAB_PARAM_DATA || param == LAB_PARAM_OUT)
                lab->data_name = word;
        }
    }
}

// Percentages that check/model.c explains.
static void read_balance(Conf *conf, Str value) {
    read_number(conf, value, 100, LAB_MAX_PERCENT, &conf->lab->balance);
}

static void read_yield(Conf *conf, Str value) {
    read_number(conf, value, 100, LAB_MAX_PERCENT, &conf->lab->yield);
}

// "3 worst": how many seeds a batch grades with, and which result counts.
static void read_seeds(Conf *conf, Str value) {
    Str count = next_word(&value), which = str_trim(value);
    read_number(conf, count, 1, LAB_MAX_SEEDS, &conf->lab->seeds);
    conf->lab->seeds_mean = str_equal(which, STR("mean"));
    if (!conf->lab->seeds_mean && !str_equal(which, STR("worst")))
        conf_error(conf, which.len ? which : count,
                   "\"%.*s\" does not say which result counts.",
                   "Write the number of seeds and worst or mean, as in 3 "
                   "worst.");
}

static void read_work(Conf *conf, Str value) {
    conf->lab->work = value;
}

// Keeps sizes[] ascending.
static void insert_size(Conf *conf, Str word, LabSize size) {
    Lab *lab = conf->lab;
    size_t at = lab->size_count;
    while (at > 0 && shape_volume(lab->sizes[at - 1]) > shape_volume(size))
        at--;
    bool is_known = false;
    for (size_t i = 0; i < lab->size_count; i++)
        is_known |= memcmp(&lab->sizes[i], &size, sizeof size) == 0;
    if (is_known) {
        conf_error(conf, word, "Size %.*s is given twice.", "Remove one.");
        return;
    }
    memmove(lab->sizes + at + 1, lab->sizes + at,
            (lab->size_count - at) * sizeof lab->sizes[0]);
    lab->sizes[at] = size;
    lab->size_count++;
}

// Keeps the value for place_sizes: how many numbers a size has depends on the
// parameters, which may come later.
static void read_sizes(Conf *conf, Str value) {
    conf->sizes = value;
    conf->sizes_text = conf->text;
    conf->sizes_line = conf->line;
}

static bool read_size(Conf *conf, Str word, LabSize *size) {
    bool is_box = shape_of(conf->lab) == SHAPE_BOX;
    uint64_t number;
    if (!is_box) {
        bool right = conf_number(conf, word, 0, LAB_MAX_SIZE, &number);
        *size = (LabSize){{right ? (int32_t)number : 0, 1, 1}};
        return right;
    }
    if (check_parse_size(word, size))
        return true;
    conf_error(conf, word, "\"%.*s\" is not a size.",
               "Write width, height and depth as in 40x20x3: at most 2^27 "
               "elements.");
    return false;
}

static void place_sizes(Conf *conf) {
    Lab *lab = conf->lab;
    LabSize size;
    uint32_t last = conf->line;
    conf->line = conf->sizes_line;
    conf->text = conf->sizes_text;
    lab->sizes = arena_new(conf->arena, LabSize, LAB_MAX_SIZES + 1);
    for (Str rest = conf->sizes, word; (word = next_word(&rest)).len > 0;) {
        if (lab->size_count == LAB_MAX_SIZES) {
            too_many(conf, word, "Size", "sizes are run", LAB_MAX_SIZES);
            break;
        }
        if (read_size(conf, word, &size))
            insert_size(conf, word, size);
    }
    conf->line = last;
}

// ---- lines ---------------------------------------------------------------

typedef struct ConfKey {
    const char *name;
    void (*read)(Conf *conf, Str value); // value is not empty
    bool is_optional;
} ConfKey;

static const ConfKey KEYS[] = {
    {"title", read_title, false},
    {"kernel", read_kernel, false},
    {"file", read_file, false},
    {"threads", read_threads, false},
    {"cluster", read_cluster, false},
    {"technique", read_technique, false},
    {"plan", read_plan, false},
    {"sizes", read_sizes, false},
    {"params", read_params, true},
    {"work", read_work, true},
    {"balance", read_balance, true},
    {"yield", read_yield, true},
    {"in_flight", read_in_flight, true},
    {"seeds", read_seeds, true},
    {"own-asm", read_own_asm, true},
    {"forbid", read_forbid, true},
    {"strict-regions", read_strict_regions, true},
    {"advice", read_advice, true},
};

_Static_assert(COUNT_OF(KEYS) <= COUNT_OF(((Conf *)NULL)->seen),
               "Conf.seen has a place for each key");

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
               "plan, sizes, params, work, balance, yield, in_flight, own-asm, "
               "forbid, strict-regions and advice.");
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

// `rest` is the text after the word "check".
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

static bool find_part(Str word, DevicePart *part) {
    static const char *const names[] = {
#define PART_NAME(id, name) [PART_##id] = name,
        DEVICE_PARTS(PART_NAME)
#undef PART_NAME
    };
    for (size_t i = PART_HERE + 1; i < COUNT_OF(names); i++)
        if (str_equal(word, str_from(names[i]))) {
            *part = (DevicePart)i;
            return true;
        }
    return false;
}

// `rest` is the text after the word "region".
static void read_region(Conf *conf, Str word, Str rest) {
    uint64_t number;
    DevicePart part;
    Str digits = next_word(&rest);
    if (digits.len == 0 || str_trim(rest).len == 0) {
        conf_error(conf, word, "This %.*s lacks its number or its parts.",
                   "Write \"region 3 ask announce\".");
        return;
    }
    if (!conf_number(conf, digits, 1, LAB_MAX_REGION, &number))
        return;
    for (Str name; (name = next_word(&rest)).len > 0;) {
        if (find_part(name, &part))
            conf->lab->parts[part] |= 1u << number;
        else
            conf_error(conf, name, "A region has no part \"%.*s\".",
                       "The parts are declare, init, ask, announce, ahead, "
                       "wait, decode, index, release, leave and plan.");
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
    else if (str_equal(word, STR("region")) && str_find(rest, '=') == rest.len)
        read_region(conf, word, rest);
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
    for (size_t i = 0; i < COUNT_OF(KEYS); i++) {
        if (!conf->seen[i] && !KEYS[i].is_optional)
            whole_error(
                conf, "The key %s is missing.", KEYS[i].name,
                "Add it: only params, work, balance, yield, in_flight, "
                "own-asm, forbid, strict-regions and advice may be left "
                "out.");
        if (conf->seen[i] && KEYS[i].read == read_sizes &&
            conf->lab->size_count == 0)
            whole_error(conf, "There is no valid value in %s.", KEYS[i].name,
                        "Give at least one n.");
    }
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

// The parameters must describe exactly one shape.
static void demand_params(Conf *conf) {
    const Lab *lab = conf->lab;
    bool data = shape_has_param(lab, LAB_PARAM_DATA) !=
                shape_has_param(lab, LAB_PARAM_OUT);
    bool n = shape_has_param(lab, LAB_PARAM_N),
         rows = shape_has_param(lab, LAB_PARAM_ROWS);
    bool width = shape_has_param(lab, LAB_PARAM_WIDTH);
    bool box = shape_has_param(lab, LAB_PARAM_HEIGHT) &&
               shape_has_param(lab, LAB_PARAM_DEPTH) && width;
    bool any = width || shape_has_param(lab, LAB_PARAM_HEIGHT) ||
               shape_has_param(lab, LAB_PARAM_DEPTH);
    if (!data || n + rows + box != 1 || any != box ||
        rows != shape_has_param(lab, LAB_PARAM_STARTS))
        whole_error(conf, "The parameters in %s fit no shape.", "params",
                    "Name data or out, and either n, or width, height and "
                    "depth, or starts and rows.");
    if (lab->plan && !n)
        whole_error(conf, "%s = yes needs the parameter n.", "plan",
                    "A LaunchQuery has n alone.");
    if (box && lab->cluster > 1)
        whole_error(conf, "The key %s does not fit.", "cluster",
                    "A lab with width, height and depth has no clusters.");
}

// The parameters and the work of a lab whose lab.conf does not name them.
static void set_defaults(Conf *conf) {
    Lab *lab = conf->lab;
    if (lab->param_count == 0)
        read_params(conf, STR("data n"));
    if (lab->work.len == 0)
        lab->work = STR("data[i] *= alpha, the prologue's value");
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
    set_defaults(&conf);
    place_sizes(&conf);
    demand_keys(&conf);
    demand_params(&conf);
    demand_checks(&conf);
    if (diags->errors == errors)
        demand_points(&conf);
    return diags->errors == errors;
}
