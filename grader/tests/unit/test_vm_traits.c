// SPDX-License-Identifier: Apache-2.0
// The rows of ptx/instructions.h and vm/code/support.h against what the machine
// does. Every fixture of grader/tests/vm is run with an observer before each
// handler: it keeps a copy of the registers and of all memory, executes the
// instruction, and looks at what has changed. Then it executes some of them
// again on memory with every bit turned, to see who reads it.
//
// What an opcode's row denies must never be seen; what it claims must be seen
// once, in some fixture. So a row that is wrong fails, and so does an
// instruction that no fixture executes.
#include "tests/unit/vm_fixture.h"
#include "vm/code/kind.h"
#include "vm/code/support.h"
#include "vm/decode/isa.h"
#include "vm/machine/lanes.h"

enum { MOST_LOOKS = 64, MOST_REGIONS = 64, MOST_WRONG = 40 };

// ---- what was seen -------------------------------------------------------

typedef struct Seen {
    uint32_t runs;
    bool stores;   // memory changed
    bool loads;    // a result depended on memory
    bool results;  // registers changed
    bool goes_on;  // the next instruction came next
    bool goes_off; // another one did, or another frame, or none
    bool waits;
    bool stops; // the run
    // Asynchronous: bytes went so in a run in which no other opcode moves any.
    bool copies_from, copies_to;
} Seen;

typedef struct Observer {
    DeviceLaunch launch;  // first: Vm.launch leads here
    const char *name;     // of the fixture
    VmHandler **handlers; // by PtxFunc.id and pc: the machine's own
    uint32_t **looks;     // likewise: how often it was looked at
    uint64_t kinds[DEVICE_KIND_COUNT + 1]; // threads, by kind_by_traits
    Seen *seen;                            // by PtxOp
    PtxOp mover;   // asynchronous: the one of this run; NONE: there was none
    bool is_alone; // no other one was
    uint32_t *wrong;
} Observer;

static void complain(Observer *o, const VmInstr *in, const char *what) {
    Str name = ptx_op_name((PtxOp)in->op);
    if ((*o->wrong)++ < MOST_WRONG)
        printf("# %s, %.*s: %s\n", o->name, STR_ARG(name), what);
}

// ---- memory --------------------------------------------------------------

typedef struct Region {
    uint8_t *at;
    size_t size;
} Region;

typedef struct Regions {
    Region items[MOST_REGIONS];
    size_t count, bytes;
} Regions;

static void region_add(Regions *r, uint8_t *at, size_t size) {
    if (!at || !size || r->count == MOST_REGIONS)
        return;
    r->items[r->count++] = (Region){at, size};
    r->bytes += size;
}

static Regions all_memory(const VmWarp *w) {
    Regions r = {0};
    const VmCluster *cluster = w->cta->cluster;
    for (size_t i = 1; i < w->vm->memory.buffer_count; i++)
        region_add(&r, w->vm->memory.buffers[i].bytes,
                   w->vm->memory.buffers[i].size);
    for (uint32_t i = 0; i < cluster->cta_count; i++)
        region_add(&r, cluster->ctas[i]->smem, cluster->ctas[i]->smem_bytes);
    region_add(&r, w->memory.local,
               (size_t)w->memory.local_capacity * VM_LANES);
    return r;
}

static uint8_t *copy_of(const Regions *r) {
    uint8_t *copy = heap_alloc(1, r->bytes + 1), *to = copy;
    for (size_t i = 0; i < r->count; to += r->items[i++].size)
        memcpy(to, r->items[i].at, r->items[i].size);
    return copy;
}

static void restore(const Regions *r, const uint8_t *copy) {
    for (size_t i = 0; i < r->count; copy += r->items[i++].size)
        memcpy(r->items[i].at, copy, r->items[i].size);
}

static bool is_same(const Regions *r, const uint8_t *copy) {
    bool same = true;
    for (size_t i = 0; i < r->count; copy += r->items[i++].size)
        same &= memcmp(r->items[i].at, copy, r->items[i].size) == 0;
    return same;
}

