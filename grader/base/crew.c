// SPDX-License-Identifier: Apache-2.0
// A crew: threads that wait until there is work, and do it together with the
// caller. The threads start before there is work, as a process that has been
// restricted to computing can start none. They end with the process.
#include "base/base.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

// As large as the stack of a process in a sandbox; only what is used of it
// takes memory.
#define STACK_BYTES ((size_t)64 << 20)

struct Crew {
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
    size_t helpers; // threads besides the caller
    size_t ready;   // of them, those that have started
    size_t busy;    // of them, those that have not ended the last work
    uint64_t round; // of work, from 1
    CrewWork *work;
    void *context;
};

static void *help(void *context) {
    Crew *crew = context;
    pthread_mutex_lock(&crew->lock);
    size_t worker = ++crew->ready;
    pthread_cond_broadcast(&crew->ended);
    for (uint64_t done = 0;; done++) {
        while (crew->round == done)
            pthread_cond_wait(&crew->begun, &crew->lock);
        pthread_mutex_unlock(&crew->lock);
        crew->work(crew->context, worker);
        pthread_mutex_lock(&crew->lock);
        crew->busy--;
        pthread_cond_broadcast(&crew->ended);
    }
    return NULL;
}

// Signals are the caller's.
static void start_helpers(Crew *crew, size_t wanted) {
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (crew->helpers < wanted &&
           pthread_create(&thread, &attributes, help, crew) == 0) {
        pthread_detach(thread);
        crew->helpers++;
    }
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

Crew *crew_new(size_t workers) {
    Crew *crew = calloc(1, sizeof *crew);
    if (!crew)
        return NULL;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->begun, NULL);
    pthread_cond_init(&crew->ended, NULL);
    start_helpers(crew, workers > 1 ? workers - 1 : 0);
    pthread_mutex_lock(&crew->lock);
    while (crew->ready < crew->helpers)
        pthread_cond_wait(&crew->ended, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
    return crew;
}

size_t crew_workers(const Crew *crew) {
    return crew ? crew->helpers + 1 : 1;
}

void crew_run(Crew *crew, CrewWork *work, void *context) {
    pthread_mutex_lock(&crew->lock);
    crew->work = work;
    crew->context = context;
    crew->busy = crew->helpers;
    crew->round++;
    pthread_cond_broadcast(&crew->begun);
    pthread_mutex_unlock(&crew->lock);
    work(context, 0);
    pthread_mutex_lock(&crew->lock);
    while (crew->busy > 0)
        pthread_cond_wait(&crew->ended, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}
