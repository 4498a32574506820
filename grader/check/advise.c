// SPDX-License-Identifier: Apache-2.0
// Advice that has been tried: read upwards from advise. The kernel is edited in
// ways that may mend a failure (remedies/), and each edited kernel is run:
// first as the run that showed the failure, by all workers at the same time; of
// those that get past it there, the likeliest are judged as the submission was.
// What is told was seen to heal or to help.
//
// What is tried is bounded by counts, never by time, so the advice depends only
// on what the submission's does. An edited kernel is launched as any other: it
// cannot see that it is tried.
#include "check/advise.h"

enum {
    MOST_TRIED = 96, // edits that are run once
    MOST_GRADED = 5, // of these, judged whole
    MOST_DEEPER = 2, // of these, with one more edit
};

typedef struct Trying {
    Advise *asked;
    Remedy list[MOST_TRIED + 1];
    size_t count;
} Trying;

bool advise_is_same(const Cause *a, const Cause *b) {
    return str_equal(a->code, b->code) && a->at.line == b->at.line;
}

void advise_unload(const Advise *asked, Device *device) {
    Diags unused = diags_new(asked->arena);
    device->ops->load(device, asked->submission->module, &unused);
}

// ---- one run -------------------------------------------------------------

static void *be_worker(void *context, size_t number) {
    const Trying *trying = context;
    return trying->asked->worker(trying->asked->context, number);
}

static void *run_task(void *context, void *worker, Arena *arena, size_t index) {
    const Trying *trying = context;
    Arena scratch = {0};
    bool *is_past = arena_new(arena, bool, 1);
    *is_past = trying->asked->is_past(trying->asked, worker, &scratch,
                                      &trying->list[index]);
    arena_free(&scratch);
    return is_past;
}

// Whether the run shows the failure by itself. What is judged of several runs
// together would be past it in one, whatever the edit.
static bool shows_failure(Trying *trying) {
    Arena scratch = {0};
    const Advise *asked = trying->asked;
    bool is_past = asked->is_past(asked, be_worker(trying, 0), &scratch, NULL);
    arena_free(&scratch);
    return !is_past;
}

// Keeps the edits with which the run gets past the failure.
static void keep_passing(Trying *trying) {
    size_t kept = 0;
    Arena arena = {0};
    ShareWork work = {trying, be_worker, run_task};
    const Advise *asked = trying->asked;
    Share *share = share_in_threads(
        &(ShareThreads){.crew = asked->crew, .memory = asked->memory}, &work,
        trying->count);
    void *alone = share ? NULL : be_worker(trying, 0);
    for (size_t i = 0; i < trying->count; i++) {
        const bool *is_past =
            share ? share_found(share, i) : run_task(trying, alone, &arena, i);
        if (is_past && *is_past)
            trying->list[kept++] = trying->list[i];
    }
    if (share)
        share_end(share);
    trying->count = kept;
    arena_free(&arena);
}

// ---- the likeliest -------------------------------------------------------

// `follows`: what failed instead; empty: nothing, it heals.
static void tell(const Advise *asked, const Remedy *remedy, Str follows) {
    CauseAdvice *advice = &asked->cause->advice;
    asked->advised[advice->edit_count] =
        remedy_apply(asked->arena, &asked->site, remedy);
    AdviceEdit *edit = &advice->edits[advice->edit_count++];
    advice->status = follows.len ? ADVICE_HELPS : ADVICE_HEALS;
    advice->follows = follows;
    *edit = remedy->told;
    edit->number = advice->edit_count;
    edit->at = place_as_given(asked->submission, edit->at);
}

static AdviseSeen judge(const Advise *asked, const Remedy *remedy) {
    Arena scratch = {0};
    AdviseSeen seen = asked->judge(asked, &scratch, remedy, false);
    seen.follows = str_copy(asked->arena, seen.follows);
    seen.behind = NULL;
    arena_free(&scratch);
    return seen;
}

