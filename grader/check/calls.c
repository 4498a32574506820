// SPDX-License-Identifier: Apache-2.0
// A device speaks PTX: its findings name instructions. Who has written calls of
// cuda::ptx reads the call that each of them is, with the arguments that it
// always has. Where the submission has inline PTX, or no such call, or is PTX,
// the instruction's name stays.
#include "check/internal.h"

// X("instruction", "call")
// clang-format off
#define CALLS(X) \
    X("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", \
      "ptx::fence_proxy_async_generic_sync_restrict(sem_acquire, space_cluster, scope_cluster)") \
    X("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", \
      "ptx::fence_proxy_async_generic_sync_restrict(sem_release, space_shared, scope_cluster)") \
    X("fence.proxy.async", "ptx::fence_proxy_async()") \
    X("fence.mbarrier_init.release.cluster", \
      "ptx::fence_mbarrier_init(sem_release, scope_cluster)") \
    X("mbarrier.init", "ptx::mbarrier_init") \
    X("mbarrier.arrive.expect_tx", "ptx::mbarrier_arrive_expect_tx") \
    X("mbarrier.arrive.noComplete", "ptx::mbarrier_arrive_no_complete") \
    X("mbarrier.arrive", "ptx::mbarrier_arrive") \
    X("mbarrier.try_wait.parity", "ptx::mbarrier_try_wait_parity") \
    X("barrier.cluster.arrive", "ptx::barrier_cluster_arrive") \
    X("barrier.cluster.wait", "ptx::barrier_cluster_wait") \
    X("cp.async.mbarrier.arrive.noinc", "ptx::cp_async_mbarrier_arrive_noinc") \
    X("clusterlaunchcontrol.try_cancel", "ptx::clusterlaunchcontrol_try_cancel") \
    X(".multicast::cluster::all", "ptx::clusterlaunchcontrol_try_cancel_multicast")
// clang-format on

typedef struct Call {
    const char *instruction, *call;
} Call;

static const Call calls[] = {
#define CALL_ROW(instruction, call) {instruction, call},
    CALLS(CALL_ROW)
#undef CALL_ROW
};

static bool names(const Submission *submission, Str name) {
    return place_find_name(submission, name).line > 0;
}

static bool has_calls(const Submission *submission) {
    return !str_ends(submission->file, STR(".ptx")) &&
           names(submission, STR("ptx")) && !names(submission, STR("asm")) &&
           !names(submission, STR("__asm__"));
}

static bool is_part_of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= '0' && c <= '9');
}

// Whether a name of an instruction ends in front of `rest`: what a full stop
// that ends a sentence does, and one within a name does not.
static bool is_end(Str rest) {
    if (rest.len == 0)
        return true;
    if (rest.ptr[0] == '.' || rest.ptr[0] == ':')
        return rest.len == 1 ||
               !(is_part_of_name(rest.ptr[1]) || rest.ptr[1] == ':');
    return !is_part_of_name(rest.ptr[0]);
}

static const Call *call_at(Str text, size_t at) {
    if (at > 0 && (is_part_of_name(text.ptr[at - 1]) ||
                   text.ptr[at - 1] == '.' || text.ptr[at - 1] == ':'))
        return NULL;
    Str rest = str_slice(text, at, text.len);
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        Str name = str_from(calls[i].instruction);
        if (str_starts(rest, name) &&
            is_end(str_slice(rest, name.len, rest.len)))
            return &calls[i];
    }
    return NULL;
}

Str calls_name(const Grade *grade, Str text) {
    Str told = text;
    for (size_t at = 0; at < told.len; at++) {
        const Call *call = call_at(told, at);
        if (!call)
            continue;
        if (told.ptr == text.ptr && !has_calls(grade->submission))
            return text;
        size_t end = at + str_from(call->instruction).len;
        told = str_format(grade->arena, "%.*s%s%.*s", (int)at, told.ptr,
                          call->call, STR_ARG(str_slice(told, end, told.len)));
        at += str_from(call->call).len - 1;
    }
    return told;
}