static void turn_bits(const Regions *r) {
    for (size_t i = 0; i < r->count; i++)
        for (size_t k = 0; k < r->items[i].size; k++)
            r->items[i].at[k] ^= 0xFF;
}

// ---- one instruction -----------------------------------------------------

typedef struct Look {
    Observer *o;
    VmWarp *w;
    const VmInstr *in;
    VmHandler handler;
    uint32_t mask;
    const PtxTraits *traits;
    Regions memory, regs;
    uint8_t *memory_before, *regs_before;
    VmFragment *frag;
    VmFragment before;
} Look;

static Look look_start(Observer *o, VmWarp *w, const VmInstr *in,
                       uint32_t mask) {
    VmFrame *frame = w->frag->frame;
    const VmFunc *func = frame->func;
    Look look = {.o = o, .w = w, .in = in, .mask = mask};
    look.handler = o->handlers[func->ptx->id][in - func->code];
    look.traits = &PTX_TRAITS[in->op];
    look.memory = all_memory(w);
    region_add(&look.regs, frame->regs, func->frame_bytes);
    look.memory_before = copy_of(&look.memory);
    look.regs_before = copy_of(&look.regs);
    look.frag = w->frag;
    look.before = *w->frag;
    return look;
}

static void look_end(Look *look) {
    heap_free(look->memory_before);
    heap_free(look->regs_before);
}

static bool is_result(const VmInstr *in, size_t at) {
    for (uint32_t i = 0; i < in->dst_count; i++) {
        VmRef dst = vm_dsts(in)[i];
        size_t bytes = dst.size ? (size_t)dst.size * VM_LANES : 4;
        if (at >= dst.off && at - dst.off < bytes)
            return true;
    }
    return false;
}

static void look_at_registers(Look *look) {
    const Region *regs = &look->regs.items[0];
    Seen *seen = &look->o->seen[look->in->op];
    bool changed = !is_same(&look->regs, look->regs_before);
    if (!changed || look->in->is_frame) // a parameter is in the frame
        return;
    seen->results = true;
    for (size_t i = 0; i < regs->size; i++)
        if (regs->at[i] != look->regs_before[i] && !is_result(look->in, i)) {
            complain(look->o, look->in, "writes a register that is no result");
            return;
        }
}

// Only an access changes memory, and an asynchronous one later.
static void look_at_memory(Look *look) {
    const PtxTraits *traits = look->traits;
    bool may = traits->access != PTX_ACCESS_NONE &&
               traits->access != PTX_ACCESS_READS &&
               traits->order != PTX_ORDER_ASYNC;
    if (is_same(&look->memory, look->memory_before))
        return;
    look->o->seen[look->in->op].stores = true;
    if (!may)
        complain(look->o, look->in, "changes memory");
}

static void look_at_next(Look *look, VmNext next) {
    const VmFragment *f = look->frag, *before = &look->before;
    Seen *seen = &look->o->seen[look->in->op];
    bool on = f->frame == before->frame && f->pc == before->pc &&
              f->mask == before->mask && f->wait == WAIT_NONE;
    seen->goes_on |= on;
    seen->goes_off |= !on;
    seen->waits |= f->wait != WAIT_NONE || f->pc + 1 == before->pc;
    // Who tests an mbarrier again and again is put to sleep, and lanes that
    // arrive later are split off.
    bool is_split = f->pc == before->pc && f->mask != before->mask &&
                    (f->mask & ~before->mask) == 0;
    if (look->traits->next == PTX_NEXT_NEXT && !on && !f->polls && !f->tested &&
        !is_split)
        complain(look->o, look->in, "leads elsewhere than to the next");
    if (ptx_leaves(look->in->op) && look->traits->next != PTX_NEXT_JUMP &&
        look->traits->next != PTX_NEXT_TABLE && on && next == VM_GO)
        complain(look->o, look->in, "leads to the next");
}

