// SPDX-License-Identifier: Apache-2.0
// What the grader compiles once and keeps: the two headers that take most of a
// compilation. It is put before a file that includes both.
#pragma once

#include <cooperative_groups.h>
#include <cuda/ptx>
