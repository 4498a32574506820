// SPDX-License-Identifier: Apache-2.0
// Shadow memory: read shadow.h and cell.h first, then touch().
//
// If several readers are not ordered among each other, the site is MANY: R_WHO
// is the number of a list of readers. Where whole-CTA barriers alone order the
// threads of the program, it is one of the readers instead, and R_TIME, the
// time of the latest, decides.
#include "vm/order/shadow.h"

#include "vm/decode/doubt.h"
#include "vm/decode/fate.h"
#include "vm/machine/lanes.h"
#include "vm/order/flag.h"
#include "vm/order/old.h"
#include "vm/order/stale.h"
#include "vm/order/store.h"

// ---- one access ----------------------------------------------------------

// An access by a lane, or by an agent that works for a lane.
typedef struct Touch {
    Vm *vm;
    VmWarp *w;
    const VmInstr *in;
    uint32_t lane;
    VmRegion region;
    uint64_t offset;
    uint32_t bytes;
    uint32_t who, time, site; // what will be recorded
    uint32_t start, first_agent;
    bool write, strong;
    const VmAsync *async;   // NULL: the lane itself makes the access
    bool reported;          // one report per access is enough,
    bool advised;           // and one advisory,
    bool counted;           // and one about a flag
    uint64_t at;            // offset of the bytes being checked,
    uint32_t part;          // and how many: a cell's
    uint32_t uninitialised; // elements with uninitialised bytes, as bits
    bool is_written;        // some byte of the access was initialised
} Touch;

static Touch touch_of(VmWarp *w, const VmInstr *in, uint32_t lane,
                      VmRegion region, uint32_t bytes, bool write) {
    const VmOrder *o = w->vm->order;
    bool far = region.cta && region.cta != w->cta;
    Touch t = {.vm = w->vm,
               .w = w,
               .in = in,
               .lane = lane,
               .region = region,
               .bytes = bytes,
               .who = vm_who(w, lane),
               .time = o->time | (far ? CELL_FAR : 0),
               .site = vm_shadow_site(in, bytes),
               .start = region.cta ? region.cta->order.start : o->start,
               .first_agent =
                   region.cta ? region.cta->order.first_agent : o->first_agent,
               .write = write,
               .strong = in->sem != SEM_WEAK};
    return t;
}

// True if the recorded access belongs to this launch (in shared memory: to the
// lifetime of this CTA).
static bool is_current(const Touch *t, uint32_t time, uint32_t who) {
    if (who & VM_AGENT)
        return (time & CELL_FAR) && (who & ~VM_AGENT) >> 5 >= t->first_agent;
    return (time & ~CELL_FAR) >= t->start;
}

static uint32_t cta_of(const Touch *t, uint32_t who) {
    return (who >> 5) / t->vm->order->clocks.warps_per_cta;
}

// Those of `lanes` of a warp or an agent (`who` is its lane 0) whose access at
// `time` is ordered before this one: by program order, by barriers of the CTA,
// or by the clock.
static uint32_t known_lanes(const Touch *t, VmView view, uint32_t who,
                            uint32_t lanes, uint32_t time) {
    const VmClocks *clocks = &t->vm->order->clocks;
    const VmWarp *w = t->w;
    uint32_t found = 0;
    time &= ~CELL_FAR;
    if (view == VIEW_GENERIC && !(who & VM_AGENT) &&
        time < w->order.cta_before && cta_of(t, who) == w->cta->order.serial)
        return lanes;
    if (who == vm_who(w, 0) &&
        (view == VIEW_GENERIC || time < vm_order_carried(w, view, t->lane)))
        found = lanes & 1u << t->lane;
    const VmClock *known = vm_known(w, t->lane);
    if (found != lanes)
        found |= vm_clock_known_lanes(clocks, known, view, who, lanes, time);
    // A proxy fence after the wait for an answer also covers that answer, for
    // what overwrites it.
    if (found != lanes && t->async && t->write && (who & VM_AGENT))
        found |=
            vm_clock_known_lanes(clocks, known, VIEW_SHARED, who, lanes, time);
    return found;
}

static bool is_known(const Touch *t, VmView view, uint32_t who, uint32_t time) {
    return known_lanes(t, view, who & ~31u, 1u << (who & 31), time);
}