// Executed again on other memory: are the results others? What it did is kept.
static bool depends_on_memory(Look *look) {
    uint8_t *memory = copy_of(&look->memory), *regs = copy_of(&look->regs);
    restore(&look->memory, look->memory_before);
    restore(&look->regs, look->regs_before);
    turn_bits(&look->memory);
    look->handler(look->w, look->in, look->mask);
    bool depends = !is_same(&look->regs, regs);
    restore(&look->memory, memory);
    restore(&look->regs, regs);
    heap_free(memory);
    heap_free(regs);
    return depends;
}

static void look_at_sources(Look *look) {
    const PtxTraits *traits = look->traits;
    bool may = traits->object == PTX_OBJECT_MEMORY &&
               traits->access != PTX_ACCESS_WRITES;
    if (traits->next != PTX_NEXT_NEXT || !look->in->dst_count ||
        look->in->is_frame || (traits->object != PTX_OBJECT_NONE && !may))
        return;
    if (!depends_on_memory(look))
        return;
    look->o->seen[look->in->op].loads = true;
    if (!may)
        complain(look->o, look->in, "has a result that depends on memory");
}

// Behind a call, a return and an exit, what was there before may be gone.
static bool stays(const Look *look) {
    uint8_t next = look->traits->next;
    return next != PTX_NEXT_CALL && next != PTX_NEXT_RETURN &&
           next != PTX_NEXT_EXIT;
}

// ---- the observer --------------------------------------------------------

// What an opcode is to count as, by what it does; COUNT: that says nothing.
static DeviceKind kind_of_access(const PtxTraits *traits) {
    switch ((PtxAccess)traits->access) {
    case PTX_ACCESS_READS:
        return DEVICE_KIND_LOAD;
    case PTX_ACCESS_WRITES:
        return DEVICE_KIND_STORE;
    case PTX_ACCESS_UPDATES:
        return DEVICE_KIND_ATOMIC;
    case PTX_ACCESS_COPIES:
    case PTX_ACCESS_NONE:
        break;
    }
    return DEVICE_KIND_COUNT;
}

static DeviceKind kind_by_traits(PtxOp op) {
    const PtxTraits *traits = &PTX_TRAITS[op];
    switch ((PtxObject)traits->object) {
    case PTX_OBJECT_MEMORY:
        return ptx_is_load(op)    ? DEVICE_KIND_LOAD
               : ptx_is_store(op) ? DEVICE_KIND_STORE
                                  : DEVICE_KIND_ATOMIC;
    case PTX_OBJECT_BYTES:
        return traits->order == PTX_ORDER_ASYNC || traits->next == PTX_NEXT_NEXT
                   ? DEVICE_KIND_ASYNC
                   : kind_of_access(traits); // a matrix
    case PTX_OBJECT_GROUPS:
    case PTX_OBJECT_REQUEST:
    case PTX_OBJECT_ANSWER:
        return DEVICE_KIND_ASYNC;
    case PTX_OBJECT_MBARRIER:
    case PTX_OBJECT_CTA:
    case PTX_OBJECT_CLUSTER:
        return DEVICE_KIND_BARRIER;
    case PTX_OBJECT_LANES:
        return DEVICE_KIND_WARP;
    case PTX_OBJECT_STACK:
        return DEVICE_KIND_CONTROL;
    case PTX_OBJECT_TEXTURE:
        return kind_of_access(traits);
    case PTX_OBJECT_NONE:
    case PTX_OBJECT_TENSOR:
        break;
    }
    bool goes = traits->next != PTX_NEXT_NEXT && traits->next != PTX_NEXT_WAIT;
    return goes ? DEVICE_KIND_CONTROL : DEVICE_KIND_COUNT;
}

static bool moves_later(PtxOp op) {
    return PTX_TRAITS[op].object == PTX_OBJECT_BYTES &&
           PTX_TRAITS[op].order == PTX_ORDER_ASYNC;
}

static void note_mover(Observer *o, PtxOp op) {
    if (!moves_later(op) || op == o->mover)
        return;
    o->is_alone = o->mover == PTX_OP_NONE;
    o->mover = op;
}

