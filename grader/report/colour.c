// SPDX-License-Identifier: Apache-2.0
// The course's colours for drawings and charts, which have a white background:
// those that page.css gives a page on a light screen, where each has its home.
#include "report/internal.h"
#include "report/page.h"

Str report_colour(const char *name) {
    Str rest = str_from(page_css), wanted = str_from(name);
    while (rest.len) {
        str_cut(&rest, '-');
        if (!str_starts(rest, STR("-")))
            continue;
        Str behind = str_slice(rest, 1, rest.len);
        Str own = str_slice(behind, 0, str_find(behind, ':'));
        if (!str_equal(own, wanted))
            continue;
        str_cut(&rest, ':');
        return str_trim(str_cut(&rest, ';'));
    }
    return STR("#1a1a1a");
}
