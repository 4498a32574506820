// SPDX-License-Identifier: Apache-2.0
// Makes the calling process, and all that it starts, run as on a kernel that
// lacks a guard of the sandbox: a filter makes the guard's system calls fail as
// an old kernel does, those of Landlock with ENOSYS, and those that install
// another filter with EINVAL. False if the filter cannot be installed.
#ifndef CLCLAB_TOOLS_HIDE_H
#define CLCLAB_TOOLS_HIDE_H

#include "base/base.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { LANDLOCK_FIRST = 444, LANDLOCK_LAST = 446 }; // their numbers

#define LOAD(field)                    \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, \
             (uint32_t)offsetof(struct seccomp_data, field))
#define JUMP(test, value, yes, no) \
    BPF_JUMP(BPF_JMP | (test) | BPF_K, (uint32_t)(value), yes, no)
#define GIVE(what) BPF_STMT(BPF_RET | BPF_K, (uint32_t)(what))

static inline bool hide_install(const struct sock_filter *code, size_t count) {
    struct sock_fprog program = {.len = (unsigned short)count,
                                 .filter = (struct sock_filter *)code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static inline bool hide_landlock(void) {
    static const struct sock_filter code[] = {
        LOAD(nr),
        JUMP(BPF_JGE, LANDLOCK_FIRST, 0, 2),
        JUMP(BPF_JGT, LANDLOCK_LAST, 1, 0),
        GIVE(SECCOMP_RET_ERRNO | ENOSYS),
        GIVE(SECCOMP_RET_ALLOW),
    };
    return hide_install(code, COUNT_OF(code));
}

static inline bool hide_seccomp(void) {
    static const struct sock_filter code[] = {
        LOAD(nr),
        JUMP(BPF_JEQ, SYS_seccomp, 3, 0),
        JUMP(BPF_JEQ, SYS_prctl, 0, 3),
        LOAD(args[0]),
        JUMP(BPF_JEQ, PR_SET_SECCOMP, 0, 1),
        GIVE(SECCOMP_RET_ERRNO | EINVAL),
        GIVE(SECCOMP_RET_ALLOW),
    };
    return hide_install(code, COUNT_OF(code));
}

#endif
