// SPDX-License-Identifier: Apache-2.0
// The flags of a compilation database (cli/source/database.c): which entry is a
// file's, how its words are split, which flags are taken and which are passed
// over.
#include "cli/source/source.h"
#include "tests/unit/cli_room.h"

typedef struct Desk {
    Room room;
    Cli cli;
    CliValues flags;
    int code;
    Str said;
} Desk;

static void desk_open(Desk *desk) {
    *desk = (Desk){0};
    room_open(&desk->room);
    mkdir("src", 0700);
    put("src/k.cu", STR("// k\n"));
    put("k.cu", STR("// another\n"));
}

static void desk_close(Desk *desk) {
    arena_free(&desk->cli.arena);
    room_close(&desk->room);
}

// Reads the flags of src/k.cu from this database.
static void read_database(Desk *desk, Str text) {
    desk->flags = (CliValues){0};
    put("cc.json", text);
    desk->cli.args.database = "cc.json";
    fflush(stderr);
    int before = dup(2),
        file = open("err.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(file, 2);
    desk->code = database_flags(&desk->cli, STR("src/k.cu"), &desk->flags);
    dup2(before, 2);
    close(before);
    close(file);
    desk->said = get(&desk->room.arena, "err.txt");
}

static Str flags_of(Desk *desk) {
    Buf out = {0};
    for (size_t i = 0; i < desk->flags.count; i++)
        buf_printf(&out, "%s\n", desk->flags.items[i]);
    Str text = str_copy(&desk->room.arena, buf_view(&out));
    buf_free(&out);
    return text;
}

// The flags of a command, in the room's folder.
static Str taken(Desk *desk, const char *command) {
    Arena *arena = &desk->room.arena;
    read_database(desk, str_format(arena,
                                   "[{\"directory\": \"/d\", \"file\": "
                                   "\"%s/src/k.cu\", \"command\": \"%s\"}]",
                                   desk->room.folder, command));
    CHECK_INT(desk->code, CLI_FULL_MARKS);
    return flags_of(desk);
}

TEST(flags_are_taken_in_every_spelling) {
    static const char *const cases[][2] = {
        {"nvcc -Iinc -I inc2 -I/abs k.cu", "-I/d/inc\n-I/d/inc2\n-I/abs\n"},
        {"nvcc --include-path=inc --include-path inc2",
         "-I/d/inc\n-I/d/inc2\n"},
        {"nvcc -isystem inc -isystem=inc2",
         "-isystem=/d/inc\n-isystem=/d/inc2\n"},
        {"nvcc --system-include inc", "-isystem=/d/inc\n"},
        {"nvcc -include a.h --pre-include=b.h",
         "-include=/d/a.h\n-include=/d/b.h\n"},
        {"nvcc -DA -D B=2 --define-macro=C --define-macro D",
         "-DA\n-DB=2\n-DC\n-DD\n"},
        {"nvcc -UA -U B --undefine-macro C", "-UA\n-UB\n-UC\n"},
        {"nvcc -std=c++20 --std=c++17 --std c++14",
         "-std=c++20\n-std=c++17\n-std=c++14\n"},
        {"nvcc --use_fast_math -use_fast_math",
         "--use_fast_math\n-use_fast_math\n"},
        {"nvcc --fmad=false -fmad=true", "--fmad=false\n-fmad=true\n"},
        {"nvcc --ftz=true -ftz=false", "--ftz=true\n-ftz=false\n"},
        {"nvcc --maxrregcount=32 -maxrregcount=16",
         "--maxrregcount=32\n-maxrregcount=16\n"},
        {"nvcc --extended-lambda -extended-lambda --expt-extended-lambda "
         "-expt-extended-lambda",
         "--extended-lambda\n-extended-lambda\n--expt-extended-lambda\n"
         "-expt-extended-lambda\n"},
        {"nvcc --expt-relaxed-constexpr -expt-relaxed-constexpr",
         "--expt-relaxed-constexpr\n-expt-relaxed-constexpr\n"},
        {"nvcc -o k.o -MF k.d -MT k.o -x cu -c k.cu", ""},
        {"nvcc -DTEXT=\\\"a b\\\" '-DX=c d' -DY=e\\\\ f",
         "-DTEXT=a b\n-DX=c d\n-DY=e f\n"},
    };
    Desk desk;
    desk_open(&desk);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        if (!CHECK_STR(taken(&desk, cases[i][0]), cases[i][1]))
            printf("# %s\n", cases[i][0]);
        CHECK_STR(desk.said, "");
    }
    desk_close(&desk);
}

