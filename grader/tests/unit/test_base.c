// SPDX-License-Identifier: Apache-2.0
// base/: each public function. Expected values of the generator are those of
// splitmix64's published reference for seed 0.
#include "tests/unit/test.h"

#include <stdarg.h>

// ---- arena ---------------------------------------------------------------

TEST(arena_gives_zeroed_aligned_memory) {
    Arena arena = {0};
    for (size_t align = 1; align <= 64; align *= 2) {
        unsigned char *p = arena_alloc(&arena, 3, align, 5);
        CHECK_U64((uintptr_t)p % align, 0);
        for (int i = 0; i < 15; i++)
            CHECK_INT(p[i], 0);
        memset(p, 0xff, 15);
    }
    CHECK_U64(arena.total, 7 * 15);
    arena_free(&arena);
}

TEST(arena_outlives_its_chunks) {
    Arena arena = {0};
    int *small = arena_new(&arena, int, 1);
    *small = 42;
    char *large = arena_new(&arena, char, 10 * 1024 * 1024);
    large[10 * 1024 * 1024 - 1] = 'x';
    int *after = arena_new(&arena, int, 100000);
    after[99999] = 7;
    CHECK_INT(*small, 42);
    CHECK_INT(large[0], 0);
    arena_free(&arena);
    CHECK(arena.chunk == NULL);
    CHECK_U64(arena.total, 0);
    CHECK(arena_new(&arena, int, 1) != NULL); // ready again
    arena_free(&arena);
}

TEST(arena_grows_an_array_and_keeps_it) {
    Arena arena = {0};
    uint64_t *items = NULL;
    size_t count = 0, capacity = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        arena_grow(&arena, items, count, capacity);
        items[count++] = i * i;
    }
    CHECK(capacity >= 1000);
    for (uint64_t i = 0; i < 1000; i++)
        if (!CHECK_U64(items[i], i * i))
            break;
    arena_free(&arena);
}

TEST(arena_regrow_doubles) {
    Arena arena = {0};
    size_t capacity = 0;
    int *items = arena_regrow(&arena, NULL, 0, sizeof *items, &capacity);
    CHECK_U64(capacity, 8);
    items[0] = 5;
    items = arena_regrow(&arena, items, 1, sizeof *items, &capacity);
    CHECK_U64(capacity, 16);
    CHECK_INT(items[0], 5);
    CHECK_INT(items[15], 0);
    arena_free(&arena);
}