// An asynchronous copy overwrites what a thread has read. NVIDIA's libraries
// order the two by barriers alone, so that a missing proxy fence is no error as
// it is before an answer (CLC006), but an advisory.
static bool is_copy_over_a_read(const Touch *t, uint32_t who, bool wrote) {
    return t->async && t->async->is_proxy && !(who & VM_AGENT) && !wrote &&
           t->write && !t->async->is_answer;
}

static VmView proxy_view(const Touch *t) {
    return t->region.cta ? VIEW_SHARED : VIEW_GLOBAL;
}

static VmView view_of(const Touch *t, uint32_t who, bool wrote) {
    if (!t->async || !t->async->is_proxy || (who & VM_AGENT) ||
        (!wrote && !t->async->is_answer))
        return VIEW_GENERIC;
    return proxy_view(t);
}

// Those of `lanes` that what the thread knows orders before this access. A
// proxy fence orders the accesses of the thread that runs it, and publishes
// nothing: what was written must be known to the generic proxy as well. That
// reads come before an answer is also said by a proxy fence and a relaxed
// arrival: see advise_relaxed.
static uint32_t ordered_lanes(const Touch *t, uint32_t who, uint32_t lanes,
                              uint32_t time, bool wrote) {
    VmView view = view_of(t, who, wrote);
    uint32_t found = known_lanes(t, view, who, lanes, time);
    if (found && wrote && view != VIEW_GENERIC)
        found &= known_lanes(t, VIEW_GENERIC, who, found, time);
    return found;
}

// Both accesses are strong and of one size, and each one's scope includes the
// other thread.
static bool is_morally_strong(const Touch *t, uint32_t who, uint32_t site) {
    if (!t->strong || !(site & SITE_STRONG))
        return false;
    if ((who & VM_AGENT) || t->async)
        return true; // reductions are atomic at GPU scope
    if (!vm_site_fits(site, t->site))
        return false;
    uint32_t mine = t->w->cta->order.serial, other = cta_of(t, who);
    uint32_t size = t->vm->order->clocks.ctas_per_cluster;
    VmScope least = mine == other                 ? SCOPE_CTA
                    : mine / size == other / size ? SCOPE_CLUSTER
                                                  : SCOPE_GPU;
    return (site >> SITE_SCOPE_SHIFT & 3) >= (uint32_t)least &&
           t->in->scope >= (uint32_t)least;
}

// What holds for both sites: strong only if both are, with the narrower scope.
static uint32_t weaker(uint32_t a, uint32_t b) {
    const uint32_t scope = 3u << SITE_SCOPE_SHIFT;
    uint32_t least = (a & scope) < (b & scope) ? a & scope : b & scope;
    uint32_t both = a & b & SITE_STRONG;
    return (a & ~(scope | SITE_STRONG)) | least | both;
}

// The elements of the access that have bytes in the cell that is being checked.
static uint32_t elements_at(const Touch *t) {
    uint32_t width = t->in->width ? t->in->width : 1;
    uint64_t end = t->at + t->part - t->offset;
    uint64_t first = t->at > t->offset ? (t->at - t->offset) / width : 0;
    uint64_t last = (end - 1) / width;
    return VM_FULL << (first & 31) & VM_FULL >> (31 - (last & 31));
}

static VmRace race_of(const Touch *t, uint32_t who, uint32_t time,
                      uint32_t site, bool wrote) {
    return (VmRace){.w = t->w,
                    .in = t->in,
                    .lane = t->lane,
                    .cta = t->region.cta,
                    .buffer = t->region.buffer,
                    .offset = t->offset,
                    .bytes = t->bytes,
                    .write = t->write,
                    .async = t->async,
                    .who = who,
                    .time = time & ~CELL_FAR,
                    .site = site,
                    .wrote = wrote,
                    .elements = elements_at(t)};
}

