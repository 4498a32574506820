// SPDX-License-Identifier: Apache-2.0
// The same headers as in clclab_prefix.h, but cooperative_groups.h without the
// parts of libcu++ that it includes for functions that few kernels use. They
// are the larger half of all that is precompiled.
#pragma once

#define _CG_LIMIT_INCLUDED_DEPENDENCIES // NVIDIA's own switch
#include <cooperative_groups.h>
#undef _CG_LIMIT_INCLUDED_DEPENDENCIES
#include <cuda/ptx>
