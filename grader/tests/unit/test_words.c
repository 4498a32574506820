// SPDX-License-Identifier: Apache-2.0
// The catalogue of words/, as a whole: each case, in each dialect, with each
// word that a fact can be; and that another edition is other tables alone.
#include "tests/unit/sample.h"
#include "tests/unit/test.h"
#include "words/catalogue.h"

#include <string.h>

enum { TURNS = 8 }; // no key has more words

static Words english(Dialect dialect) {
    return (Words){&words_english, dialect};
}

static bool is_placeholder(Str text, size_t at) {
    return text.ptr[at] == '{' &&
           !str_starts(str_slice(text, at, text.len), STR("{}"));
}

// No placeholder is left, and no blank where two parts meet.
static bool is_clean(Str text) {
    for (size_t i = 0; i < text.len; i++)
        if (is_placeholder(text, i) ||
            str_starts(str_slice(text, i, text.len), STR("  ")))
            return false;
    return str_equal(str_trim(text), text);
}

// A capital, or a name: compute_scalar.
static bool begins_well(Str text) {
    Str word = str_cut(&text, ' ');
    return !(word.ptr[0] >= 'a' && word.ptr[0] <= 'z') ||
           str_find(word, '_') < word.len;
}

static bool is_sentence(Str text) {
    return text.len > 10 && is_clean(text) && begins_well(text) &&
           (text.ptr[text.len - 1] == '.' || text.ptr[text.len - 1] == '?') &&
           text.ptr[text.len - 2] != '.' && text.ptr[text.len - 2] != '?';
}

static Cause told(Words words, Arena *arena, const Finding *finding) {
    Cause cause = {.finding = finding, .related_count = finding->related_count};
    words_tell(&words, arena, &cause);
    return cause;
}

// What happened is said by a message that stands in the cause.
static bool is_message(FindingCase which) {
    return which == CASE_ANY_CHECK_MESSAGE;
}

static bool is_told(Words words, Arena *arena, FindingCase which, size_t turn) {
    Finding finding = sample_finding(arena, which, turn);
    Cause cause = told(words, arena, &finding);
    return words_are_whole(&words, &finding) &&
           (is_message(which) ? cause.what.len == 0
                              : is_sentence(cause.what)) &&
           is_sentence(cause.help) && is_clean(cause.expected) &&
           is_clean(cause.actual) &&
           (cause.missing.len == 0 || is_sentence(cause.missing));
}

TEST(each_case_has_words_in_each_dialect) {
    Arena arena = {0};
    for (FindingCase which = 1; which < FINDING_CASE_COUNT; which++)
        for (Dialect dialect = 0; dialect < DIALECT_COUNT; dialect++)
            for (size_t turn = 0; turn < TURNS; turn++)
                if (!CHECK(is_told(english(dialect), &arena, which, turn)))
                    printf("# %s, dialect %d, word %zu\n",
                           finding_case_name(which), (int)dialect, turn);
    arena_free(&arena);
}

TEST(each_case_has_one_entry) {
    size_t count = 0;
    for (size_t i = 0; i < WORDS_FAMILIES; i++)
        count += words_english.cases[i].count;
    CHECK_INT(count, FINDING_CASE_COUNT - 1);
    for (FindingCase which = 1; which < FINDING_CASE_COUNT; which++)
        if (!CHECK(words_case(&words_english, which) != NULL))
            printf("# %s\n", finding_case_name(which));
}

// A reason is told in place of the case's own help.
TEST(each_reason_has_help_in_each_dialect) {
    Arena arena = {0};
    for (FindingReason reason = 1; reason < FINDING_REASON_COUNT; reason++)
        for (Dialect dialect = 0; dialect < DIALECT_COUNT; dialect++) {
            Words words = english(dialect);
            Finding finding = sample_finding(&arena, CASE_BAR003_INIT_AGAIN, 0);
            Str own = told(words, &arena, &finding).help;
            finding.reason = reason;
            Str help = told(words, &arena, &finding).help;
            CHECK(is_sentence(help));
            CHECK(!str_equal(help, own));
        }
    arena_free(&arena);
}