// Those of the lanes whose reads count: the values that they loaded have been
// used (decode/fate.h), as far as that is followed. About values that are still
// held a finding is kept back.
static uint32_t that_count(const Touch *t, uint32_t who, uint32_t lanes,
                           VmRace *race) {
    if (!lanes || (who & VM_AGENT) || (race->site & SITE_STRONG) ||
        !t->vm->program->fate_count)
        return lanes;
    VmFate fate;
    VmFateRead read = {.serial = who >> 5,
                       .w = vm_warp_of(t->vm, who >> 5),
                       .lanes = lanes,
                       .time = race->time,
                       .loc = race->site & SITE_LOC,
                       .at = t->at,
                       .bytes = t->part};
    race->is_judged = vm_fate_of(t->vm, &read, &fate);
    if (!race->is_judged)
        return lanes;
    if (fate.held) {
        race->who = (who & ~31u) | vm_first(fate.held);
        VmKept *kept = vm_race_keep(race);
        if (kept)
            vm_fate_keep(t->vm, &read, kept);
    }
    return fate.used;
}

// Reports a race with a read by one of the lanes.
static void report_read(Touch *t, uint32_t who, uint32_t lanes, uint32_t time,
                        uint32_t site) {
    if (t->reported)
        return;
    VmRace race = race_of(t, who, time, site, false);
    lanes = that_count(t, who, lanes, &race);
    if (!lanes)
        return;
    t->reported = true;
    race.who = (who & ~31u) | vm_first(lanes);
    vm_race_report(&race);
}

static void report(Touch *t, uint32_t who, uint32_t time, uint32_t site,
                   bool wrote) {
    if (!wrote) {
        report_read(t, who, 1u << (who & 31), time, site);
        return;
    }
    if (t->reported) {
        if (!t->async && !t->write)
            vm_doubt_also(t->w, t->in, t->lane, elements_at(t));
        return;
    }
    t->reported = true;
    VmRace race = race_of(t, who, time, site, wrote);
    vm_race_report(&race);
}

// Of many readers one is known, which may be this thread itself.
static void report_readers(Touch *t, uint32_t who, uint32_t time,
                           uint32_t site) {
    if (t->reported)
        return;
    t->reported = true;
    VmRace race = race_of(t, who, time, site, false);
    race.by_others = who == t->who;
    vm_race_report(&race);
}

// Reports that more should order a read by one of the lanes.
static void advise_reads(Touch *t, uint32_t who, uint32_t lanes, uint32_t time,
                         uint32_t site) {
    if (!lanes)
        return;
    VmRace race = race_of(t, (who & ~31u) | vm_first(lanes), time, site, false);
    race.is_ordered = true;
    lanes = that_count(t, who, lanes, &race);
    if (!lanes)
        return;
    t->advised = true;
    race.who = (who & ~31u) | vm_first(lanes);
    vm_race_report(&race);
}

// Barriers order this copy after reads by `lanes`: so should a proxy fence.
static void advise(Touch *t, uint32_t who, uint32_t lanes, uint32_t time,
                   uint32_t site) {
    if (t->advised || !lanes || !is_copy_over_a_read(t, who, false))
        return;
    lanes &= ~known_lanes(t, proxy_view(t), who & ~31u, lanes, time);
    advise_reads(t, who, lanes, time, site);
}

// A proxy fence and a relaxed arrival at an mbarrier (or a relaxed flag) order
// the reads by `lanes` before the answer: advised against. At the barrier of
// the cluster it is the manual's own example.
static void advise_relaxed(Touch *t, uint32_t who, uint32_t lanes,
                           uint32_t time, uint32_t site) {
    if (t->advised || !t->async || !t->async->is_answer || (who & VM_AGENT))
        return;
    lanes &= ~known_lanes(t, VIEW_GENERIC, who & ~31u, lanes, time);
    if (lanes)
        lanes &= ~known_lanes(t, VIEW_MET, who & ~31u, lanes, time);
    // Where the wait alone is relaxed, the reads were released.
    if (!lanes || vm_order_is_pending(t->w, t->lane,
                                      (who & ~31u) | vm_first(lanes), time))
        return;
    advise_reads(t, who, lanes, time, site);
}

// The earlier access is a copy that this one repeats, as far as is known.
static bool repeats(const Touch *t, uint32_t who, uint32_t site) {
    if (!t->async || !t->write || !(who & VM_AGENT))
        return false;
    return t->async->same_unknown || (t->async->same_who == who &&
                                      t->async->same_site == (site & SITE_LOC));
}

