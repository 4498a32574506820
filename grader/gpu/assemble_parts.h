// SPDX-License-Identifier: Apache-2.0
// What assemble.c is made of: a child that loads nvJitLink (assemble_jit.c),
// and what an assembler's messages mean (assemble_log.c).
#ifndef CLCLAB_GPU_ASSEMBLE_PARTS_H
#define CLCLAB_GPU_ASSEMBLE_PARTS_H

#include "base/base.h"

// ---- assemble_jit.c ------------------------------------------------------

typedef struct JitRequest {
    const char *library;
    const char *ptx; // and a NUL
    size_t ptx_len;
    const char *target; // "sm_90a"
} JitRequest;

typedef struct JitHead { // what an answer begins with
    uint64_t magic;
    uint64_t loaded;     // 0: there is no such library, or it lacks functions
    uint64_t log, cubin; // bytes that follow
} JitHead;

typedef struct JitAnswer {
    JitHead head;
    Str log;
    Str cubin; // empty: it failed
} JitAnswer;

// The body of a sandboxed child; `context` is a JitRequest.
int assemble_jit_child(void *context, int out);
// What it wrote, taken apart; false: it is not whole.
bool assemble_jit_answer(Str written, JitAnswer *answer);

// ---- assemble_log.c ------------------------------------------------------

enum { ASSEMBLE_MAX_MESSAGES = 10 };

typedef struct AssembleMessage {
    SrcLoc at;     // the learner's line, or a line of the file "PTX"
    uint32_t line; // of the PTX; 0: none
    Str quote;     // that line
    Str what;
} AssembleMessage;

typedef struct AssembleLog {
    AssembleMessage messages[ASSEMBLE_MAX_MESSAGES]; // errors
    size_t count;
    bool unknown_target; // the assembler has never heard of it
    bool old;            // messages[0] says that the PTX is too new for it
} AssembleLog;

AssembleLog assemble_read_log(Arena *arena, Str log, Str ptx);

#endif
