// SPDX-License-Identifier: Apache-2.0
// The texts of MEM001 to MEM005: bounds, alignment, values, lifetimes.
#include "words/catalogue.h"

#define HELP_INDEX "check the index against the size before the access"

#define HELP_SURFACE                                                      \
    "the first coordinate of a surface counts bytes; check each against " \
    "the size, or give a boundary mode other than the trap"

#define HELP_FREE "free what malloc or new gave, and once"

#define HELP_EXITED \
    "keep every CTA of the cluster alive until its neighbours have done"

#define MISSING_MEM004                                                   \
    "a cluster barrier between that block's start and this access, and " \
    "another between this access and its exit"

CASE_WORDS(MEM001_NO_MEMORY,
           .WHAT =
               "{thread} {access} {bytes} bytes at address {address}, which is "
               "no memory of this kernel",
           .HELP = HELP_INDEX);
CASE_WORDS(
    MEM001_FREED,
    .WHAT = "{thread} {access} {bytes} bytes of memory that was freed ({size} "
            "bytes)",
    .HELP = "free it after the last access");
CASE_WORDS(MEM001_ACROSS_END,
           .WHAT = "{thread} {access} {bytes} bytes across the end of {buffer}",
           .HELP = HELP_INDEX);
CASE_WORDS(MEM001_PAST_END,
           .WHAT =
               "{thread} {access} {bytes} bytes, {distance} bytes past the end "
               "of {buffer}",
           .HELP = HELP_INDEX);
CASE_WORDS(
    MEM001_PAST_ELEMENT,
    .WHAT =
        "{thread} {access} {element}, {count} {count|element|elements} past "
        "the end of {name} ({elements} {elements|element|elements})",
    .HELP = HELP_INDEX);
CASE_WORDS(MEM001_BEFORE_START,
           .WHAT =
               "{thread} {access} {bytes} bytes, {distance} bytes before the "
               "start of {buffer}",
           .HELP = HELP_INDEX);
CASE_WORDS(
    MEM001_NO_RANK,
    .WHAT = "{thread} {access} shared memory of CTA rank {rank} of a cluster "
            "of {ctas}",
    .HELP = "a rank must be below the number of CTAs of the cluster");
CASE_WORDS(MEM001_SHARED,
           .WHAT = "{thread} {access} {bytes} bytes at offset {offset} of the "
                   "block's shared memory ({size} bytes)",
           .HELP = "check the index against the size of the __shared__ array");
CASE_WORDS(
    MEM001_LOCAL,
    .WHAT = "{thread} {access} {bytes} bytes at offset {offset} of its local "
            "memory ({size} bytes)",
    .HELP = "check the index against the size of the local array");
CASE_WORDS(
    MEM001_LOCAL_BEFORE,
    .WHAT = "{thread} {access} {bytes} bytes that lie in front of its local "
            "memory: an index is below 0",
    .HELP =
        "see how the index comes to be below 0: it may be counted down once "
        "more than there are elements, or nothing may be left when it is "
        "used");
CASE_WORDS(MEM001_SHARED_GAP,
           .WHAT = "{thread} {access} {bytes} bytes of the block's shared "
                   "memory where no variable is",
           .HELP = "check the index against the size of the __shared__ array");
CASE_WORDS(MEM001_LOCAL_GAP,
           .WHAT = "{thread} {access} {bytes} bytes of its local memory where "
                   "no variable is",
           .HELP = "check the index against the size of the local array");
CASE_WORDS(
    MEM001_FREE_UNKNOWN,
    .WHAT = "{thread} frees address {address}, which malloc did not give",
    .HELP = HELP_FREE);
CASE_WORDS(MEM001_FREE_AGAIN,
           .WHAT = "{thread} frees memory that is free already ({size} bytes)",
           .HELP = HELP_FREE);
CASE_WORDS(
    MEM001_MBARRIER,
    .WHAT = "{thread} uses an mbarrier outside the shared memory that it may "
            "use",
    .HELP = "an mbarrier is a 64-bit __shared__ variable of the block itself; "
            "only arrive and expect_tx take a neighbour's");
CASE_WORDS(
    MEM001_MBARRIER_OVERRUN,
    .WHAT = "{thread} uses an mbarrier outside {name}, which has {size} bytes, "
            "8 for each mbarrier",
    .HELP = "check the index that is used here against the number of "
            "mbarriers: of n the last is n - 1");
CASE_WORDS(
    MEM001_MBARRIER_NUMBER,
    .WHAT = "{thread} gives {number} in place of an mbarrier's address: no "
            "shared memory begins so low",
    .HELP = "look at the operands of this instruction: one that is no address, "
            "such as a parity, stands where the mbarrier's belongs; or the "
            "mbarrier is declared without __shared__");
