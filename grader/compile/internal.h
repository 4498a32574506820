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
//   nvrtc.c       asks a compiling child;  child.c is that child
//   wire.c        how requests, answers and cache entries are written
//   nvcc.c        the other compiler
//   limits.c      what either may use, and what its end means
#ifndef CLCLAB_COMPILE_INTERNAL_H
#define CLCLAB_COMPILE_INTERNAL_H

#include "compile/compile.h"
#include "sandbox/files.h"
#include "sandbox/sandbox.h"

enum {
    COMPILE_MAX_SOURCE = 1 << 20,  // bytes of a source or of one header
    COMPILE_MAX_HEADERS = 128,     // of one source
    COMPILE_MAX_OUTPUT = 64 << 20, // bytes of PTX and messages
    COMPILE_MAX_LOG = 256 << 10,   // bytes of messages that are looked at
};

// The header of compile/include that stands for what is precompiled.
#define COMPILE_PREFIX "clclab_prefix.h"

// ---- unit.c --------------------------------------------------------------

// A header that the source includes from the request's folders. It is given
// to the compiler by the name that the source uses: the compiler itself
// reads nothing in those folders.
typedef struct Header {
    Str name;  // as spelled in the directive
    Str shown; // folder as the user gave it, and name
    Str text;
} Header;

// Everything that the compiler sees.
typedef struct Unit {
    const CompileRequest *request;
    Toolkit toolkit;
    bool bad_flag; // unit_build failed over a flag or a define
    Str stand_ins; // the folder, absolute
    Str name;      // of the source, as told to the compiler
    const Str *include_dirs;
    const Str *defines;
    const Str *flags;
    size_t include_count, define_count, flag_count;
    Header *headers;
    size_t header_count, header_capacity;
    Header *stand_in_headers; // those used; here for the cache's key
    size_t stand_in_count, stand_in_capacity;
    bool cacheable; // every file that decides the result is known
    bool prefix;    // it begins with what is precompiled
} Unit;

// False, with Diags, if the source cannot be accepted.
bool unit_build(Arena *arena, const CompileRequest *request,
                const Toolkit *toolkit, Unit *unit, Diags *diags);
// The source with the request's defines in front, in lines that do not count.
// `head`: lines to stand before them.
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
    Str argument;  // rest of the line; of #include: without its marks
    uint32_t line; // from 1
    char mark;     // of #include: '"', '<', or 0: a macro names the file
} Directive;

Scanner scan_start(Arena *arena, Str text);
// The next directive; comments, strings and raw strings hide none and are
// none. False at the end.
bool scan_directive(Scanner *scanner, Directive *directive);
// The first word (letters, digits, _) of a text.
Str scan_word(Str text);

// ---- names.c -------------------------------------------------------------

typedef struct FileName {
    Str given; // to the compiler, or by it
    Str shown; // to the user
    Str text;  // of the file; empty: unknown
} FileName;

typedef struct NameMap {
    FileName *items;
    size_t count, capacity;
    const Str *roots; // other folders whose files may be named and quoted
    size_t root_count;
    Str stand_ins; // warnings that name it are of no interest
} NameMap;

void names_add(Arena *arena, NameMap *map, Str given, Str shown, Str text);
// NULL: a file that nothing is known of.
const FileName *names_find(const NameMap *map, Str given);
bool names_in_roots(const NameMap *map, Str path);
// The PTX with the names of its .file lines as the user knows them.
Str names_rewrite_ptx(Arena *arena, const NameMap *map, Str ptx);

// ---- messages.c ----------------------------------------------------------

// Appends what an NVRTC or nvcc log says. Gives how many errors it held.
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
    Str scratch; // PCH_CREATE: a folder to make it in; removed by pch_close
    Str made;    // PCH_CREATE: the file in it
    int lock;    // held while it is made; -1: not held
    Str note;    // why PCH_NONE
} Pch;

// `key`: everything that the compiled header depends on.
Pch pch_open(Arena *arena, Str cache_dir, Str key);
// Puts a header that was made in its place.
void pch_publish(Arena *arena, Pch *pch, Str cache_dir);
void pch_discard(Arena *arena, Pch *pch); // it proved useless
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

// Each appends errors of its own making to the Diags; the log's are the
// caller's to parse.
void nvrtc_compile(Arena *arena, const Unit *unit, Outcome *outcome,
                   Diags *diags);
void nvcc_compile(Arena *arena, const Unit *unit, Outcome *outcome,
                  Diags *diags);
// The options of NVRTC, without those for the precompiled header.
size_t nvrtc_options(Arena *arena, const Unit *unit, Str **options);
// Of nvcc.
size_t nvcc_options(Arena *arena, const Unit *unit, Str **options);

SandboxLimits compile_limits(const CompileRequest *request);
// What a compiler that did not end by itself means, as status and Diag.
CompileStatus compile_judge_end(Arena *arena, const CompileRequest *request,
                                const SandboxJob *job,
                                const SandboxResult *result, Diags *diags);

// ---- nvrtc.c and child.c -------------------------------------------------

typedef struct ChildRequest {
    Str nvrtc_path, name, source;
    Str *options; // of the compiler
    Str *header_names, *header_texts;
    Str *read, *write; // folders, once the library is loaded
    size_t option_count, header_count, read_count, write_count;
    uint64_t pch_mode; // a PchMode
    Str pch_path;
} ChildRequest;

typedef enum ChildPch {
    CHILD_PCH_NONE,
    CHILD_PCH_CREATED,
    CHILD_PCH_USED,
    CHILD_PCH_REFUSED, // by the compiler: it compiled in full
    CHILD_PCH_MOVING,  // addresses are not fixed: not tried
    CHILD_PCH_FAILED,  // could not be created
} ChildPch;

typedef struct ChildAnswer {
    uint64_t loaded;  // 0: no library; log says why
    uint64_t result;  // an nvrtcResult
    uint64_t version; // 13000
    uint64_t pch;     // a ChildPch
    Str log, ptx;
} ChildAnswer;

enum { // the nvrtcResults that are told apart
    NVRTC_FINE = 0,
    NVRTC_NO_MEMORY = 1,
    NVRTC_BAD_OPTION = 5,
    NVRTC_REJECTED = 6,
    NVRTC_NO_BUILTINS = 7, // it cannot load the library of that name
};

void wire_put_request(Buf *buf, const ChildRequest *request);
bool wire_get_request(Arena *arena, Str text, ChildRequest *request);
void wire_put_answer(Buf *buf, const ChildAnswer *answer);
bool wire_get_answer(Str text, ChildAnswer *answer);

#endif