// A root names facts of the cases that it explains: of any other case nothing
// is said. Each is told of at least one.
TEST(each_root_is_a_sentence_of_a_case_that_has_its_facts) {
    Arena arena = {0};
    for (FindingReason reason = 1; reason < FINDING_REASON_COUNT; reason++)
        for (Dialect dialect = 0; dialect < DIALECT_COUNT; dialect++) {
            uint32_t tellers = 0;
            for (FindingCase which = 1; which < FINDING_CASE_COUNT; which++) {
                Finding finding = sample_finding(&arena, which, 0);
                finding.reason = reason;
                Cause cause = told(english(dialect), &arena, &finding);
                tellers += cause.headline.len > 0;
                CHECK(cause.headline.len == 0 ||
                      (is_sentence(cause.headline) &&
                       !str_equal(cause.headline, cause.what)));
            }
            if (!CHECK((tellers > 0) == (words_roots[reason] != NULL)))
                printf("# reason %d\n", (int)reason);
        }
    arena_free(&arena);
}

TEST(a_root_stands_for_what_happened_at_the_head) {
    Arena arena = {0};
    Finding finding = sample_finding(&arena, CASE_DEADLOCK_MBARRIER, 0);
    finding.reason = REASON_SOME_DO_NOT_ARRIVE;
    Cause cause = told(english(DIALECT_PTX), &arena, &finding);
    CHECK_HOLDS(cause.headline, " arrivals that phase 12 of mbarrier ");
    CHECK(str_equal(cause_headline(&cause), cause.headline));
    finding = sample_finding(&arena, CASE_TRAP_TRAP, 0);
    cause = told(english(DIALECT_PTX), &arena, &finding);
    CHECK_STR(cause.headline, "");
    CHECK(str_equal(cause_headline(&cause), cause.what));
    arena_free(&arena);
}

// Those without facts of their own may name the finding's: a race has all.
TEST(each_place_has_a_sentence) {
    Arena arena = {0};
    Words words = english(DIALECT_PTX);
    for (FindingPlace place = 0; place < FINDING_PLACE_COUNT; place++)
        for (size_t turn = 0; turn < TURNS; turn++) {
            const FactSet *carries = finding_place_carries(place);
            Finding finding =
                sample_finding(&arena, CASE_RACE001_IN_GRID, turn);
            finding.related[finding.related_count++] = (RelatedPlace){
                .place = place, .facts = sample_facts(&arena, carries, turn)};
            CHECK(words_are_whole(&words, &finding));
            CHECK(is_sentence(told(words, &arena, &finding).related[0].what));
        }
    arena_free(&arena);
}

TEST(a_fact_that_is_not_there_is_seen) {
    Arena arena = {0};
    Words words = english(DIALECT_PTX);
    Finding finding = sample_finding(&arena, CASE_BAR001_INIT_COUNT, 0);
    CHECK(words_are_whole(&words, &finding));
    finding.facts.count--;
    CHECK(!words_are_whole(&words, &finding));
    CHECK_STR(words_part(&words, &arena, &finding, WORDS_WHAT),
              "thread 0 of block 3 makes an mbarrier for {count} arrivals");
    arena_free(&arena);
}

// ---- dialects ------------------------------------------------------------

TEST(a_dialect_has_its_own_names) {
    Arena arena = {0};
    Finding finding = sample_finding(&arena, CASE_CLC006_NO_FENCE, 0);
    CHECK_STR(told(english(DIALECT_PTX), &arena, &finding).help,
              "Each reader runs fence.proxy.async::generic.release."
              "sync_restrict::shared::cta.cluster after its reads and before "
              "the barrier; behind the barrier, the thread that asks runs the "
              "acquiring half.");
    CHECK_STR(told(english(DIALECT_CPP), &arena, &finding).help,
              "Each reader runs ptx::fence_proxy_async_generic_sync_restrict("
              "ptx::sem_release, ptx::space_shared, ptx::scope_cluster) after "
              "its reads and before the barrier; behind the barrier, the "
              "thread that asks runs the acquiring half.");
    arena_free(&arena);
}