// Runs `allocate` in a process of its own; its exit status.
static int status_of(void (*allocate)(void)) {
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        allocate();
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void ask_for_too_much(void) {
    Arena arena = {0};
    arena_alloc(&arena, SIZE_MAX / 4, 8, 5);
}

TEST(arena_ends_the_process_when_a_size_overflows) {
    CHECK_INT(status_of(ask_for_too_much), 70);
}

TEST(rounding_up_gives_the_next_multiple) {
    static const uint64_t cases[][3] = {
        {0, 8, 0},
        {1, 8, 8},
        {8, 8, 8},
        {9, 8, 16}, // powers of 2
        {0, 12, 0},
        {1, 12, 12},
        {12, 12, 12},
        {13, 12, 24}, // others
        {5, 0, 5},
        {5, 1, 5},
        {0, 0, 0},
        {(UINT64_C(1) << 40) + 1, 256, (UINT64_C(1) << 40) + 256},
        {(UINT64_C(1) << 40) + 1, 3, (UINT64_C(1) << 40) + 2}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_U64(round_up(cases[i][0], cases[i][1]), cases[i][2]);
}

TEST(heap_is_zeroed) {
    uint32_t *p = heap_alloc(sizeof *p, 1000);
    for (int i = 0; i < 1000; i++)
        if (!CHECK_U64(p[i], 0))
            break;
    heap_free(p);
    void *none = heap_alloc(0, 0);
    CHECK(none != NULL);
    heap_free(none);
    heap_free(NULL);
}

TEST(heap_lines_are_aligned_and_zeroed) {
    for (size_t bytes = 0; bytes < 5000; bytes += 777) {
        uint8_t *p = heap_alloc_lines(bytes);
        CHECK_U64((uintptr_t)p % 64, 0);
        for (size_t i = 0; i < bytes; i++)
            if (!CHECK_U64(p[i], 0))
                break;
        memset(p, 0xAB, bytes); // for the next one, which may lie there
        heap_free(p);
    }
}

TEST(sparse_memory_is_zeroed_and_can_be_cleared) {
    static const size_t sizes[] = {0, 1, 1000, 64 * 1024, 1 << 20};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        uint8_t *p = sparse_alloc(sizes[i]);
        for (int round = 0; round < 2; round++) {
            for (size_t k = 0; k < sizes[i]; k++)
                if (!CHECK_U64(p[k], 0))
                    break;
            memset(p, 0xAB, sizes[i]);
            sparse_clear(p, sizes[i]);
        }
        sparse_free(p, sizes[i]);
    }
    sparse_free(NULL, 1 << 20);
}

static void ask_for_too_much_sparse(void) {
    sparse_alloc(SIZE_MAX / 2);
}

TEST(sparse_memory_takes_none_until_it_is_touched) {
    size_t huge = (size_t)32 << 30;
    uint8_t *p = sparse_alloc(huge);
    p[huge - 1] = 1;
    CHECK_U64(p[huge / 2], 0);
    sparse_clear(p, huge);
    CHECK_U64(p[huge - 1], 0);
    sparse_free(p, huge);
    CHECK(!sparse_try(SIZE_MAX / 2));
    CHECK_INT(status_of(ask_for_too_much_sparse), 70);
}

// ---- sets of bytes -------------------------------------------------------

enum { SET_BYTES = 200000 }; // three pages and a part of one

// Does the same to a set and to a plain array of flags.
static void change_both(ByteSet *set, bool *flags, Rng *rng) {
    uint64_t from = rng_next(rng) % SET_BYTES;
    uint64_t most = SET_BYTES - from;
    uint64_t count =
        rng_next(rng) % 4 ? rng_next(rng) % 300 : rng_next(rng) % SET_BYTES;
    count = count < most ? count : most;
    bool in = rng_next(rng) % 2;
    (in ? byteset_add : byteset_remove)(set, from, count);
    memset(flags + from, in, count);
}

static bool is_like(const ByteSet *set, const bool *flags) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < SET_BYTES; i++) {
        count += flags[i];
        if (!CHECK_U64(byteset_has_any(set, i, 1), flags[i]) ||
            !CHECK_U64(byteset_has_all(set, i, 1), flags[i]))
            return false;
    }
    return CHECK_U64(set->count, count);
}

static bool is_answered(const ByteSet *set, const bool *flags, Rng *rng) {
    uint64_t from = rng_next(rng) % SET_BYTES, count = rng_next(rng) % 200;
    count = from + count > SET_BYTES ? SET_BYTES - from : count;
    bool any = false, all = true;
    for (uint64_t i = from; i < from + count; i++) {
        any |= flags[i];
        all &= flags[i];
    }
    return CHECK_U64(byteset_has_any(set, from, count), any) &&
           CHECK_U64(byteset_has_all(set, from, count), all);
}

TEST(a_set_of_bytes_is_like_an_array_of_flags) {
    static bool flags[SET_BYTES], others[SET_BYTES];
    Rng rng = rng_stream(1, 2);
    ByteSet *set = byteset_new(SET_BYTES), *other = byteset_new(SET_BYTES);
    for (int round = 0; round < 200; round++) {
        change_both(set, flags, &rng);
        change_both(other, others, &rng);
        if (!is_answered(set, flags, &rng))
            break;
    }
    CHECK(is_like(set, flags));
    uint64_t at = 70001, from_at = 3, count = 129000;
    byteset_copy(set, at, other, from_at, count);
    memmove(flags + at, others + from_at, count);
    CHECK(is_like(set, flags));
    byteset_copy(set, 100, set, 0, 150000); // they overlap
    memmove(flags + 100, flags, 150000);
    CHECK(is_like(set, flags));
    ByteSet *clone = byteset_clone(set);
    byteset_add(set, 0, SET_BYTES);
    CHECK_U64(set->count, SET_BYTES);
    CHECK(is_like(clone, flags));
    byteset_assign(set, clone);
    CHECK(is_like(set, flags));
    byteset_free(set);
    byteset_free(other);
    byteset_free(clone);
    byteset_free(NULL);
}

TEST(a_set_of_bytes_of_a_large_memory_takes_little) {
    uint64_t huge = UINT64_C(64) << 30;
    ByteSet *set = byteset_new(huge);
    byteset_add(set, huge - 1, 1);
    byteset_add(set, 0, huge / 2);
    byteset_remove(set, 5, 1);
    CHECK_U64(set->count, huge / 2);
    CHECK(byteset_has_any(set, huge / 2 - 1, 2));
    CHECK(!byteset_has_all(set, 0, 6));
    byteset_free(set);
}

