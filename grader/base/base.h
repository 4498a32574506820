// SPDX-License-Identifier: Apache-2.0
// base: what every other room builds on. Nothing here knows about GPUs.
//
//   Arena   a bump allocator: everything allocated from it is freed together
//   Str     a string slice: pointer and length, not NUL-terminated
//   Buf     a growing byte buffer, for building text and code
//   Json    writes JSON into one
//   Diag    one message about a user's input, with its place and its help
//   Rng     a seeded generator: every random choice of the grader uses one
//
// Failure to allocate ends the process (exit 70), since no caller could do
// better. No other room calls malloc.
#ifndef CLCLAB_BASE_H
#define CLCLAB_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

// The least multiple of `unit` that is not less; a unit of 0 counts as 1.
static inline uint64_t round_up(uint64_t value, uint64_t unit) {
    if (unit & (unit - 1))
        return (value + unit - 1) / unit * unit;
    return unit ? (value + unit - 1) & ~(unit - 1) : value;
}

// ---- arena ---------------------------------------------------------------

typedef struct ArenaChunk ArenaChunk;

// A zero-initialised Arena is empty and ready. Its memory is zeroed.
typedef struct Arena {
    ArenaChunk *chunk; // the newest chunk, which links to the older ones
    size_t total;      // bytes handed out so far
} Arena;

// `count` objects of `size` bytes, zeroed, aligned to `align` (a power of 2).
void *arena_alloc(Arena *arena, size_t size, size_t align, size_t count);
#define arena_new(arena, type, count) \
    ((type *)arena_alloc((arena), sizeof(type), _Alignof(type), (count)))
// An arena whose first chunk is this memory: zeros, aligned as malloc's, the
// caller's. It goes on elsewhere when that is full.
Arena arena_in(void *memory, size_t bytes);
bool arena_is_in(const Arena *arena, const void *memory); // still
// Frees every chunk; the arena is empty and ready again.
void arena_free(Arena *arena);

// Makes room for one more item of an array in an arena. `items` is a `T *`,
// `count` and `capacity` are `size_t`; afterwards `items[count]` may be
// written. A replaced array stays in the arena until the arena is freed.
#define arena_grow(arena, items, count, capacity)                   \
    ((count) < (capacity)                                           \
         ? (void)0                                                  \
         : (void)((items) = arena_regrow((arena), (items), (count), \
                                         sizeof(*(items)), &(capacity))))
void *arena_regrow(Arena *arena, const void *items, size_t count, size_t size,
                   size_t *capacity);

// Plain heap memory for the few things that are too large, or too short-lived,
// for an arena (guest memory, register files). Zeroed. Free with heap_free.
void *heap_alloc(size_t size, size_t count);
// The same for `bytes` bytes, aligned to a cache line (64 bytes), for rows of
// vectors.
void *heap_alloc_lines(size_t bytes);
void heap_free(void *memory);
// Zeroed memory of which each page costs nothing until it is touched, for what
// may be large and hardly used. Clearing it gives the pages back.
void *sparse_alloc(size_t bytes);
void *sparse_try(size_t bytes); // the same; NULL: there is no room for it
void sparse_clear(void *memory, size_t bytes); // all that was allocated
void sparse_free(void *memory, size_t bytes);  // NULL: does nothing
// The most memory that this process has had at a time, in bytes.
uint64_t heap_peak(void);

// ---- sets of bytes (byteset.c) -------------------------------------------

// Which bytes of a memory of `size` bytes were written, for one.
typedef struct BytePage BytePage;
typedef struct ByteSet {
    uint64_t size, count; // bytes of the memory; of the set
    BytePage *pages;
} ByteSet;

ByteSet *byteset_new(uint64_t size); // with none in it
ByteSet *byteset_clone(const ByteSet *set);
void byteset_assign(ByteSet *to, const ByteSet *from); // of the same size
void byteset_free(ByteSet *set);                       // NULL: does nothing
// All ranges are within the memory.
void byteset_add(ByteSet *set, uint64_t from, uint64_t count);
void byteset_remove(ByteSet *set, uint64_t from, uint64_t count);
bool byteset_has_any(const ByteSet *set, uint64_t from, uint64_t count);
bool byteset_has_all(const ByteSet *set, uint64_t from, uint64_t count);
// Of the `count` bytes from `at` on those are in the set that are in `from` at
// the same distance from `from_at`.
void byteset_copy(ByteSet *to, uint64_t at, const ByteSet *from,
                  uint64_t from_at, uint64_t count);

