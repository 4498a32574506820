// SPDX-License-Identifier: Apache-2.0
// remedies: small edits of a kernel's PTX that may mend what a finding names.
// Nothing here knows whether one does: who asks for them runs each, and tells
// only what it has seen heal.
//
//   finding --remedies_choose--> a list of Remedy, the likeliest first
//   Remedy + module --remedy_apply--> another module, which shares all but the
//                                     edited function with the first
#ifndef CLCLAB_REMEDIES_H
#define CLCLAB_REMEDIES_H

#include "base/base.h"
#include "ptx/ptx.h"
#include "result/advice.h"
#include "result/finding.h"

// What is known of the mistake.
typedef struct RemedySite {
    const PtxModule *module;
    const PtxFunc *entry; // in which the edits are made
    Str file;             // base name of the learner's file
    const Finding *finding;
    uint32_t threads;              // of a block
    uint32_t cluster;              // CTAs of a cluster
    const struct SiteIndex *index; // made by the functions below
} RemedySite;

typedef struct RemedyRow RemedyRow; // rows.h

typedef struct Remedy {
    AdviceEdit told; // number: 0
    const RemedyRow *row;
    uint32_t at;      // instruction of the entry
    uint32_t variant; // of the row
    uint32_t rank;    // lower: likelier, smaller, nearer
} Remedy;

// The likeliest first, at most `most` of them; none of them equals another or
// the kernel as it is.
size_t remedies_choose(Arena *arena, const RemedySite *site, Remedy *list,
                       size_t most);
const PtxModule *remedy_apply(Arena *arena, const RemedySite *site,
                              const Remedy *remedy);

#endif
