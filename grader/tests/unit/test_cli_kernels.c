// SPDX-License-Identifier: Apache-2.0
// Which kernel is meant: names of C++ as people write them, and what of a
// source is a template.
#include "cli/source/kernels.h"
#include "tests/unit/test.h"

// ---- base/demangle.c -----------------------------------------------------

static void check_name(const char *mangled, const char *name,
                       const char *parameters) {
    Arena arena = {0};
    Str got, list;
    if (CHECK(demangle(&arena, str_from(mangled), &got, &list))) {
        CHECK_STR(got, name);
        CHECK_STR(list, parameters);
    }
    arena_free(&arena);
}

TEST(names_are_as_in_the_source) {
    check_name("_Z5scalePff", "scale", "(float*, float)");
    check_name("_Z5emptyv", "empty", "()");
    check_name("_ZN2ns4gemmILi128ELi64EEEvPf", "ns::gemm<128, 64>", "(float*)");
    check_name("_Z2cpI2MyEvPT_", "cp<My>", "(My*)");
    check_name("_ZN12_GLOBAL__N_14gemmILb1EEEvPKfS2_Rj",
               "(anonymous namespace)::gemm<true>",
               "(float const*, float const*, unsigned int&)");
    check_name("_Z1fIJifdEEvDpT_", "f<int, float, double>",
               "(int, float, double)");
    check_name("_ZN4cuda3std1aINS0_1bIiEEEEvNS0_1bIS3_EE",
               "cuda::std::a<cuda::std::b<int> >",
               "(cuda::std::b<cuda::std::b<int> >)");
    check_name("_Z1gPFvidEPA3_f", "g", "(void (*)(int, double), float (*)[3])");
    check_name("_Z4kernIZ4mainEUliE_EvT_i", "kern<main::{lambda(int)#1}>",
               "(main::{lambda(int)#1}, int)");
    check_name("_Z1hILin3ELj4EEvv", "h<-3, 4>", "()");
    check_name("_ZSt3absd", "std::abs", "(double)");
    check_name("_ZSt4swapIiEvRT_S1_", "std::swap<int>", "(int&, int&)");
}

TEST(what_is_no_name_is_refused) {
    static const char *const names[] = {
        "",        "scale",      "_Z",     "_Z5scal",   "_Z9999999999x",
        "_ZN2nsE", "_Z1fS_",     "_Z1fT_", "_Z1fIXE",   "_ZN",
        "_Z1fILi", "_Z1fS9999_", "_Z0",    "_Z1fPPPPP", "_ZZZZZZZZ",
    };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        Arena arena = {0};
        Str name, list;
        bool read = demangle(&arena, str_from(names[i]), &name, &list);
        if (!CHECK(!read || name.len > 0))
            printf("# %s\n", names[i]);
        arena_free(&arena);
    }
}

// Each part names the one before twice.
TEST(a_name_that_grows_without_end_is_refused) {
    Arena arena = {0};
    Buf out = {0};
    Str name, list;
    buf_str(&out, STR("_Z1f1aIiE"));
    for (int i = 0; i < 60; i++)
        buf_printf(&out, "1bI%s%sE", "S_", "S_");
    for (char c = '0'; c <= '9'; c++)
        buf_printf(&out, "PFS%c_S%c_S%c_E", c, c, c);
    bool read = demangle(&arena, buf_view(&out), &name, &list);
    CHECK(!read || list.len <= 8192 + 16);
    out.len = 0;
    buf_str(&out, STR("_Z1f"));
    for (int i = 0; i < 100000; i++)
        buf_byte(&out, 'P');
    CHECK(!demangle(&arena, buf_view(&out), &name, &list));
    buf_free(&out);
    arena_free(&arena);
}

// ---- which one -----------------------------------------------------------

static NameFit fit(const char *in_ptx, const char *given) {
    Arena arena = {0};
    NameFit fits = kernels_fit(&arena, str_from(in_ptx), str_from(given));
    arena_free(&arena);
    return fits;
}

TEST(a_kernel_answers_to_its_names) {
    static const char GEMM[] = "_ZN2ns4gemmILi128ELi64EEEvPf";
    CHECK_INT(fit(GEMM, GEMM), FITS_EXACTLY);
    CHECK_INT(fit(GEMM, "ns::gemm<128,64>(float *)"), FITS_WHOLE);
    CHECK_INT(fit(GEMM, "ns::gemm< 128, 64u >"), FITS_QUALIFIED);
    CHECK_INT(fit(GEMM, "::ns::gemm<128,64>"), FITS_QUALIFIED);
    CHECK_INT(fit(GEMM, "gemm<128,64>"), FITS_TAIL);
    CHECK_INT(fit(GEMM, "gemm"), FITS_PLAINLY);
    CHECK_INT(fit(GEMM, "ns::gemm"), FITS_PLAINLY);
    CHECK_INT(fit(GEMM, "gemm<128>"), FITS_IN_PART);
    CHECK_INT(fit(GEMM, "gemm<12>"), FITS_NOT);
    CHECK_INT(fit(GEMM, "gemm<64>"), FITS_NOT);
    CHECK_INT(fit(GEMM, "emm"), FITS_NOT);
    CHECK_INT(fit(GEMM, "ns"), FITS_NOT);
    CHECK_INT(fit(GEMM, ""), FITS_NOT);
    CHECK_INT(fit("_Z1fIXstDtEEvv", "f"), FITS_BY_PART);
    CHECK_INT(fit("plain", "plain"), FITS_EXACTLY);
    CHECK_INT(fit("plain", "lain"), FITS_NOT);
}

TEST(templates_are_found_by_their_words) {
    Arena arena = {0};
    Str *names;
    Str source = STR("template <int N>\n__global__ void __launch_bounds__(4)\n"
                     "a(int *x) {}\n__global__ void b(int *x) {}\n"
                     "namespace n { template <class T> __global__ void c(T) {} "
                     "}\n__global__");
    CHECK_U64(kernels_list_templates(&arena, source, &names), 2);
    CHECK_STR(names[0], "a");
    CHECK_STR(names[1], "c");
    CHECK_STR(kernels_show(&arena, STR("_Z1aILi4EEvPi")), "a<4>");
    CHECK_STR(kernels_show(&arena, STR("a")), "a");
    CHECK(kernels_is_named(&arena, STR("_ZN1n1aEv"), STR("a")));
    CHECK(!kernels_is_named(&arena, STR("_ZN1n2aaEv"), STR("a")));
    arena_free(&arena);
}

// ---- base/json.c ---------------------------------------------------------

TEST(elements_of_an_array_come_one_by_one) {
    Str rest = STR("[ {\"a\": [1]}, \"x\" ,3]"), element;
    CHECK(json_next(&rest, &element));
    CHECK_STR(element, "{\"a\": [1]}");
    CHECK(json_next(&rest, &element));
    CHECK_STR(element, "\"x\"");
    CHECK(json_next(&rest, &element));
    CHECK_STR(element, "3");
    CHECK(!json_next(&rest, &element));
    rest = STR("[]");
    CHECK(!json_next(&rest, &element));
    rest = STR("{}");
    CHECK(!json_next(&rest, &element));
}

TEST_MAIN(TESTCASE(names_are_as_in_the_source),
          TESTCASE(what_is_no_name_is_refused),
          TESTCASE(a_name_that_grows_without_end_is_refused),
          TESTCASE(a_kernel_answers_to_its_names),
          TESTCASE(templates_are_found_by_their_words),
          TESTCASE(elements_of_an_array_come_one_by_one))