// ---- strings -------------------------------------------------------------

typedef struct Str {
    const char *ptr; // not NUL-terminated; may hold any byte
    size_t len;      // bytes
} Str;

#define STR(literal) ((Str){(literal), sizeof(literal) - 1})
// For printf's "%.*s".
#define STR_ARG(s) ((int)(s).len), (s).ptr

Str str_from(const char *cstring);
bool str_equal(Str a, Str b);
bool str_starts(Str s, Str prefix);
bool str_ends(Str s, Str suffix);
// Index of the first `byte`, or s.len.
size_t str_find(Str s, char byte);
Str str_slice(Str s, size_t from, size_t to); // clamped to s
Str str_base_name(Str path);                  // what is behind its last slash
Str str_trim(Str s);                          // blanks, tabs, CR, LF
// Splits *rest at the first `byte`: returns the part before it and leaves the
// part after it in *rest (empty where there is no such byte).
Str str_cut(Str *rest, char byte);
Str str_copy(Arena *arena, Str s);
char *str_cstring(Arena *arena, Str s); // NUL-terminated copy
// A NUL-terminated copy in a field of `room` bytes (at least 1), truncated to
// fit.
void str_fill(char *field, size_t room, Str s);
Str str_format(Arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
Str str_vformat(Arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
// Decimal or 0x hexadecimal, the whole of s, no sign; false on anything else.
bool str_to_u64(Str s, uint64_t *out);
// Line `number` (from 1) of `text`, without its newline; empty if not there.
Str str_line(Str text, uint32_t number);

// ---- the nearest name (nearest.c) ----------------------------------------

// Of the names that were tried, `best` is the nearest to `wanted`; empty: none
// is near. Of two that are equally near, the one that was tried first.
typedef struct Nearest {
    Str wanted, best;
    size_t distance; // letters to change, add or take away
} Nearest;

Nearest nearest_start(Str wanted);
void nearest_try(Nearest *nearest, Str name);

// ---- buffers -------------------------------------------------------------

// A zero-initialised Buf is empty and ready.
typedef struct Buf {
    char *ptr;
    size_t len, capacity; // bytes
} Buf;

void buf_bytes(Buf *buf, const void *bytes, size_t len);
void buf_str(Buf *buf, Str s);
void buf_byte(Buf *buf, char byte);
void buf_printf(Buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
Str buf_view(const Buf *buf); // valid until the next append
void buf_free(Buf *buf);

// ---- UTF-8 (utf8.c) ------------------------------------------------------

// The length of the sequence at the start of s, which is not empty, and its
// code point; 0 if it is not valid UTF-8.
size_t utf8_decode(Str s, uint32_t *code);
// Whether a terminal shows the code point as one harmless character.
bool utf8_is_printable(uint32_t code);
// Appends s with control bytes, direction overrides and invalid UTF-8 escaped;
// a newline becomes \n.
void utf8_escape(Str s, Buf *out);

// ---- reading JSON (json.c) -----------------------------------------------

// Whether the text is one valid JSON value, at most 101 levels deep. *value:
// it, without blanks around it. If not: *at is the byte of the *error.
bool json_check(Str text, Str *value, size_t *at, const char **error);
// Finds a value within a valid one. A path is members and indices with dots
// between: "checks.0.points". An element of an array can also be named by its
// "id": "checks.rules.status". "checks.#" is the number of elements.
bool json_find(Arena *arena, Str value, const char *path, Str *out);
// Takes the next element off a valid array, or off what is left of one. False:
// there is none.
bool json_next(Str *rest, Str *element);
// The same for the members of an object; *name: without its quotes.
bool json_next_member(Str *rest, Str *name, Str *item);
// The text of a valid value that is a string; false: it is none. Halves of a
// surrogate pair are kept as two characters.
bool json_string_value(Arena *arena, Str value, Str *out);
// A text or a number that is found by its path; an empty text or false: there
// is no such text or number.
Str json_find_text(Arena *arena, Str value, const char *path);
bool json_find_number(Arena *arena, Str value, const char *path,
                      uint64_t *number);

// ---- writing JSON (json_write.c) -----------------------------------------

typedef struct Json { // zeroed but for `out`: nothing is written yet
    Buf *out;
    uint32_t depth;
    bool filled; // the current array or object is not empty
} Json;

void json_open(Json *json, char bracket);
void json_close(Json *json, char bracket);
void json_item(Json *json); // the comma and newline before an array's item
void json_string(Json *json, Str s);
void json_key(Json *json, Str key);
// Writes a member's key and the bracket that opens its object or array.
void json_open_member(Json *json, Str key, char bracket);
void json_null(Json *json, Str key);
void json_text(Json *json, Str key, Str value);
void json_texts(Json *json, Str key, const Str *texts, size_t count);
void json_text_or_null(Json *json, Str key, Str value);
void json_truth(Json *json, Str key, bool value);
void json_number(Json *json, Str key, uint64_t value);
void json_number_or_null(Json *json, Str key, uint64_t value);
void json_decimal(Json *json, Str key, double value); // as decimal_text
// Points, milliseconds: not negative; whole, or with 3 decimals; in any locale.
enum { DECIMAL_TEXT = 32 };
Str decimal_text(char text[DECIMAL_TEXT], double value);

// ---- names of C++ (demangle.c) -------------------------------------------

// The name of a function as C++ has it, with its template arguments, and its
// parameters: "ns::gemm<128, 64>" and "(float*, int)". False: the name is not
// mangled, or in a way that is not known here.
bool demangle(Arena *arena, Str mangled, Str *name, Str *parameters);

// ---- hashes and random numbers ------------------------------------------

// 64-bit hash of bytes, for tables and cache names. Not cryptographic: a cache
// that names its entries by it must also store and compare the whole key.
uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t len);
uint64_t hash_u64(uint64_t value); // splitmix64's finaliser: a bijection
// SHA-256 of the text, as 64 hexadecimal digits (sha256.c).
Str hash_sha256(Arena *arena, Str text);

typedef struct Rng {
    uint64_t state; // any value; splitmix64
} Rng;

uint64_t rng_next(Rng *rng);
// Uniform in [0, bound); 0 when bound is 0.
uint64_t rng_below(Rng *rng, uint64_t bound);
// An independent generator for each (seed, stream).
Rng rng_stream(uint64_t seed, uint64_t stream);

// ---- threads -------------------------------------------------------------

// Threads that share out work (crew.c). What they work on is their own, or only
// read, or atomic.
typedef struct Crew Crew;
// Called in each of them: 0 is the caller, the others follow.
typedef void CrewWork(void *context, size_t worker);
// At most so many workers, the caller included; NULL: there is no memory.
Crew *crew_new(size_t workers);
size_t crew_workers(const Crew *crew); // NULL: the caller alone
// Returns when all have.
void crew_run(Crew *crew, CrewWork *work, void *context);

// ---- clock ---------------------------------------------------------------

double clock_ms(void); // milliseconds since some time in the past

// ---- diagnostics ---------------------------------------------------------

typedef enum DiagLevel { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE } DiagLevel;

// A place in a user's file. line 0: the file as a whole; file empty: no place.
typedef struct SrcLoc {
    Str file;      // as the user gave it
    uint32_t line; // from 1
    uint32_t col;  // from 1; 0 unknown
} SrcLoc;

// One message about an input. Its texts are complete sentences without a final
// newline. Control bytes of the input are still in them: report/ escapes them.
typedef struct Diag {
    DiagLevel level;
    SrcLoc at;
    Str code; // "CLC006", "PTX", ...; empty: none
    Str what; // what happened
    Str help; // what to try; may be empty
} Diag;

typedef struct Diags {
    Arena *arena; // holds the texts and the items
    Diag *items;
    size_t count, capacity;
    size_t errors; // how many of them are DIAG_ERROR
    size_t limit;  // items beyond it are counted but not kept; 0: 100
} Diags;

Diags diags_new(Arena *arena);
// Appends a Diag, its text formatted into the arena. Returns the item (or, past
// the limit, a spare one) so that the caller can add its code and help.
Diag *diag_add(Diags *diags, DiagLevel level, SrcLoc at, const char *format,
               ...) __attribute__((format(printf, 4, 5)));

#endif