// Judges the likeliest, and tells the two first that heal. Returns how many it
// puts into `others`, with which another failure follows.
static size_t tell_healing(const Trying *trying,
                           const Remedy *others[MOST_DEEPER]) {
    const Advise *asked = trying->asked;
    CauseAdvice *advice = &asked->cause->advice;
    size_t count = 0, found = 0;
    for (size_t i = 0; i < trying->count && count < MOST_GRADED; i++) {
        const Remedy *remedy = &trying->list[i];
        if (advice->edit_count && advice->edits[0].kind == remedy->told.kind)
            continue;
        AdviseSeen seen = judge(asked, remedy);
        count++;
        if (seen.heals)
            tell(asked, remedy, (Str){0});
        else if (seen.follows.len && found < MOST_DEEPER)
            others[found++] = remedy;
        if (advice->edit_count == ADVICE_MOST_EDITS ||
            (advice->edit_count && asked->is_one_enough))
            break;
        if (advice->edit_count && count < MOST_GRADED - 1)
            count = MOST_GRADED - 1; // one more may heal as well
    }
    return found;
}

// What mends the failure behind this one may mend both, though nothing about
// this one led to it: then that is told.
static bool tell_behind(const Advise *asked, const Cause *behind) {
    const AdviceEdit *edit = &behind->advice.edits[0];
    Advise other = *asked;
    Remedy list[MOST_TRIED + 1];
    if (!behind->finding)
        return false;
    other.site.finding = behind->finding;
    size_t count = remedies_choose(asked->arena, &other.site, list, MOST_TRIED);
    for (size_t i = 0; i < count; i++) {
        if (list[i].told.kind != edit->kind ||
            list[i].told.at.line != edit->at.line)
            continue;
        bool heals = judge(&other, &list[i]).heals;
        if (heals)
            tell(&other, &list[i], (Str){0});
        return heals;
    }
    return false;
}

// Whether the failure behind, or what heals it, is where the edit was made:
// then it comes of the edit, which the next one only puts right.
static bool comes_of(const Remedy *remedy, const Cause *behind) {
    uint32_t line = remedy->told.at.line;
    return behind->at.line == line || behind->advice.edits[0].at.line == line;
}

// If none heals: the first with which one more edit does. Of a failure that was
// there before it is not enough that it follows: both may come of a mistake
// that the edit only moved.
static void tell_helping(const Advise *asked, const Remedy *const *others,
                         size_t count) {
    const CauseAdvice *advice = &asked->cause->advice;
    bool is_told = false;
    for (size_t i = 0; i < count && !is_told; i++) {
        Arena scratch = {0};
        AdviseSeen seen = asked->judge(asked, &scratch, others[i], true);
        bool helps = seen.helps && !comes_of(others[i], seen.behind);
        is_told = (seen.helps && tell_behind(asked, seen.behind)) || helps;
        if (helps && advice->edit_count == 0)
            tell(asked, others[i], str_copy(asked->arena, seen.follows));
        arena_free(&scratch);
    }
}

void advise(Advise *asked) {
    size_t most = asked->most < MOST_TRIED ? asked->most : MOST_TRIED;
    CauseAdvice *advice = &asked->cause->advice;
    Trying *trying = arena_new(asked->arena, Trying, 1);
    trying->asked = asked;
    trying->count =
        remedies_choose(asked->arena, &asked->site, trying->list, most);
    if (trying->count == 0)
        return;
    advice->status = ADVICE_TRYING;
    advice->tried = (uint32_t)trying->count;
    advice->schedules = asked->schedules;
    asked->begin(asked->context);
    advice->status = ADVICE_NONE;
    if (!shows_failure(trying)) {
        advice->tried = 0;
        return;
    }
    keep_passing(trying);
    const Remedy *others[MOST_DEEPER];
    size_t count = tell_healing(trying, others);
    if (advice->edit_count == 0)
        tell_helping(asked, others, count);
}