CASE_WORDS(
    MEM001_MBARRIER_GENERIC,
    .WHAT = "{thread} uses an mbarrier outside the shared memory that it may "
            "use",
    .HELP = "in PTX, name the space of the mbarrier (.shared::cta): without "
            "it the operand is a generic address, of 64 bits; it has to be a "
            "__shared__ variable of the block");
CASE_WORDS(
    MEM001_NOT_OWN,
    .WHAT = "{thread} gives an address in the shared memory of block {block}, "
            "where the instruction takes the block's own (.shared::cta)",
    .HELP = "give an address in the block's own shared memory, or use the "
            ".shared::cluster form where there is one");
CASE_WORDS(MEM001_COPY_SOURCE,
           .WHAT = "{thread} copies {bytes} bytes with a cp.async of {limit}",
           .HELP = "the source's size is at most the size of the copy");
CASE_WORDS(
    MEM001_COPY_MBARRIER,
    .WHAT = "{thread} completes on an mbarrier of block {block}, and writes "
            "elsewhere",
    .HELP = "map the mbarrier to the block that receives the bytes (mapa), as "
            "their address is");
CASE_WORDS(MEM001_COPY_RANKS,
           .WHAT =
               "{thread} multicasts to the ranks of {ranks} in a cluster of "
               "{ctas}",
           .HELP = "bit i of the mask is the CTA of rank i of the cluster");
CASE_WORDS(
    MEM001_COPY_FREED,
    .WHAT = "the asynchronous operation that {thread} issued here accesses "
            "{bytes} bytes at address {address}, which is no memory any more",
    .HELP = "wait for the copy before its memory is freed");
CASE_WORDS(
    MEM001_ST_BULK,
    .WHAT = "{thread} gives st.bulk an address that is not in shared memory",
    .HELP = "st.bulk writes shared memory only");
CASE_WORDS(
    MEM001_JUMP_TABLE,
    .WHAT = "{thread} jumps through entry {number} of a table of {count}",
    .HELP = "the index of a jump table is out of its range");
CASE_WORDS(
    MEM001_NO_FUNCTION,
    .WHAT = "{thread} calls the function at address {address}, where there is "
            "none",
    .HELP = "look where the function pointer, or the object whose virtual "
            "function this is, was set");
CASE_WORDS(
    MEM001_OTHER_FUNCTION,
    .WHAT = "{thread} calls {name} through a pointer to a function with other "
            "parameters or another result",
    .HELP = "call it through a pointer of its own type");
CASE_WORDS(MEM001_STACK_POINTER,
           .WHAT = "{thread} restores a stack pointer that is not of this call",
           .HELP = "restore what stacksave gave in this function");
CASE_WORDS(
    MEM001_NO_TEXTURE,
    .WHAT = "{thread} fetches from texture {address}, and there is none with "
            "this handle",
    .HELP = "pass what cudaCreateTextureObject gave, and destroy it after the "
            "last launch that uses it");
CASE_WORDS(
    MEM001_NO_SURFACE,
    .WHAT = "{thread} accesses surface {address}, and there is none with this "
            "handle",
    .HELP = "pass what cudaCreateSurfaceObject gave, and destroy it after the "
            "last launch that uses it");
CASE_WORDS(MEM001_OTHER_GEOMETRY,
           .WHAT = "{thread} uses {text} on an array of another shape",
           .HELP =
               "read an array as it was made: with as many dimensions, layered "
               "or not, a cubemap or not");
CASE_WORDS(
    MEM001_SURFACE,
    .WHAT = "{thread} {access} {bytes} bytes at byte {offset} of row {index} "
            "of a surface, which has {count} rows of {size} bytes",
    .HELP = HELP_SURFACE);
CASE_WORDS(
    MEM001_SURFACE_PLANE,
    .WHAT = "{thread} {access} {bytes} bytes at byte {offset} of row {index} "
            "of plane {number} of a surface, which has {limit} planes of "
            "{count} rows of {size} bytes",
    .HELP = HELP_SURFACE);
CASE_WORDS(
    MEM001_GPU_ADDRESS,
    .WHAT = "The GPU stopped the kernel at an access outside all memory.",
    .ACTUAL = "{text}", .HELP = HELP_VM);
CASE_WORDS(MEM001_GPU_SPACE,
           .WHAT = "The GPU stopped the kernel at an access to the wrong state "
                   "space.",
           .ACTUAL = "{text}", .HELP = HELP_VM);
CASE_WORDS(MEM001_GPU_BEFORE_START,
           .WHAT = "The kernel wrote before the beginning of buffer {number}: "
                   "{distance} bytes before it.",
           .HELP = HELP_VM);
