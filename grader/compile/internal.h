// SPDX-License-Identifier: Apache-2.0
// What the files of compile/ share. Read in this order:
//
//   compile.c     compile_to_ptx: checks, caches, compiler, messages
//   scan.c        the preprocessor directives and the words of a text
//   distrust.c    what a source may not say that nobody vouches for
//   unit.c        a request and the headers it needs -> Unit
//   options.c     -I, -D and their like among a request's flags
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

enum {
    COMPILE_MAX_SOURCE = 1 << 20,  // bytes of a source or of one header
    COMPILE_MAX_HEADERS = 128,     // of one source
    COMPILE_MAX_OUTPUT = 64 << 20, // bytes of PTX and messages
    COMPILE_MAX_LOG = 256 << 10,   // bytes of messages that are parsed
    COMPILE_EMPTY_S = 5, // processor seconds for a source that holds nothing
};

// The headers of compile/include that include what is precompiled.
#define COMPILE_FULL_PREFIX "clclab_prefix.h"
#define COMPILE_LEAN_PREFIX "clclab_lean.h"
// The file that the compiler is given. A #line directive names the user's: were
// that name passed on, the compiler would look for headers in its folder.
#define COMPILE_SOURCE_NAME "source.cu"

// What names the kernel that a request asks for: see add_kernel.
#define COMPILE_KERNEL_PLACE "--kernel"
#define COMPILE_KERNEL_VARIABLE "clclab_kernel"
#define COMPILE_STANDARD "--std=c++17"

// ---- unit.c --------------------------------------------------------------

// A header that the source includes from the request's folders. Its text is
// passed to the compiler under the name that the source uses, so the compiler
// itself reads nothing in those folders.
typedef struct Header {
    Str name;  // as spelled in the directive
    Str shown; // its path: the folder as the user gave it, then the name
    Str text;
} Header;

// Which precompiled headers a source begins with. The lean ones take a third of
// the time. A source that needs what they leave out is rejected with them, and
// is compiled with the full ones.
typedef enum UnitPrefix { UNIT_BARE, UNIT_LEAN, UNIT_FULL } UnitPrefix;

// Everything that the compiler sees.
typedef struct Unit {
    const CompileRequest *request;
    Toolkit toolkit;
    const SandboxBubblewrap *bubblewrap; // NULL: the compiler does without
    bool bad_flag; // unit_build failed because of a flag or a define
    Str nvcc_root; // the toolkit that a script named nvcc leads to; empty: none
    Str stand_ins; // the folder, absolute
    Str name;      // the source's name, as passed to the compiler
    const Str *include_dirs;
    const Str *system_dirs; // searched after those; nvcc drops their warnings
    const Str *defines;
    const Str *first_files; // -include: before the source's first line
    const Str *flags;       // the others
    size_t include_count, system_count, define_count, first_count, flag_count;
    Str standard; // "--std=c++17"
    // The compiler reads the headers where they are, and its own precompiled
    // ones are not used.
    bool from_disk;
    Str *disk_dirs; // the folders that they are in
    size_t disk_count, disk_capacity;
    Header *headers;
    size_t header_count, header_capacity;
    Header *stand_in_headers; // those used: part of the cache's key
    size_t stand_in_count, stand_in_capacity;
    double *cpu_s;     // processor seconds of the programs run for it so far
    bool cacheable;    // every file that affects the result is known
    UnitPrefix prefix; // unit_build says UNIT_LEAN where one is possible
    bool on_device;    // NVRTC: what is not marked is for the device
    bool no_int128;    // NVRTC: it does not know --device-int128
} Unit;

// False, with Diags, if the source cannot be accepted.
bool unit_build(Arena *arena, const CompileRequest *request,
                const Toolkit *toolkit, Unit *unit, Diags *diags);
// The source after the request's defines and its first header. Their lines are
// not counted: the source still starts at line 1. `head`: lines that precede
// them.
Str unit_source(Arena *arena, const Unit *unit, Str head);

// Whether the headers that are to be read from disk are still as they were.
bool unit_is_fresh(Arena *arena, const Unit *unit);

// ---- options.c -----------------------------------------------------------

// Sorts the request's flags by what they are about. False, with a Diag.
bool options_sort(Arena *arena, const CompileRequest *request, Unit *unit,
                  Diags *diags);
bool options_hold_control(Str text); // a byte below 32
// Appends the options that say where headers are, with `mark` (-I) and
// `system` (-isystem) before each.
void options_add_folders(Arena *arena, const Unit *unit, const char *mark,
                         const char *system, Str *list, size_t *count);

// ---- scan.c --------------------------------------------------------------

// The compilers disagree on three things. SCAN_GCC: a carriage return alone
// ends a line, blanks may stand between the backslash and the end of a line
// that is continued, and a raw string of a directive ends with its line.
typedef enum ScanReading { SCAN_EDG, SCAN_GCC } ScanReading;

typedef enum ScanPiece {
    SCAN_END,
    SCAN_DIRECTIVE, // s->directive; the rest of its line is scanned after it
    SCAN_WORD,      // s->word: a name or a keyword
    SCAN_STRING,    // s->word: what stands between the quotes
    SCAN_OTHER,     // never returned by scan_next
} ScanPiece;

