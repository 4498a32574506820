// SPDX-License-Identifier: Apache-2.0
// What the files of the rewriting share. Private to them.
//
//   rewrite.c        gpu_rewrite: the module, the names, the hooks
//   rewrite_text.c   snippets: PTX text with places to fill in
//   rewrite_entry.c  what a kernel does before its first instruction
//   rewrite_clc.c    what replaces a request and a query
//   rewrite_end.c    what a kernel does before it returns
//   rewrite_index.c  reads of the index of the block
//
// In the text of a snippet
//   ~name    is a register or label of ours, with a prefix that no other name
//            of the module has
//   <name>   is an argument (an operand of the instruction); <table.f> is the
//            place of a field of GpuTable; <control.f> and <own.f> are the
//            offsets of fields of GpuControl and OwnBlock (~own is its address)
//   <get> ~r, <ctaid.x>   reads the index that this block works on; with
//            <clusterid.x>, the index of its cluster
#ifndef CLCLAB_GPU_REWRITE_TEXT_H
#define CLCLAB_GPU_REWRITE_TEXT_H

#include "gpu/rewrite.h"

// Where an emulated block gets its index from (docs/hopper-emulation.md).
typedef enum IndexFrom {
    INDEX_LAUNCHED, // the index it was launched with; nothing can be granted
    INDEX_CLAIMED,  // the same, unless that index was granted already
    INDEX_DRAWN,    // the next index that is left
} IndexFrom;

// INDEX_DRAWN: a variable in the shared memory of each block.
typedef struct OwnBlock {
    uint32_t ctaid[4];     // x, y, z, 0
    uint32_t clusterid[4]; // x, y, z, 0
    uint32_t cluster;      // linear id, which one block tells the others here
} OwnBlock;

typedef struct Rewriter {
    Arena *arena;
    const PtxModule *module;
    const GpuRewrite *how;
    Str prefix; // of our names
    IndexFrom index;
    bool has_clusters; // the target supports clusters
} Rewriter;

typedef struct SnippetArgument {
    const char *name;
    Str text;
} SnippetArgument;

typedef struct Snippet {
    const Rewriter *rewriter;
    Buf *out;
    const SnippetArgument *arguments;
    size_t argument_count;
} Snippet;

void snippet_emit(const Snippet *snippet, const char *text);
// A prefix that no name of the module has.
Str snippet_prefix(Arena *arena, const PtxModule *module);

// Pieces that several snippets need.
// ~clusters: how many there are. ~cluster: the linear id of this one.
extern const char *const SNIPPET_CLUSTERS;
extern const char *const SNIPPET_CLUSTER;
// ~block: the linear id of this block. ~thread: that of this thread, one of
// ~threads.
extern const char *const SNIPPET_BLOCK;
extern const char *const SNIPPET_THREAD;
// ~x, ~y, ~z: the position in the grid of the cluster with linear id ~index.
extern const char *const SNIPPET_PLACE;

// What comes before the first instruction of a function.
void rewrite_enter(const Rewriter *rewriter, const PtxFunc *func, Buf *out);
// Reading the clock: after what rewrite_enter writes, and before an instruction
// of the function.
void rewrite_begin(const Rewriter *rewriter, const PtxFunc *func, Buf *out);
void rewrite_end(const Rewriter *rewriter, const PtxPrinter *printer,
                 const PtxFunc *func, const PtxInstr *instr, Buf *out);
// True: it has replaced the instruction.
bool rewrite_instr(const Rewriter *rewriter, const PtxPrinter *printer,
                   const PtxFunc *func, const PtxInstr *instr, Buf *out);
// Whether an instruction reads %ctaid or %clusterid; and, for INDEX_DRAWN, its
// replacement.
bool rewrite_reads_index(const PtxInstr *instr);
void rewrite_read_index(const Rewriter *rewriter, const PtxPrinter *printer,
                        const PtxInstr *instr, Buf *out);
// Declares the registers that a function's requests keep, if it has requests.
void rewrite_declare_requests(const Rewriter *rewriter, const PtxFunc *func,
                              Buf *out);

#endif
