// SPDX-License-Identifier: Apache-2.0
// libFuzzer's target for the parser and the printer of PTX; see target_ptx.h.
#include "tests/fuzz/target_ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_ptx(data, size);
    return 0;
}
