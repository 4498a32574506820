// SPDX-License-Identifier: Apache-2.0
// The parts of assemble.c: a child that loads nvJitLink (assemble_jit.c), and
// the meaning of an assembler's messages (assemble_log.c).
#ifndef CLCLAB_GPU_ASSEMBLE_PARTS_H
#define CLCLAB_GPU_ASSEMBLE_PARTS_H

#include "base/base.h"

// ---- assemble_jit.c ------------------------------------------------------

typedef struct JitRequest {
    const char *library;
    const char *ptx; // NUL-terminated
    size_t ptx_len;
    const char *target; // "sm_90a"
} JitRequest;

typedef struct JitHead { // the start of an answer
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
// Decodes what the child wrote; false if it is incomplete.
bool assemble_jit_answer(Str written, JitAnswer *answer);

// ---- assemble_log.c ------------------------------------------------------

enum { ASSEMBLE_MAX_MESSAGES = 10 };

typedef struct AssembleMessage {
    SrcLoc at;     // the learner's line, or a line of the file "PTX"
    uint32_t line; // of the PTX; 0: none
    Str quote;     // the text of that line
    Str what;
} AssembleMessage;

typedef struct AssembleLog {
    AssembleMessage messages[ASSEMBLE_MAX_MESSAGES]; // errors
    size_t count;
    bool unknown_target; // the assembler does not know the target
    bool old;            // messages[0] says that the PTX is too new for it
} AssembleLog;

AssembleLog assemble_read_log(Arena *arena, Str log, Str ptx);

#endif
