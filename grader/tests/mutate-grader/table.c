// SPDX-License-Identifier: Apache-2.0
// What is printed of the results: see table.h.
#include "tests/mutate-grader/table.h"

#include <string.h>

typedef struct Totals {
    size_t mutants, unit, slow, equivalent, survivors;
    size_t open; // not tried, or not to the end
    size_t past; // of these: no unit test failed
} Totals;

typedef struct Tables {
    Buf *out;
    const Plan *plan;
    const Results *results;
    const KnownList *list;
} Tables;

static void count_one(const Tables *t, const Site *site, Totals *totals) {
    const Known *known = known_find(t->list, site);
    totals->mutants++;
    switch (results_find(t->results, site->id).verdict) {
    case VERDICT_VOID:
    case VERDICT_NONE:
        totals->open++;
        break;
    case VERDICT_UNIT:
        totals->unit++;
        break;
    case VERDICT_SLOW:
        totals->slow++;
        break;
    case VERDICT_PAST_UNIT:
        totals->past++;
        totals->open++;
        break;
    case VERDICT_SURVIVED:
        if (known && !known->accepted)
            totals->equivalent++;
        else
            totals->survivors++;
        break;
    }
}

// Of one room or of one kind of change; both empty: of all.
static Totals total(const Tables *t, Str room, const char *kind) {
    Totals totals = {0};
    for (size_t i = 0; i < t->plan->count; i++) {
        const Site *site = t->plan->items[i];
        if ((!room.len || str_equal(room, site_room(site->path))) &&
            (!kind[0] || strcmp(kind, site->kind) == 0))
            count_one(t, site, &totals);
    }
    return totals;
}

