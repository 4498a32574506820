// SPDX-License-Identifier: Apache-2.0
// Allows, of all system calls, only those that work needs which is in memory
// from its start to its end. Others fail with EPERM.
//
// It applies to all threads, which are there before: none can be started. They
// wait for each other through memory of this process alone.
//
// The filter is classic BPF: a list of tests, each of which skips some of the
// next. What memory may be mapped as, and what may be written to, it sees in
// the calls' arguments. Calls of another architecture have other numbers.
#include "sandbox/internal.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#endif

#if defined(NATIVE_ARCH) && !SANDBOX_SANITIZED

#define LOAD(field) \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
// Skips so many of the next instructions.
#define IF(value, yes, no) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), yes, no)
#define IF_ANY_BIT(bits, yes, no) \
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, yes, no)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define DENY BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

bool sandbox_only_compute(void) {
    static const struct sock_filter code[] = {
        LOAD(arch),
        IF(NATIVE_ARCH, 1, 0),
        DENY,
        LOAD(nr),
        // memory
        IF(SYS_brk, 7, 0),
        IF(SYS_munmap, 6, 0),
        IF(SYS_mremap, 5, 0),
        IF(SYS_madvise, 4, 0),
        // how much time it has spent, and its end
        IF(SYS_clock_gettime, 3, 0),
        IF(SYS_exit, 2, 0),
        IF(SYS_exit_group, 1, 0),
        IF(SYS_rt_sigreturn, 0, 1),
        ALLOW,
        // memory that is not code
        IF(SYS_mmap, 1, 0),
        IF(SYS_mprotect, 0, 4),
        LOAD(args[2]),
        IF_ANY_BIT(PROT_EXEC, 0, 1),
        DENY,
        ALLOW,
        // its threads wait, and wake each other
        IF(SYS_futex, 0, 7),
        LOAD(args[1]),
        IF(FUTEX_WAIT_PRIVATE, 4, 0),
        IF(FUTEX_WAKE_PRIVATE, 3, 0),
        IF(FUTEX_WAIT_BITSET_PRIVATE, 2, 0),
        IF(FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 1, 0),
        DENY,
        ALLOW,
        // what it says
        IF(SYS_write, 0, 4),
        LOAD(args[0]),
        IF(STDOUT_FILENO, 1, 0),
        IF(STDERR_FILENO, 0, 1),
        ALLOW,
        DENY,
    };
    struct sock_fprog program = {.len = COUNT_OF(code),
                                 .filter = (struct sock_filter *)code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                   SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

#else

bool sandbox_only_compute(void) {
    return false;
}

#endif
