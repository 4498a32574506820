// SPDX-License-Identifier: Apache-2.0
// What the processes of a job use, as /proc tells it: a job is everything below
// its supervisor. A process may end or start while they are counted, so a
// measurement may lack one, but counts none twice: parents come before their
// children, and what a process used becomes its parent's when it has ended.
#include "sandbox/internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PROCESSES = 64 }; // of one job that are added up

// Reads a file of a process into `text`; empty if the process has ended.
static void read_file(int pid, const char *file, char *text, size_t room) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/%s", pid, file);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, room - 1) : 0;
    text[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

Memory sandbox_memory(int pid) {
    char text[128];
    unsigned long long reserved, resident;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    read_file(pid, "statm", text, sizeof text);
    if (sscanf(text, "%llu %llu", &reserved, &resident) != 2)
        return (Memory){0};
    return (Memory){resident * page, reserved * page};
}

// Of one process and of those children that it has waited for.
static double process_cpu(int pid) {
    char text[1024];
    unsigned long long user, system, child_user, child_system;
    read_file(pid, "stat", text, sizeof text);
    const char *rest = strrchr(text, ')'); // its name may hold anything
    if (!rest || sscanf(rest + 1,
                        " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u "
                        "%llu %llu %llu %llu",
                        &user, &system, &child_user, &child_system) != 4)
        return 0;
    return (double)(user + system + child_user + child_system) /
           (double)sysconf(_SC_CLK_TCK);
}

// Appends the children of list[at] to the list. Returns its new length.
static size_t list_children(int *list, size_t at, size_t count) {
    char name[32], text[1024];
    snprintf(name, sizeof name, "task/%d/children", list[at]);
    read_file(list[at], name, text, sizeof text);
    char *rest = text, *end = NULL;
    long child = 0;
    while (count < MAX_PROCESSES && (child = strtol(rest, &end, 10)) > 0) {
        list[count++] = (int)child;
        rest = end;
    }
    return count;
}

uint64_t sandbox_job_memory(int supervisor) {
    int list[MAX_PROCESSES] = {supervisor};
    size_t count = list_children(list, 0, 1);
    uint64_t sum = 0;
    for (size_t i = 1; i < count; i++) {
        sum += sandbox_memory(list[i]).resident;
        count = list_children(list, i, count);
    }
    return sum;
}

double sandbox_job_cpu(int supervisor) {
    int list[MAX_PROCESSES] = {supervisor};
    size_t count = 1;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += process_cpu(list[i]);
        count = list_children(list, i, count);
    }
    return sum;
}