// A strong load and a strong store of a place in shared memory, and nothing
// orders the two.
static void note_loose(const Touch *t, uint32_t site, bool wrote) {
    VmOrder *o = t->vm->order;
    bool reads = wrote && !t->write && ptx_is_load(t->in->op),
         writes = !wrote && t->write && ptx_is_store(t->in->op);
    uint32_t other = site & SITE_LOC, own = t->in->loc;
    uint32_t read = reads ? own : other, written = reads ? other : own;
    if (t->async || !t->region.cta || !(reads || writes) ||
        o->loose_count == LOOSE_READS)
        return;
    for (uint32_t i = 0; i < o->loose_count; i++)
        if (o->loose[i].read == read && o->loose[i].written == written)
            return;
    o->loose[o->loose_count].read = read;
    o->loose[o->loose_count++].written = written;
}

static uint64_t place_of(const Touch *t, uint64_t offset) {
    VmWhere where = {t->region.cta, offset};
    if (!t->region.cta)
        where.offset |= (uint64_t)t->region.buffer << VM_BUFFER_SHIFT;
    return vm_order_place(&where);
}

// The thread reads what was there before, if it may.
static bool serve_old(const Touch *t, uint32_t who, uint32_t time) {
    VmOrder *o = t->vm->order;
    if (!o->keeps_old || !ptx_is_load(t->in->op) || t->in->elements > 1)
        return false;
    const uint8_t *now =
        t->region.cta
            ? t->region.cta->smem + t->offset
            : t->vm->memory.buffers[t->region.buffer].bytes + t->offset;
    o->served = vm_old_value(t->w, t->lane, place_of(t, t->offset), who, time,
                             now, t->bytes);
    return o->served != NULL;
}

// What another thread wrote is read, both by strong accesses, and nothing
// orders the two: it may be a flag, or what a flag was set for (flag.c).
static void note_flag(Touch *t, uint32_t who, uint32_t time, uint32_t site) {
    if (t->async || t->in->dst_count == 0 || !t->vm->order->waits)
        return;
    vm_flag_note(
        t->w, t->in, 1u << t->lane, place_of(t, t->at),
        (VmSeenFlag){.who = who, .time = time & ~CELL_FAR, .site = site});
    const VmSeenFlag *flag =
        t->write || t->counted
            ? NULL
            : vm_flag_behind(t->w, t->lane, who, time & ~CELL_FAR);
    if (!flag || !vm_flag_counts(t->w, t->in, flag, site))
        return;
    t->counted = true;
    VmRace race = race_of(t, who, time, site, true);
    race.flag = flag;
    race.is_stale = serve_old(t, who, time & ~CELL_FAR);
    vm_race_report(&race);
}

// Checks that the earlier access, made by `who` at `time`, happens before this
// one.
static void check(Touch *t, uint32_t who, uint32_t time, uint32_t site,
                  bool wrote) {
    bool known =
        ordered_lanes(t, who & ~31u, 1u << (who & 31), time, wrote) != 0;
    if (known && !wrote) {
        advise(t, who, 1u << (who & 31), time, site);
        advise_relaxed(t, who, 1u << (who & 31), time, site);
    }
    if (known || (wrote && repeats(t, who, site)))
        return;
    if (!is_morally_strong(t, who, site)) {
        report(t, who, time, site, wrote);
        return;
    }
    if (who & VM_AGENT)
        return;
    note_loose(t, site, wrote);
    if (wrote)
        note_flag(t, who, time, site);
}

// ---- readers -------------------------------------------------------------

static bool has_list(const Touch *t, Cell c) {
    return vm_has_list(t->vm, c);
}

static void drop_readers(const Touch *t, Cell c) {
    if (has_list(t, c))
        vm_readers_free(t->vm->order->shadow, R_WHO(c));
    R_TIME(c) = R_SITE(c) = 0;
}

static VmReader reader_of(uint32_t who, uint32_t time, uint32_t site) {
    return (VmReader){who & ~31u, 1u << (who & 31), time, site};
}

// True if the cell has current readers.
static bool has_readers(const Touch *t, Cell c) {
    if (has_list(t, c))
        return t->vm->order->shadow->lists[R_WHO(c)].start == t->start;
    return is_current(t, R_TIME(c), R_WHO(c)) &&
           (!(R_SITE(c) & SITE_MANY) || t->vm->order->only_barriers);
}