static double percent(size_t part, size_t whole) {
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

// Those that a test could have killed, as far as it was tried.
static size_t mortal(const Totals *totals) {
    return totals->mutants - totals->open - totals->equivalent;
}

// "-" as long as it would mislead: those killed early are known first.
static void print_percent(const Tables *t, double percent, bool known) {
    if (known)
        buf_printf(t->out, " %8.1f%%", percent);
    else
        buf_printf(t->out, " %9s", "-");
}

static double unit_percent(const Totals *totals) {
    return percent(totals->unit, mortal(totals) + totals->past);
}

static double all_percent(const Totals *totals) {
    return percent(totals->unit + totals->slow, mortal(totals));
}

static void print_heading(const Tables *t, const char *what) {
    buf_printf(t->out, "%-12s %7s %6s %6s %11s %10s %9s %9s %9s\n", what,
               "mutants", "unit", "slow", "equivalent", "survivors",
               "not tried", "by unit", "by all");
}

static void print_row(const Tables *t, Str name, const Totals *totals) {
    buf_printf(t->out, "%-12.*s %7zu %6zu %6zu %11zu %10zu %9zu", STR_ARG(name),
               totals->mutants, totals->unit, totals->slow, totals->equivalent,
               totals->survivors, totals->open);
    print_percent(t, unit_percent(totals), totals->open == totals->past);
    print_percent(t, all_percent(totals), totals->open == 0);
    buf_byte(t->out, '\n');
}

static bool first_of_room(const Plan *plan, size_t index) {
    Str room = site_room(plan->items[index]->path);
    for (size_t i = 0; i < index; i++)
        if (str_equal(room, site_room(plan->items[i]->path)))
            return false;
    return true;
}

static bool first_of_kind(const Plan *plan, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (strcmp(plan->items[i]->kind, plan->items[index]->kind) == 0)
            return false;
    return true;
}

static void print_rows(const Tables *t, bool by_room) {
    for (size_t i = 0; i < t->plan->count; i++) {
        const Site *site = t->plan->items[i];
        Str room = by_room ? site_room(site->path) : STR("");
        const char *kind = by_room ? "" : site->kind;
        if (by_room ? first_of_room(t->plan, i) : first_of_kind(t->plan, i)) {
            Totals row = total(t, room, kind);
            print_row(t, by_room ? room : str_from(kind), &row);
        }
    }
}

// ---- survivors -----------------------------------------------------------

static void print_site(const Tables *t, const char *what, const Site *site) {
    buf_printf(t->out, "\n%s: %.*s:%u", what, STR_ARG(site->path), site->line);
    if (site->function.len)
        buf_printf(t->out, " in %.*s", STR_ARG(site->function));
    buf_printf(t->out, " (%s, %016llx)", site->kind,
               (unsigned long long)site->id);
    if (site->same > 1)
        buf_printf(t->out, ", number %u of its kind", site->same);
    buf_printf(t->out, "\n    - %.*s\n    + %.*s\n", STR_ARG(site->before),
               STR_ARG(site->after));
}

static bool print_survivor(const Tables *t, const Site *site) {
    const Known *known = known_find(t->list, site);
    const char *what = !known            ? "survived"
                       : known->accepted ? "accepted"
                                         : "equivalent";
    print_site(t, what, site);
    if (known)
        buf_printf(t->out, "    %.*s\n", STR_ARG(known->why));
    return known != NULL;
}

static bool print_killed(const Tables *t, const Site *site,
                         const Result *result) {
    if (!known_find(t->list, site))
        return true;
    print_site(t, "listed, but killed", site);
    buf_printf(t->out, "    %.*s %.*s\n", STR_ARG(result->suite),
               STR_ARG(result->how));
    return false;
}

// Whether it is as the list says.
static bool print_one(const Tables *t, const Site *site) {
    Result result = results_find(t->results, site->id);
    switch (result.verdict) {
    case VERDICT_VOID:
    case VERDICT_NONE:
        break;
    case VERDICT_PAST_UNIT:
        print_site(t, "past the unit tests", site);
        break;
    case VERDICT_SURVIVED:
        return print_survivor(t, site);
    case VERDICT_UNIT:
    case VERDICT_SLOW:
        return print_killed(t, site, &result);
    }
    return true;
}

// Lines of rooms that were not asked for are about no place, but not wrong.
static bool room_was_read(const Sites *sites, Str room) {
    for (size_t i = 0; i < sites->count; i++)
        if (str_equal(room, site_room(sites->items[i].path)))
            return true;
    return false;
}

static bool print_unseen(const Tables *t, const Sites *sites) {
    bool right = true;
    for (size_t i = 0; i < sites->count; i++) {
        Known *known = known_find(t->list, &sites->items[i]);
        if (known)
            known->seen = true;
    }
    for (size_t i = 0; i < t->list->count; i++) {
        const Known *known = &t->list->items[i];
        Str room = known->file;
        if (known->seen || !room_was_read(sites, str_cut(&room, '/')))
            continue;
        buf_printf(t->out, "\nlisted, but there is no such place: %.*s %.*s\n",
                   STR_ARG(known->file), STR_ARG(known->function));
        buf_printf(t->out, "    - %.*s\n    + %.*s\n", STR_ARG(known->before),
                   STR_ARG(known->after));
        right = false;
    }
    return right;
}

static void print_how(const Tables *t) {
    size_t crashed = 0, hung = 0;
    for (size_t i = 0; i < t->plan->count; i++) {
        Result result = results_find(t->results, t->plan->items[i]->id);
        crashed += str_equal(result.how, STR("crashed"));
        hung += str_equal(result.how, STR("hung"));
    }
    buf_printf(t->out, "\nOf the killed, %zu let a suite crash, %zu hang.\n",
               crashed, hung);
}

TableEnd table_print(Buf *out, const Sites *sites, const Plan *plan,
                     const Results *results, const KnownList *list) {
    const Tables t = {out, plan, results, list};
    Totals all = total(&t, STR(""), "");
    print_heading(&t, "room");
    print_rows(&t, true);
    print_row(&t, STR("all"), &all);
    buf_printf(out, "\n");
    print_heading(&t, "change");
    print_rows(&t, false);
    print_how(&t);
    bool right = true;
    for (size_t i = 0; i < plan->count; i++)
        right &= print_one(&t, plan->items[i]);
    right &= print_unseen(&t, sites);
    if (all.open)
        return TABLE_OPEN;
    right &= unit_percent(&all) >= TABLE_LEAST_UNIT &&
             all_percent(&all) >= TABLE_LEAST_ALL;
    return right ? TABLE_GOOD : TABLE_WRONG;
}
