// SPDX-License-Identifier: Apache-2.0
// Turns facts into sentences: fills in the placeholders of the catalogue's
// texts.
#include "words/words.h"

#include <string.h>

// One text that is being filled in.
typedef struct Filling {
    const Words *words;
    const Finding *finding; // for the names of blocks and threads
    Facts own;              // these are searched before the finding's facts
    Buf *out;
    bool lacks; // there is a placeholder without a fact
} Filling;

static void fill(Filling *f, const char *text);

// ---- values --------------------------------------------------------------

static void write_index(Buf *out, const uint32_t *dims, uint32_t linear,
                        const char *separator) {
    buf_printf(out, "(%u%s%u%s%u)", linear % dims[0], separator,
               linear / dims[0] % dims[1], separator,
               linear / dims[0] / dims[1]);
}

static bool is_line(const uint32_t *dims) {
    return dims[1] < 2 && dims[2] < 2;
}

static void write_block(const Filling *f, uint32_t linear) {
    const Finding *finding = f->finding;
    if (is_line(finding->grid) && !finding->is_box)
        buf_printf(f->out, "%u", linear);
    else
        write_index(f->out, finding->grid, linear, ", ");
}

static void fill_with(Filling *f, const char *text, Facts facts) {
    Filling inner = *f;
    inner.own = facts;
    fill(&inner, text);
    f->lacks = inner.lacks;
}

static void write_list(Filling *f, const Fact *fact) {
    for (size_t i = 0; i < fact->number; i++)
        fill_with(f, f->words->edition->words[fact->list[i].word],
                  fact->list[i].facts);
}

static void write_thread(Filling *f, uint64_t value) {
    Buf name = {0};
    const uint32_t *dims = f->finding->block, index = fact_thread_index(value);
    if (is_line(dims))
        buf_printf(&name, "%u", index);
    else
        write_index(&name, dims, index, ",");
    fill_with(f, f->words->edition->thread,
              FACTS(FACT_STR(NAME, buf_view(&name)),
                    FACT(BLOCK, fact_thread_block(value))));
    buf_free(&name);
}

static void write_value(Filling *f, const Fact *fact) {
    unsigned long long number = fact->number;
    switch (fact_kind(fact->key)) {
    case FACT_IS_NUMBER:
        buf_printf(f->out, "%llu", number);
        break;
    case FACT_IS_SIGNED:
        buf_printf(f->out, "%lld", (long long)number);
        break;
    case FACT_IS_HEX:
        buf_printf(f->out, "0x%llx", number);
        break;
    case FACT_IS_MASK:
        buf_printf(f->out, "0x%08llx", number);
        break;
    case FACT_IS_SECONDS:
        buf_printf(f->out, "%g", (double)number / 1e3);
        break;
    case FACT_IS_REAL:
        buf_printf(f->out, "%.7g", fact_real_value(number));
        break;
    case FACT_IS_ORDINAL:
        f->words->edition->ordinal(number, f->out);
        break;
    case FACT_IS_THREAD:
        write_thread(f, number);
        break;
    case FACT_IS_BLOCK:
        write_block(f, (uint32_t)number);
        break;
    case FACT_IS_TEXT:
        buf_str(f->out, fact->text);
        break;
    case FACT_IS_WORD:
        fill(f, f->words->edition->words[number]);
        break;
    case FACT_IS_LIST:
        write_list(f, fact);
        break;
    }
}

// ---- placeholders --------------------------------------------------------

static const char *term_of(Dialect dialect, Str name) {
    static const struct {
        const char *name, *in[DIALECT_COUNT];
    } terms[] = {
#define TERM(id, name, ptx, cpp) \
    {name, {[DIALECT_PTX] = ptx, [DIALECT_CPP] = cpp}},
        WORDS_TERMS(TERM)
#undef TERM
    };
    for (size_t i = 0; i < COUNT_OF(terms); i++)
        if (str_equal(name, str_from(terms[i].name)))
            return terms[i].in[dialect];
    return NULL;
}

