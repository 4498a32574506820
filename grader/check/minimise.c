// SPDX-License-Identifier: Apache-2.0
// Searches for the fewest of a schedule's own context switches that still show
// a finding, by running it again. All of them show it; with fewer it may come
// and go, so the result is only the least number that was tried and showed it.
// The tries are few: none, then 1, 4, 16, ..., then bisection between the last
// two.
#include "check/internal.h"

typedef struct Search {
    MinimiseTry *try;
    void *context;
    uint32_t *budget;
} Search;

static bool shows(const Search *search, uint64_t switches) {
    if (*search->budget == 0)
        return false;
    --*search->budget;
    return search->try(search->context, switches);
}

bool minimise_switches(MinimiseTry *try, void *context, uint64_t most,
                       uint32_t *budget, uint64_t *switches) {
    Search search = {try, context, budget};
    uint64_t few = 0, enough = 1; // `few` are not enough
    if (shows(&search, 0)) {
        *switches = 0;
        return true;
    }
    if (most == 0)
        return false;
    while (enough < most && !shows(&search, enough)) {
        few = enough;
        enough *= 4;
    }
    if (enough >= most) {
        enough = most;
        if (!shows(&search, enough))
            return false;
    }
    while (enough - few > 1 && *budget > 0) {
        uint64_t middle = few + (enough - few) / 2;
        if (shows(&search, middle))
            enough = middle;
        else
            few = middle;
    }
    *switches = enough;
    return true;
}