// ---- strings -------------------------------------------------------------

TEST(str_from_takes_null_for_empty) {
    CHECK_STR(str_from("abc"), "abc");
    CHECK_U64(str_from(NULL).len, 0);
}

TEST(str_compares_bytes_not_c_strings) {
    CHECK(str_equal(STR("a\0b"), STR("a\0b")));
    CHECK(!str_equal(STR("a\0b"), STR("a\0c")));
    CHECK(!str_equal(STR("a"), STR("ab")));
    CHECK(str_equal((Str){0}, STR("")));
}

TEST(str_knows_its_ends) {
    CHECK(str_starts(STR("mbarrier.init"), STR("mbarrier")));
    CHECK(!str_starts(STR("mbar"), STR("mbarrier")));
    CHECK(str_starts(STR("x"), STR("")));
    CHECK(str_ends(STR("a.cu"), STR(".cu")));
    CHECK(!str_ends(STR("u"), STR(".cu")));
}

TEST(str_find_gives_the_length_when_absent) {
    CHECK_U64(str_find(STR("a=b=c"), '='), 1);
    CHECK_U64(str_find(STR("abc"), '='), 3);
    CHECK_U64(str_find((Str){0}, '='), 0);
}

TEST(str_slice_is_clamped) {
    CHECK_STR(str_slice(STR("abcdef"), 1, 3), "bc");
    CHECK_STR(str_slice(STR("abc"), 1, 99), "bc");
    CHECK_STR(str_slice(STR("abc"), 5, 99), "");
    CHECK_STR(str_slice(STR("abc"), 2, 1), "");
    CHECK_U64(str_slice((Str){0}, 0, 1).len, 0);
}

TEST(str_trim_takes_blanks_off_both_ends) {
    CHECK_STR(str_trim(STR(" \t\r\n a b \n")), "a b");
    CHECK_STR(str_trim(STR(" \n ")), "");
}

TEST(str_cut_splits_at_the_first) {
    Str rest = STR("key = a = b");
    CHECK_STR(str_cut(&rest, '='), "key ");
    CHECK_STR(rest, " a = b");
    CHECK_STR(str_cut(&rest, '#'), " a = b");
    CHECK_STR(rest, "");
    CHECK_STR(str_cut(&rest, '#'), "");
}

TEST(str_copies_are_their_own) {
    Arena arena = {0};
    char text[] = "abc";
    Str copy = str_copy(&arena, str_from(text));
    char *cstring = str_cstring(&arena, (Str){text, 2});
    text[0] = 'x';
    CHECK_STR(copy, "abc");
    CHECK_INT(strcmp(cstring, "ab"), 0);
    CHECK_INT(str_cstring(&arena, (Str){0})[0], 0);
    arena_free(&arena);
}

TEST(a_field_is_filled_and_ends) {
    char field[5] = "xxxx";
    str_fill(field, 4, STR("abcdef"));
    CHECK_INT(memcmp(field, "abc", 4), 0);
    str_fill(field, 2, STR("zz"));
    CHECK_INT(memcmp(field, "z\0c", 4), 0); // what is behind is as it was
    str_fill(field, 4, STR("abc"));
    CHECK_STR(str_from(field), "abc");
    str_fill(field, 4, (Str){0});
    CHECK_STR(str_from(field), "");
    str_fill(field, 1, STR("b"));
    CHECK_STR(str_from(field), "");
}

static Str format_list(Arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str text = str_vformat(arena, format, args);
    va_end(args);
    return text;
}

TEST(str_formats_any_length) {
    Arena arena = {0};
    CHECK_STR(str_format(&arena, "%d %.*s", -3, STR_ARG(STR("xyz"))), "-3 xyz");
    Str wide = str_format(&arena, "%*d", 100000, 7);
    CHECK_U64(wide.len, 100000);
    CHECK_INT(wide.ptr[99999], '7');
    CHECK_STR(format_list(&arena, "%s+%u", "a", 2u), "a+2");
    arena_free(&arena);
}

static void check_number(const char *text, uint64_t expected) {
    uint64_t value = 99;
    CHECK(str_to_u64(str_from(text), &value));
    CHECK_U64(value, expected);
}

