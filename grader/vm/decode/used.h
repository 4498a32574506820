// SPDX-License-Identifier: Apache-2.0
// Which threads of a CTA use which block's index, and whether a granted block
// was done in part (CLC009): a thread that worked on the block's own index did
// not on the granted one, though others of its CTA did.
//
// A thread works on an index at a line that accesses global memory, where the
// address comes from that index. It uses it, besides, where a branch or
// anything else that it does depends on it: a thread whose elements lie behind
// the end has been asked, too. follow.c finds out where values come from, and
// tells this file.
//
// A block was done in part if at some line
//   - some threads worked on the granted index, by one axis or another,
//   - threads that had worked there on the first index, by this axis, have not
//     used the granted one at all, or work there and have not used this axis of
//     it, or work on the first one again and again; and its coordinate is
//     another one,
//   - and nobody did their work for them: fewer threads have used the granted
//     index than the first one, they worked at the line less often, and none
//     did so more often for any granted block than one did for the first.
// Not so the last block of an axis, which may have less to do.
// What is not known accuses nobody: a thread that came to the line with an
// address of unknown origin may have used any index.
#ifndef CLCLAB_VM_DECODE_USED_H
#define CLCLAB_VM_DECODE_USED_H

#include "vm/machine/machine.h"

// Where a value comes from. 0: from no index, or it is not known.
//
//   31       7 6    5   3 2   0
//   +---------+----+-----+-----+   first, grant: by axis, the CTA's first
//   index; | request |far |grant|first|   the one granted to the request, whose
//   number
//   +---------+----+-----+-----+   + 1 it has; far: read from memory at an
//                                  address that comes from there
typedef uint32_t VmMark;
enum { MARK_FAR = 1 << 6, MARK_REQUEST = 7, MARK_REQUESTS = 1 << 25 };

static inline VmMark vm_mark_first(uint32_t axes) {
    return axes;
}

static inline VmMark vm_mark_granted(uint32_t request, uint32_t axes) {
    return request + 1 < MARK_REQUESTS
               ? (request + 1) << MARK_REQUEST | axes << 3
               : 0;
}

enum { VM_WORK_LINES = 32 };  // of a launch; lines beyond are not known
typedef struct VmUsed VmUsed; // of a CTA

// A block that was done in part, as a finding says it.
typedef struct VmPart {
    uint32_t request, block; // the granted block of this CTA
    uint32_t cta;            // its linear id
    uint32_t missing, of;    // threads
    uint32_t axis;           // that they have not used; VM_NONE: none at all
    bool have_left;          // they all had, before the last use of the index
    uint32_t work_loc;       // where the others worked on it
    uint32_t left_loc;       // have_left: where; 0: not known
} VmPart;

// Of a launch.
struct VmFollow {
    uint64_t left; // warp-instructions that it still goes on for; 0: it is over
    uint64_t clock; // those that it has gone on for
    size_t bytes;   // of memory that it has taken
    // The lines, by what they are of, and a cache of that.
    struct VmLineOf {
        uint32_t loc, line; // line: + 1; 0: not looked up
    } cache[256];
    SrcLoc lines[VM_WORK_LINES];
    uint32_t line_count;
    uint32_t most[VM_WORK_LINES]; // by line: how often a thread has worked
                                  // there on one granted index
    VmPart *parts;                // what was found
    size_t part_count, part_capacity;
};

// Memory that lives as long as the launch, cleared. NULL: it has taken enough,
// and is over.
void *vm_used_memory(Vm *vm, size_t bytes);
// Lanes execute the line that `loc` is of, with addresses of these origins
// (NULL: unknown ones).
void vm_used_at(VmWarp *w, uint32_t lanes, uint32_t loc, const VmMark *marks);
// A lane does something that depends on such a value.
void vm_used(VmWarp *w, uint32_t lane, VmMark mark);
// Two indices have become one value: what is made of it is not known.
void vm_used_mixed(const VmWarp *w, VmMark a, VmMark b);
// Lanes exit.
void vm_used_left(VmWarp *w, uint32_t lanes);
// The CTA has exited: judges what it was granted last.
void vm_used_judge(VmCta *cta);

#endif
