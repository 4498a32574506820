// SPDX-License-Identifier: Apache-2.0
// What the files of compile/ share. Read in this order:
//
//   compile.c     compile_to_ptx: checks, caches, compiler, messages
//   scan.c        the preprocessor directives of a text
//   unit.c        a request and the headers it needs -> Unit
//   names.c       files as the compiler names them -> as the user does
//   messages.c    a compiler's log -> Diags
//   cache.c       results by content
//   pch.c         which precompiled header, if any
//   nvrtc.c       NVRTC, run by a compiling child;  child.c is that child
//   wire.c        the encoding of requests, answers and cache entries
//   nvcc.c        the other compiler
//   limits.c      a compiler's limits, and what the way it ended means
#ifndef CLCLAB_COMPILE_INTERNAL_H
#define CLCLAB_COMPILE_INTERNAL_H

#include "compile/compile.h"
#include "sandbox/files.h"
#include "sandbox/sandbox.h"

enum {
    COMPILE_MAX_SOURCE = 1 << 20,  // bytes of a source or of one header
    COMPILE_MAX_HEADERS = 128,     // of one source
    COMPILE_MAX_OUTPUT = 64 << 20, // bytes of PTX and messages
    COMPILE_MAX_LOG = 256 << 10,   // bytes of messages that are parsed
};

// The header of compile/include that includes what is precompiled.
#define COMPILE_PREFIX "clclab_prefix.h"

// ---- unit.c --------------------------------------------------------------

// A header that the source includes from the request's folders. Its text is
// passed to the compiler under the name that the source uses, so the compiler
// itself reads nothing in those folders.
typedef struct Header {
    Str name;  // as spelled in the directive
    Str shown; // its path: the folder as the user gave it, then the name
    Str text;
} Header;

// Everything that the compiler sees.
typedef struct Unit {
    const CompileRequest *request;
    Toolkit toolkit;
    bool bad_flag; // unit_build failed because of a flag or a define
    Str stand_ins; // the folder, absolute
    Str name;      // the source's name, as passed to the compiler
    const Str *include_dirs;
    const Str *defines;
    const Str *flags;
    size_t include_count, define_count, flag_count;
    Header *headers;
    size_t header_count, header_capacity;
    Header *stand_in_headers; // those used: part of the cache's key
    size_t stand_in_count, stand_in_capacity;
    bool cacheable; // every file that affects the result is known
    bool prefix;    // it begins with the precompiled headers
} Unit;

// False, with Diags, if the source cannot be accepted.
bool unit_build(Arena *arena, const CompileRequest *request,
                const Toolkit *toolkit, Unit *unit, Diags *diags);
// The source after the request's defines and its first header. Their lines are
// not counted: the source still starts at line 1. `head`: lines that precede
// them.
Str unit_source(Arena *arena, const Unit *unit, Str head, bool name_line);

// ---- scan.c --------------------------------------------------------------

typedef struct Scanner {
    Str text;
    size_t at;
    uint32_t line; // from 1
    bool line_start;
} Scanner;

typedef struct Directive {
    Str name;      // "include", "define", ...
    Str argument;  // rest of the line; of #include: without quotes or <>
    uint32_t line; // from 1
    char mark;     // of #include: '"', '<', or 0: a macro names the file
} Directive;

Scanner scan_start(Arena *arena, Str text);
// Finds the next directive. Comments, strings and raw strings are skipped.
// False at the end.
bool scan_directive(Scanner *scanner, Directive *directive);
// The first word (letters, digits, _) of a text.
Str scan_word(Str text);

// ---- names.c -------------------------------------------------------------

typedef struct FileName {
    Str given; // the name passed to the compiler, or made by it
    Str shown; // the name shown to the user
    Str text;  // the file's text; empty: unknown
} FileName;

typedef struct NameMap {
    FileName *items;
    size_t count, capacity;
    const Str *roots; // other folders whose files messages may name and quote
    size_t root_count;
    Str stand_ins; // folder: warnings about its files are dropped
} NameMap;

void names_add(Arena *arena, NameMap *map, Str given, Str shown, Str text);
// NULL if the file is unknown.
const FileName *names_find(const NameMap *map, Str given);
bool names_in_roots(const NameMap *map, Str path);
// The PTX with each .file line's name replaced by the one that the user knows.
Str names_rewrite_ptx(Arena *arena, const NameMap *map, Str ptx);

// ---- messages.c ----------------------------------------------------------