// No text of the catalogue names by hand what the dialects call differently.
static bool names_by_hand(Str text) {
    static const char *const names[] = {
#define NAME(id, name, ptx, cpp) ptx,
        WORDS_TERMS(NAME)
#undef NAME
    };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (test_holds(text, str_from(names[i])))
            return true;
    return test_holds(text, STR("ptx::"));
}

TEST(names_that_differ_are_terms) {
    for (FindingCase which = 1; which < FINDING_CASE_COUNT; which++) {
        const CaseWords *entry = words_case(&words_english, which);
        for (WordsPart part = 0; entry && part < WORDS_PART_COUNT; part++)
            if (entry->parts[part])
                CHECK(!names_by_hand(str_from(entry->parts[part])));
    }
    for (size_t i = 1; i < FINDING_REASON_COUNT; i++)
        CHECK(!names_by_hand(str_from(words_english.reasons[i].help)));
}

// ---- values --------------------------------------------------------------

TEST(threads_and_blocks_are_named_by_their_shape) {
    Arena arena = {0};
    Words words = english(DIALECT_PTX);
    const Fact facts[] = {FACT(THREAD, fact_thread(7, 5)), FACT(BLOCK, 6)};
    Finding finding = {.which = CASE_CLC011_NOT_MADE,
                       .facts = {facts, COUNT_OF(facts)},
                       .grid = {4, 1, 1},
                       .block = {32, 1, 1}};
    CHECK_STR(words_part(&words, &arena, &finding, WORDS_WHAT),
              "thread 5 of block 7 issues a multicast request before block 6 "
              "of its cluster has initialised its mbarrier");
    finding.grid[0] = finding.grid[1] = finding.block[0] = 2;
    finding.grid[2] = finding.block[1] = 3;
    CHECK_STR(words_part(&words, &arena, &finding, WORDS_WHAT),
              "thread (1,2,0) of block (1, 1, 1) issues a multicast request "
              "before block (0, 1, 1) of its cluster has initialised its "
              "mbarrier");
    arena_free(&arena);
}

TEST(one_and_many_have_words_of_their_own) {
    Arena arena = {0};
    Words words = english(DIALECT_PTX);
    Fact facts[] = {FACT(THREAD, 0), FACT(EXPECTED, 32), FACT(THREADS, 1),
                    FACT(LANES, 4)};
    Finding finding = {.which = CASE_SYNC002_PART_OF_A_WARP,
                       .facts = {facts, COUNT_OF(facts)}};
    CHECK_STR(words_part(&words, &arena, &finding, WORDS_ACTUAL),
              "1 thread (lane 0x00000004)");
    facts[2].number = 2;
    CHECK_STR(words_part(&words, &arena, &finding, WORDS_ACTUAL),
              "2 threads (lanes 0x00000004)");
    arena_free(&arena);
}

TEST(seconds_and_signs_are_written) {
    Arena arena = {0};
    Words words = english(DIALECT_PTX);
    Fact tx[] = {FACT(THREAD, 0), FACT(TX, -1048576)};
    Finding finding = {.which = CASE_BAR001_TX_RANGE, .facts = {tx, 2}};
    CHECK_HOLDS(words_part(&words, &arena, &finding, WORDS_WHAT),
                " to -1048576, out of");
    Fact late[] = {FACT(SECONDS, 300), FACT_SAYS(PROGRESS, UNKNOWN)};
    finding = (Finding){.which = CASE_TIMEOUT_DEADLINE, .facts = {late, 2}};
    CHECK_HOLDS(words_part(&words, &arena, &finding, WORDS_WHAT), " 0.3 s,");
    CHECK_INT(words_part(&words, &arena, &finding, WORDS_ACTUAL).len, 0);
    arena_free(&arena);
}