static VmNext observe(VmWarp *w, const VmInstr *in, uint32_t mask) {
    Observer *o = (Observer *)(void *)(uintptr_t)w->vm->launch;
    const VmFunc *func = w->frag->frame->func;
    size_t pc = (size_t)(in - func->code);
    Seen *seen = &o->seen[in->op];
    seen->runs++;
    note_mover(o, (PtxOp)in->op);
    bool is_last = pc + 1 == func->code_count || in[1].ptx != in->ptx;
    if (is_last)
        o->kinds[kind_by_traits((PtxOp)in->op)] += vm_count(mask);
    if (o->looks[func->ptx->id][pc]++ >= MOST_LOOKS)
        return o->handlers[func->ptx->id][pc](w, in, mask);
    Look look = look_start(o, w, in, mask);
    VmNext next = look.handler(w, in, mask);
    seen->stops |= next == VM_STOP;
    if (next != VM_STOP && stays(&look)) {
        look_at_registers(&look);
        look_at_memory(&look);
        look_at_sources(&look);
    }
    if (next != VM_STOP)
        look_at_next(&look, next);
    look_end(&look);
    return next;
}

// Any room may ask an instruction what it accesses, and look into the views
// that bits name: who accesses no memory says so, and no bit is another's.
static void look_at_fields(Observer *o, const VmInstr *in) {
    const PtxTraits *traits = &PTX_TRAITS[in->op];
    bool is_access = in->offset || in->space || in->width || in->elements ||
                     in->is_frame || in->scope_cluster;
    bool checks_address = in->op == PTX_OP_APPLYPRIORITY; // a hint
    if (is_access && traits->access == PTX_ACCESS_NONE &&
        traits->object == PTX_OBJECT_NONE && !checks_address)
        complain(o, in, "says that it accesses memory");
    if (in->is_branch && traits->next != PTX_NEXT_JUMP)
        complain(o, in, "says that it is a branch");
    if (in->has_table && traits->next != PTX_NEXT_TABLE)
        complain(o, in, "says that it has a table");
    if (in->has_call && traits->next != PTX_NEXT_CALL)
        complain(o, in, "says that it is a call");
    if (in->is_frame && !ptx_is_load(in->op) && !ptx_is_store(in->op))
        complain(o, in, "says that it accesses a parameter");
}

// The second launch of a kernel finds its code decoded: handlers are changed
// there, and each instruction is executed alone.
static void observe_func(Arena *arena, Observer *o, const VmFunc *func) {
    uint32_t id = func->ptx->id;
    o->handlers[id] = arena_new(arena, VmHandler, func->code_count);
    o->looks[id] = arena_new(arena, uint32_t, func->code_count);
    for (uint32_t pc = 0; pc < func->code_count; pc++) {
        VmInstr *in = &func->code[pc];
        o->handlers[id][pc] = in->handler;
        look_at_fields(o, in);
        in->handler = observe;
        in->next = vm_op_run_ends;
        in->run = 0;
        in->steps = 1;
    }
}

static void observe_program(Arena *arena, Observer *o, const Vm *vm) {
    size_t count = vm->module->func_count;
    o->handlers = arena_new(arena, VmHandler *, count + 1);
    o->looks = arena_new(arena, uint32_t *, count + 1);
    for (size_t i = 0; i < count; i++)
        if (vm->program->funcs[i] && vm->program->funcs[i]->decoded)
            observe_func(arena, o, vm->program->funcs[i]);
}

// What was counted is what was seen. (Loads may have been folded; who waits
// comes to its instruction again.)
static void check_counters(const Observer *o, const DeviceCounters *is) {
    static const DeviceKind kinds[] = {DEVICE_KIND_STORE, DEVICE_KIND_ATOMIC};
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (!CHECK_U64(is->by_kind[kinds[i]], o->kinds[kinds[i]]))
            printf("# %s: threads of kind %d\n", o->name, (int)kinds[i]);
}

static void look_at_copies(Observer *o, const DeviceCounters *is) {
    Seen *seen = &o->seen[o->mover];
    for (int i = 0; o->is_alone && i < DEVICE_SPACE_COUNT; i++) {
        seen->copies_from |= is->copied_from[i] > 0;
        seen->copies_to |= is->copied_to[i] > 0;
    }
}

