// SPDX-License-Identifier: Apache-2.0
// The lists of cases.h as tables, and facts by their keys.
#include "result/cases.h"

#include "result/finding.h"

FactKind fact_kind(FactKey key) {
    static const FactKind kinds[FACT_KEY_COUNT] = {
#define KIND(id, name, kind) [FACT_##id] = FACT_IS_##kind,
        FACT_KEYS(KIND)
#undef KIND
    };
    return kinds[key];
}

const char *fact_name(FactKey key) {
    static const char *const names[FACT_KEY_COUNT] = {
#define NAME(id, name, kind) [FACT_##id] = name,
        FACT_KEYS(NAME)
#undef NAME
    };
    return names[key];
}

FactKey fact_word_key(FactWord word) {
    static const FactKey keys[FACT_WORD_COUNT] = {
#define KEY(key, id) [WORD_##key##_##id] = FACT_##key,
        FACT_WORDS(KEY)
#undef KEY
    };
    return keys[word];
}

const Fact *fact_find(Facts facts, FactKey key) {
    for (size_t i = 0; i < facts.count; i++)
        if (facts.items[i].key == key)
            return &facts.items[i];
    return NULL;
}

Facts facts_copy(Arena *arena, Facts facts) {
    Fact *items = arena_new(arena, Fact, facts.count + 1);
    for (size_t i = 0; i < facts.count; i++) {
        items[i] = facts.items[i];
        items[i].text = str_copy(arena, items[i].text);
    }
    return (Facts){items, facts.count};
}

uint64_t fact_thread(uint32_t block, uint32_t thread) {
    return (uint64_t)block << 32 | thread;
}

uint32_t fact_thread_block(uint64_t value) {
    return (uint32_t)(value >> 32);
}

uint32_t fact_thread_index(uint64_t value) {
    return (uint32_t)value;
}

// ---- cases ---------------------------------------------------------------

#define HAS(key) | UINT64_C(1) << FACT_##key
_Static_assert(FACT_KEY_COUNT <= 64, "a bit for each key");

const char *finding_case_name(FindingCase which) {
    static const char *const names[FINDING_CASE_COUNT] = {
#define CASE_NAME(rule, id, carries) [CASE_##rule##_##id] = #rule "_" #id,
        FINDING_CASES(CASE_NAME)
#undef CASE_NAME
    };
    return names[which];
}

uint64_t finding_case_carries(FindingCase which) {
    static const uint64_t masks[FINDING_CASE_COUNT] = {
#define CASE_CARRIES(rule, id, carries) [CASE_##rule##_##id] = 0 carries,
        FINDING_CASES(CASE_CARRIES)
#undef CASE_CARRIES
    };
    return masks[which];
}

uint64_t finding_place_carries(FindingPlace place) {
    static const uint64_t masks[FINDING_PLACE_COUNT] = {
#define PLACE_CARRIES(id, carries) [PLACE_##id] = 0 carries,
        FINDING_PLACES(PLACE_CARRIES)
#undef PLACE_CARRIES
    };
    return masks[place];
}

DeviceRule finding_rule(FindingCase which) {
    static const DeviceRule rules[FINDING_CASE_COUNT] = {
#define CASE_RULE(rule, id, carries) [CASE_##rule##_##id] = RULE_##rule,
        FINDING_CASES(CASE_RULE)
#undef CASE_RULE
    };
    return rules[which];
}

// ---- a finding -----------------------------------------------------------

static void keep_place(Arena *arena, SrcLoc *at) {
    at->file = str_copy(arena, at->file);
}

const Finding *finding_copy(Arena *arena, const Finding *finding) {
    Finding *copy = arena_new(arena, Finding, 1);
    *copy = *finding;
    copy->facts = facts_copy(arena, finding->facts);
    keep_place(arena, &copy->at);
    keep_place(arena, &copy->via);
    keep_place(arena, &copy->cure_at);
    for (uint32_t i = 0; i < copy->caller_count; i++)
        keep_place(arena, &copy->callers[i]);
    for (uint32_t i = 0; i < copy->related_count; i++) {
        RelatedPlace *place = &copy->related[i];
        place->facts = facts_copy(arena, place->facts);
        keep_place(arena, &place->at);
        keep_place(arena, &place->caller);
    }
    return copy;
}