CASE_WORDS(MEM001_GPU_PAST_END,
           .WHAT =
               "The kernel wrote beyond the end of buffer {number}: at byte "
               "{offset} of {size}.",
           .HELP = HELP_VM);
CASE_WORDS(MEM002_ADDRESS,
           .WHAT =
               "{thread} {access} {bytes} bytes at address {address}, which is "
               "not a multiple of {bytes}",
           .HELP = "align the address to the size of the access");
CASE_WORDS(MEM002_MBARRIER,
           .WHAT = "{thread} uses an mbarrier that is not aligned to 8 bytes",
           .HELP = "declare the mbarrier as uint64_t");
CASE_WORDS(MEM002_COPY_SIZE,
           .WHAT =
               "{thread} gives a size of {size} bytes, which is not a multiple "
               "of {limit}",
           .HELP = "round the size, and the memory, up");
CASE_WORDS(
    MEM002_GPU,
    .WHAT = "The GPU stopped the kernel at an access that is not aligned.",
    .ACTUAL = "{text}", .HELP = HELP_VM);
CASE_WORDS(
    MEM003_SHARED,
    .WHAT = "{thread} reads {bytes} bytes of {memory} that nobody has written",
    .HELP = "shared memory starts with any bytes: write each element before "
            "it is read, with a barrier between the two");
CASE_WORDS(
    MEM003_SHARED_PART,
    .WHAT = "{thread} reads {bytes} bytes of {memory}, of which nobody has "
            "written some",
    .HELP = "shared memory starts with any bytes: write all of an element "
            "before it is read, or leave out what is padding");
CASE_WORDS(
    MEM003_LOCAL,
    .WHAT = "{thread} reads {bytes} bytes of its local memory that it has not "
            "written",
    .HELP = "give the variable a value before it is read: int a[4] = {}; or "
            "write each element first");
CASE_WORDS(
    MEM003_REGISTER, .WHAT = "{thread} uses a value that nobody has set, {use}",
    .HELP = "a register, and a variable in C++, has any value at first: give "
            "it one where it is declared, int phase = 0;");
CASE_WORDS(
    MEM003_HEAP,
    .WHAT = "{thread} reads {bytes} bytes of memory from malloc that nobody "
            "has written",
    .HELP = "malloc and new do not clear memory: write it before it is read");
CASE_WORDS(
    MEM003_BUFFER,
    .WHAT = "{thread} reads {bytes} bytes of {buffer} that nobody has written",
    .HELP = "memory from cudaMalloc starts with any bytes: write each element "
            "before it is read, or clear it first (cudaMemset)");
CASE_WORDS(
    MEM004_NOT_STARTED,
    .WHAT = "{thread} {access} shared memory of block {block}, which may not "
            "have started",
    .MISSING = MISSING_MEM004,
    .HELP = "put a barrier of the cluster (cluster_group::sync()) in front of "
            "the first access to a neighbour's shared memory");
CASE_WORDS(
    MEM004_EXITED,
    .WHAT = "{thread} {access} shared memory of block {block}, which has "
            "exited",
    .MISSING = MISSING_MEM004,
    .HELP = "keep every CTA of the cluster alive (a cluster barrier before "
            "the exit) until its neighbours have done");
CASE_WORDS(
    MEM004_MBARRIER,
    .WHAT = "{thread} uses an mbarrier of block {block}, which has exited",
    .MISSING = MISSING_MEM004, .HELP = HELP_EXITED);
CASE_WORDS(MEM004_RECEIVER,
           .WHAT =
               "{thread} copies to shared memory of block {block}, which has "
               "exited",
           .MISSING = MISSING_MEM004, .HELP = HELP_EXITED);
CASE_WORDS(
    MEM004_COPY,
    .WHAT = "the asynchronous operation that {thread} issued here {access} "
            "shared memory of block {block}, which has exited",
    .MISSING = MISSING_MEM004,
    .HELP = "every block whose shared memory is read or written waits for it "
            "(by the mbarrier, or wait_group) before it exits");
CASE_WORDS(MEM004_COPY_COMPLETES,
           .WHAT =
               "the asynchronous operation that {thread} issued here completes "
               "on an mbarrier of block {block}, which has exited",
           .MISSING = MISSING_MEM004,
           .HELP = "a block waits for what completes on its mbarrier before it "
                   "exits");
CASE_WORDS(MEM005_WRITTEN,
           .WHAT = "{thread} {access} {buffer}, which a kernel cannot change",
           .HELP = "write to global memory instead");

ALL_CASE_WORDS(words_memory, MEMORY_CASES);