TEST(a_help_that_is_there_stays_and_where_it_was_seen_comes_first) {
    Arena arena = {0};
    Words words = english(DIALECT_PTX);
    Finding finding = sample_finding(&arena, CASE_TRAP_TRAP, 0);
    finding.occurrences = 3;
    Cause cause = {.finding = &finding,
                   .schedule = STR("schedule 5"),
                   .help = STR("Look elsewhere.")};
    words_tell(&words, &arena, &cause);
    words_tell(&words, &arena, &cause); // told once
    CHECK_STR(cause.what, "In schedule 5: Thread 0 of block 3 executes a trap "
                          "(3 times in this run).");
    CHECK_STR(cause.headline, "Thread 0 of block 3 executes a trap (3 times in "
                              "this run).");
    CHECK_STR(cause.help, "Look elsewhere.");
    cause.on_card = STR("rules");
    words_tell(&words, &arena, &cause);
    CHECK_HOLDS(cause.what, "On the GPU, rules: In schedule 5: Thread 0");
    cause = (Cause){.what = STR("it stopped"),
                    .schedule = STR("schedule 5"),
                    .on_card = STR("rules")};
    words_tell(&words, &arena, &cause);
    CHECK_STR(cause.what, "On the GPU, rules: In schedule 5: it stopped");
    arena_free(&arena);
}

// The compiler's message and its notes stay as they are, and get a help.
TEST(a_message_is_told_as_it_was_given) {
    Arena arena = {0};
    Words words = english(DIALECT_PTX);
    Finding message = {.which = CASE_ANY_CHECK_MESSAGE};
    Cause cause = {.finding = &message, .what = STR("expected a ';'")};
    cause.related[cause.related_count++].what = STR("to match this '('");
    words_tell(&words, &arena, &cause);
    CHECK_STR(cause.what, "expected a ';'");
    CHECK_STR(cause.help,
              "Correct this line first: later messages often follow from it.");
    CHECK_STR(cause.related[0].what, "to match this '('");
    arena_free(&arena);
}

TEST(a_sentence_that_begins_with_a_name_keeps_it) {
    Arena arena = {0};
    Fact name = FACT_STR(NAME, STR("launch_plan"));
    Finding finding = {.which = CASE_LAUNCH_PLAN_NEVER_ENDS,
                       .facts = {&name, 1}};
    CHECK_STR(told(english(DIALECT_PTX), &arena, &finding).what,
              "launch_plan did not come to an end.");
    finding.reason = REASON_SCALAR_CHANGED;
    CHECK_STR(told(english(DIALECT_PTX), &arena, &finding).help,
              "compute_scalar is lab.h's: neither define nor change it.");
    arena_free(&arena);
}

TEST(a_list_is_told_item_by_item) {
    Arena arena = {0};
    Finding finding = sample_finding(&arena, CASE_EXACTLY_ONCE_NEVER, 0);
    Fact facts[] = {FACT(BLOCK, 7), FACT(BLOCK, 9), FACT(COUNT, 4)};
    FactItem items[] = {{WORD_MISSED_FIRST, {&facts[0], 1}},
                        {WORD_MISSED_NEXT, {&facts[1], 1}},
                        {WORD_MISSED_MORE, {&facts[2], 1}}};
    Fact missed = FACT_ITEMS(MISSED, items, 3);
    finding.facts = (Facts){&missed, 1};
    Words words = english(DIALECT_PTX);
    CHECK_STR(words_part(&words, &arena, &finding, WORDS_ACTUAL),
              "never: 7, 9 and 4 more");
    items[2].facts = NO_FACTS;
    CHECK_STR(words_part(&words, &arena, &finding, WORDS_ACTUAL),
              "never: 7, 9 and {count} more");
    CHECK(!words_are_whole(&words, &finding));
    arena_free(&arena);
}