TEST(str_to_u64_takes_the_whole_range) {
    check_number("0", 0);
    check_number("007", 7);
    check_number("18446744073709551615", UINT64_MAX);
    check_number("0xfF", 255);
    check_number("0XFFFFFFFFFFFFFFFF", UINT64_MAX);
}

TEST(str_to_u64_refuses_the_rest) {
    static const char *const bad[] = {
        "",    "0x",
        "-1",  "+1",
        " 1",  "1 ",
        "1.0", "0xg",
        "1e3", "18446744073709551616",
        "12a", "0x10000000000000000",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        uint64_t value = 99;
        if (!CHECK(!str_to_u64(str_from(bad[i]), &value)))
            printf("#   taken: '%s'\n", bad[i]);
        CHECK_U64(value, 99); // left alone
    }
}

TEST(str_line_counts_from_one) {
    Str text = STR("one\ntwo\r\n\nfour");
    CHECK_STR(str_line(text, 1), "one");
    CHECK_STR(str_line(text, 2), "two");
    CHECK_STR(str_line(text, 3), "");
    CHECK_STR(str_line(text, 4), "four");
    CHECK_STR(str_line(text, 5), "");
    CHECK_STR(str_line(text, 0), "");
    CHECK_STR(str_line(text, UINT32_MAX), "");
}

// ---- buffers -------------------------------------------------------------

TEST(buf_grows_and_holds_any_byte) {
    Buf buf = {0};
    CHECK_U64(buf_view(&buf).len, 0);
    buf_byte(&buf, '\0');
    buf_str(&buf, STR("abc"));
    buf_bytes(&buf, "\xff\xfe", 2);
    buf_bytes(&buf, NULL, 0);
    buf_printf(&buf, "%05d", 42);
    CHECK(str_equal(buf_view(&buf), STR("\0abc\xff\xfe"
                                        "00042")));
    buf_free(&buf);
    CHECK_U64(buf.len, 0);
    CHECK(buf.ptr == NULL);
}

TEST(buf_keeps_what_is_in_it_while_it_grows) {
    Buf buf = {0};
    for (int i = 0; i < 10000; i++)
        buf_printf(&buf, "%04d", i);
    CHECK_U64(buf.len, 40000);
    CHECK_STR(str_slice(buf_view(&buf), 0, 8), "00000001");
    CHECK_STR(str_slice(buf_view(&buf), 39996, 40000), "9999");
    buf_printf(&buf, "%*d", 200000, 1);
    CHECK_U64(buf.len, 240000);
    buf_free(&buf);
}

// ---- hashes and random numbers -------------------------------------------

TEST(hash_bytes_depends_on_every_byte_length_and_seed) {
    unsigned char bytes[40] = {0};
    uint64_t plain = hash_bytes(1, bytes, sizeof bytes);
    CHECK_U64(hash_bytes(1, bytes, sizeof bytes), plain);
    CHECK(hash_bytes(2, bytes, sizeof bytes) != plain);
    CHECK(hash_bytes(1, bytes, sizeof bytes - 1) != plain);
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = 1;
        CHECK(hash_bytes(1, bytes, sizeof bytes) != plain);
        bytes[i] = 0;
    }
    CHECK(hash_bytes(1, NULL, 0) != hash_bytes(2, NULL, 0));
}

TEST(hash_u64_is_splitmix64) {
    CHECK_U64(hash_u64(0), 0xE220A8397B1DCDAFu);
    CHECK(hash_u64(1) != hash_u64(2));
}

