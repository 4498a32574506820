// SPDX-License-Identifier: Apache-2.0
// Runs a program as on a kernel that lacks a guard of the sandbox:
//
//   without landlock|seccomp PROGRAM [ARGUMENT...]
//
// A filter makes the guard's system calls fail as an old kernel does: those of
// Landlock with ENOSYS, and those that install another filter with EINVAL.
// Exit 125 if the filter cannot be installed, 127 if there is no such program.
#include "base/base.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LANDLOCK_FIRST = 444, LANDLOCK_LAST = 446 }; // their numbers

#define LOAD(field)                    \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, \
             (uint32_t)offsetof(struct seccomp_data, field))
#define JUMP(test, value, yes, no) \
    BPF_JUMP(BPF_JMP | (test) | BPF_K, (uint32_t)(value), yes, no)
#define GIVE(what) BPF_STMT(BPF_RET | BPF_K, (uint32_t)(what))

static const struct sock_filter no_landlock[] = {
    LOAD(nr),
    JUMP(BPF_JGE, LANDLOCK_FIRST, 0, 2),
    JUMP(BPF_JGT, LANDLOCK_LAST, 1, 0),
    GIVE(SECCOMP_RET_ERRNO | ENOSYS),
    GIVE(SECCOMP_RET_ALLOW),
};

static const struct sock_filter no_seccomp[] = {
    LOAD(nr),
    JUMP(BPF_JEQ, SYS_seccomp, 3, 0),
    JUMP(BPF_JEQ, SYS_prctl, 0, 3),
    LOAD(args[0]),
    JUMP(BPF_JEQ, PR_SET_SECCOMP, 0, 1),
    GIVE(SECCOMP_RET_ERRNO | EINVAL),
    GIVE(SECCOMP_RET_ALLOW),
};

static bool install(const struct sock_filter *code, size_t count) {
    struct sock_fprog program = {.len = (unsigned short)count,
                                 .filter = (struct sock_filter *)code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int main(int argc, char **argv) {
    bool landlock = argc > 2 && strcmp(argv[1], "landlock") == 0;
    bool seccomp = argc > 2 && strcmp(argv[1], "seccomp") == 0;
    if ((!landlock && !seccomp) ||
        !(landlock ? install(no_landlock, COUNT_OF(no_landlock))
                   : install(no_seccomp, COUNT_OF(no_seccomp)))) {
        fprintf(stderr, "without: a guard and a program are needed, and a "
                        "kernel with seccomp\n");
        return 125;
    }
    execvp(argv[2], argv + 2);
    fprintf(stderr, "without: %s: %s\n", argv[2], strerror(errno));
    return 127;
}
