// SPDX-License-Identifier: Apache-2.0
// Names and elements instead of offsets and the numbers of parameters.
#ifndef CLCLAB_CHECK_NAMES_H
#define CLCLAB_CHECK_NAMES_H

#include "check/internal.h"

// Fills in finding->named and what it is told as, and names what its places
// name, from the declarations in the submission's text.
void names_give(const Grade *grade, Finding *finding);

#endif
