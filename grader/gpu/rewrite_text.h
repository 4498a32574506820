// SPDX-License-Identifier: Apache-2.0
// What the files of the rewriting share. Private to them.
//
//   rewrite.c        gpu_rewrite: the module, the names, the hooks
//   rewrite_text.c   snippets: PTX text with places to fill in
//   rewrite_entry.c  what a kernel does before its first instruction
//   rewrite_clc.c    what stands in for a request and for a query
//   rewrite_end.c    what it does before its last
//   rewrite_index.c  reads of the index of the block
//
// In the text of a snippet
//   ~name    is a register or label of ours: names that begin as nothing else
//            in the module does
//   <name>   is an argument (an operand of the instruction); <table.f> is the
//            place of a field of GpuTable, <control.f> and <own.f> are the
//            offsets of those of GpuControl and OwnBlock (~own is where it is)
//   <get> ~r, <ctaid.x>   reads the index of the block, or with <clusterid.x>
//            of the cluster, that this block stands for
#ifndef CLCLAB_GPU_REWRITE_TEXT_H
#define CLCLAB_GPU_REWRITE_TEXT_H

#include "gpu/rewrite.h"

// How an emulated block comes to its index (docs/hopper-emulation.md).
typedef enum IndexFrom {
    INDEX_LAUNCHED, // what it was launched with; nothing can be granted
    INDEX_CLAIMED,  // the same, unless that was granted
    INDEX_DRAWN,    // the next one that is left
} IndexFrom;

// INDEX_DRAWN: a variable in the shared memory of each block.
typedef struct OwnBlock {
    uint32_t ctaid[4];     // x, y, z, 0
    uint32_t clusterid[4]; // x, y, z, 0
    uint32_t cluster;      // linear id, where a block tells it the others
} OwnBlock;

typedef struct Rewriter {
    Arena *arena;
    const PtxModule *module;
    const GpuRewrite *how;
    Str prefix; // of our names
    IndexFrom index;
    bool has_clusters; // the target
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
// A name that nothing in the module begins with.
Str snippet_prefix(Arena *arena, const PtxModule *module);

// Pieces that several snippets need.
// ~clusters: how many there are. ~cluster: the linear id of this one.
extern const char *const SNIPPET_CLUSTERS;
extern const char *const SNIPPET_CLUSTER;
// ~block: the linear id of this block. ~thread, of ~threads: of this thread.
extern const char *const SNIPPET_BLOCK;
extern const char *const SNIPPET_THREAD;
// ~x, ~y, ~z: where in the grid the cluster of linear id ~index is.
extern const char *const SNIPPET_PLACE;

// Before the first instruction of a function.
void rewrite_enter(const Rewriter *rewriter, const PtxFunc *func, Buf *out);
// Behind it, and before an instruction of the function: clocks.
void rewrite_begin(const Rewriter *rewriter, const PtxFunc *func, Buf *out);
void rewrite_end(const Rewriter *rewriter, const PtxPrinter *printer,
                 const PtxFunc *func, const PtxInstr *instr, Buf *out);
// True: replaced.
bool rewrite_instr(const Rewriter *rewriter, const PtxPrinter *printer,
                   const PtxFunc *func, const PtxInstr *instr, Buf *out);
// Does it read %ctaid or %clusterid? INDEX_DRAWN: what stands in for it.
bool rewrite_reads_index(const PtxInstr *instr);
void rewrite_read_index(const Rewriter *rewriter, const PtxPrinter *printer,
                        const PtxInstr *instr, Buf *out);
// The registers that the requests of a function keep; nothing where it has
// none.
void rewrite_declare_requests(const Rewriter *rewriter, const PtxFunc *func,
                              Buf *out);

#endif
