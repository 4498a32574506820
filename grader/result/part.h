// SPDX-License-Identifier: Apache-2.0
// The parts of a kernel that steals work. A mistake often has to be mended in
// another part than the line where it showed; lab.conf says which part each of
// a lab's regions holds.
#ifndef CLCLAB_PART_H
#define CLCLAB_PART_H

// X(ID, "name in lab.conf")
#define DEVICE_PARTS(X)                                                  \
    X(HERE, "here")         /* the line itself */                        \
    X(DECLARE, "declare")   /* the slot, its mbarrier, the phase */      \
    X(INIT, "init")         /* mbarrier.init, and what makes it known */ \
    X(ASK, "ask")           /* barrier, acquiring fence, request */      \
    X(ANNOUNCE, "announce") /* arrival and bytes */                      \
    X(AHEAD, "ahead")       /* how much is asked for before the work */  \
    X(WAIT, "wait")         /* for the answer */                         \
    X(DECODE, "decode")     /* the answer; leave, or go on */            \
    X(INDEX, "index")       /* out of it, to the work; or what work */   \
    X(RELEASE, "release")   /* the slot, to whoever asks next */         \
    X(LEAVE, "leave")       /* the end of the kernel */                  \
    X(PLAN, "plan")         /* launch_plan's number of blocks */

typedef enum DevicePart {
#define DEVICE_PART_ENUM(id, name) PART_##id,
    DEVICE_PARTS(DEVICE_PART_ENUM)
#undef DEVICE_PART_ENUM
        DEVICE_PART_COUNT
} DevicePart;

#endif
