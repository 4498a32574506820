// SPDX-License-Identifier: Apache-2.0
// The lists of cases.h as tables, and the look-up of facts by key.
#include "result/cases.h"

#include "result/finding.h"

#include <string.h>

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

static const FactItem *copy_list(Arena *arena, const Fact *fact) {
    FactItem *items = arena_new(arena, FactItem, (size_t)fact->number + 1);
    for (size_t i = 0; i < fact->number; i++)
        items[i] = (FactItem){fact->list[i].word,
                              facts_copy(arena, fact->list[i].facts)};
    return items;
}

Facts facts_copy(Arena *arena, Facts facts) {
    Fact *items = arena_new(arena, Fact, facts.count + 1);
    for (size_t i = 0; i < facts.count; i++) {
        items[i] = facts.items[i];
        items[i].text = str_copy(arena, items[i].text);
        if (items[i].list)
            items[i].list = copy_list(arena, &items[i]);
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

uint64_t fact_real(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

double fact_real_value(uint64_t value) {
    double real;
    memcpy(&real, &value, sizeof real);
    return real;
}

static bool is_of_its_key(const Fact *fact) {
    if (fact_kind(fact->key) == FACT_IS_WORD)
        return fact_word_key((FactWord)fact->number) == fact->key;
    for (size_t i = 0; fact->list && i < fact->number; i++)
        if (fact_word_key(fact->list[i].word) != fact->key)
            return false;
    return true;
}

bool facts_are(Facts facts, const FactSet *set) {
    FactSet given = {{[FACT_KEY_COUNT] = true}};
    for (size_t i = 0; i < facts.count; i++) {
        given.has[facts.items[i].key] = true;
        if (!is_of_its_key(&facts.items[i]))
            return false;
    }
    return memcmp(&given, set, sizeof given) == 0;
}

// ---- cases ---------------------------------------------------------------

#define HAS(key) [FACT_##key] = true,

const char *finding_case_name(FindingCase which) {
    static const char *const names[FINDING_CASE_COUNT] = {
#define CASE_NAME(rule, id, carries) [CASE_##rule##_##id] = #rule "_" #id,
        FINDING_CASES(CASE_NAME)
#undef CASE_NAME
    };
    return names[which];
}

const FactSet *finding_case_carries(FindingCase which) {
    static const FactSet sets[FINDING_CASE_COUNT] = {
#define CASE_CARRIES(rule, id, carries) \
    [CASE_##rule##_##id] = {{carries[FACT_KEY_COUNT] = true}},
        FINDING_CASES(CASE_CARRIES)
#undef CASE_CARRIES
    };
    return &sets[which];
}

const FactSet *finding_place_carries(FindingPlace place) {
    static const FactSet sets[FINDING_PLACE_COUNT] = {
#define PLACE_CARRIES(id, carries) \
    [PLACE_##id] = {{carries[FACT_KEY_COUNT] = true}},
        FINDING_PLACES(PLACE_CARRIES)
#undef PLACE_CARRIES
    };
    return &sets[place];
}

DeviceRule finding_rule(FindingCase which) {
    static const DeviceRule rules[FINDING_CASE_COUNT] = {
#define CASE_RULE(rule, id, carries) [CASE_##rule##_##id] = RULE_##rule,
        RULE_CASES(CASE_RULE)
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
    copy->named = facts_copy(arena, finding->named);
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