TEST(blocks_of_a_box_have_three_numbers) {
    Arena arena = {0};
    Words words = english(DIALECT_PTX);
    Finding finding = sample_finding(&arena, CASE_PROLOGUE_NEVER, 0);
    finding.grid[0] = 4;
    finding.grid[1] = finding.grid[2] = 1;
    CHECK_STR(words_part(&words, &arena, &finding, WORDS_WHAT),
              "block 3 never called compute_scalar()");
    finding.is_box = true;
    CHECK_STR(words_part(&words, &arena, &finding, WORDS_WHAT),
              "block (3, 0, 0) never called compute_scalar()");
    arena_free(&arena);
}

// ---- facts ---------------------------------------------------------------

TEST(a_fact_is_found_by_its_key) {
    Facts facts = FACTS(FACT(BYTES, 4), FACT_SAYS(ACCESS, WRITES));
    const Fact *access = fact_find(facts, FACT_ACCESS);
    if (CHECK(access != NULL))
        CHECK_INT(access->number, WORD_ACCESS_WRITES);
    CHECK(fact_find(facts, FACT_SIZE) == NULL);
    CHECK_INT(fact_word_key(WORD_ACCESS_WRITES), FACT_ACCESS);
    uint64_t thread = fact_thread(70000, 1023);
    CHECK_INT(fact_thread_block(thread), 70000);
    CHECK_INT(fact_thread_index(thread), 1023);
}

// The texts of a run are gone when its arena is.
TEST(facts_are_those_of_a_set) {
    const FactSet *set = finding_case_carries(CASE_PROLOGUE_NEVER);
    Fact other = {.key = FACT_ACCESS, .number = WORD_MEMORY_GLOBAL};
    CHECK(facts_are(FACTS(FACT(BLOCK, 3), FACT(TIMES, 0)), set));
    CHECK(!facts_are(FACTS(FACT(BLOCK, 3)), set));
    CHECK(
        !facts_are(FACTS(FACT(BLOCK, 3), FACT(TIMES, 0), FACT(RANK, 1)), set));
    FactSet access = {{[FACT_ACCESS] = true, [FACT_KEY_COUNT] = true}};
    CHECK(facts_are(FACTS(FACT_SAYS(ACCESS, READS)), &access));
    CHECK(!facts_are((Facts){&other, 1}, &access));
    FactItem item = {WORD_MISSED_FIRST, NO_FACTS};
    FactSet repeated = {{[FACT_REPEATED] = true, [FACT_KEY_COUNT] = true}};
    CHECK(!facts_are(FACTS(FACT_ITEMS(REPEATED, &item, 1)), &repeated));
    item.word = WORD_REPEATED_FIRST;
    CHECK(facts_are(FACTS(FACT_ITEMS(REPEATED, &item, 1)), &repeated));
}

TEST(a_copy_of_facts_has_a_list_of_its_own) {
    Arena arena = {0};
    Fact block = FACT(BLOCK, 7);
    FactItem item = {WORD_MISSED_FIRST, {&block, 1}};
    Facts copy = facts_copy(&arena, FACTS(FACT_ITEMS(MISSED, &item, 1)));
    item.word = WORD_MISSED_MORE;
    block.number = 8;
    CHECK_INT(copy.items[0].list[0].word, WORD_MISSED_FIRST);
    CHECK_INT(copy.items[0].list[0].facts.items[0].number, 7);
    arena_free(&arena);
}

TEST(a_copy_of_a_finding_keeps_its_texts) {
    Arena run = {0}, arena = {0};
    char *name = str_cstring(&run, STR("tile"));
    Finding finding = {
        .which = CASE_MEM001_OTHER_FUNCTION,
        .at = {{name, 4}, 7, 1},
        .facts = facts_copy(
            &run, FACTS(FACT(THREAD, 0), FACT_STR(NAME, ((Str){name, 4}))))};
    finding.related[finding.related_count++] = (RelatedPlace){
        .at = {{name, 4}, 3, 1},
        .place = PLACE_EARLIER_REQUEST,
        .facts = facts_copy(&run, FACTS(FACT(INDEX, 5), FACT(OWNER, 6)))};
    const Finding *copy = finding_copy(&arena, &finding);
    memset(name, '?', 4);
    arena_free(&run);
    CHECK_STR(copy->at.file, "tile");
    CHECK_STR(copy->related[0].at.file, "tile");
    CHECK_HOLDS(sample_text(&arena, copy, WORDS_WHAT), "calls tile through");
    Words words = english(DIALECT_PTX);
    CHECK_STR(words_place(&words, &arena, copy, &copy->related[0]),
              "the earlier request, of thread 5 of block 6, was issued here");
    arena_free(&arena);
}

