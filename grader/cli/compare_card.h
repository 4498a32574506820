// SPDX-License-Identifier: Apache-2.0
// A CompareSource (check/compare.h) that is a real GPU.
#ifndef CLCLAB_CLI_COMPARE_CARD_H
#define CLCLAB_CLI_COMPARE_CARD_H

#include "check/compare.h"
#include "gpu/gpu.h"

typedef struct CompareCard {
    Device *plain, *ledger;  // the same GPU: see gpu/gpu.h, GpuSettings
    const PtxModule *module; // of grader/compare/compare.cu
} CompareCard;

// *card has to outlive the source. Measures a copy; false, with a Diag: it
// could not.
bool compare_card_source(CompareCard *card, CompareSource *source,
                         Diags *diags);

#endif
