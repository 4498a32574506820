// SPDX-License-Identifier: Apache-2.0
// The kernels of kernels.cu in plain C. `data` has `threads` words.
#ifndef CLCLAB_BENCH_VM_SCALAR_H
#define CLCLAB_BENCH_VM_SCALAR_H

#include <stdint.h>

enum { SCALAR_TILE = 256 };

void scalar_alu(uint32_t *data, uint32_t threads, int rounds);
void scalar_tile(uint32_t *data, uint32_t threads, int rounds);
void scalar_stream(uint32_t *data, uint32_t threads, int rounds);
void scalar_escape(uint32_t *data, uint32_t threads, int rounds);

#endif
