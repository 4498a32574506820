// SPDX-License-Identifier: Apache-2.0
// Runs a command and says what it has cost, for tests of limits:
//
//   cost FILE COMMAND [ARGUMENT...]
//
// FILE becomes "SECONDS MIB": the processor time of the command and of all
// processes that it waited for, rounded up, and the largest resident memory of
// one of them. Its exit status is the command's.
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT = 126 };

static double seconds(struct timeval t) {
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static int report(const char *path, const struct rusage *used) {
    FILE *file = fopen(path, "w");
    if (!file)
        return CANNOT;
    fprintf(file, "%.0f %ld\n",
            seconds(used->ru_utime) + seconds(used->ru_stime) + 0.5,
            used->ru_maxrss >> 10);
    return fclose(file) == 0 ? 0 : CANNOT;
}

int main(int argc, char **argv) {
    int status;
    struct rusage used;
    if (argc < 3)
        return CANNOT;
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(CANNOT);
    }
    if (child < 0 || wait4(child, &status, 0, &used) < 0 ||
        report(argv[1], &used) != 0 || !WIFEXITED(status))
        return CANNOT;
    return WEXITSTATUS(status);
}
