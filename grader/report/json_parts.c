// SPDX-License-Identifier: Apache-2.0
// The parts that all JSON documents have: causes, the compiler's messages, the
// environment, the ledger. json.c and run_json.c assemble documents.
#include "report/internal.h"

static void write_related(Json *json, const Cause *cause) {
    json_open_member(json, STR("related"), '[');
    for (uint32_t i = 0; i < cause->related_count; i++) {
        json_item(json);
        json_open(json, '{');
        json_text_or_null(json, STR("file"), cause->related[i].at.file);
        json_number_or_null(json, STR("line"), cause->related[i].at.line);
        json_number_or_null(json, STR("called"),
                            report_called_line(&cause->related[i]));
        json_text(json, STR("what"), cause->related[i].what);
        json_close(json, '}');
    }
    json_close(json, ']');
}

// The calls that led to the line, the innermost first.
static void write_called(Json *json, const Cause *cause) {
    json_open_member(json, STR("called"), '[');
    for (uint32_t i = 0; i < cause->caller_count; i++) {
        json_item(json);
        json_open(json, '{');
        json_text_or_null(json, STR("file"), cause->callers[i].file);
        json_number_or_null(json, STR("line"), cause->callers[i].line);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void json_edit(Json *json, const AdviceEdit *edit) {
    json_open(json, '{');
    json_number(json, STR("number"), edit->number);
    json_text(json, STR("kind"), remedy_name(edit->kind));
    json_text_or_null(json, STR("file"), edit->at.file);
    json_number_or_null(json, STR("line"), edit->at.line);
    json_close(json, '}');
}

void json_obeyed(Json *json, const AdviceEdit *edit) {
    if (edit->number) {
        json_key(json, STR("obeyed"));
        json_edit(json, edit);
    } else {
        json_null(json, STR("obeyed"));
    }
}

// What was tried; null: nothing was.
static void write_advice(Json *json, const CauseAdvice *advice) {
    static const Str names[] = {[ADVICE_NONE] = {"none", 4},
                                [ADVICE_HELPS] = {"helps", 5},
                                [ADVICE_HEALS] = {"heals", 5}};
    if (advice->status == ADVICE_NOT_TRIED) {
        json_null(json, STR("advice"));
        return;
    }
    json_open_member(json, STR("advice"), '{');
    json_text(json, STR("status"), names[advice->status]);
    json_text_or_null(json, STR("what"), advice->what);
    if (advice->edit_count == 0)
        json_null(json, STR("edit"));
    for (uint32_t i = 0; i < advice->edit_count; i++) {
        json_key(json, i == 0 ? STR("edit") : STR("other"));
        json_edit(json, &advice->edits[i]);
    }
    json_number(json, STR("tried"), advice->tried);
    json_number(json, STR("schedules"), advice->schedules);
    json_close(json, '}');
}

void json_cause_members(Json *json, const Cause *cause) {
    json_text_or_null(json, STR("code"), cause->code);
    json_text(json, STR("headline"), cause_headline(cause));
    json_text(json, STR("what"), cause->what);
    json_text_or_null(json, STR("expected"), cause->expected);
    json_text_or_null(json, STR("actual"), cause->actual);
    json_text_or_null(json, STR("help"), cause->help);
    json_text_or_null(json, STR("file"), cause->at.file);
    json_number_or_null(json, STR("line"), cause->at.line);
    json_number_or_null(json, STR("column"), cause->at.col);
    write_called(json, cause);
    write_related(json, cause);
    json_text_or_null(json, STR("replay"), cause->replay);
    json_text_or_null(json, STR("context"), cause->context);
    json_text_or_null(json, STR("who"), cause->who);
    json_text_or_null(json, STR("missing"), cause->missing);
    json_text_or_null(json, STR("region"), cause->region);
    json_text_or_null(json, STR("mend"), cause->mend);
    json_text_or_null(json, STR("explain"), cause->explain);
    write_advice(json, &cause->advice);
}

static Str level_name(DiagLevel level) {
    switch (level) {
    case DIAG_ERROR:
        return STR("error");
    case DIAG_WARNING:
        return STR("warning");
    case DIAG_NOTE:
        return STR("note");
    }
    return STR("error");
}

void json_messages(Json *json, const Diag *messages, size_t count) {
    json_open_member(json, STR("messages"), '[');
    for (size_t i = 0; i < count; i++) {
        const Diag *message = &messages[i];
        json_item(json);
        json_open(json, '{');
        json_text(json, STR("level"), level_name(message->level));
        json_text(json, STR("what"), message->what);
        json_text_or_null(json, STR("file"), message->at.file);
        json_number_or_null(json, STR("line"), message->at.line);
        json_number_or_null(json, STR("column"), message->at.col);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void json_environment(Json *json, Str version, Str compiler) {
    json_open_member(json, STR("environment"), '{');
    json_text_or_null(json, STR("clclab"), version);
    json_text_or_null(json, STR("compiler"), compiler);
    json_close(json, '}');
}

void json_pct(Json *json, const PctBound *bound) {
    json_open(json, '{');
    json_number(json, STR("depth"), bound->depth);
    json_number(json, STR("runs"), bound->runs);
    json_number(json, STR("warps"), bound->warps);
    json_number(json, STR("steps"), bound->steps);
    json_number(json, STR("one_in"), bound->one_in);
    json_number(json, STR("all_one_in"), bound->all_one_in);
    json_close(json, '}');
}

void json_pct_list(Json *json, const PctBound bounds[PCT_DEPTHS]) {
    json_open_member(json, STR("pct"), '[');
    for (size_t i = 0; i < PCT_DEPTHS; i++) {
        if (bounds[i].runs == 0)
            continue;
        json_item(json);
        json_pct(json, &bounds[i]);
    }
    json_close(json, ']');
}

void json_ledger_members(Json *json, const LedgerSummary *ledger) {
    const LedgerTotals *totals = &ledger->totals;
    json_text(json, STR("schedule"), ledger->schedule);
    json_number(json, STR("grid"), totals->grid);
    json_number(json, STR("started"), totals->started);
    json_number(json, STR("canceled"), totals->granted);
    json_number(json, STR("refused"), totals->refused);
    json_number(json, STR("lost"), totals->lost);
    json_number(json, STR("chain_count"), totals->started);
    json_texts(json, STR("chains"), ledger->chains, ledger->chain_count);
}
