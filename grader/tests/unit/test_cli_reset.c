// SPDX-License-Identifier: Apache-2.0
// clclab reset: the starter is back, and no file of the learner's is lost.
#include "tests/unit/check_fake.h"
#include "tests/unit/cli_room.h"

#define LAB "labs/01-fixed-work/"
#define OWN_FILE LAB "kernel.cu"

static void make_lab(Room *room) {
    room_open(room);
    mkdir("labs", 0700);
    mkdir("labs/common", 0700);
    mkdir(LAB, 0700);
    mkdir(LAB "starter", 0700);
    put("labs/common/lab.h", STR("// the header\n"));
    put(LAB "lab.conf", STR(FAKE_CONF));
    put(LAB "starter/kernel.cu", STR("// start\n"));
    put(OWN_FILE, STR("// mine\n"));
}

TEST(the_starter_is_back_and_what_was_there_is_kept) {
    Room room;
    make_lab(&room);
    call(&room, "reset 1");
    CHECK_INT(room.code, 0);
    CHECK_STR(room.err, "");
    CHECK_HOLDS(room.out, OWN_FILE " is the starter again; your file is ");
    CHECK_HOLDS(room.out, "kernel.cu.1\n");
    CHECK_STR(get(&room.arena, OWN_FILE), "// start\n");
    CHECK_STR(get(&room.arena, OWN_FILE ".1"), "// mine\n");
    put(OWN_FILE, STR("// more\n"));
    put(OWN_FILE ".2", STR("// another's\n"));
    call(&room, "reset 01-fixed-work");
    CHECK_INT(room.code, 0);
    CHECK_HOLDS(room.out, "kernel.cu.3\n");
    CHECK_STR(get(&room.arena, OWN_FILE ".1"), "// mine\n");
    CHECK_STR(get(&room.arena, OWN_FILE ".2"), "// another's\n");
    CHECK_STR(get(&room.arena, OWN_FILE ".3"), "// more\n");
    room_close(&room);
}

TEST(nothing_is_kept_where_there_is_nothing) {
    Room room;
    make_lab(&room);
    put(OWN_FILE, STR("// start\n"));
    call(&room, "reset 1");
    CHECK_INT(room.code, 0);
    CHECK_HOLDS(room.out, "is the starter already\n");
    CHECK_INT(unlink(OWN_FILE), 0);
    call(&room, "reset 1");
    CHECK_INT(room.code, 0);
    CHECK_HOLDS(room.out, "is the starter again\n");
    CHECK_STR(get(&room.arena, OWN_FILE), "// start\n");
    CHECK(access(OWN_FILE ".1", F_OK) != 0);
    room_close(&room);
}

TEST(a_link_is_replaced_and_not_what_it_leads_to) {
    Room room;
    make_lab(&room);
    CHECK_INT(rename(OWN_FILE, "elsewhere.cu"), 0);
    CHECK_INT(symlink("../../elsewhere.cu", OWN_FILE), 0);
    CHECK_INT(symlink("../../victim", OWN_FILE ".1"), 0);
    call(&room, "reset 1");
    CHECK_INT(room.code, 0);
    CHECK_HOLDS(room.out, "kernel.cu.2\n");
    CHECK_STR(get(&room.arena, "elsewhere.cu"), "// mine\n");
    CHECK_STR(get(&room.arena, OWN_FILE), "// start\n");
    CHECK(access("victim", F_OK) != 0);
    room_close(&room);
}

TEST(what_cannot_be_changed_is_said) {
    Room room;
    make_lab(&room);
    call_fails(&room, "reset", CLI_USAGE, "usage: clclab reset LAB");
    call_fails(&room, "reset 7", CLI_USAGE, "there is no lab \"7\"");
    CHECK_INT(unlink(OWN_FILE), 0);
    mkdir(OWN_FILE, 0700);
    call_fails(&room, "reset 1", CLI_USAGE, "it is a directory");
    CHECK_INT(rmdir(OWN_FILE), 0);
    CHECK_INT(unlink(LAB "starter/kernel.cu"), 0);
    call_fails(&room, "reset 1", CLI_MISSING, "starter/kernel.cu");
    CHECK(access(OWN_FILE, F_OK) != 0);
    room_close(&room);
}

TEST(a_folder_that_cannot_be_written_to) {
    Room room;
    make_lab(&room);
    CHECK_INT(chmod(LAB, 0500), 0);
    if (access(LAB, W_OK) == 0) { // root may write anywhere
        CHECK_INT(chmod(room.folder, 0755), 0);
        CHECK_INT(chmod("labs", 0755), 0);
        CHECK_INT(chmod("labs/common", 0755), 0);
        CHECK_INT(chmod(LAB, 0555), 0);
        CHECK_INT(chmod(LAB "starter", 0755), 0);
        pid_t pid = fork();
        if (pid == 0) {
            char *argv[] = {(char *)"clclab", (char *)"reset", (char *)"1"};
            fclose(stderr);
            bool is_other = setgid(65534) == 0 && setuid(65534) == 0;
            _exit(is_other ? cli_main(room.program, 3, argv) : 99);
        }
        int status = 0;
        waitpid(pid, &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == CLI_USAGE);
    } else {
        call_fails(&room, "reset 1", CLI_USAGE, "nothing was changed");
    }
    CHECK_INT(chmod(LAB, 0700), 0);
    CHECK_STR(get(&room.arena, OWN_FILE), "// mine\n");
    CHECK(access(OWN_FILE ".1", F_OK) != 0);
    room_close(&room);
}

TEST_MAIN(TESTCASE(the_starter_is_back_and_what_was_there_is_kept),
          TESTCASE(nothing_is_kept_where_there_is_nothing),
          TESTCASE(a_link_is_replaced_and_not_what_it_leads_to),
          TESTCASE(what_cannot_be_changed_is_said),
          TESTCASE(a_folder_that_cannot_be_written_to))