// ---- another edition -----------------------------------------------------

// Each text is the name of what it is about, and its facts.
typedef struct Foreign {
    CaseWords entries[FINDING_CASE_COUNT - 1];
    const CaseWords *cases[FINDING_CASE_COUNT - 1];
    ReasonWords reasons[FINDING_REASON_COUNT];
    const char *roots[FINDING_REASON_COUNT];
    const char *places[FINDING_PLACE_COUNT];
    const char *words[FACT_WORD_COUNT];
    const char *asks[DEVICE_RULE_COUNT];
    Edition edition;
} Foreign;

static const char *foreign_text(Arena *arena, const char *name,
                                const FactSet *carries) {
    Str text = str_format(arena, "<%s", name);
    for (FactKey key = 0; key < FACT_KEY_COUNT; key++)
        if (carries->has[key])
            text = str_format(arena, "%.*s %s={%s}", STR_ARG(text),
                              fact_name(key), fact_name(key));
    return str_cstring(arena, str_format(arena, "%.*s>", STR_ARG(text)));
}

static void foreign_ordinal(uint64_t number, Buf *out) {
    buf_printf(out, "no. %llu", (unsigned long long)number);
}

static void foreign_open(Arena *arena, Foreign *f) {
    *f = (Foreign){.edition = {.thread = "T{name}/B{block}",
                               .who_block = "B{block}",
                               .who_rank = " R{rank}/{ctas}",
                               .who_warp = " W{warp}",
                               .who_lane = " L{lane}",
                               .who_at = " at B{owner}, {nth}",
                               .times = "{text} x{count}",
                               .rule = "<{text}>",
                               .in_schedule = "{schedule}/{text}",
                               .on_card = "GPU/{name}/{text}",
                               .ordinal = foreign_ordinal}};
    for (FindingCase which = 1; which < FINDING_CASE_COUNT; which++) {
        f->entries[which - 1] =
            (CaseWords){which,
                        {foreign_text(arena, finding_case_name(which),
                                      finding_case_carries(which))}};
        f->cases[which - 1] = &f->entries[which - 1];
    }
    for (size_t i = 0; i < FINDING_PLACE_COUNT; i++)
        f->places[i] = foreign_text(arena, "place",
                                    finding_place_carries((FindingPlace)i));
    for (size_t i = 0; i < FACT_WORD_COUNT; i++)
        f->words[i] =
            str_format(arena, "#%zu%c", i, '\0').ptr; // a C string as well
    for (size_t i = 0; i < DEVICE_RULE_COUNT; i++)
        f->asks[i] = "asks";
    f->edition.cases[0] = (CaseList){f->cases, COUNT_OF(f->cases)};
    f->edition.reasons = f->reasons;
    f->edition.roots = f->roots;
    f->edition.places = f->places;
    f->edition.words = f->words;
    f->edition.asks = f->asks;
}

TEST(another_edition_is_other_tables_alone) {
    Arena arena = {0};
    Foreign foreign;
    foreign_open(&arena, &foreign);
    Words words = {&foreign.edition, DIALECT_PTX};
    for (FindingCase which = 1; which < FINDING_CASE_COUNT; which++) {
        Finding finding = sample_finding(&arena, which, 0);
        Cause cause = told(words, &arena, &finding);
        Str start = str_format(&arena, "<%s", finding_case_name(which));
        CHECK(words_are_whole(&words, &finding));
        CHECK(str_starts(cause.what, start));
        CHECK_STR(cause.help, "<asks>.");
    }
    arena_free(&arena);
}