// The examples of FIPS 180-2, and lengths round the end of a block against
// sha256sum.
TEST(hash_sha256_is_as_published) {
    Arena arena = {0};
    static const struct {
        const char *text;
        const char *hash;
    } known[] = {
        {"",
         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc",
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    for (size_t i = 0; i < COUNT_OF(known); i++)
        CHECK_STR(hash_sha256(&arena, str_from(known[i].text)), known[i].hash);
    static const struct {
        size_t length; // of letters a
        const char *hash;
    } ends[] = {
        {55,
         "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56,
         "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {63,
         "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64,
         "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {65,
         "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
        {119,
         "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
        {120,
         "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
        {1000000,
         "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    char *text = heap_alloc(1, 1000000);
    memset(text, 'a', 1000000);
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        CHECK_STR(hash_sha256(&arena, (Str){text, ends[i].length}),
                  ends[i].hash);
    heap_free(text);
    arena_free(&arena);
}

// ---- JSON ----------------------------------------------------------------

// The value at a path of a valid text; "-": there is none.
static Str json_at(Arena *arena, const char *text, const char *path) {
    Str value, found;
    size_t at;
    const char *error;
    if (!CHECK(json_check(str_from(text), &value, &at, &error)))
        return (Str){0};
    CHECK(error == NULL);
    return json_find(arena, value, path, &found) ? found : STR("-");
}

TEST(json_values_are_found_by_path) {
    Arena arena = {0};
    const char *text = " {\"a\": [1, {\"id\": \"x\", \"v\": -2.5e3}], "
                       "\"b\": {}, \"c\": [], \"a\": 7}\n";
    CHECK_STR(json_at(&arena, text, "a.0"), "1");
    CHECK_STR(json_at(&arena, text, "a.1.v"), "-2.5e3");
    CHECK_STR(json_at(&arena, text, "a.x.v"), "-2.5e3");
    CHECK_STR(json_at(&arena, text, "a.#"), "2");
    CHECK_STR(json_at(&arena, text, "c.#"), "0");
    CHECK_STR(json_at(&arena, text, "b"), "{}");
    CHECK_STR(json_at(&arena, text, "a.2"), "-");
    CHECK_STR(json_at(&arena, text, "b.a"), "-");
    CHECK_STR(json_at(&arena, text, "d"), "-");
    arena_free(&arena);
}

TEST(json_that_is_not_valid_is_refused_at_its_byte) {
    static const struct {
        const char *text;
        size_t at;
    } wrong[] = {{"", 0},
                 {"{", 1},
                 {"[1,]", 3},
                 {"{\"a\" 1}", 5},
                 {"[1] 2", 4},
                 {"\"a", 2},
                 {"01", 1},
                 {"-", 1},
                 {"1.", 2},
                 {"1.e5", 2},
                 {"1e", 2},
                 {"tru", 0},
                 {"\"\\x\"", 3},
                 {"\"\\u12g4\"", 5},
                 {"\"\t\"", 1},
                 {"\"\xc3(\"", 1},
                 {"\"\x80\"", 1},
                 {"\"\xc1\x80\"", 1},
                 {"\"\xf5\x80\x80\x80\"", 1},
                 {"\"\xf0\x90\x80(\"", 1},
                 {"\"\xe2\x80", 1},
                 {"{1: 2}", 1},
                 {"[1 2]", 3}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        Str value;
        size_t at;
        const char *error;
        CHECK(!json_check(str_from(wrong[i].text), &value, &at, &error));
        CHECK(error != NULL);
        if (!CHECK_U64(at, wrong[i].at))
            printf("# of: %s\n", wrong[i].text);
    }
}

TEST(json_is_read_to_a_depth_of_101) {
    char text[220];
    for (int depth = 101; depth <= 102; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        Str value;
        size_t at;
        const char *error;
        CHECK_INT(
            json_check((Str){text, 2 * (size_t)depth}, &value, &at, &error),
            depth <= 101);
    }
}

TEST(json_strings_lose_their_escapes) {
    Arena arena = {0};
    Str out;
    CHECK(json_string_value(&arena,
                            STR("\"a\\n\\t\\b\\f\\r\\\"\\\\\\/"
                                "\\u0041\\u00e9\\u20AC\""),
                            &out));
    CHECK_STR(out, "a\n\t\b\f\r\"\\/A\xc3\xa9\xe2\x82\xac");
    CHECK(json_string_value(&arena, STR("\"\""), &out));
    CHECK_STR(out, "");
    CHECK(!json_string_value(&arena, STR("12"), &out));
    CHECK(!json_string_value(&arena, STR("\""), &out));
    arena_free(&arena);
}

TEST(rng_is_splitmix64) {
    Rng rng = {0};
    CHECK_U64(rng_next(&rng), 0xE220A8397B1DCDAFu);
    CHECK_U64(rng_next(&rng), 0x6E789E6AA1B965F4u);
    CHECK_U64(rng_next(&rng), 0x06C45D188009454Fu);
}

TEST(rng_below_stays_below_and_reaches_all) {
    Rng rng = {1};
    unsigned seen = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t value = rng_below(&rng, 10);
        if (!CHECK(value < 10))
            return;
        seen |= 1u << value;
    }
    CHECK_U64(seen, 0x3ff);
    CHECK_U64(rng_below(&rng, 0), 0);
    CHECK_U64(rng_below(&rng, 1), 0);
}

TEST(rng_streams_differ_and_repeat) {
    Rng a = rng_stream(7, 0), b = rng_stream(7, 1), again = rng_stream(7, 0);
    uint64_t first = rng_next(&a);
    CHECK_U64(rng_next(&again), first);
    CHECK(rng_next(&b) != first);
    Rng other = rng_stream(8, 0);
    CHECK(rng_next(&other) != first);
}

// ---- diagnostics ---------------------------------------------------------

TEST(diags_keep_place_and_text) {
    Arena arena = {0};
    Diags diags = diags_new(&arena);
    SrcLoc at = {STR("a.cu"), 3, 7};
    Diag *diag = diag_add(&diags, DIAG_ERROR, at, "bad %s %d", "token", 5);
    diag->help = STR("Remove it.");
    diag_add(&diags, DIAG_WARNING, (SrcLoc){0}, "odd");
    CHECK_U64(diags.count, 2);
    CHECK_U64(diags.errors, 1);
    CHECK_STR(diags.items[0].what, "bad token 5");
    CHECK_STR(diags.items[0].help, "Remove it.");
    CHECK_STR(diags.items[0].at.file, "a.cu");
    CHECK_INT(diags.items[0].at.line, 3);
    CHECK_INT(diags.items[1].level, DIAG_WARNING);
    arena_free(&arena);
}

TEST(diags_count_beyond_the_limit_without_keeping) {
    Arena arena = {0};
    Diags diags = diags_new(&arena);
    diags.limit = 3;
    for (int i = 0; i < 10; i++)
        diag_add(&diags, DIAG_ERROR, (SrcLoc){0}, "%d", i)->code = STR("X");
    CHECK_U64(diags.count, 3);
    CHECK_U64(diags.errors, 10);
    CHECK_STR(diags.items[2].what, "2");
    arena_free(&arena);
}

TEST_MAIN(
    TESTCASE(arena_gives_zeroed_aligned_memory),
    TESTCASE(arena_outlives_its_chunks),
    TESTCASE(arena_grows_an_array_and_keeps_it), TESTCASE(arena_regrow_doubles),
    TESTCASE(arena_ends_the_process_when_a_size_overflows),
    TESTCASE(rounding_up_gives_the_next_multiple), TESTCASE(heap_is_zeroed),
    TESTCASE(heap_lines_are_aligned_and_zeroed),
    TESTCASE(sparse_memory_is_zeroed_and_can_be_cleared),
    TESTCASE(sparse_memory_takes_none_until_it_is_touched),
    TESTCASE(a_set_of_bytes_is_like_an_array_of_flags),
    TESTCASE(a_set_of_bytes_of_a_large_memory_takes_little),
    TESTCASE(str_from_takes_null_for_empty),
    TESTCASE(str_compares_bytes_not_c_strings), TESTCASE(str_knows_its_ends),
    TESTCASE(str_find_gives_the_length_when_absent),
    TESTCASE(str_slice_is_clamped),
    TESTCASE(str_trim_takes_blanks_off_both_ends),
    TESTCASE(str_cut_splits_at_the_first), TESTCASE(str_copies_are_their_own),
    TESTCASE(a_field_is_filled_and_ends), TESTCASE(str_formats_any_length),
    TESTCASE(str_to_u64_takes_the_whole_range),
    TESTCASE(str_to_u64_refuses_the_rest), TESTCASE(str_line_counts_from_one),
    TESTCASE(buf_grows_and_holds_any_byte),
    TESTCASE(buf_keeps_what_is_in_it_while_it_grows),
    TESTCASE(hash_bytes_depends_on_every_byte_length_and_seed),
    TESTCASE(hash_u64_is_splitmix64), TESTCASE(hash_sha256_is_as_published),
    TESTCASE(json_values_are_found_by_path),
    TESTCASE(json_that_is_not_valid_is_refused_at_its_byte),
    TESTCASE(json_is_read_to_a_depth_of_101),
    TESTCASE(json_strings_lose_their_escapes), TESTCASE(rng_is_splitmix64),
    TESTCASE(rng_below_stays_below_and_reaches_all),
    TESTCASE(rng_streams_differ_and_repeat),
    TESTCASE(diags_keep_place_and_text),
    TESTCASE(diags_count_beyond_the_limit_without_keeping))
