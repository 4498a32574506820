// SPDX-License-Identifier: Apache-2.0
// The look-up in the table of the rules.
#include "result/rule.h"

enum { BEFORE = true, BESIDE = false, AGAIN = true, ONCE = false };

typedef struct Row {
    const char *code, *asks;
    bool tells_order, is_retried;
} Row;

static const Row rows[DEVICE_RULE_COUNT] = {
    [DEVICE_RULE_NONE] = {"", "", BESIDE, AGAIN},
#define ROW(id, related, retried, asks) \
    [RULE_##id] = {#id, asks, related, retried},
    DEVICE_RULES(ROW)
#undef ROW
};

RuleLine rule_line(DeviceRule rule) {
    return (RuleLine){str_from(rows[rule].code), str_from(rows[rule].asks)};
}

Str rule_code(DeviceRule rule) {
    return str_from(rows[rule].code);
}

DeviceRule rule_find(Str code) {
    DeviceRule rule = DEVICE_RULE_COUNT - 1;
    while (rule != DEVICE_RULE_NONE && !str_equal(code, rule_code(rule)))
        rule--;
    return rule;
}

bool rule_tells_order(DeviceRule rule) {
    return rows[rule].tells_order;
}

bool rule_is_retried(DeviceRule rule) {
    return rows[rule].is_retried;
}
