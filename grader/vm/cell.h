// SPDX-License-Identifier: Apache-2.0
// A cell of shadow memory (shadow.h), and what is done with most of them.
// Private to shadow.c.
#ifndef CLCLAB_VM_CELL_H
#define CLCLAB_VM_CELL_H

#include "vm/shadow.h"

// Times of agents, and in shared memory those of threads of other CTAs, have
// this bit: they are above every vm->order->time.
#define CELL_FAR VM_AGENT

typedef struct Cell {
    uint32_t *at; // its W_TIME
    uint32_t plane;
} Cell;

#define W_TIME(c) ((c).at[0])
#define W_WHO(c) ((c).at[(c).plane])
#define W_SITE(c) ((c).at[2 * (size_t)(c).plane])
#define R_TIME(c) ((c).at[3 * (size_t)(c).plane])
#define R_WHO(c) ((c).at[4 * (size_t)(c).plane])
#define R_SITE(c) ((c).at[5 * (size_t)(c).plane])

// ---- the usual access ----------------------------------------------------

// Most accesses are to whole cells that were touched last before the CTA's last
// barrier, by the same thread, or never: there is nothing to report, and no
// list of readers. What is_usual says no to goes through touch_all.
typedef struct Usual {
    uint32_t start, before; // times: of the region, of that barrier
    uint32_t who, time, site;
    bool shared, only_barriers;
} Usual;

static inline bool is_past(const Usual *u, uint32_t time, uint32_t who) {
    return time < u->before || (who == u->who && !(time & CELL_FAR));
}

// One more reader since the barrier: MANY, if barriers are all that counts.
static inline bool joins_readers(const Usual *u, Cell c) {
    if (!u->only_barriers || !u->shared || (R_TIME(c) & CELL_FAR) ||
        (R_SITE(c) & (SITE_STRONG | SITE_FAR)))
        return false;
    R_TIME(c) = u->time;
    R_SITE(c) |= SITE_MANY;
    return true;
}

static inline bool usual_read(const Usual *u, Cell c) {
    if (!is_past(u, W_TIME(c), W_WHO(c)) || (u->shared && W_TIME(c) < u->start))
        return false;
    if (R_SITE(c) & SITE_MANY) {
        if (!u->only_barriers || !u->shared || (R_SITE(c) & SITE_FAR))
            return false;
        if (R_TIME(c) >= u->before)
            return joins_readers(u, c);
    } else if (!is_past(u, R_TIME(c), R_WHO(c))) {
        return joins_readers(u, c);
    }
    R_TIME(c) = u->time;
    R_WHO(c) = u->who;
    R_SITE(c) = u->site;
    return true;
}

static inline bool usual_write(const Usual *u, Cell c) {
    bool many = R_SITE(c) & SITE_MANY;
    if (!is_past(u, W_TIME(c), W_WHO(c)) ||
        (many ? !u->only_barriers || !u->shared || (R_SITE(c) & SITE_FAR) ||
                    R_TIME(c) >= u->before
              : !is_past(u, R_TIME(c), R_WHO(c))))
        return false;
    W_TIME(c) = u->time;
    W_WHO(c) = u->who;
    W_SITE(c) = u->site;
    R_TIME(c) = R_SITE(c) = 0;
    return true;
}

// Cells of one access; false: touch_all has to look at all of them (a cell that
// has been recorded already is then this thread's own).
static inline bool is_usual(const Usual *u, Cell first, uint32_t cells,
                            bool write) {
    for (uint32_t i = 0; i < cells; i++) {
        Cell c = {first.at + i, first.plane};
        if (!(write ? usual_write(u, c) : usual_read(u, c)))
            return false;
    }
    return true;
}

#endif
