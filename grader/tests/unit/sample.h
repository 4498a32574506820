// SPDX-License-Identifier: Apache-2.0
// Findings for tests: any case, with a value for each fact that it carries, and
// the texts of a finding.
#ifndef CLCLAB_TESTS_SAMPLE_H
#define CLCLAB_TESTS_SAMPLE_H

#include "result/finding.h"
#include "words/words.h"

// One of the key's words: `turn` counts through them again and again.
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

// A list of its first word and the `turn`-th, each with what any item has.
static inline Fact sample_list(Arena *arena, FactKey key, size_t turn) {
    FactItem *items = arena_new(arena, FactItem, 2);
    Fact standing = {.key = FACT_STANDING,
                     .number = sample_word(FACT_STANDING, turn)};
    Facts facts =
        facts_copy(arena, FACTS(FACT(BLOCK, 3), FACT(OWNER, 4), FACT(STORED, 5),
                                FACT(COUNT, 2), FACT(TIMES, 2), FACT(SIZE, 16),
                                FACT(FIRST, 7), FACT(LAST, 8), FACT(WARP, 6),
                                FACT_STR(NAME, STR("u64")), standing));
    items[0] = (FactItem){sample_word(key, 0), facts};
    items[1] = (FactItem){sample_word(key, turn), facts};
    return (Fact){.key = key, .number = 2, .list = items};
}

static inline Fact sample_fact(Arena *arena, FactKey key, size_t turn) {
    switch (fact_kind(key)) {
    case FACT_IS_WORD:
        return (Fact){.key = key, .number = sample_word(key, turn)};
    case FACT_IS_THREAD:
        return (Fact){.key = key, .number = fact_thread(3, 0)};
    case FACT_IS_BLOCK:
        return (Fact){.key = key, .number = 3};
    case FACT_IS_TEXT:
        return (Fact){.key = key, .text = STR("Sample")};
    case FACT_IS_REAL:
        return (Fact){.key = key, .number = fact_real(1.5)};
    case FACT_IS_LIST:
        return sample_list(arena, key, turn);
    case FACT_IS_NUMBER:
    case FACT_IS_SIGNED:
    case FACT_IS_HEX:
    case FACT_IS_MASK:
    case FACT_IS_SECONDS:
    case FACT_IS_ORDINAL:
        break;
    }
    return (Fact){.key = key, .number = 12 + turn};
}

static inline Facts sample_facts(Arena *arena, const FactSet *carries,
                                 size_t turn) {
    Fact *items = arena_new(arena, Fact, FACT_KEY_COUNT);
    size_t count = 0;
    for (FactKey key = 0; key < FACT_KEY_COUNT; key++)
        if (carries->has[key])
            items[count++] = sample_fact(arena, key, turn);
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

// A text of a finding in the PTX dialect.
static inline Str sample_text(Arena *arena, const Finding *finding,
                              WordsPart part) {
    Words words = {&words_english, DIALECT_PTX};
    return words_part(&words, arena, finding, part);
}

#endif