static const Fact *fact_named(const Filling *f, Str name) {
    for (FactKey key = 0; key < FACT_KEY_COUNT; key++) {
        if (!str_equal(name, str_from(fact_name(key))))
            continue;
        const Fact *own = fact_find(f->own, key);
        const Fact *named = fact_find(f->finding->named, key);
        return own ? own : named ? named : fact_find(f->finding->facts, key);
    }
    return NULL;
}

// "threads|thread|threads", or one name.
static void fill_placeholder(Filling *f, Str inside) {
    Str rest = inside, name = str_cut(&rest, '|');
    const char *term = term_of(f->words->dialect, name);
    const Fact *fact = term ? NULL : fact_named(f, name);
    if (term) {
        buf_str(f->out, str_from(term));
    } else if (inside.len == 0) {
        buf_str(f->out, STR("{}")); // literal braces in a piece of C++
    } else if (!fact) {
        f->lacks = true;
        buf_printf(f->out, "{%.*s}", STR_ARG(inside));
    } else if (rest.len == 0) {
        write_value(f, fact);
    } else {
        Str one = str_cut(&rest, '|');
        buf_str(f->out, fact->number == 1 ? one : rest);
    }
}

static void fill(Filling *f, const char *text) {
    Str rest = str_from(text);
    while (rest.len > 0) {
        buf_str(f->out, str_cut(&rest, '{'));
        if (rest.len > 0)
            fill_placeholder(f, str_cut(&rest, '}'));
    }
}

static Str filled(Filling *f, Arena *arena, const char *text) {
    Buf out = {0};
    f->out = &out;
    if (text)
        fill(f, text);
    Str copy = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return copy;
}

// ---- parts ---------------------------------------------------------------

const CaseWords *words_case(const Edition *edition, FindingCase which) {
    for (size_t i = 0; i < WORDS_FAMILIES; i++)
        for (size_t k = 0; k < edition->cases[i].count; k++)
            if (edition->cases[i].items[k]->which == which)
                return edition->cases[i].items[k];
    return NULL;
}

static FindingReason reason_of(const Finding *finding) {
    return finding->gave_up ? REASON_GAVE_UP : finding->reason;
}

static const char *text_of(const Edition *edition, const Finding *finding,
                           WordsPart part) {
    const CaseWords *entry =
        words_case(edition, finding->told ? finding->told : finding->which);
    const ReasonWords *reason = &edition->reasons[reason_of(finding)];
    if (part == WORDS_MISSING && reason->missing)
        return reason->missing;
    if (part == WORDS_HELP && reason->help)
        return reason->help;
    return entry ? entry->parts[part] : NULL;
}

Str words_part(const Words *words, Arena *arena, const Finding *finding,
               WordsPart part) {
    Filling f = {.words = words, .finding = finding};
    Str text = filled(&f, arena, text_of(words->edition, finding, part));
    f.own = FACTS(FACT_STR(TEXT, text));
    if (part == WORDS_WHAT && finding->gave_up)
        text = filled(&f, arena, words->edition->gave_up);
    return text;
}

Str words_root(const Words *words, Arena *arena, const Finding *finding) {
    Filling f = {.words = words, .finding = finding};
    Str root = filled(&f, arena, words->edition->roots[reason_of(finding)]);
    return f.lacks ? (Str){0} : root;
}

Str words_place(const Words *words, Arena *arena, const Finding *finding,
                const RelatedPlace *place) {
    Filling f = {.words = words, .finding = finding, .own = place->facts};
    return filled(&f, arena, words->edition->places[place->place]);
}

bool words_are_whole(const Words *words, const Finding *finding) {
    Arena arena = {0};
    Filling f = {.words = words, .finding = finding};
    for (WordsPart part = 0; part < WORDS_PART_COUNT; part++)
        filled(&f, &arena, text_of(words->edition, finding, part));
    for (uint32_t i = 0; i < finding->related_count; i++) {
        f.own = finding->related[i].facts;
        filled(&f, &arena, words->edition->places[finding->related[i].place]);
    }
    arena_free(&arena);
    return !f.lacks && words_case(words->edition, finding->which);
}

