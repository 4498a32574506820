// SPDX-License-Identifier: Apache-2.0
// Findings for tests: any case, with a value for each fact that it carries, and
// what is said of one.
#ifndef CLCLAB_TESTS_SAMPLE_H
#define CLCLAB_TESTS_SAMPLE_H

#include "result/finding.h"
#include "words/words.h"

// Of the words of a key the `turn`-th, round and round.
static inline FactWord sample_word(FactKey key, size_t turn) {
    size_t count = 0;
    FactWord found = 0;
    for (FactWord word = 0; word < FACT_WORD_COUNT; word++)
        count += fact_word_key(word) == key;
    turn %= count ? count : 1;
    for (FactWord word = 0; word < FACT_WORD_COUNT; word++)
        if (fact_word_key(word) == key && turn-- == 0)
            found = word;
    return found;
}

static inline Fact sample_fact(FactKey key, size_t turn) {
    switch (fact_kind(key)) {
    case FACT_IS_WORD:
        return (Fact){key, sample_word(key, turn), {0}};
    case FACT_IS_THREAD:
        return (Fact){key, fact_thread(3, 0), {0}};
    case FACT_IS_BLOCK:
        return (Fact){key, 3, {0}};
    case FACT_IS_TEXT:
        return (Fact){key, 0, STR("sample")};
    case FACT_IS_NUMBER:
    case FACT_IS_SIGNED:
    case FACT_IS_HEX:
    case FACT_IS_MASK:
    case FACT_IS_SECONDS:
    case FACT_IS_ORDINAL:
        break;
    }
    return (Fact){key, 12 + turn, {0}};
}

static inline Facts sample_facts(Arena *arena, uint64_t carries, size_t turn) {
    Fact *items = arena_new(arena, Fact, FACT_KEY_COUNT);
    size_t count = 0;
    for (FactKey key = 0; key < FACT_KEY_COUNT; key++)
        if (carries >> key & 1)
            items[count++] = sample_fact(key, turn);
    return (Facts){items, count};
}

static inline Finding sample_finding(Arena *arena, FindingCase which,
                                     size_t turn) {
    return (Finding){
        .rule = finding_rule(which),
        .which = which,
        .facts = sample_facts(arena, finding_case_carries(which), turn)};
}

static inline FindingCase sample_case(DeviceRule rule) {
    FindingCase which = 1;
    while (which < FINDING_CASE_COUNT && finding_rule(which) != rule)
        which++;
    return which;
}

// A text of a finding as PTX has it.
static inline Str sample_text(Arena *arena, const Finding *finding,
                              WordsPart part) {
    Words words = {&words_english, DIALECT_PTX};
    return words_part(&words, arena, finding, part);
}

#endif