TEST(flags_that_are_not_taken_are_named) {
    Desk desk;
    desk_open(&desk);
    CHECK_STR(taken(&desk, "nvcc -O3 -DA -lineinfo -optimize k.cu"), "-DA\n");
    CHECK_HOLDS(desk.said, "-O3 -lineinfo -optimize");
    taken(&desk, "nvcc -a -b -e -f -g -h -i -j");
    CHECK_HOLDS(desk.said, "-a -b -e -f -g -h");
    CHECK_LACKS(desk.said, "-h -i");
    desk_close(&desk);
}

// --options-file, -optf and @ name files of flags, which may name others.
TEST(lists_of_flags_are_read) {
    Desk desk;
    desk_open(&desk);
    Arena *arena = &desk.room.arena;
    put("one.txt", STR("-DONE\n-DALSO\n"));
    put("two.txt", str_format(arena, "-DTWO --options-file %s/one.txt\n",
                              desk.room.folder));
    static const char *const ways[] = {
        "--options-file ", "--options-file=", "-optf ", "-optf=", "@"};
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        Str command = str_format(arena, "nvcc %s%s/two.txt -DLAST", ways[i],
                                 desk.room.folder);
        if (!CHECK_STR(taken(&desk, command.ptr),
                       "-DTWO\n-DONE\n-DALSO\n-DLAST\n"))
            printf("# %s\n", ways[i]);
    }
    put("self.txt", str_format(arena, "-DSELF @%s/self.txt", desk.room.folder));
    Str command = str_format(arena, "nvcc @%s/self.txt", desk.room.folder);
    CHECK_STR(taken(&desk, command.ptr), "-DSELF\n-DSELF\n-DSELF\n-DSELF\n");
    CHECK_HOLDS(desk.said, "self.txt");
    taken(&desk, "nvcc @missing.txt");
    CHECK_HOLDS(desk.said, "/d/missing.txt");
    desk_close(&desk);
}

TEST(the_entry_is_that_of_the_file) {
    Desk desk;
    desk_open(&desk);
    read_database(&desk,
                  STR("[{\"file\": \"k.cu\", \"command\": \"nvcc -DA\"}, "
                      "{\"directory\": \"src\", \"file\": \"k.cu\", "
                      "\"arguments\": [\"nvcc\", \"-DB=x y\", \"-Iz\"]}]"));
    CHECK_INT(desk.code, CLI_FULL_MARKS);
    CHECK_STR(flags_of(&desk), "-DB=x y\n-Isrc/z\n");
    read_database(&desk,
                  STR("[{\"file\": \"k.cu\", \"command\": \"nvcc -DA\"}]"));
    CHECK_INT(desk.code, CLI_USAGE);
    CHECK_HOLDS(desk.said, "k.cu");
    read_database(&desk, STR("{}"));
    CHECK_INT(desk.code, CLI_USAGE);
    read_database(&desk, STR("[{\"file\": \"src/k.cu\"}]"));
    CHECK_INT(desk.code, CLI_FULL_MARKS);
    CHECK_INT(desk.flags.count, 0);
    desk_close(&desk);
}

TEST(there_is_room_for_so_many_flags) {
    Desk desk;
    desk_open(&desk);
    for (int more = 0; more < 2; more++) {
        Buf out = {0};
        buf_str(&out, STR("[{\"file\": \"src/k.cu\", \"command\": \"nvcc"));
        for (int i = 0; i < CLI_MAX_ARGUMENTS + more; i++)
            buf_printf(&out, " -DX%d", i);
        buf_str(&out, STR("\"}]"));
        read_database(&desk, buf_view(&out));
        CHECK_INT(desk.code, more ? CLI_USAGE : CLI_FULL_MARKS);
        CHECK_INT(desk.flags.count, CLI_MAX_ARGUMENTS);
        buf_free(&out);
    }
    CHECK_HOLDS(desk.said, "more than");
    desk_close(&desk);
}

TEST_MAIN(TESTCASE(flags_are_taken_in_every_spelling),
          TESTCASE(flags_that_are_not_taken_are_named),
          TESTCASE(lists_of_flags_are_read),
          TESTCASE(the_entry_is_that_of_the_file),
          TESTCASE(there_is_room_for_so_many_flags))