// ---- who -----------------------------------------------------------------

Str words_who(const Words *words, Arena *arena, const Finding *finding) {
    const FindingWho *who = &finding->who;
    const Edition *edition = words->edition;
    if (!who->known || (who->ctas < 2 && who->warps < 2 && who->owned < 2))
        return (Str){0};
    Buf out = {0};
    Filling f = {.words = words,
                 .finding = finding,
                 .own = FACTS(FACT(BLOCK, who->cta), FACT(RANK, who->rank),
                              FACT(CTAS, who->ctas), FACT(WARP, who->warp),
                              FACT(LANE, who->lane), FACT(OWNER, who->block),
                              FACT(NTH, who->owned)),
                 .out = &out};
    fill(&f, edition->who_block);
    if (who->ctas > 1)
        fill(&f, edition->who_rank);
    if (who->warps > 1)
        fill(&f, edition->who_warp);
    if (who->warps > 1 && who->lane != WHO_ANY_LANE)
        fill(&f, edition->who_lane);
    if (who->owned > 1)
        fill(&f, edition->who_at);
    Str text = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return text;
}

// ---- causes --------------------------------------------------------------

// Whether a text of the catalogue begins with a name, a fact or one like
// compute_scalar: it keeps its letters where a sentence begins with it.
static bool begins_with_name(const char *text) {
    Str rest = str_from(text), word = str_cut(&rest, ' ');
    return str_starts(word, STR("{name}")) ||
           (!str_starts(word, STR("{")) && str_find(word, '_') < word.len);
}

static Str full_stop(Arena *arena, Str clause) {
    char last = clause.ptr[clause.len - 1];
    return str_format(arena, "%.*s%s", STR_ARG(clause),
                      last == '.' || last == '?' ? "" : ".");
}

// A capital, and a full stop.
static Str sentence(Arena *arena, Str clause) {
    if (clause.len == 0)
        return clause;
    char first = clause.ptr[0];
    if (first >= 'a' && first <= 'z')
        first = (char)(first - 'a' + 'A');
    clause = str_format(arena, "%c%.*s", first,
                        STR_ARG(str_slice(clause, 1, clause.len)));
    return full_stop(arena, clause);
}

static Str told_what(const Words *words, Arena *arena, const Finding *finding) {
    Str what = words_part(words, arena, finding, WORDS_WHAT);
    Filling f = {
        .words = words,
        .finding = finding,
        .own = FACTS(FACT_STR(TEXT, what), FACT(COUNT, finding->occurrences))};
    const char *text = text_of(words->edition, finding, WORDS_WHAT);
    if (finding->occurrences > 1)
        what = filled(&f, arena, words->edition->times);
    bool is_name = text && !finding->gave_up && begins_with_name(text);
    return is_name ? full_stop(arena, what) : sentence(arena, what);
}

static Str told_help(const Words *words, Arena *arena, const Finding *finding) {
    Str help = words_part(words, arena, finding, WORDS_HELP);
    const char *text = text_of(words->edition, finding, WORDS_HELP);
    const char *asks = words->edition->asks[finding->rule];
    Filling f = {.words = words,
                 .finding = finding,
                 .own = FACTS(FACT_STR(TEXT, str_from(asks)))};
    if (help.len == 0)
        help = filled(&f, arena, words->edition->rule);
    return text && begins_with_name(text) ? full_stop(arena, help)
                                          : sentence(arena, help);
}

// A place beyond those of the finding has a text: a note of the compiler.
static void tell_places(const Words *words, Arena *arena,
                        const Finding *finding, Cause *cause) {
    for (uint32_t i = 0; i < finding->related_count; i++)
        cause->related[i].what = sentence(
            arena, words_place(words, arena, finding, &finding->related[i]));
}

