// SPDX-License-Identifier: Apache-2.0
// The precompiled headers: a file of about 20 MB, or of 150 MB in full, for
// each toolkit and set of options, in the cache folder, used by mapping it into
// memory.
//
// It contains addresses, so only a process with the same address-space layout
// as the one that made it can use it: the compiling child asks for fixed
// addresses. NVRTC checks this, and the options, itself.
//
// One process makes it, under a lock. The others wait a while for it, which is
// faster than compiling in full at the same time. It is made in a scratch
// folder and renamed, but not synced: if a power failure truncates the file,
// the child that uses it crashes, the file is discarded, and the source is
// compiled in full.
#include "compile/internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NEEDED_BYTES ((uint64_t)400 << 20)
#define SUFFIX STR(".pch")
#define KEEP_BYTES ((uint64_t)700 << 20)

enum {
    KEEP_COUNT = 4,
    WAIT_MS = 20000, // the longest wait for another process that is making it
    WAIT_STEP_MS = 20,
};

// Each header has a lock of its own.
static int open_lock(Arena *arena, const Pch *pch) {
    Str path = str_slice(pch->path, 0, pch->path.len - SUFFIX.len);
    path = str_format(arena, "%.*s.lock", STR_ARG(path));
    return open(str_cstring(arena, path), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
}

// True: the lock is ours. False: the file has appeared, or it took too long.
static bool wait_for_lock(const char *path, int lock, bool waits) {
    struct timespec step = {.tv_nsec = WAIT_STEP_MS * 1000000};
    for (int waited = 0; waited < WAIT_MS; waited += WAIT_STEP_MS) {
        if (flock(lock, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (access(path, F_OK) == 0 || !waits)
            return false;
        nanosleep(&step, NULL);
    }
    return false;
}

// Tries it and undoes it: the setting affects programs that are started later.
static bool can_fix_addresses(void) {
    int now = personality(0xffffffff);
    if (now == -1 || personality((unsigned long)now | ADDR_NO_RANDOMIZE) == -1)
        return false;
    personality((unsigned long)now);
    return true;
}

static Pch without(Pch *pch, const char *why) {
    pch->mode = PCH_NONE;
    pch->note = str_from(why);
    return *pch;
}

static Pch prepare(Arena *arena, Pch *pch, Str cache_dir, bool waits) {
    if (!files_have_room(arena, cache_dir, NEEDED_BYTES))
        return without(pch, "less than 400 MB are free in the cache folder");
    pch->lock = open_lock(arena, pch);
    if (pch->lock < 0)
        return without(pch, "the cache folder cannot be written to");
    bool ours = wait_for_lock(str_cstring(arena, pch->path), pch->lock, waits);
    pch->mode = PCH_USE;
    if (files_are_ours(arena, pch->path)) // another process has made it
        return *pch;
    if (!ours)
        return without(pch, "another process is precompiling the headers");
    Diags unheard = diags_new(arena);
    if (!sandbox_make_scratch(arena, cache_dir, &pch->scratch, &unheard))
        return without(pch, "the cache folder cannot be written to");
    pch->scratch.path = files_absolute(arena, pch->scratch.path);
    pch->made = str_format(arena, "%.*s/made.pch", STR_ARG(pch->scratch.path));
    pch->mode = PCH_CREATE;
    return *pch;
}

Pch pch_open(Arena *arena, Str cache_dir, Str key, bool waits) {
    Pch pch = {.lock = -1};
    if (cache_dir.len == 0)
        return without(&pch, "there is no cache folder");
    if (!can_fix_addresses())
        return without(&pch, "precompiled headers need fixed addresses, which "
                             "this machine refuses");
    uint64_t hash = hash_bytes(2, key.ptr, key.len);
    pch.path = str_format(arena, "%.*s/%016llx.pch",
                          STR_ARG(files_absolute(arena, cache_dir)),
                          (unsigned long long)hash);
    pch.mode = PCH_USE;
    if (files_are_ours(arena, pch.path)) {
        utimensat(AT_FDCWD, str_cstring(arena, pch.path), NULL, 0);
        return pch;
    }
    return prepare(arena, &pch, cache_dir, waits);
}

void pch_publish(Arena *arena, Pch *pch, Str cache_dir) {
    chmod(str_cstring(arena, pch->made), 0600); // whatever the umask is
    if (rename(str_cstring(arena, pch->made), str_cstring(arena, pch->path)))
        pch->note = STR("the precompiled headers could not be put in place");
    files_prune(arena, cache_dir, (Str){0}, SUFFIX, KEEP_BYTES, KEEP_COUNT);
    // A lock that is held may go as well: then two processes make a header.
    files_prune(arena, cache_dir, (Str){0}, STR(".lock"), KEEP_BYTES,
                KEEP_COUNT);
}

void pch_discard(Arena *arena, Pch *pch) {
    if (pch->mode == PCH_USE)
        unlink(str_cstring(arena, pch->path));
}

void pch_close(Pch *pch) {
    sandbox_remove_scratch(&pch->scratch);
    if (pch->lock >= 0)
        close(pch->lock);
    *pch = (Pch){.lock = -1};
}
