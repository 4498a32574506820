// SPDX-License-Identifier: Apache-2.0
// libFuzzer's target for the readers of text other than PTX; see target_text.h.
#include "tests/fuzz/target_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_text(data, size);
    return 0;
}