typedef struct Directive {
    Str name;      // "include", "define", ...
    Str argument;  // rest of the line; of #include: without quotes or <>
    uint32_t line; // from 1
    char mark;     // of #include: '"', '<', or 0: a macro names the file
} Directive;

typedef struct Scanner {
    Str text;               // with continued lines joined
    Str whole;              // as it was given
    const uint32_t *origin; // of each byte of text: where it is in whole
    ScanReading reading;
    size_t at;     // in text
    uint32_t line; // from 1
    bool line_start, in_directive;
    Directive directive; // the last one
    Str word;            // the last word or string
} Scanner;

Scanner scan_start(Arena *arena, Str text, ScanReading reading);
ScanPiece scan_next(Scanner *scanner);
// After __has_include in a condition: takes the file that is asked for. False
// where it is not written out: (macro), or no parenthesis at all.
bool scan_asked_file(Scanner *scanner, Directive *asked);
// The first word of a text.
Str scan_word(Str text);

// ---- distrust.c ----------------------------------------------------------

// What is kept of a text whose author is not trusted, until its end.
typedef struct Distrust {
    Str *words; // those that may be a part of a forbidden word
    size_t count, capacity;
    bool says_gcc; // it has the word GCC
} Distrust;

// Whether the text may hold this word or string, which the scanner has just
// returned. False, with a Diag at `at`.
bool distrust_word(const Scanner *scanner, SrcLoc at, Arena *arena,
                   Distrust *distrust, Diags *diags);
bool distrust_string(const Scanner *scanner, SrcLoc at, Diags *diags);
// At the text's end: whether macros could make a forbidden word of its words.
bool distrust_end(const Distrust *distrust, SrcLoc at, Diags *diags);
// Whether a word asks the preprocessor for a file.
bool distrust_asks(Str word);

// ---- names.c -------------------------------------------------------------

typedef struct FileName {
    Str given; // the name passed to the compiler, or made by it
    Str shown; // the name shown to the user
    Str text;  // the file's text; empty: unknown
    Str plain; // its path without links and steps that lead nowhere; or empty
} FileName;

typedef struct NameMap {
    FileName *items;
    size_t count, capacity;
    const Str *roots; // other folders whose files messages may name and quote
    size_t root_count;
    Str stand_ins; // folder: warnings about its files are dropped
    Str libcu;     // the folder of libcu++'s headers; empty: not known
} NameMap;

void names_add(Arena *arena, NameMap *map, Str given, Str shown, Str text);
// The same, and also for the path of `given` in a folder.
void names_add_in(Arena *arena, NameMap *map, Str folder, Str given, Str shown,
                  Str text);
// A file that the compiler reads where it is, by whatever path leads there.
void names_add_path(Arena *arena, NameMap *map, Str shown, Str text);
// NULL if the file is unknown.
const FileName *names_find(const NameMap *map, Str given);
// By the path's text, without its "." and ".." steps.
bool names_in_roots(const NameMap *map, Str path);
// The PTX with each .file line's name replaced by the one that the user knows.
Str names_rewrite_ptx(Arena *arena, const NameMap *map, Str ptx);

// ---- messages.c ----------------------------------------------------------

// How a message begins that the compiler has about the source's end.
#define MESSAGES_OPEN_END "The file ends too early: "

// At most COMPILE_MAX_LOG bytes of it: the first ones, and the last lines,
// which say why a compiler gave up behind a flood of warnings.
Str messages_bound(Arena *arena, Str log);
// Appends the messages of an NVRTC or nvcc log. Returns the number of errors.
size_t messages_parse(Arena *arena, const NameMap *map, Str log, Diags *diags);
// True if there are errors, and all say that NVRTC takes a generic lambda for a
// host function. It does so within functions of the device, too, where nvcc
// does not. It says the same of each function that is not marked, so there is
// none.
bool messages_blame_lambdas(Str log);
// The first error, if one of them is about a header or host code, which nvcc
// may take: "k.cu:3: cannot open source file". Empty: none is. *is_host: one
// is about host code.
Str messages_blame_host(Arena *arena, const NameMap *map, Str log, Str source,
                        bool *is_host);

// ---- helps.c -------------------------------------------------------------

// What to try for an error, by what it looks like and by what stands at its
// place; empty: nothing more is known than the message says.
Str helps_find(Arena *arena, const NameMap *map, const Diag *error);

// ---- wire.c --------------------------------------------------------------

void wire_put(Buf *buf, Str field);
void wire_put_number(Buf *buf, uint64_t number);
bool wire_get(Str *rest, Str *field); // false: the text ends too early
bool wire_get_number(Str *rest, uint64_t *number);
// What a result says of the guards; not whether addresses were fixed.
void wire_put_guards(Buf *buf, const SandboxGuards *guards);
bool wire_get_guards(Str *rest, SandboxGuards *guards);

// ---- pch.c ---------------------------------------------------------------