static void set_reader(Cell c, const Touch *t) {
    R_TIME(c) = t->time;
    R_WHO(c) = t->who;
    R_SITE(c) = t->site;
}

// Adds a reader beside others that it is not ordered after.
static void add_to_many(const Touch *t, Cell c) {
    if (t->vm->order->only_barriers) {
        bool far = !(R_WHO(c) & VM_AGENT) && !(t->who & VM_AGENT) &&
                   cta_of(t, R_WHO(c)) != cta_of(t, t->who);
        R_TIME(c) = t->time;
        R_SITE(c) =
            weaker(R_SITE(c), t->site) | SITE_MANY | (far ? SITE_FAR : 0);
        return;
    }
    if (!(R_SITE(c) & SITE_MANY)) {
        uint32_t number = vm_readers_new(t->vm, c, t->start);
        vm_readers_add(t->vm, number,
                       reader_of(R_WHO(c), R_TIME(c), R_SITE(c)));
        R_WHO(c) = number;
        R_SITE(c) = SITE_MANY;
    }
    vm_readers_add(t->vm, R_WHO(c), reader_of(t->who, t->time, t->site));
    R_TIME(c) = R_TIME(c) > t->time ? R_TIME(c) : t->time;
}

// The logical time before which the lane knows everything done by the threads
// of its CTA.
static uint32_t cta_before(const Touch *t) {
    const VmWarp *w = t->w;
    return w->order.known_apart
               ? vm_clock_cta(&t->vm->order->clocks, w->known[t->lane],
                              w->cta->order.serial)
               : w->order.cta_before;
}

static bool reader_is_known(const Touch *t, Cell c) {
    uint32_t who = R_WHO(c);
    if (R_SITE(c) & SITE_MANY)
        return R_TIME(c) < cta_before(t) && !(R_SITE(c) & SITE_FAR) &&
               (t->region.cta == t->w->cta ||
                (t->vm->order->only_barriers &&
                 cta_of(t, who) == t->w->cta->order.serial));
    return who == t->who || (!t->async && !(who & VM_AGENT) &&
                             is_known(t, VIEW_GENERIC, who, R_TIME(c)));
}

static void add_reader(const Touch *t, Cell c) {
    if (!has_readers(t, c) || (!t->async && reader_is_known(t, c))) {
        drop_readers(t, c);
        set_reader(c, t);
    } else if (R_WHO(c) == t->who && !(R_SITE(c) & SITE_MANY)) {
        set_reader(c, t);
    } else {
        add_to_many(t, c);
    }
}

// True if the list has a read by this thread that is as late.
static bool has_read_since(const Touch *t, Cell c) {
    const Readers *list = &t->vm->order->shadow->lists[R_WHO(c)];
    for (uint32_t i = 0; i < list->count; i++) {
        const VmReader *r = &list->items[i];
        if (r->who == (t->who & ~31u) && (r->lanes >> (t->who & 31) & 1) &&
            r->time >= t->time)
            return true;
    }
    return false;
}

// Adds a reader that knew what the CTA did before the time `before`. Some lanes
// may have read again since, and are in the cell already.
static void add_earlier_reader(const Touch *t, Cell c, uint32_t before) {
    bool many = R_SITE(c) & SITE_MANY;
    if (!has_readers(t, c) || R_TIME(c) < before) {
        drop_readers(t, c);
        set_reader(c, t);
    } else if (!many && R_WHO(c) == t->who) {
        if (R_TIME(c) <= t->time)
            set_reader(c, t);
    } else if (!has_list(t, c) || !has_read_since(t, c)) {
        add_to_many(t, c);
    }
}

void vm_shadow_settle(VmCta *cta) {
    VmReads *reads = cta->shadow.reads;
    VmRegion region = {.cta = cta};
    uint32_t count = reads->count;
    reads->count = 0;
    reads->is_off = true;
    Touch t = {.vm = cta->cluster->vm,
               .region = region,
               .start = cta->order.start,
               .first_agent = cta->order.first_agent};
    for (const VmRead *r = reads->items; r < reads->items + count; r++) {
        t.time = r->time;
        t.site = r->site;
        EACH_LANE(l, r->lanes) {
            t.who = vm_who(r->w, l);
            add_earlier_reader(
                &t, cell_at(t.vm, region, r->cells[l] * 4u, SHIFT_MOST),
                r->before);
        }
    }
}

