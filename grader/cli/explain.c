// SPDX-License-Identifier: Apache-2.0
// clclab explain: the page on a rule, or the list of the rules. The pages are
// compiled in (cli/rules.h); the order of the list is that of DEVICE_RULES.
#include "cli/internal.h"
#include "cli/rules.h"

#include <string.h>

typedef struct Rule {
    const char *code, *asks;
} Rule;

static const Rule RULES[] = {
#define RULE_ROW(id, code, asks) {code, asks},
    DEVICE_RULES(RULE_ROW)
#undef RULE_ROW
    // clclab run alone gives it, by comparing buffers (check/launch.c).
    {"OUTPUT", "the output does not depend on the schedule"},
};

enum { MOST_LETTERS_OF_CODE = 15 };

static const RulePage *find_page(const char *code) {
    for (size_t i = 0; i < rule_page_count; i++)
        if (strcmp(rule_pages[i].code, code) == 0)
            return &rule_pages[i];
    return NULL;
}

static int print(Cli *cli, Buf *text) {
    int code = shared_write_report(cli, buf_view(text));
    buf_free(text);
    return code;
}

// ---- the list ------------------------------------------------------------

static int list_rules(Cli *cli) {
    Buf text = {0};
    if (cli->args.format == FORMAT_JSON) {
        RuleLine *lines = arena_new(&cli->arena, RuleLine, COUNT_OF(RULES));
        for (size_t i = 0; i < COUNT_OF(RULES); i++)
            lines[i] =
                (RuleLine){str_from(RULES[i].code), str_from(RULES[i].asks)};
        report_rules_json(lines, COUNT_OF(RULES), &text);
        return print(cli, &text);
    }
    for (size_t i = 0; i < COUNT_OF(RULES); i++)
        buf_printf(&text, "%-12s %s\n", RULES[i].code, RULES[i].asks);
    buf_str(&text, STR("\nclclab explain CODE explains one.\n"));
    return print(cli, &text);
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
    for (size_t i = 0; len > 0 && i < COUNT_OF(RULES); i++)
        if (letters(RULES[i].code) == len &&
            memcmp(RULES[i].code, code, len) == 0)
            list = str_format(arena, "%.*s%s%s", STR_ARG(list),
                              list.len ? ", " : "", RULES[i].code);
    return list;
}

static int unknown_code(Cli *cli, const char *code) {
    const char *codes[COUNT_OF(RULES)];
    for (size_t i = 0; i < COUNT_OF(RULES); i++)
        codes[i] = RULES[i].code;
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

// In capitals; cut where no code is so long.
static void capitals(const char *word, char out[MOST_LETTERS_OF_CODE + 1]) {
    size_t len = 0;
    for (; word[len] && len < MOST_LETTERS_OF_CODE; len++) {
        bool small = word[len] >= 'a' && word[len] <= 'z';
        out[len] = small ? (char)(word[len] - 'a' + 'A') : word[len];
    }
    out[len] = '\0';
}

int command_explain(Cli *cli) {
    if (cli->args.word_count == 0)
        return list_rules(cli);
    char code[MOST_LETTERS_OF_CODE + 1];
    capitals(cli->args.words[0], code);
    const RulePage *page = find_page(code);
    if (!page)
        return unknown_code(cli, code);
    Buf text = {0};
    switch (cli->args.format) {
    case FORMAT_TEXT:
        report_explain(str_from(page->text), shared_style(cli), &text);
        break;
    case FORMAT_JSON:
        report_explain_json(str_from(page->code), str_from(page->text), &text);
        break;
    }
    return print(cli, &text);
}