static void tell_finding(const Words *words, Arena *arena,
                         const Finding *finding, Cause *cause) {
    Str what = told_what(words, arena, finding);
    cause->headline = sentence(arena, words_root(words, arena, finding));
    cause->what =
        str_format(arena, "%.*s%.*s", STR_ARG(cause->what), STR_ARG(what));
    cause->expected = words_part(words, arena, finding, WORDS_EXPECTED);
    cause->actual = words_part(words, arena, finding, WORDS_ACTUAL);
    cause->missing =
        sentence(arena, words_part(words, arena, finding, WORDS_MISSING));
    if (cause->help.len == 0)
        cause->help = told_help(words, arena, finding);
    cause->who = words_who(words, arena, finding);
    tell_places(words, arena, finding, cause);
    cause->finding = NULL;
}

static void tell_where(const Words *words, Arena *arena, Cause *cause) {
    Finding none = {0};
    Filling f = {.words = words, .finding = &none};
    if (cause->headline.len == 0 && cause->schedule.len > 0)
        cause->headline = cause->what;
    if (cause->schedule.len > 0) {
        f.own = FACTS(FACT_STR(SCHEDULE, cause->schedule),
                      FACT_STR(TEXT, cause->what));
        cause->what = filled(&f, arena, words->edition->in_schedule);
    }
    if (cause->on_card.len > 0) {
        f.own =
            FACTS(FACT_STR(NAME, cause->on_card), FACT_STR(TEXT, cause->what));
        cause->what = filled(&f, arena, words->edition->on_card);
        f.own = FACTS(FACT_STR(NAME, cause->on_card),
                      FACT_STR(TEXT, cause->headline));
        if (cause->headline.len)
            cause->headline = filled(&f, arena, words->edition->on_card);
    }
    cause->schedule = cause->on_card = (Str){0};
}

// ---- advice --------------------------------------------------------------

Str words_edit(const Words *words, Arena *arena, const AdviceEdit *edit) {
    Finding none = {0};
    Fact facts[8] = {FACT(LINE, edit->at.line)};
    size_t count = 1;
    for (size_t i = 0; i < edit->facts.count && count < COUNT_OF(facts); i++)
        facts[count++] = edit->facts.items[i];
    Filling f = {.words = words, .finding = &none, .own = {facts, count}};
    return filled(&f, arena, words->edition->remedies[edit->kind]);
}

static Str told_advice(const Words *words, Arena *arena,
                       const CauseAdvice *advice) {
    const Edition *edition = words->edition;
    Finding none = {0};
    Filling pass = {.words = words,
                    .finding = &none,
                    .own = FACTS(FACT(COUNT, advice->schedules))};
    Str passes = filled(&pass, arena,
                        advice->schedules == 1 ? edition->one_passes
                                               : edition->all_pass);
    Str first = words_edit(words, arena, &advice->edits[0]), second = {0};
    const char *text = edition->tried_one;
    if (advice->status == ADVICE_HELPS)
        text = edition->tried_helps;
    if (advice->edit_count > 1) {
        text = edition->tried_either;
        second = words_edit(words, arena, &advice->edits[1]);
    }
    Filling f = {.words = words,
                 .finding = &none,
                 .own = FACTS(FACT_STR(TEXT, first), FACT_STR(FORM, second),
                              FACT_STR(SCHEDULE, passes),
                              FACT_STR(NAME, advice->follows))};
    return filled(&f, arena, text);
}

// What was tried takes the place of the help, and so does that nothing was
// found.
static void tell_advice(const Words *words, Arena *arena, Cause *cause) {
    CauseAdvice *advice = &cause->advice;
    if (cause->is_mended_too)
        cause->help = str_from(words->edition->mended_too);
    if (advice->status == ADVICE_NOT_TRIED)
        return;
    if (advice->edit_count && advice->what.len == 0)
        advice->what = told_advice(words, arena, advice);
    if (advice->edit_count || advice->status == ADVICE_TRYING)
        cause->help = advice->what;
}

void words_tell(const Words *words, Arena *arena, Cause *cause) {
    if (cause->finding)
        tell_finding(words, arena, cause->finding, cause);
    tell_advice(words, arena, cause);
    tell_where(words, arena, cause);
}