static void check_list(Touch *t, const Readers *list) {
    for (uint32_t i = 0; i < list->count && !t->reported; i++) {
        VmReader r = list->items[i];
        uint32_t known = ordered_lanes(t, r.who, r.lanes, r.time, false);
        uint32_t lanes = r.lanes & ~known;
        advise(t, r.who, r.lanes & known, r.time, r.site);
        advise_relaxed(t, r.who, r.lanes & known, r.time, r.site);
        if (lanes && !is_morally_strong(t, r.who, r.site))
            report_read(t, r.who, lanes, r.time, r.site);
        else if (lanes && !(r.who & VM_AGENT))
            note_loose(t, r.site, false);
    }
    if (list->is_cut && !t->reported)
        vm_order_incomplete(t->vm, WORD_RECORDS_READERS);
}

static void check_readers(Touch *t, Cell c) {
    if (has_list(t, c)) {
        check_list(t, &t->vm->order->shadow->lists[R_WHO(c)]);
        return;
    }
    uint32_t time = R_TIME(c);
    if (!(R_SITE(c) & SITE_MANY)) {
        check(t, R_WHO(c), time, R_SITE(c), false);
        return;
    }
    // Barriers order all readers, or none except the thread itself.
    bool is_wide = !(R_SITE(c) & SITE_FAR) ||
                   ((R_SITE(c) >> SITE_SCOPE_SHIFT & 3) >= SCOPE_GPU &&
                    t->in->scope >= SCOPE_GPU);
    if (!reader_is_known(t, c) &&
        !(is_wide && is_morally_strong(t, R_WHO(c), R_SITE(c))))
        report_readers(t, R_WHO(c), time, R_SITE(c));
}

// ---- a cell --------------------------------------------------------------

// An atomic's result depends on the old value, unless it is an exchange.
static bool uses_old_value(const Touch *t) {
    return !t->write || (!t->async && ptx_is_atomic(t->in->op) &&
                         !ptx_has(t->in->ptx, PTX_MOD_EXCH));
}

static void touch_cell(Touch *t, Cell c) {
    bool written = is_current(t, W_TIME(c), W_WHO(c));
    t->is_written |= written;
    if (written)
        check(t, W_WHO(c), W_TIME(c), W_SITE(c), true);
    else if (!t->write && t->in->width)
        t->uninitialised |= 1u << ((t->at - t->offset) / t->in->width & 31);
    if (!t->write) {
        add_reader(t, c);
        return;
    }
    if (has_readers(t, c))
        check_readers(t, c);
    drop_readers(t, c);
    W_TIME(c) = t->time;
    W_WHO(c) = t->who;
    W_SITE(c) = t->site;
}

// The cell at an offset, of at most 1 << shift bytes.
static Cell cell_of(Vm *vm, VmRegion region, uint64_t offset, uint32_t shift) {
    Cell c = cell_at(vm, region, offset, shift);
    if (!c.at || c.shift <= shift)
        return c;
    if (region.cta && region.cta->shadow.reads)
        vm_shadow_settle(region.cta);
    return vm_shadow_divide(vm, region, offset, shift)
               ? cell_at(vm, region, offset, shift)
               : (Cell){0};
}

// No reads of a known slot are listed, so that its answers need not look.
static void settle(const Touch *t, uint64_t offset, uint32_t bytes) {
    VmCta *cta = t->region.cta;
    uint32_t cell = (uint32_t)(offset / 4);
    if (!cta || (!t->write && bytes % 4 == 0) ||
        (t->async && has_slot(t->vm->order, cell, cell)))
        return;
    settle_reads(cta, cta == t->w->cta ? t->w->order.cta_before : 0, offset,
                 bytes);
}