static void observe_fixture(void *context, Arena *arena, const char *name,
                            Str text) {
    Observer *o = context;
    Fixture f = fixture_header(text);
    PtxModule *module = fixture_parse(arena, name, text);
    Diags diags = diags_new(arena);
    Device *device = vm_open(vm_model_find(STR("mini")));
    uint32_t buffer;
    uint64_t address;
    device->ops->load(device, module, &diags);
    device->ops->alloc(device, FIXTURE_WORDS * 4, &buffer, &address, &diags);
    o->launch = fixture_launch(&f, &address);
    o->launch.unchecked = UINT64_MAX;
    o->launch.step_limit = 100 * 1000;
    o->name = name;
    o->mover = PTX_OP_NONE;
    o->is_alone = false;
    memset(o->kinds, 0, sizeof o->kinds);
    DeviceRun run;
    if (device->ops->launch(device, arena, &o->launch, &run)) {
        observe_program(arena, o, (const Vm *)(const void *)device);
        device->ops->launch(device, arena, &o->launch, &run);
        check_counters(o, &run.counters);
        look_at_copies(o, &run.counters);
    }
    device->ops->close(device);
}

// ---- the rows ------------------------------------------------------------

typedef struct Row {
    PtxOp op;
    bool is_outside;
} Row;

