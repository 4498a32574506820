// SPDX-License-Identifier: Apache-2.0
// Reads CLCLAB_FAKE_CUDA anew each time: a list of some bytes.
#include "tests/fakecuda/options.h"

#include <stdlib.h>
#include <string.h>

typedef struct Item {
    const char *value;
    size_t len; // of the value
} Item;

// The next item of that name at or behind *at, which moves on; false: none.
static bool next_item(const char **at, const char *name, Item *item) {
    size_t name_len = strlen(name);
    while (*at && **at) {
        const char *start = *at;
        size_t len = strcspn(start, ";");
        *at = start[len] ? start + len + 1 : start + len;
        if (len > name_len && strncmp(start, name, name_len) == 0 &&
            start[name_len] == '=') {
            *item = (Item){start + name_len + 1, len - name_len - 1};
            return true;
        }
    }
    return false;
}

static const char *all(void) {
    return getenv("CLCLAB_FAKE_CUDA");
}

long option_number(const char *name, long otherwise) {
    const char *at = all();
    Item item;
    return next_item(&at, name, &item) ? strtol(item.value, NULL, 0)
                                       : otherwise;
}

bool option_text(const char *name, char *text, size_t room) {
    const char *at = all();
    Item item = {0};
    bool found = next_item(&at, name, &item);
    size_t len = item.len < room - 1 ? item.len : room - 1;
    if (len)
        memcpy(text, item.value, len);
    text[len] = '\0';
    return found;
}

bool option_is(const char *name, const char *value) {
    const char *at = all();
    Item item;
    while (next_item(&at, name, &item))
        if (item.len == strlen(value) &&
            strncmp(item.value, value, item.len) == 0)
            return true;
    return false;
}

bool option_pair(const char *name, const char **at, uint64_t *first,
                 uint64_t *second) {
    Item item;
    if (!*at)
        *at = all();
    if (!next_item(at, name, &item))
        return false;
    char *end = NULL;
    *first = strtoull(item.value, &end, 0);
    *second = *end == ':' ? strtoull(end + 1, NULL, 0) : 0;
    return true;
}

long option_for(const char *name, const char *symbol, long call) {
    const char *at = all();
    size_t len = strlen(symbol);
    Item item;
    while (next_item(&at, name, &item)) {
        if (item.len <= len || strncmp(item.value, symbol, len) != 0 ||
            item.value[len] != ':')
            continue;
        char *end = NULL;
        long number = strtol(item.value + len + 1, &end, 0);
        if (*end != '@' || strtol(end + 1, NULL, 0) == call)
            return number;
    }
    return 0;
}