static void touch_all(Touch *t, uint64_t offset, uint32_t bytes) {
    uint32_t shift = shift_for(offset, bytes);
    settle(t, offset, bytes);
    t->offset = offset;
    t->uninitialised = 0;
    t->is_written = !t->region.cta || !uses_old_value(t);
    for (uint64_t at = offset; at < offset + bytes; at += t->part) {
        Cell c = cell_of(t->vm, t->region, at, shift);
        t->at = at;
        t->part = 1u << (c.at ? c.shift : shift);
        if (c.at)
            touch_cell(t, c);
    }
    if (!t->is_written || (t->uninitialised && t->region.cta && !t->async))
        vm_race_uninitialised(t->w, t->in, t->lane, t->region.cta,
                              (uint32_t)offset, bytes,
                              t->is_written ? t->uninitialised : 0);
}

// ---- accesses of threads -------------------------------------------------

static VmRegion region_of(const VmWhere *where) {
    return (VmRegion){where->cta, (uint32_t)(where->offset >> VM_BUFFER_SHIFT)};
}

static uint64_t offset_in(const VmWhere *where) {
    return where->cta ? where->offset : where->offset & VM_OFFSET_MASK;
}

void vm_shadow_touch(VmWarp *w, const VmInstr *in, uint32_t lane,
                     VmRegion region, uint64_t offset, uint32_t bytes,
                     bool write) {
    Touch t = touch_of(w, in, lane, region, bytes, write);
    touch_all(&t, offset, bytes);
}

static bool is_same_write(Cell a, Cell b) {
    return W_TIME(a) == W_TIME(b) && W_WHO(a) == W_WHO(b) &&
           W_SITE(a) == W_SITE(b);
}

VmWriter vm_shadow_writer(Vm *vm, VmRegion region, uint64_t offset) {
    const VmOrder *o = vm->order;
    Cell c = o ? cell_at(vm, region, offset, SHIFT_MOST) : (Cell){0};
    Touch t = {.vm = vm, .start = o ? o->start : 0};
    if (region.cta)
        t.start = region.cta->order.start;
    if (!c.at || (W_WHO(c) & VM_AGENT))
        return (VmWriter){0};
    for (uint32_t i = 1; i < 4u >> c.shift; i++)
        if (!is_same_write(c, (Cell){c.at + i, c.plane, c.shift}))
            return (VmWriter){0};
    if (!is_current(&t, W_TIME(c), W_WHO(c)))
        return (VmWriter){.is_known = true, .is_none = true};
    return (VmWriter){.is_known = true,
                      .thread = vm_race_thread(vm, W_WHO(c)),
                      .loc = W_SITE(c) & SITE_LOC};
}

// Whether each of these lanes may read what has been written: they know the
// same, or both accesses are strong, so that it does not matter what they know.
static bool may_all_read(const Touch *t, Cell c, uint32_t lanes) {
    if (!is_current(t, W_TIME(c), W_WHO(c)))
        return t->region.cta == NULL && vm_know_alike(t->w, lanes);
    if (!(W_WHO(c) & VM_AGENT) && is_morally_strong(t, W_WHO(c), W_SITE(c)))
        return true;
    return vm_know_alike(t->w, lanes) && W_WHO(c) >> 5 != t->w->serial &&
           is_known(t, VIEW_GENERIC, W_WHO(c), W_TIME(c));
}

// True if the last reader was a lane of the warp, at the same time and place,
// and the cell may be read by each of its lanes.
static bool is_read_by_warp(const Touch *t, Cell c, uint32_t lanes) {
    if (!c.at || !has_list(t, c) || !has_readers(t, c) ||
        !may_all_read(t, c, lanes))
        return false;
    const Readers *list = &t->vm->order->shadow->lists[R_WHO(c)];
    if (!list->count)
        return false;
    const VmReader *last = &list->items[list->count - 1];
    return last->who == vm_who(t->w, 0) && last->time == t->time &&
           last->site == t->site;
}

// What a strong load of the lanes has seen may be a flag: as in note_flag. That
// the write is ordered before the load already does no harm: then so is all
// that the flag could be for.
static void note_flag_of(const Touch *t, Cell c, uint64_t at, uint32_t lanes) {
    if (!t->strong || (W_WHO(c) & VM_AGENT) || t->in->dst_count == 0 ||
        !t->vm->order->waits)
        return;
    VmSeenFlag flag = {
        .who = W_WHO(c), .time = W_TIME(c) & ~CELL_FAR, .site = W_SITE(c)};
    if (W_WHO(c) >> 5 == t->w->serial)
        lanes &= ~(1u << (W_WHO(c) & 31));
    vm_flag_note(t->w, t->in, lanes, place_of(t, at), flag);
}

