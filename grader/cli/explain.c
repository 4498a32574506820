// SPDX-License-Identifier: Apache-2.0
// clclab explain: a rule's page, or the list of the rules. The pages are
// compiled in (cli/rules.h); the list is in the order of DEVICE_RULES.
#include "cli/options.h"
#include "cli/rules.h"
#include "result/rule.h"

#include <string.h>

enum { LINES = DEVICE_RULE_COUNT }; // one for each rule, and OUTPUT's

// OUTPUT is no rule: only clclab run reports it, by comparing buffers.
static RuleLine line_of(size_t index) {
    return index + 1 < DEVICE_RULE_COUNT
               ? rule_line((DeviceRule)(index + 1))
               : (RuleLine){STR("OUTPUT"),
                            STR("the output does not depend on the schedule")};
}

enum { MOST_LETTERS_OF_CODE = 15 };

static const RulePage *find_page(const char *code) {
    for (size_t i = 0; i < rule_page_count; i++)
        if (strcmp(rule_pages[i].code, code) == 0)
            return &rule_pages[i];
    return NULL;
}

// ---- the list ------------------------------------------------------------

static int list_rules(Cli *cli) {
    RuleLine lines[LINES];
    for (size_t i = 0; i < LINES; i++)
        lines[i] = line_of(i);
    Report report = {.kind = REPORT_RULES, .rules = {lines, LINES}};
    return shared_report(cli, &report);
}

// ---- a code that does not exist ------------------------------------------

static size_t letters(const char *code) {
    size_t count = 0;
    while (code[count] >= 'A' && code[count] <= 'Z')
        count++;
    return count;
}

// The codes that begin with the same letters: "CLC001, CLC002, ...".
static Str codes_like(Arena *arena, const char *code) {
    size_t len = letters(code);
    Str list = STR("");
    for (size_t i = 0; len > 0 && i < LINES; i++) {
        const char *known = line_of(i).code.ptr;
        if (letters(known) == len && memcmp(known, code, len) == 0)
            list = str_format(arena, "%.*s%s%s", STR_ARG(list),
                              list.len ? ", " : "", known);
    }
    return list;
}

static int unknown_code(Cli *cli, const char *code) {
    const char *codes[LINES];
    for (size_t i = 0; i < LINES; i++)
        codes[i] = line_of(i).code.ptr;
    const char *given = cli->args.words[0];
    Str near = codes_like(&cli->arena, code);
    if (near.len)
        return output_error(cli, CLI_USAGE,
                            "explain: there is no code \"%s\"; there are %.*s",
                            given, STR_ARG(near));
    const char *meant = args_suggest(code, codes, COUNT_OF(codes));
    if (meant)
        return output_error(
            cli, CLI_USAGE,
            "explain: there is no code \"%s\"; did you mean %s?", given, meant);
    bool is_small = given[0] >= 'a' && given[0] <= 'z';
    return output_error(
        cli, CLI_USAGE,
        "explain: there is no code \"%s\"; clclab explain lists them%s", given,
        is_small ? " (in small letters a report names a check: the table in "
                   "the lab's README says what it asks)"
                 : "");
}

// ---- a page --------------------------------------------------------------

// The word in capitals, truncated to more letters than any code has.
static void capitals(const char *word, char out[MOST_LETTERS_OF_CODE + 1]) {
    size_t len = 0;
    for (; word[len] && len < MOST_LETTERS_OF_CODE; len++) {
        bool small = word[len] >= 'a' && word[len] <= 'z';
        out[len] = small ? (char)(word[len] - 'a' + 'A') : word[len];
    }
    out[len] = '\0';
}

static int explain(Cli *cli) {
    if (cli->args.word_count == 0)
        return list_rules(cli);
    char code[MOST_LETTERS_OF_CODE + 1];
    capitals(cli->args.words[0], code);
    const RulePage *page = find_page(code);
    if (!page)
        return unknown_code(cli, code);
    Report report = {.kind = REPORT_RULE,
                     .rule = {str_from(page->code), str_from(page->text)}};
    return shared_report(cli, &report);
}

static const Option OPTIONS[] = {OPTION_FORMAT("of the report (default: text)"),
                                 OPTION_OUT, OPTIONS_OF_ALL};

const CliCommand EXPLAIN_COMMAND = {
    .name = "explain",
    .summary = "Explain a rule, or list them",
    .example = "clclab explain CLC006",
    .words = "[CODE]",
    .most_words = 1,
    .more = "CODE is what stands in brackets behind a finding, such as "
            "CLC006. Without it the\ncodes are listed.\n",
    .options = OPTIONS,
    .option_count = COUNT_OF(OPTIONS),
    .report = REPORT_RULE,
    .run = explain,
};
