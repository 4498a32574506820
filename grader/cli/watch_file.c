// SPDX-License-Identifier: Apache-2.0
// Has the file been saved? Editors write in place, or write another file and
// rename it, and leave the path empty in between. So the folder is watched, by
// inotify, and the path is looked at: when something happens to that name, and
// now and then, since some file systems tell nothing and a folder may be
// replaced. Without inotify it is looked at ten times a second.
#include "cli/watch.h"

#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

enum { // milliseconds
    SETTLES = 20,
    SETTLES_WITHOUT_FILE = 200, // an editor may be about to write it
    SETTLES_AT_LAST = 1000,     // though it changes again and again
    POLLS = 100,
    LOOKS = 1000, // with inotify
};

#define EVENTS                                                                 \
    (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_MOVE_SELF | \
     IN_ONLYDIR)

static FileLook look_at(const char *path) {
    struct stat status;
    if (lstat(path, &status) != 0)
        return (FileLook){0};
    return (FileLook){.is_there = true,
                      .kind = status.st_mode & S_IFMT,
                      .device = status.st_dev,
                      .inode = status.st_ino,
                      .size = (uint64_t)status.st_size,
                      .seconds = status.st_mtim.tv_sec,
                      .nanoseconds = status.st_mtim.tv_nsec};
}

static bool is_same(FileLook a, FileLook b) {
    return a.is_there == b.is_there && a.kind == b.kind &&
           a.device == b.device && a.inode == b.inode && a.size == b.size &&
           a.seconds == b.seconds && a.nanoseconds == b.nanoseconds;
}

// A folder that is not there now may come back; one that cannot be watched is
// polled from now on.
static void mark_folder(WatchedFile *file) {
    if (file->inotify < 0 || file->mark >= 0)
        return;
    file->mark = inotify_add_watch(file->inotify, file->folder, EVENTS);
    if (file->mark >= 0 || errno == ENOENT || errno == ENOTDIR)
        return;
    file->error = errno;
    watched_close(file);
}

void watched_open(Arena *arena, Str path, bool polls, WatchedFile *file) {
    size_t slash = path.len;
    while (slash > 0 && path.ptr[slash - 1] != '/')
        slash--;
    Str folder =
        slash > 1 ? str_slice(path, 0, slash - 1) : str_slice(path, 0, slash);
    *file = (WatchedFile){
        .path = str_cstring(arena, path),
        .folder = folder.len ? str_cstring(arena, folder) : ".",
        .name = str_cstring(arena, str_slice(path, slash, path.len)),
        .inotify = polls ? -1 : inotify_init1(IN_NONBLOCK | IN_CLOEXEC),
        .mark = -1};
    file->error = !polls && file->inotify < 0 ? errno : 0;
    mark_folder(file);
    file->last = look_at(file->path);
}

void watched_close(WatchedFile *file) {
    if (file->inotify >= 0)
        close(file->inotify);
    file->inotify = file->mark = -1;
}

// Whether the event is about the file. The mark stays with a folder that is
// moved, which is then another path's.
static bool take_event(WatchedFile *file, const struct inotify_event *event) {
    if (event->mask & IN_MOVE_SELF)
        inotify_rm_watch(file->inotify, event->wd);
    if (event->mask & (IN_MOVE_SELF | IN_IGNORED) && event->wd == file->mark)
        file->mark = -1;
    return event->mask & IN_Q_OVERFLOW ||
           (event->len > 0 && strcmp(event->name, file->name) == 0);
}

static bool take_events(WatchedFile *file) {
    _Alignas(struct inotify_event) char bytes[4096];
    bool touched = false;
    ssize_t n;
    while (file->inotify >= 0 &&
           (n = read(file->inotify, bytes, sizeof bytes)) > 0)
        for (ssize_t at = 0; at < n;) {
            const struct inotify_event *event = (const void *)(bytes + at);
            touched |= take_event(file, event);
            at += (ssize_t)(sizeof *event + event->len);
        }
    return touched;
}

bool watched_look(WatchedFile *file, double now) {
    bool touched = take_events(file);
    mark_folder(file);
    FileLook look = look_at(file->path);
    if (touched || !is_same(look, file->last)) {
        file->since = file->is_pending ? file->since : now;
        file->is_pending = true;
        file->settled = now + (look.is_there ? SETTLES : SETTLES_WITHOUT_FILE);
        if (file->settled > file->since + SETTLES_AT_LAST)
            file->settled = file->since + SETTLES_AT_LAST;
    }
    file->last = look;
    if (!file->is_pending || now < file->settled)
        return false;
    file->is_pending = false;
    return true;
}

double watched_wait(const WatchedFile *file, double now) {
    if (!file->is_pending)
        return file->mark >= 0 ? LOOKS : POLLS;
    return file->settled > now ? file->settled - now : 0;
}
