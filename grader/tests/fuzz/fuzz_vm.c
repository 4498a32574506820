// SPDX-License-Identifier: Apache-2.0
// libFuzzer's target for the virtual machine; see target_vm.h.
#include "tests/fuzz/target_vm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_vm(data, size);
    return 0;
}
