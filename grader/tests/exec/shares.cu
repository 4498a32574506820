// SPDX-License-Identifier: Apache-2.0
// A launch whose schedules take long, in a program that notices much: it counts
// children and SIGCHLD, reaps whatever child there is, has text in a buffer and
// handlers of exit, fork and signals. Words on the command line:
//
//   hang    block 0 waits for ever if it comes early; counting: while it counts
//   heap    block 0 calls malloc, and never free, if it comes early
//   mapped  the program has registered memory of its own
//   file    what the kernel counts in is memory mapped at a reserved address
//   thread  the program has a second thread
//   kill    ends the first copy of the program that it sees, with SIGKILL
//   ends    ends itself with SIGKILL, 200 ms after it saw the first copy
//   child   has a child of its own meanwhile
#include <cuda.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 8, HANG = 1, COUNTING = 2, HEAP = 4 };

__global__ void shares(volatile unsigned *p, unsigned *order, int rounds, int flags) {
    unsigned ticket = atomicAdd(order, 1u), x = ticket;
    if (blockIdx.x == 0 && ticket < 5)
        while (flags & (HANG | COUNTING) && !p[0])
            if (flags & COUNTING)
                p[1] = p[1] * 3 + 2;
    for (int i = 0; i < rounds; i++)
        x = x * 1664525u + 1013904223u + (x >> 7);
    if (flags & HEAP && blockIdx.x == 0 && ticket < 5)
        *(unsigned *)malloc(3 << 20) = x; // the third has no room
    p[2] = blockIdx.x; // a race
    order[blockIdx.x + 1] = ticket;
    if (ticket == 0)
        printf("printed by the kernel\n");
}

static volatile sig_atomic_t children, most_copies, kills, ends, is_over;
static pid_t program, own_child;

static bool has(int argc, char **argv, const char *word) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], word) == 0)
            return true;
    return false;
}

static void says_exit() {
    printf("exit of %s\n", getpid() == program ? "the program" : "a copy");
}

static void says_fork() {
    if (getpid() != own_child)
        fprintf(stderr, "a handler of fork ran\n");
}

static void child_ends(int) {
    children++;
}

// Every millisecond: how many children there are.
static void look(int) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)program, (int)program);
    int file = open(path, O_RDONLY);
    ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
    close(file);
    text[size > 0 ? size : 0] = 0;
    int copies = 0;
    for (char *at = text; *at;) {
        pid_t pid = (pid_t)strtol(at, &at, 10);
        if (pid == 0)
            break;
        if (pid == own_child)
            continue;
        copies++;
        if (kills) {
            kills = 0;
            kill(pid, SIGKILL);
        }
    }
    if (copies > most_copies)
        most_copies = copies;
    if (most_copies && ends && --ends == 0)
        kill(program, SIGKILL);
}

static void *allocates(void *) {
    while (!is_over)
        free(malloc(100));
    return NULL;
}

static int flags_of(int argc, char **argv) {
    return (has(argc, argv, "hang") ? HANG : 0) | (has(argc, argv, "counting") ? COUNTING : 0) |
           (has(argc, argv, "heap") ? HEAP : 0);
}

static void watch() {
    struct itimerval each = {{0, 1000}, {0, 1000}};
    struct sigaction action = {};
    action.sa_flags = SA_RESTART;
    action.sa_handler = child_ends;
    sigaction(SIGCHLD, &action, NULL);
    action.sa_handler = look;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &each, NULL);
}

static int reap_all() {
    int count = 0;
    while (waitpid(-1, NULL, 0) > 0)
        count++;
    return count;
}

static unsigned *map_memory() {
    CUmemAllocationProp prop = {};
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle memory;
    CUdeviceptr at = 0;
    size_t size = 2 << 20;
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location = access.location;
    cuMemCreate(&memory, size, &prop, 0);
    cuMemAddressReserve(&at, size, 0, 0, 0);
    cuMemMap(at, size, 0, memory, 0);
    cuMemSetAccess(at, size, &access, 1);
    return (unsigned *)at;
}

int main(int argc, char **argv) {
    static unsigned own[16];
    unsigned *p, *order, result[1 + BLOCKS];
    pthread_t thread;
    program = getpid();
    if (has(argc, argv, "child") && (own_child = fork()) == 0) {
        pause();
        _exit(0);
    }
    atexit(says_exit);
    pthread_atfork(says_fork, NULL, says_fork);
    printf("in a buffer, ");
    kills = has(argc, argv, "kill");
    ends = has(argc, argv, "ends") ? 200 : 0;
    cudaMalloc(&p, 12);
    if (has(argc, argv, "file"))
        p = map_memory();
    cudaMemset(p, 0, 12);
    cudaMallocManaged(&order, sizeof result);
    if (has(argc, argv, "mapped"))
        cudaHostRegister(own, sizeof own, cudaHostRegisterDefault);
    if (has(argc, argv, "thread"))
        pthread_create(&thread, NULL, allocates, NULL);
    watch();
    for (int i = 0; i < 2; i++) {
        memset(order, 0, sizeof result);
        shares<<<BLOCKS, 1>>>(p, order, 6000, flags_of(argc, argv));
        cudaDeviceSynchronize();
    }
    setitimer(ITIMER_REAL, NULL, NULL);
    is_over = 1;
    if (has(argc, argv, "thread"))
        pthread_join(thread, NULL);
    int before = children;
    if (own_child)
        kill(own_child, SIGKILL);
    int reaped = reap_all();
    for (int i = 0; i <= BLOCKS; i++)
        printf("%u ", order[i]);
    printf("\nSIGCHLD: %d, reaped: %d\n", before, reaped);
    if (getenv("COPIES"))
        printf("copies: %d\n", (int)most_copies);
    return 0;
}
