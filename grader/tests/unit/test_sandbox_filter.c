// SPDX-License-Identifier: Apache-2.0
// The filter of system calls, executed here instead of by the kernel: all
// numbers are tried, of this and of other kinds, also where the kernel has no
// filters. The program's prctl, below, takes the filter and installs nothing.
// That the kernel does what the filter says is for test_sandbox_child.c.
#include "sandbox/internal.h"
#include "tests/unit/test.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

// What no compilation and no run needs; those of sockets first.
static const long DENIED[] = {
    SYS_socket,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_setsid,
    SYS_process_vm_writev,
    SYS_setpgid,
    SYS_perf_event_open,
    SYS_kcmp,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_bpf,
    SYS_userfaultfd,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_open_by_handle_at,
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup,
#endif
#if defined(__x86_64__)
    SYS_iopl,
    SYS_ioperm,
#endif
};
enum { OF_SOCKETS = 6, NUMBERS = 1024, CODE_MOST = 256 };

#if defined(__x86_64__)
#define OWN_KIND AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_KIND AUDIT_ARCH_AARCH64
#endif

// ---- the filter, taken ---------------------------------------------------

// In memory of the test's process, as test.h's own state is: prctl has no
// context. Zeros: nothing was taken.
typedef struct Taken {
    struct sock_filter code[CODE_MOST];
    size_t count;
} Taken;

static Taken *taken(void) {
    static Taken one;
    return &one;
}

int prctl(int option, ...) {
    va_list arguments;
    va_start(arguments, option);
    unsigned long mode = va_arg(arguments, unsigned long);
    const struct sock_fprog *program = va_arg(arguments, void *);
    va_end(arguments);
    if (option != PR_SET_SECCOMP || mode != SECCOMP_MODE_FILTER ||
        program->len > CODE_MOST)
        return -1;
    taken()->count = program->len;
    memcpy(taken()->code, program->filter,
           program->len * sizeof program->filter[0]);
    return 0;
}

// ---- executing it --------------------------------------------------------

// Linux, "BPF": loads of a word, jumps forward, a return. Anything else, and a
// jump behind the end, is 0, which kills.
static uint32_t verdict(const struct seccomp_data *data) {
    uint32_t value = 0;
    for (size_t at = 0; at < taken()->count;) {
        const struct sock_filter *in = &taken()->code[at++];
        bool jumps = false;
        switch (in->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            memcpy(&value, (const char *)data + in->k, sizeof value);
            continue;
        case BPF_RET | BPF_K:
            return in->k;
        case BPF_JMP | BPF_JEQ | BPF_K:
            jumps = value == in->k;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            jumps = value >= in->k;
            break;
        default:
            return 0;
        }
        at += jumps ? in->jt : in->jf;
    }
    return 0;
}

static uint32_t verdict_of(uint32_t kind, long number) {
    struct seccomp_data data = {.nr = (int)number, .arch = kind};
    return verdict(&data);
}

static bool is_listed(long number, bool sockets) {
    for (size_t i = sockets ? OF_SOCKETS : 0; i < COUNT_OF(DENIED); i++)
        if (DENIED[i] == number)
            return true;
    return false;
}

// ---- what it must say ----------------------------------------------------

#ifdef OWN_KIND

static const uint32_t NO = SECCOMP_RET_ERRNO | EPERM;

static void take(bool sockets) {
    taken()->count = 0;
    CHECK(sandbox_deny_calls(sockets));
    CHECK(taken()->count > 0);
}

TEST(the_listed_calls_are_denied_and_no_others) {
    for (int sockets = 0; sockets < 2; sockets++) {
        take(sockets);
        for (long number = 0; number < NUMBERS; number++) {
            uint32_t expected =
                is_listed(number, sockets) ? NO : SECCOMP_RET_ALLOW;
            if (!CHECK_U64(verdict_of(OWN_KIND, number), expected))
                printf("# call %ld, sockets %d\n", number, sockets);
        }
    }
}

TEST(each_call_of_another_kind_is_denied) {
    static const uint32_t kinds[] = {0, AUDIT_ARCH_I386, AUDIT_ARCH_ARM,
                                     OWN_KIND ^ 1, UINT32_MAX};
    for (int sockets = 0; sockets < 2; sockets++) {
        take(sockets);
        for (size_t k = 0; k < COUNT_OF(kinds); k++)
            for (long number = 0; number < NUMBERS; number++)
                CHECK_U64(verdict_of(kinds[k], number), NO);
    }
}

// x32 has the numbers of x86-64, from bit 30 on; and a negative one is no call.
TEST(each_call_by_a_number_of_x32_is_denied) {
    take(false);
    for (long number = 0; number < NUMBERS; number++)
        CHECK_U64(verdict_of(OWN_KIND, 0x40000000 | number), NO);
    CHECK_U64(verdict_of(OWN_KIND, 0x3FFFFFFF), SECCOMP_RET_ALLOW);
    CHECK_U64(verdict_of(OWN_KIND, -1), NO);
}

#else

TEST(the_listed_calls_are_denied_and_no_others) {
    SKIP("there is no filter for this processor");
}
TEST(each_call_of_another_kind_is_denied) {
    SKIP("there is no filter for this processor");
}
TEST(each_call_by_a_number_of_x32_is_denied) {
    SKIP("there is no filter for this processor");
}

#endif

TEST_MAIN(TESTCASE(the_listed_calls_are_denied_and_no_others),
          TESTCASE(each_call_of_another_kind_is_denied),
          TESTCASE(each_call_by_a_number_of_x32_is_denied))
