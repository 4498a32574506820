// SPDX-License-Identifier: Apache-2.0
// Types of elements: names, and floats of every width.
#include "tests/unit/test.h"
#include "trials/element.h"

#include <math.h>
#include <string.h>

TEST(types_have_names_and_sizes) {
    CHECK_INT(element_find(STR("bf16")), ELEMENT_BF16);
    CHECK_INT(element_find(STR("float")), ELEMENT_WORD);
    CHECK_INT(element_find(STR("")), ELEMENT_WORD);
    CHECK(str_equal(element_name(ELEMENT_I64), STR("i64")));
    CHECK_INT(element_size(ELEMENT_F16), 2);
    CHECK(element_is_float(ELEMENT_BF16) && !element_is_float(ELEMENT_U32));
    CHECK(element_is_signed(ELEMENT_I8) && !element_is_signed(ELEMENT_U8));
}

TEST(floats_are_rounded_as_the_processor_does) {
    static const double values[] = {
        0,        -0.0,       1,        0.1,
        -1.5,     1e-45,      1e-39,    3e38,
        1e39,     5e-324,     -1e300,   65504,
        0x1p-149, 0x1.8p-150, 16777217, (double)INFINITY};
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        float as_float = (float)values[i];
        uint32_t bits32;
        uint64_t bits64;
        memcpy(&bits32, &as_float, sizeof bits32);
        memcpy(&bits64, &values[i], sizeof bits64);
        CHECK_U64(element_from_double(ELEMENT_F32, values[i]), bits32);
        CHECK_U64(element_from_double(ELEMENT_F64, values[i]), bits64);
        CHECK(element_to_double(ELEMENT_F32, bits32) == (double)as_float);
        CHECK(element_to_double(ELEMENT_F64, bits64) == values[i]);
    }
    CHECK(isnan(element_to_double(ELEMENT_F16, 0x7e00)));
    CHECK_U64(element_from_double(ELEMENT_F16, (double)NAN) & 0x7fff, 0x7e00);
}

// IEEE 754 binary16: every number of it is read, and written again.
TEST(halves_are_read_and_written) {
    for (uint32_t bits = 0; bits < 0x7c00; bits++)
        if (!CHECK_U64(element_from_double(
                           ELEMENT_F16, element_to_double(ELEMENT_F16, bits)),
                       bits))
            break;
    CHECK_U64(element_from_double(ELEMENT_F16, 65519), 0x7bff);
    CHECK_U64(element_from_double(ELEMENT_F16, 65520), 0x7c00);
    CHECK_U64(element_from_double(ELEMENT_F16, 0x1p-25), 0); // to even
    CHECK_U64(element_from_double(ELEMENT_F16, 0x1.8p-25), 1);
    CHECK_U64(element_from_double(ELEMENT_BF16, -1.0), 0xbf80);
}

TEST(buffers_count_or_are_drawn) {
    CHECK_U64(element_counted(ELEMENT_F32, 3), 0x40400000);
    CHECK_U64(element_counted(ELEMENT_I16, 3), 3);
    CHECK_U64(element_drawn(ELEMENT_WORD, 0, 0), 0xe220a839);
    CHECK_U64(element_drawn(ELEMENT_U16, 0, 0), 0xe220);
    CHECK_U64(element_drawn(ELEMENT_I64, 0, 0), UINT64_C(0xe220a8397b1dcdaf));
    for (uint64_t i = 0; i < 1000; i++) {
        double f =
            element_to_double(ELEMENT_F16, element_drawn(ELEMENT_F16, 7, i));
        double d =
            element_to_double(ELEMENT_F64, element_drawn(ELEMENT_F64, 7, i));
        CHECK(f >= 0 && f < 1 && d >= 0 && d < 1);
    }
    static const uint8_t bytes[4] = {1, 2, 3, 4};
    CHECK_U64(element_bits(ELEMENT_U16, bytes), 0x0201);
}

TEST_MAIN(TESTCASE(types_have_names_and_sizes),
          TESTCASE(floats_are_rounded_as_the_processor_does),
          TESTCASE(halves_are_read_and_written),
          TESTCASE(buffers_count_or_are_drawn))
