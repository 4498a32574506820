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

// Makes a source, which *card must outlive, and measures a copy. False, with a
// Diag, if that failed.
bool compare_card_source(CompareCard *card, CompareSource *source,
                         Diags *diags);

#endif
