// SPDX-License-Identifier: Apache-2.0
// Result -> JSON, schema "clclab/result/v1". Read report_json, at the end.
#include "report/internal.h"

#include <stdio.h>

static void write_cause(Json *json, const Cause *cause) {
    json_open(json, '{');
    json_cause_members(json, cause);
    json_close(json, '}');
}

static void write_causes(Json *json, Str key, const Cause *causes,
                         size_t count) {
    json_open_member(json, key, '[');
    for (size_t i = 0; i < count; i++) {
        json_item(json);
        write_cause(json, &causes[i]);
    }
    json_close(json, ']');
}

// ---- the parts of a result -----------------------------------------------

static Str status_name(CheckStatus status) {
    switch (status) {
    case CHECK_PASS:
        return STR("pass");
    case CHECK_FAIL:
        return STR("fail");
    case CHECK_SKIP:
        return STR("skip");
    case CHECK_ERROR:
        return STR("error");
    }
    return STR("error");
}

static void write_check(Json *json, const CheckResult *check) {
    json_open(json, '{');
    json_text(json, STR("id"), check->id);
    json_text(json, STR("title"), check->title);
    json_decimal(json, STR("points"), check->points);
    json_decimal(json, STR("max_points"), check->max_points);
    json_text(json, STR("status"), status_name(check->status));
    json_text_or_null(json, STR("figure"), check->figure);
    if (check->cause_count > 0) {
        json_key(json, STR("cause"));
        write_cause(json, &check->causes[0]);
    } else {
        json_null(json, STR("cause"));
    }
    if (check->cause_count > 1)
        write_causes(json, STR("more_causes"), check->causes + 1,
                     check->cause_count - 1);
    json_close(json, '}');
}

static void write_checks(Json *json, const Result *result) {
    json_open_member(json, STR("checks"), '[');
    for (size_t i = 0; i < result->check_count; i++) {
        json_item(json);
        write_check(json, &result->checks[i]);
    }
    json_close(json, ']');
}

static void write_ledger(Json *json, const Result *result) {
    const LedgerSummary *ledger = &result->ledger;
    if (!result->has_ledger) {
        json_null(json, STR("ledger"));
        return;
    }
    json_open_member(json, STR("ledger"), '{');
    json_number(json, STR("n"), (uint64_t)ledger->n);
    json_ledger_members(json, ledger);
    json_close(json, '}');
}

static Str verdict_name(Verdict verdict) {
    switch (verdict) {
    case VERDICT_PASS:
        return STR("pass");
    case VERDICT_FAIL:
        return STR("fail");
    case VERDICT_ERROR:
        return STR("error");
    }
    return STR("error");
}

// A check that gives no points, as that of a GPU, takes none away either when
// it could not be made.
static bool has_score(const Result *result) {
    for (size_t i = 0; i < result->check_count; i++)
        if (result->checks[i].status == CHECK_ERROR &&
            result->checks[i].max_points > 0)
            return false;
    return result->max_score > 0;
}

// Where the grader itself failed there is none: a zero would be recorded.
static void write_score(Json *json, const Result *result) {
    if (!has_score(result)) {
        json_null(json, STR("score"));
        json_null(json, STR("max_score"));
        return;
    }
    json_decimal(json, STR("score"), result->score);
    json_decimal(json, STR("max_score"), result->max_score);
}

static void write_guards(Json *json, Str key, const GuardsNote *guards) {
    char landlock[32], bubblewrap[32];
    Str names[3];
    size_t count = 0;
    snprintf(landlock, sizeof landlock, "landlock %d", guards->landlock);
    snprintf(bubblewrap, sizeof bubblewrap, "bubblewrap %.*s",
             STR_ARG(guards->bubblewrap));
    if (guards->landlock)
        names[count++] = str_from(landlock);
    if (guards->seccomp)
        names[count++] = STR("seccomp");
    if (guards->bubblewrap.len)
        names[count++] = str_from(bubblewrap);
    if (guards->has_run)
        json_texts(json, key, names, count);
    else
        json_null(json, key);
}

static void write_sandbox(Json *json, const SandboxNote *sandbox) {
    json_open_member(json, STR("sandbox"), '{');
    write_guards(json, STR("compiler"), &sandbox->compiler);
    write_guards(json, STR("judge"), &sandbox->judge);
    json_truth(json, STR("untrusted"), sandbox->untrusted);
    json_truth(json, STR("weak_allowed"), sandbox->allow_weak);
    json_close(json, '}');
}

static void write_provenance(Json *json, const Provenance *from) {
    json_open_member(json, STR("provenance"), '{');
    json_text_or_null(json, STR("submission_sha256"), from->submission);
    json_text_or_null(json, STR("lab_conf_sha256"), from->lab);
    json_text_or_null(json, STR("lab_h_sha256"), from->header);
    json_text_or_null(json, STR("reference_sha256"), from->reference);
    json_text_or_null(json, STR("grader_sha256"), from->grader);
    json_text_or_null(json, STR("course"), from->course);
    json_text(json, STR("seed_is"),
              from->is_seed_given ? STR("given") : STR("default"));
    json_truth(json, STR("whole"), from->is_whole);
    json_texts(json, STR("compile_flags"), from->flags, from->flag_count);
    write_sandbox(json, &from->sandbox);
    json_close(json, '}');
}

void report_json(const Result *result, Buf *out) {
    Json writer = {.out = out}, *json = &writer;
    json_open(json, '{');
    json_text(json, STR("schema"), STR("clclab/result/v1"));
    json_number(json, STR("lab"), result->lab);
    json_text(json, STR("title"), result->title);
    json_text(json, STR("file"), result->file);
    json_text(json, STR("device"), result->device);
    json_text_or_null(json, STR("gpu_model"), result->gpu_model);
    if (result->is_seed_hidden)
        json_null(json, STR("seed"));
    else
        json_number(json, STR("seed"), result->seed);
    json_number(json, STR("schedules"), result->schedules);
    json_pct_list(json, result->pct);
    json_obeyed(json, &result->obeyed);
    write_score(json, result);
    json_text(json, STR("verdict"), verdict_name(result->verdict));
    json_decimal(json, STR("elapsed_ms"), result->elapsed_ms);
    write_checks(json, result);
    write_ledger(json, result);
    json_environment(json, result->version, result->compiler);
    write_provenance(json, &result->provenance);
    write_causes(json, STR("advisories"), result->advisories,
                 result->advisory_count);
    json_text(json, STR("output"), result->output);
    json_messages(json, result->messages, result->message_count);
    json_close(json, '}');
    buf_byte(out, '\n');
}
