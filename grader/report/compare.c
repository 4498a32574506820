// SPDX-License-Identifier: Apache-2.0
// The comparison of techniques for programs (CSV and JSON), and how figures are
// written in all of its formats. Decimals are made from whole numbers, so that
// they do not depend on the locale.
#include "report/internal.h"

// ---- figures -------------------------------------------------------------

// A figure that is far too large, or not a number, is not shown either.
static bool is_shown(CompareFigure figure) {
    return figure.known && figure.value >= 0 && figure.value < 1e15;
}

void compare_number(Buf *out, CompareFigure figure, uint32_t decimals,
                    const char *unknown) {
    static const uint32_t scales[] = {1, 10, 100, 1000};
    if (!is_shown(figure)) {
        buf_str(out, str_from(unknown));
        return;
    }
    uint64_t scaled = (uint64_t)(figure.value * scales[decimals] + 0.5);
    buf_printf(out, "%llu", (unsigned long long)(scaled / scales[decimals]));
    if (decimals)
        buf_printf(out, ".%0*u", (int)decimals,
                   (uint32_t)(scaled % scales[decimals]));
}

void compare_cell(Buf *out, CompareFigure figure, int least) {
    Buf text = {0};
    uint32_t decimals = figure.value < 99.995   ? 2
                        : figure.value < 999.95 ? 1
                                                : 0;
    compare_number(&text, figure, decimals, "-");
    buf_printf(out, "%*.*s", least, STR_ARG(buf_view(&text)));
    buf_free(&text);
}

const char *compare_technique_name(CompareTechnique technique) {
    static const char *const names[COMPARE_TECHNIQUE_COUNT] = {
#define COMPARE_NAME(id, name, kernel, cluster) [COMPARE_##id] = name,
        COMPARE_TECHNIQUES(COMPARE_NAME)
#undef COMPARE_NAME
    };
    return names[technique];
}

const char *compare_kind_name(CompareKind kind) {
    switch (kind) {
    case COMPARE_MODELLED:
        return "modelled";
    case COMPARE_MEASURED:
        break;
    }
    return "measured";
}

Str compare_group_name(const CompareGroup *group) {
    if (group->uneven)
        return group->heavy ? STR("uneven work, heavy prologue")
                            : STR("uneven work, light prologue");
    return group->heavy ? STR("even work, heavy prologue")
                        : STR("even work, light prologue");
}

// The columns of CSV and JSON: X("name", field, decimals).
#define COLUMNS(X)                    \
    X("started", started, 0)          \
    X("prologues", prologues, 0)      \
    X("time_us", time, 3)             \
    X("time_q1_us", q1, 3)            \
    X("time_q3_us", q3, 3)            \
    X("imbalance", imbalance, 3)      \
    X("of_copy", of_copy, 3)          \
    X("first_free_us", first_free, 3) \
    X("all_free_us", all_free, 3)

// ---- CSV -----------------------------------------------------------------

static void write_line(const Comparison *c, const CompareGroup *group,
                       CompareTechnique technique, Buf *out) {
    const CompareSample *sample = &group->samples[technique];
    buf_printf(out, "%s,", compare_kind_name(c->info.kind));
    encode_csv(c->info.device, out);
    buf_printf(out, ",%d,%u,%u,%s,%s,%s", (int)c->sizes.n, c->sizes.threads,
               c->blocks, group->uneven ? "uneven" : "even",
               group->heavy ? "heavy" : "light",
               compare_technique_name(technique));
#define WRITE(name, field, decimals) \
    buf_byte(out, ',');              \
    compare_number(out, sample->field, decimals, "");
    COLUMNS(WRITE)
#undef WRITE
    buf_byte(out, '\n');
}

void report_compare_csv(const Comparison *c, Buf *out) {
    buf_str(out, STR("kind,device,n,threads,blocks,work,prologue,technique"));
#define WRITE(name, field, decimals) buf_str(out, STR("," name));
    COLUMNS(WRITE)
#undef WRITE
    buf_byte(out, '\n');
    for (size_t i = 0; i < COMPARE_GROUPS; i++)
        for (int t = 0; t < COMPARE_TECHNIQUE_COUNT; t++)
            write_line(c, &c->groups[i], (CompareTechnique)t, out);
}

// ---- JSON ----------------------------------------------------------------

static void write_figure(Json *json, Str key, CompareFigure figure) {
    if (is_shown(figure))
        json_decimal(json, key, figure.value);
    else
        json_null(json, key);
}

static void write_case(Json *json, const CompareGroup *group,
                       CompareTechnique technique) {
    const CompareSample *sample = &group->samples[technique];
    json_item(json);
    json_open(json, '{');
    json_text(json, STR("work"), group->uneven ? STR("uneven") : STR("even"));
    json_text(json, STR("prologue"),
              group->heavy ? STR("heavy") : STR("light"));
    json_text(json, STR("technique"),
              str_from(compare_technique_name(technique)));
#define WRITE(name, field, decimals) \
    write_figure(json, STR(name), sample->field);
    COLUMNS(WRITE)
#undef WRITE
    json_close(json, '}');
}

static void write_claims(Json *json, const Comparison *c) {
    static const char *const names[CLAIM_COUNT] = {
        [CLAIM_OVERHEADS] = "reduced overheads",
        [CLAIM_PREEMPTION] = "preemption",
        [CLAIM_BALANCE] = "load balancing",
    };
    json_open_member(json, STR("guide"), '[');
    for (size_t i = 0; i < CLAIM_COUNT; i++) {
        json_item(json);
        json_open(json, '{');
        json_text(json, STR("row"), str_from(names[i]));
        json_decimal(json, STR("most"), c->claims[i].most);
        for (int t = 0; t < COMPARE_TECHNIQUE_COUNT; t++)
            write_figure(json,
                         str_from(compare_technique_name((CompareTechnique)t)),
                         c->claims[i].figures[t]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void report_compare_json(const Comparison *c, Buf *out) {
    Json writer = {.out = out}, *json = &writer;
    json_open(json, '{');
    json_text(json, STR("schema"), STR("clclab/compare/v1"));
    json_text(json, STR("kind"), str_from(compare_kind_name(c->info.kind)));
    json_text(json, STR("device"), c->info.device);
    json_text(json, STR("how"), c->info.how);
    json_number(json, STR("sms"), c->info.sms);
    write_figure(json, STR("copy_gb_s"), c->info.copy);
    json_number(json, STR("n"), (uint64_t)c->sizes.n);
    json_number(json, STR("threads"), c->sizes.threads);
    json_number(json, STR("blocks"), c->blocks);
    json_number(json, STR("work_rounds"), (uint64_t)c->sizes.work);
    json_number(json, STR("light_rounds"), (uint64_t)c->sizes.light);
    json_number(json, STR("heavy_rounds"), (uint64_t)c->sizes.heavy);
    json_open_member(json, STR("cases"), '[');
    for (size_t i = 0; i < COMPARE_GROUPS; i++)
        for (int t = 0; t < COMPARE_TECHNIQUE_COUNT; t++)
            write_case(json, &c->groups[i], (CompareTechnique)t);
    json_close(json, ']');
    write_claims(json, c);
    json_close(json, '}');
    buf_byte(out, '\n');
}
