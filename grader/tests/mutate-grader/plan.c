// SPDX-License-Identifier: Apache-2.0
// Draws mutants by a seed, and reads their results: see plan.h.
#include "tests/mutate-grader/plan.h"

#include <stdlib.h>

// ---- results -------------------------------------------------------------

static bool verdict_of(Str word, Verdict *verdict) {
    static const struct {
        const char *word;
        Verdict verdict;
    } words[] = {
        {"nobuild", VERDICT_VOID},        {"same-code", VERDICT_VOID},
        {"unit", VERDICT_UNIT},           {"slow", VERDICT_SLOW},
        {"past-unit", VERDICT_PAST_UNIT}, {"survived", VERDICT_SURVIVED}};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_equal(word, str_from(words[i].word))) {
            *verdict = words[i].verdict;
            return true;
        }
    return false;
}

static Result *result_at(const Results *results, uint64_t id) {
    for (size_t i = 0; i < results->count; i++)
        if (results->items[i].id == id)
            return &results->items[i];
    return NULL;
}

static void set_result(Arena *arena, Results *results, Result result) {
    Result *old = result_at(results, result.id);
    if (old) {
        *old = result;
        return;
    }
    arena_grow(arena, results->items, results->count, results->capacity);
    results->items[results->count++] = result;
}

void results_read(Arena *arena, Str text, Results *results) {
    while (str_find(text, '\n') < text.len) {
        Str line = str_cut(&text, '\n');
        Str id = str_cut(&line, '\t');
        id = str_format(arena, "0x%.*s", STR_ARG(id));
        Result result = {0};
        if (!str_to_u64(id, &result.id) ||
            !verdict_of(str_cut(&line, '\t'), &result.verdict))
            continue;
        result.how = str_cut(&line, '\t');
        result.suite = str_cut(&line, '\t');
        set_result(arena, results, result);
    }
}

Result results_find(const Results *results, uint64_t id) {
    const Result *result = result_at(results, id);
    return result ? *result : (Result){.id = id};
}

// ---- explained survivors -------------------------------------------------

// "equivalent vm/race.c function 2"; the number may be missing.
static bool read_heading(Str line, Known *known) {
    Str word = str_cut(&line, ' ');
    known->accepted = str_equal(word, STR("accepted"));
    known->file = str_cut(&line, ' ');
    known->function = str_cut(&line, ' ');
    if (str_equal(known->function, STR("-")))
        known->function = STR("");
    uint64_t same = 1;
    if (line.len && !str_to_u64(line, &same))
        return false;
    known->same = (uint32_t)same;
    return known->file.len &&
           (known->accepted || str_equal(word, STR("equivalent")));
}

static bool is_whole(const Known *known) {
    return known->before.len && known->after.len && known->why.len;
}

static bool read_part(Arena *arena, Str line, Known *known) {
    Str rest = str_trim(str_slice(line, 1, line.len));
    if (line.ptr[0] == '-' && !known->before.len)
        known->before = rest;
    else if (line.ptr[0] == '+' && !known->after.len)
        known->after = rest;
    else if (line.ptr[0] == ' ')
        known->why = known->why.len
                         ? str_format(arena, "%.*s %.*s", STR_ARG(known->why),
                                      STR_ARG(rest))
                         : rest;
    else
        return false;
    return true;
}

static bool read_known_line(Arena *arena, Str line, KnownList *list) {
    if (str_trim(line).len == 0 || line.ptr[0] == '#')
        return true;
    Known *last = list->count ? &list->items[list->count - 1] : NULL;
    if (line.ptr[0] == '-' || line.ptr[0] == '+' || line.ptr[0] == ' ')
        return last && read_part(arena, line, last);
    if (last && !is_whole(last))
        return false;
    arena_grow(arena, list->items, list->count, list->capacity);
    list->items[list->count] = (Known){0};
    return read_heading(line, &list->items[list->count++]);
}