// Appends the messages of an NVRTC or nvcc log. Returns the number of errors.
size_t messages_parse(Arena *arena, const NameMap *map, Str log, Diags *diags);

// ---- wire.c --------------------------------------------------------------

void wire_put(Buf *buf, Str field);
void wire_put_number(Buf *buf, uint64_t number);
bool wire_get(Str *rest, Str *field); // false: the text ends too early
bool wire_get_number(Str *rest, uint64_t *number);

// ---- pch.c ---------------------------------------------------------------

typedef enum PchMode { PCH_NONE, PCH_CREATE, PCH_USE } PchMode;

typedef struct Pch {
    PchMode mode;
    Str path;    // where it is, or will be
    Str scratch; // PCH_CREATE: the folder it is made in; removed by pch_close
    Str made;    // PCH_CREATE: the file in that folder
    int lock;    // held while it is made; -1: not held
    Str note;    // PCH_NONE: the reason
} Pch;

// `key`: everything that the compiled header depends on.
Pch pch_open(Arena *arena, Str cache_dir, Str key);
// Moves a header that was made to its place in the cache.
void pch_publish(Arena *arena, Pch *pch, Str cache_dir);
void pch_discard(Arena *arena, Pch *pch); // removes a header that failed
void pch_close(Arena *arena, Pch *pch);

// ---- cache.c -------------------------------------------------------------

typedef struct CacheEntry {
    Str compiler, log, ptx;
} CacheEntry;

bool cache_find(Arena *arena, Str cache_dir, Str key, CacheEntry *entry);
bool cache_store(Arena *arena, Str cache_dir, Str key, const CacheEntry *entry);

// ---- the compilers -------------------------------------------------------

typedef struct Outcome {
    CompileStatus status;
    bool no_library; // NVRTC cannot be loaded: try nvcc
    Str compiler;
    Str log;
    Str ptx; // as the compiler wrote it
    NameMap names;
    CompilePch pch;
    Str note;
} Outcome;

// Each appends only its own errors to the Diags; the caller parses the log.
void nvrtc_compile(Arena *arena, const Unit *unit, Outcome *outcome,
                   Diags *diags);
void nvcc_compile(Arena *arena, const Unit *unit, Outcome *outcome,
                  Diags *diags);
// NVRTC's options, without those for the precompiled header.
size_t nvrtc_options(Arena *arena, const Unit *unit, Str **options);
// nvcc's options.
size_t nvcc_options(Arena *arena, const Unit *unit, Str **options);

SandboxLimits compile_limits(const CompileRequest *request);
// The status, and a Diag, for a compiler that did not end by itself.
CompileStatus compile_judge_end(Arena *arena, const CompileRequest *request,
                                const SandboxJob *job,
                                const SandboxResult *result, Diags *diags);

// ---- nvrtc.c and child.c -------------------------------------------------

typedef struct ChildRequest {
    Str nvrtc_path, name, source;
    Str *options; // the compiler's
    Str *header_names, *header_texts;
    Str *read, *write; // folders it may use once the library is loaded
    size_t option_count, header_count, read_count, write_count;
    uint64_t pch_mode; // a PchMode
    Str pch_path;
} ChildRequest;

typedef enum ChildPch {
    CHILD_PCH_NONE,
    CHILD_PCH_CREATED,
    CHILD_PCH_USED,
    CHILD_PCH_REFUSED, // the compiler refused it and compiled in full
    CHILD_PCH_MOVING,  // not tried: addresses are not fixed
    CHILD_PCH_FAILED,  // could not be created
} ChildPch;

typedef struct ChildAnswer {
    uint64_t loaded;  // 0: no library; the log says why
    uint64_t result;  // an nvrtcResult
    uint64_t version; // 13000
    uint64_t pch;     // a ChildPch
    Str log, ptx;
} ChildAnswer;

enum { // the nvrtcResults that we distinguish
    NVRTC_FINE = 0,
    NVRTC_NO_MEMORY = 1,
    NVRTC_BAD_OPTION = 5,
    NVRTC_REJECTED = 6,
    NVRTC_NO_BUILTINS = 7, // it cannot load libnvrtc-builtins
};

void wire_put_request(Buf *buf, const ChildRequest *request);
bool wire_get_request(Arena *arena, Str text, ChildRequest *request);
void wire_put_answer(Buf *buf, const ChildAnswer *answer);
bool wire_get_answer(Str text, ChildAnswer *answer);

#endif
