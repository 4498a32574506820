// SPDX-License-Identifier: Apache-2.0
// --help, which is made of the tables of the commands.
#include "tests/unit/cli_room.h"

static bool is_narrow(Str text) {
    while (text.len)
        if (str_cut(&text, '\n').len > 80)
            return false;
    return true;
}

TEST(help_of_each_command_fits_and_has_an_example) {
    Room room;
    int count = 0;
    room_open(&room);
    call(&room, "--help");
    CHECK(is_narrow(room.out));
    Str rest = room.out;
    while (rest.len && !str_equal(str_cut(&rest, '\n'), STR("commands:")))
        continue;
    for (; str_starts(rest, STR("  ")); count++) {
        Str line = str_trim(str_cut(&rest, '\n'));
        char *name = str_cstring(&room.arena, str_cut(&line, ' '));
        call(&room, str_format(&room.arena, "%s --help", name).ptr);
        CHECK_INT(room.code, 0);
        if (!CHECK(is_narrow(room.out)))
            printf("# of: %s\n", name);
        CHECK_HOLDS(room.out,
                    str_format(&room.arena, "\nexample: clclab %s", name).ptr);
        CHECK_HOLDS(room.out, "\noptions:\n  --");
    }
    CHECK(count >= 18);
    room_close(&room);
}

TEST_MAIN(TESTCASE(help_of_each_command_fits_and_has_an_example))
