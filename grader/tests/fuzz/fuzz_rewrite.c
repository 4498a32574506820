// SPDX-License-Identifier: Apache-2.0
// libFuzzer's target for the texts that a GPU gets; see target_rewrite.h.
#include "tests/fuzz/target_rewrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_rewrite(data, size);
    return 0;
}
