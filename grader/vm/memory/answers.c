// SPDX-License-Identifier: Apache-2.0
// Bytes of answers that were copied to global memory (CLC008). A copy may be
// loaded again and end in query_cancel; one that nothing loads in this launch
// is for somebody who reads the opaque bytes. So the finding is kept back until
// the launch is over.
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/memory/memory.h"

enum { PIECES_MOST = 64 }; // further ones are not noted

typedef struct Piece {
    uint32_t buffer;
    uint64_t offset;
    uint32_t bytes;
    bool is_loaded;
    VmKept kept;
} Piece;

struct VmAnswers {
    Piece pieces[PIECES_MOST];
    uint32_t count;
};

static Piece *piece_new(Vm *vm, uint32_t buffer, uint64_t offset) {
    if (!vm->use.answers)
        vm->use.answers = arena_new(&vm->run_arena, VmAnswers, 1);
    VmAnswers *answers = vm->use.answers;
    for (uint32_t i = 0; i < answers->count; i++)
        if (answers->pieces[i].buffer == buffer &&
            answers->pieces[i].offset == offset)
            return NULL;
    return answers->count < PIECES_MOST ? &answers->pieces[answers->count++]
                                        : NULL;
}

void vm_answer_stored(VmWarp *w, const VmInstr *in, uint32_t lane,
                      uint64_t address, uint32_t loaded_at) {
    Vm *vm = w->vm;
    uint32_t buffer = (uint32_t)(address >> VM_BUFFER_SHIFT);
    uint64_t offset = address & VM_OFFSET_MASK;
    Piece *piece = piece_new(vm, buffer, offset);
    if (!piece)
        return;
    piece->buffer = buffer;
    piece->offset = offset;
    piece->bytes = in->width;
    vm->memory.buffers[buffer].holds_answers = true;
    vm->findings.kept = &piece->kept;
    Finding *finding = vm_found(vm, w, in->loc, CASE_CLC008_STORED,
                                FINDING_ERROR, FACTS(FACT_LANE(w, lane)));
    vm_relate(vm, finding, PLACE_ANSWER_LOADED, loaded_at, NO_FACTS);
    vm_cure(vm, finding, PART_HERE, 0);
    vm->findings.kept = NULL;
}

void vm_answer_loaded(Vm *vm, uint32_t buffer, uint64_t offset,
                      uint32_t bytes) {
    VmAnswers *answers = vm->use.answers;
    for (uint32_t i = 0; i < answers->count; i++) {
        Piece *piece = &answers->pieces[i];
        if (piece->buffer == buffer && piece->offset < offset + bytes &&
            offset < piece->offset + piece->bytes)
            piece->is_loaded = true;
    }
}

void vm_answers_end(Vm *vm) {
    VmAnswers *answers = vm->use.answers;
    for (uint32_t i = 0; answers && i < answers->count; i++) {
        const Piece *piece = &answers->pieces[i];
        vm->memory.buffers[piece->buffer].holds_answers = false;
        if (!piece->is_loaded && vm->run->status == RUN_DONE)
            vm_found_kept(vm, &piece->kept);
    }
}