// All `lanes` read what the last lane has read.
static bool read_likewise(const Touch *t, uint64_t offset, uint32_t lanes) {
    const struct VmShadow *s = t->vm->order->shadow;
    uint32_t shift = shift_for(offset, t->bytes);
    Cell c;
    for (uint64_t at = offset; at < offset + t->bytes;
         at += UINT64_C(1) << c.shift) {
        c = cell_of(t->vm, t->region, at, shift);
        if (!is_read_by_warp(t, c, lanes))
            return false;
    }
    for (uint64_t at = offset; at < offset + t->bytes;
         at += UINT64_C(1) << c.shift) {
        c = cell_at(t->vm, t->region, at, shift);
        const Readers *list = &s->lists[R_WHO(c)];
        list->items[list->count - 1].lanes |= lanes;
        if (is_current(t, W_TIME(c), W_WHO(c)))
            note_flag_of(t, c, at, lanes);
    }
    return true;
}

void vm_shadow_readers(VmWarp *w, const VmInstr *in, uint32_t lanes,
                       const VmWhere *where, uint32_t bytes) {
    EACH_LANE(l, lanes) {
        Touch t = touch_of(w, in, l, region_of(where), bytes, false);
        if (read_likewise(&t, offset_in(where), lanes & VM_FULL << l))
            return;
        touch_all(&t, offset_in(where), bytes);
    }
}

void vm_shadow_lane(VmWarp *w, const VmInstr *in, uint32_t lane,
                    const VmWhere *where, uint32_t bytes, VmAccess access) {
    vm_shadow_touch(w, in, lane, region_of(where), offset_in(where), bytes,
                    access != ACCESS_READ);
}

// ---- asynchronous operations ---------------------------------------------

void vm_shadow_issue(VmWarp *w, const VmInstr *in, uint32_t lane,
                     const VmWhere *where, uint32_t bytes, bool write,
                     const VmAsync *async) {
    Touch t = touch_of(w, in, lane, region_of(where), bytes, write);
    t.async = async;
    t.strong = async->is_atomic;
    t.who = VM_AGENT | async->agent << 5 | async->lane;
    t.time = async->time | CELL_FAR;
    t.site = (in->loc & SITE_LOC) | (async->is_answer ? SITE_ANSWER : 0) |
             (async->is_atomic ? SITE_STRONG : 0);
    touch_all(&t, offset_in(where), bytes);
}

static void complete_readers(const Touch *t, Cell c, uint32_t who) {
    const Readers *list = &t->vm->order->shadow->lists[R_WHO(c)];
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].who == (who & ~31u) &&
            list->items[i].time == (VM_AGENT_LATER | CELL_FAR))
            list->items[i].time = t->time;
}

static void complete_cell(const Touch *t, Cell c, uint32_t who) {
    uint32_t later = VM_AGENT_LATER | CELL_FAR;
    if (t->write) {
        if (W_WHO(c) == who && W_TIME(c) == later)
            W_TIME(c) = t->time;
    } else if (has_list(t, c)) {
        if (has_readers(t, c))
            complete_readers(t, c, who);
    } else if (R_WHO(c) == who && R_TIME(c) == later) {
        R_TIME(c) = t->time;
    }
}

void vm_shadow_complete(Vm *vm, const VmWhere *where, uint32_t bytes,
                        bool write, uint32_t agent, uint32_t time) {
    const VmOrder *o = vm->order;
    VmRegion region = region_of(where);
    Touch t = {.vm = vm,
               .region = region,
               .write = write,
               .time = time | CELL_FAR,
               .start = region.cta ? region.cta->order.start : o->start,
               .first_agent =
                   region.cta ? region.cta->order.first_agent : o->first_agent};
    uint64_t from = offset_in(where);
    uint32_t shift = shift_for(from, bytes), part;
    for (uint64_t at = from; at < from + bytes; at += part) {
        Cell c = cell_of(vm, region, at, shift);
        part = 1u << (c.at ? c.shift : shift);
        if (c.at)
            complete_cell(&t, c, VM_AGENT | agent << 5);
    }
}
