// SPDX-License-Identifier: Apache-2.0
// Denies, with EPERM, the system calls that no compilation and no kernel run
// needs.
//
// This is a denylist in classic BPF with one comparison per call, installed by
// prctl. It is one fence of several (privileges, Landlock, limits), so it
// allows every call that it does not name. Calls of another architecture are
// denied as a whole where the kernel accepts them: 32-bit calls on x86-64.
#include "sandbox/internal.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef NATIVE_ARCH

enum { X32_CALLS = 0x40000000 }; // the x32 numbers: no program here uses them

enum { SOCKET_CALLS = 6 }; // they come first in the list

static const uint32_t denied[] = {
    // the network; local sockets, which reach daemons
    SYS_socket,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    // other processes
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_perf_event_open,
    SYS_kcmp,
    // leaving the group that is killed at the end
    SYS_setsid,
    SYS_setpgid,
    // mounts and namespaces
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    // keys
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    // the kernel and the machine
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
    SYS_io_uring_setup, // its operations bypass this filter
#endif
#if defined(__x86_64__)
    SYS_iopl,
    SYS_ioperm,
#endif
};

static struct sock_filter load_field(size_t offset) {
    return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                        (uint32_t)offset);
}

static struct sock_filter jump_if(uint16_t test, uint32_t value, size_t yes,
                                  size_t no) {
    return (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | test | BPF_K),
                                        value, (uint8_t)yes, (uint8_t)no);
}

static struct sock_filter give(uint32_t value) {
    return (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, value);
}

bool sandbox_deny_calls(bool sockets) {
    struct sock_filter code[COUNT_OF(denied) + 6];
    const uint32_t *list = denied + (sockets ? SOCKET_CALLS : 0);
    size_t n = 0, calls = COUNT_OF(denied) - (sockets ? SOCKET_CALLS : 0);
    // The two verdicts come at the end: allow, then deny.
    code[n++] = load_field(offsetof(struct seccomp_data, arch));
    code[n++] = jump_if(BPF_JEQ, NATIVE_ARCH, 0, calls + 3);
    code[n++] = load_field(offsetof(struct seccomp_data, nr));
    code[n++] = jump_if(BPF_JGE, X32_CALLS, calls + 1, 0);
    for (size_t i = 0; i < calls; i++)
        code[n++] = jump_if(BPF_JEQ, list[i], calls - i, 0);
    code[n++] = give(SECCOMP_RET_ALLOW);
    code[n++] = give(SECCOMP_RET_ERRNO | EPERM);
    struct sock_fprog program = {.len = (unsigned short)n, .filter = code};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#else

bool sandbox_deny_calls(bool sockets) {
    (void)sockets;
    return false;
}

#endif