TEST(another_edition_has_its_own_facts_places_and_who) {
    Arena arena = {0};
    Foreign foreign;
    foreign_open(&arena, &foreign);
    Words words = {&foreign.edition, DIALECT_PTX};
    Finding finding = sample_finding(&arena, CASE_BAR001_INIT_COUNT, 0);
    finding.occurrences = 2;
    finding.who = (FindingWho){.known = true,
                               .cta = 3,
                               .ctas = 2,
                               .rank = 1,
                               .warps = 2,
                               .warp = 1,
                               .lane = 4,
                               .owned = 2,
                               .block = 9};
    finding.related[finding.related_count++] = (RelatedPlace){
        .place = PLACE_EARLIER_REQUEST,
        .facts = sample_facts(&arena,
                              finding_place_carries(PLACE_EARLIER_REQUEST), 0)};
    Cause cause = told(words, &arena, &finding);
    CHECK_STR(cause.what, "<BAR001_INIT_COUNT thread=T0/B3 count=12> x2.");
    CHECK_STR(cause.related[0].what, "<place index=12 owner=3>.");
    CHECK_STR(cause.who, "B3 R1/2 W1 L4 at B9, no. 2");
    cause = (Cause){.what = STR("so"), .schedule = STR("S5")};
    cause.on_card = STR("rules");
    words_tell(&words, &arena, &cause);
    CHECK_STR(cause.what, "GPU/rules/S5/so");
    arena_free(&arena);
}

TEST(ordinals_are_as_people_say_them) {
    static const struct {
        uint64_t number;
        const char *text;
    } rows[] = {
        {1, "1st"},     {2, "2nd"},     {3, "3rd"},     {4, "4th"},
        {10, "10th"},   {11, "11th"},   {12, "12th"},   {13, "13th"},
        {19, "19th"},   {21, "21st"},   {22, "22nd"},   {23, "23rd"},
        {100, "100th"}, {101, "101st"}, {111, "111th"}, {112, "112th"},
        {121, "121st"}, {213, "213th"}, {221, "221st"}, {1011, "1011th"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Buf out = {0};
        words_english.ordinal(rows[i].number, &out);
        CHECK_STR(buf_view(&out), rows[i].text);
        buf_free(&out);
    }
}

TEST_MAIN(
    TESTCASE(ordinals_are_as_people_say_them),

    TESTCASE(each_case_has_words_in_each_dialect),
    TESTCASE(each_case_has_one_entry),
    TESTCASE(each_reason_has_help_in_each_dialect),
    TESTCASE(each_root_is_a_sentence_of_a_case_that_has_its_facts),
    TESTCASE(a_root_stands_for_what_happened_at_the_head),
    TESTCASE(each_place_has_a_sentence),
    TESTCASE(a_fact_that_is_not_there_is_seen),
    TESTCASE(a_dialect_has_its_own_names),
    TESTCASE(names_that_differ_are_terms),
    TESTCASE(threads_and_blocks_are_named_by_their_shape),
    TESTCASE(one_and_many_have_words_of_their_own),
    TESTCASE(seconds_and_signs_are_written),
    TESTCASE(a_help_that_is_there_stays_and_where_it_was_seen_comes_first),
    TESTCASE(a_message_is_told_as_it_was_given),
    TESTCASE(a_sentence_that_begins_with_a_name_keeps_it),
    TESTCASE(a_list_is_told_item_by_item),
    TESTCASE(blocks_of_a_box_have_three_numbers),
    TESTCASE(a_fact_is_found_by_its_key), TESTCASE(facts_are_those_of_a_set),
    TESTCASE(a_copy_of_facts_has_a_list_of_its_own),
    TESTCASE(a_copy_of_a_finding_keeps_its_texts),
    TESTCASE(another_edition_is_other_tables_alone),
    TESTCASE(another_edition_has_its_own_facts_places_and_who))
