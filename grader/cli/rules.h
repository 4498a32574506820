// SPDX-License-Identifier: Apache-2.0
// The rules' pages, compiled in. The table itself is generated from docs/rules/
// (grader/tools/gen-rules): changing a page changes no file here.
#ifndef CLCLAB_CLI_RULES_H
#define CLCLAB_CLI_RULES_H

#include "base/base.h"

typedef struct RulePage {
    const char *code; // "CLC006"
    const char *text; // Markdown for report_explain
} RulePage;

extern const RulePage rule_pages[]; // in order of their codes
extern const size_t rule_page_count;

#endif