bool known_read(Arena *arena, Str text, KnownList *list, uint32_t *wrong) {
    for (*wrong = 1; text.len; (*wrong)++)
        if (!read_known_line(arena, str_cut(&text, '\n'), list))
            return false;
    return list->count == 0 || is_whole(&list->items[list->count - 1]);
}

Known *known_find(const KnownList *list, const Site *site) {
    for (size_t i = 0; i < list->count; i++) {
        Known *known = &list->items[i];
        if (known->same == site->same && str_equal(known->file, site->file) &&
            str_equal(known->function, site->function) &&
            str_equal(known->before, site->before) &&
            str_equal(known->after, site->after))
            return known;
    }
    return NULL;
}

// ---- drawing -------------------------------------------------------------

enum { MOST_ROOMS = 32 };

typedef struct Room {
    Str name;
    size_t sites, quota;
} Room;

typedef struct Rooms {
    Room items[MOST_ROOMS];
    size_t count;
} Rooms;

static Room *room_of(Rooms *rooms, const Site *site) {
    Str name = site_room(site->path);
    for (size_t i = 0; i < rooms->count; i++)
        if (str_equal(rooms->items[i].name, name))
            return &rooms->items[i];
    if (rooms->count == MOST_ROOMS)
        return NULL;
    rooms->items[rooms->count] = (Room){.name = name};
    return &rooms->items[rooms->count++];
}

// The room whose quota is furthest below its share (more = 1), or furthest
// above it.
static Room *most_wrong(Rooms *rooms, size_t count, size_t sites, bool more) {
    Room *worst = NULL;
    double worst_by = 0;
    for (size_t i = 0; i < rooms->count; i++) {
        Room *room = &rooms->items[i];
        double share = (double)count * (double)room->sites / (double)sites;
        double by =
            more ? share - (double)room->quota : (double)room->quota - share;
        if ((more ? room->quota < room->sites : room->quota > 1) &&
            (!worst || by > worst_by)) {
            worst = room;
            worst_by = by;
        }
    }
    return worst;
}

static void set_quotas(Rooms *rooms, size_t count, size_t sites) {
    size_t total = 0;
    for (size_t i = 0; i < rooms->count; i++) {
        size_t share = count * rooms->items[i].sites / sites;
        rooms->items[i].quota = share ? share : 1;
        total += rooms->items[i].quota;
    }
    for (Room *room; total != count; total < count ? total++ : total--) {
        room = most_wrong(rooms, count, sites, total < count);
        if (!room)
            return;
        total < count ? room->quota++ : room->quota--;
    }
}

typedef struct Drawn {
    const Site *site;
    uint64_t place;
} Drawn;

static int by_place(const void *left, const void *right) {
    const Drawn *a = left, *b = right;
    return (a->place > b->place) - (a->place < b->place);
}

static Drawn *shuffle(Arena *arena, const Sites *sites, uint64_t seed) {
    Drawn *order = arena_new(arena, Drawn, sites->count + 1);
    for (size_t i = 0; i < sites->count; i++) {
        const Site *site = &sites->items[i];
        order[i] = (Drawn){site, hash_u64(site->id ^ hash_u64(seed))};
    }
    qsort(order, sites->count, sizeof *order, by_place);
    return order;
}

Plan plan_draw(Arena *arena, const Sites *sites, const Results *results,
               size_t count, uint64_t seed) {
    Plan plan = {0};
    Rooms rooms = {0};
    for (size_t i = 0; i < sites->count; i++)
        room_of(&rooms, &sites->items[i])->sites++;
    if (sites->count)
        set_quotas(&rooms, count, sites->count);
    const Drawn *order = shuffle(arena, sites, seed);
    for (size_t i = 0; i < sites->count; i++) {
        Room *room = room_of(&rooms, order[i].site);
        Result result = results_find(results, order[i].site->id);
        if (room->quota == 0 || result.verdict == VERDICT_VOID)
            continue;
        room->quota--;
        arena_grow(arena, plan.items, plan.count, plan.capacity);
        plan.items[plan.count++] = order[i].site;
    }
    return plan;
}