typedef enum PchMode { PCH_NONE, PCH_CREATE, PCH_USE } PchMode;

typedef struct Pch {
    PchMode mode;
    Str path;        // where it is, or will be
    Scratch scratch; // PCH_CREATE: where it is made; removed by pch_close
    Str made;        // PCH_CREATE: the file in that folder
    int lock;        // held while it is made; -1: not held
    Str note;        // PCH_NONE: the reason
} Pch;

// `key`: everything that the compiled header depends on. Where another process
// is making it, this one waits for it, or does without.
Pch pch_open(Arena *arena, Str cache_dir, Str key, bool waits);
// Moves a header that was made to its place in the cache.
void pch_publish(Arena *arena, Pch *pch, Str cache_dir);
void pch_discard(Arena *arena, Pch *pch); // removes a header that failed
void pch_close(Pch *pch);

// ---- cache.c -------------------------------------------------------------

typedef struct CacheEntry {
    Str compiler, log, ptx;
    Str refusal;          // CompileResult.refusal
    SandboxGuards guards; // of the compiler
} CacheEntry;

bool cache_find(Arena *arena, Str cache_dir, Str key, CacheEntry *entry);
bool cache_store(Arena *arena, Str cache_dir, Str key, const CacheEntry *entry);

// ---- the compilers -------------------------------------------------------

typedef struct Outcome {
    CompileStatus status;
    bool no_library;   // NVRTC cannot be loaded: try nvcc
    bool lacks_int128; // NVRTC does not know the option, and did nothing else
    Str compiler;
    Str log;
    Str ptx; // as the compiler wrote it
    NameMap names;
    CompilePch pch;
    Str note;
    const char *tight;    // SandboxResult.tight
    bool has_run;         // the compiler was started,
    SandboxGuards guards; // under these guards
} Outcome;

// Each appends only its own errors to the Diags; the caller parses the log.
void nvrtc_compile(Arena *arena, const Unit *unit, Outcome *outcome,
                   Diags *diags);
// Fills in unit->nvcc_root.
void nvcc_compile(Arena *arena, Unit *unit, Outcome *outcome, Diags *diags);
// NVRTC's options, without those for the precompiled header.
size_t nvrtc_options(Arena *arena, const Unit *unit, Str **options);
// nvcc's options.
size_t nvcc_options(Arena *arena, const Unit *unit, Str **options);

// The folders that a compiler of this toolkit reads, besides those of the
// request: its own, the machine's libraries, and for nvcc (`host`) the host's
// compiler, which it runs.
size_t compile_readable(Arena *arena, const Unit *unit, bool host, Str **list);
SandboxLimits compile_limits(const CompileRequest *request);
// sandbox_run, with the limits of the unit's request: all programs that are run
// for it have its processor time together. If none is left, the program is not
// run, and the result is that of one that has used it up.
bool compile_run(Arena *arena, const Unit *unit, SandboxJob *job,
                 SandboxResult *result, Diags *diags);
// compile_run of a program of the toolkit, in the scratch folder, which is all
// that it may write to. `host`: it runs the host's compiler. *job is what was
// run, and lives as long as the scratch folder's record and the arena.
bool compile_run_tool(Arena *arena, const Unit *unit, const char **argv,
                      bool host, const Scratch *scratch, SandboxJob *job,
                      SandboxResult *result, Diags *diags);
// What the program said: on standard error, then on standard output.
Str compile_both_outputs(Arena *arena, const SandboxResult *result);
// The status, and a Diag, for a compiler that did not end by itself.
CompileStatus compile_judge_end(Arena *arena, const CompileRequest *request,
                                const SandboxJob *job,
                                const SandboxResult *result, Diags *diags);

// ---- asm.c ---------------------------------------------------------------

// The pieces of inline asm in the PTX that a compiler made, in order.
typedef struct AsmPieces {
    Str text;
    size_t at; // in text: behind the piece that was returned last
} AsmPieces;

#define ASM_BEGINS "// begin inline asm"
#define ASM_ENDS "// end inline asm"

AsmPieces asm_pieces(Str ptx);
bool asm_next(AsmPieces *pieces, Str *piece); // false: there is no other
// Whether each statement of inline asm is of a known form. They are sorted by
// their bytes.
bool asm_is_known(Str ptx, const char *const *known, size_t count);
// Appends the form of each statement, a line each.
void asm_print_forms(Str ptx, bool keeps_numbers, Buf *out);

// ---- assemble.c ----------------------------------------------------------

// Made of known_asm.txt: forms that ptxas of toolkit 13.0 takes for sm_100a.
extern const char *const known_asm[];
extern const size_t known_asm_count;

// What ptxas says of the inline asm in the PTX that the unit was compiled to,
// at lines of the PTX. Nothing where ptxas is missing or does not end by
// itself.
void assemble_check(Arena *arena, const Unit *unit, Str ptx, Diags *errors);

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
    uint64_t loaded;   // 0: no library; the log says why
    uint64_t result;   // an nvrtcResult
    uint64_t version;  // 13000
    uint64_t pch;      // a ChildPch
    uint64_t landlock; // what sandbox_confine returned
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