static const Row ROWS[] = {
#define ROW(id, family, kind, status, note) \
    {PTX_OP_##id, VM_SUPPORT_##status == VM_SUPPORT_OUTSIDE},
    VM_INSTRUCTIONS(ROW)
#undef ROW
};

static void row_wants(PtxOp op, bool is_so, const char *what) {
    Str name = ptx_op_name(op);
    if (!CHECK(is_so))
        printf("# no fixture shows that %.*s %s\n", STR_ARG(name), what);
}

// Of matrices: a warp that does not come whole is an error at once.
static bool is_of_matrix(PtxOp op) {
    return op == PTX_OP_MMA || op == PTX_OP_MOVMATRIX ||
           op == PTX_OP_LDMATRIX || op == PTX_OP_STMATRIX ||
           op == PTX_OP_WMMA_LOAD || op == PTX_OP_WMMA_MMA ||
           op == PTX_OP_WMMA_STORE;
}

// What this machine has nothing to wait for.
static bool never_waits(PtxOp op) {
    return is_of_matrix(op) ||
           op == PTX_OP_GRIDDEPCONTROL || // no grid depends on another one
           op == PTX_OP_BRKPT;            // there is no debugger: it stops
}

static void check_next(PtxOp op, const Seen *seen) {
    switch ((PtxNext)PTX_TRAITS[op].next) {
    case PTX_NEXT_NEXT:
        row_wants(op, seen->goes_on, "leads to the next instruction");
        return;
    case PTX_NEXT_WAIT:
        row_wants(op, seen->waits || never_waits(op), "waits");
        return;
    case PTX_NEXT_ABORT:
        row_wants(op, seen->stops, "ends the launch");
        return;
    case PTX_NEXT_JUMP:
    case PTX_NEXT_TABLE:
    case PTX_NEXT_CALL:
    case PTX_NEXT_RETURN:
    case PTX_NEXT_EXIT:
        row_wants(op, seen->goes_off, "leads elsewhere");
        return;
    }
}

static void check_access(PtxOp op, const Seen *seen) {
    const PtxTraits *traits = &PTX_TRAITS[op];
    bool is_memory = traits->object == PTX_OBJECT_MEMORY ||
                     traits->object == PTX_OBJECT_BYTES;
    bool writes =
        traits->access != PTX_ACCESS_NONE && traits->access != PTX_ACCESS_READS;
    bool reads = traits->access != PTX_ACCESS_WRITES;
    if (ptx_is_load(op) || (ptx_is_atomic(op) && ptx_op_results(op)))
        row_wants(op, seen->loads, "reads memory");
    if (moves_later(op)) {
        row_wants(op, seen->copies_to, "writes memory, later");
        row_wants(op, seen->copies_from == reads,
                  reads ? "reads memory, later" : "reads nothing, later");
    } else if (is_memory && writes && op != PTX_OP_DISCARD) {
        // (The bytes of a line that is discarded are as good as any.)
        row_wants(op, seen->stores, "writes memory");
    }
}

// Only a program's runtime makes what these look into: test_vm_texture.c.
static bool is_of_texture(PtxOp op) {
    return PTX_TRAITS[op].object == PTX_OBJECT_TEXTURE;
}

static void check_row(PtxOp op, const Seen *seen) {
    if (is_of_texture(op))
        return;
    row_wants(op, seen->runs > 0, "runs");
    if (!seen->runs)
        return;
    check_next(op, seen);
    if (ptx_op_results(op))
        row_wants(op, seen->results, "has a result");
    check_access(op, seen);
}

TEST(what_a_row_says_is_what_is_seen_of_its_instruction) {
    Seen *seen = heap_alloc(sizeof *seen, PTX_OP_COUNT);
    uint32_t wrong = 0;
    Observer o = {.seen = seen, .wrong = &wrong};
    fixture_each(observe_fixture, &o);
    CHECK_INT(wrong, 0);
    for (size_t i = 0; i < COUNT_OF(ROWS); i++)
        if (!ROWS[i].is_outside)
            check_row(ROWS[i].op, &seen[ROWS[i].op]);
    heap_free(seen);
}

// ---- the two tables ------------------------------------------------------

// Rows whose kind is another one than their traits suggest.
static bool is_of_other_kind(PtxOp op) {
    return op == PTX_OP_DISCARD ||                // a hint, in this machine
           op == PTX_OP_MBARRIER_PENDING_COUNT || // looks into a token
           op == PTX_OP_BRKPT;                    // ends the launch
}

static bool is_of_traits(DeviceKind kind) {
    return kind == DEVICE_KIND_LOAD || kind == DEVICE_KIND_STORE ||
           kind == DEVICE_KIND_ATOMIC || kind == DEVICE_KIND_ASYNC ||
           kind == DEVICE_KIND_BARRIER || kind == DEVICE_KIND_WARP ||
           kind == DEVICE_KIND_CONTROL;
}

TEST(a_row_counts_as_what_it_does) {
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        PtxInstr instr = {.op = ROWS[i].op};
        DeviceKind is = vm_kind(&instr), wanted = kind_by_traits(ROWS[i].op);
        if (ROWS[i].is_outside || is_of_other_kind(ROWS[i].op))
            continue;
        bool fits =
            is_of_traits(is) ? is == wanted : wanted == DEVICE_KIND_COUNT;
        Str name = ptx_op_name(ROWS[i].op);
        if (!CHECK(fits))
            printf("# %.*s counts as %d\n", STR_ARG(name), (int)is);
    }
}

TEST(traits_of_a_row_fit_each_other) {
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        PtxOp op = ROWS[i].op;
        const PtxTraits *t = &PTX_TRAITS[op];
        bool has_result = t->result != PTX_RESULT_NONE;
        bool accesses = t->access != PTX_ACCESS_NONE;
        bool fits = has_result == (ptx_op_results(op) > 0) &&
                    (!accesses || t->proxy != PTX_PROXY_NONE) &&
                    (!accesses || t->object != PTX_OBJECT_NONE) &&
                    (t->object != PTX_OBJECT_MEMORY || accesses) &&
                    (t->result != PTX_RESULT_PURE ||
                     (!accesses && t->object == PTX_OBJECT_NONE &&
                      t->next == PTX_NEXT_NEXT));
        Str name = ptx_op_name(op);
        if (!CHECK(fits))
            printf("# the row of %.*s\n", STR_ARG(name));
    }
}

TEST_MAIN(TESTCASE(what_a_row_says_is_what_is_seen_of_its_instruction),
          TESTCASE(a_row_counts_as_what_it_does),
          TESTCASE(traits_of_a_row_fit_each_other))
