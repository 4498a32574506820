// SPDX-License-Identifier: Apache-2.0
// Tokens of a C file: see tokens.c.
#ifndef CLCLAB_MUTATE_TOKENS_H
#define CLCLAB_MUTATE_TOKENS_H

#include "tests/mutate-grader/source.h"

// Fills source->tokens from source->text.
void tokens_read(Arena *arena, Source *source);

#endif
