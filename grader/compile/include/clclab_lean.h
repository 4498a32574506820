// SPDX-License-Identifier: Apache-2.0
// The same headers as in clclab_prefix.h, without the larger part of each,
// which few kernels use: cooperative_groups.h without parts of libcu++ that it
// includes for some functions, and cuda/ptx without tensor cores, tensor maps,
// multimem, ld, st and shfl_sync, which includes much. That leaves a tenth.
#pragma once

#define _CG_LIMIT_INCLUDED_DEPENDENCIES // NVIDIA's own switch
#include <cooperative_groups.h>
#undef _CG_LIMIT_INCLUDED_DEPENDENCIES

// What is to be left out has been included already, as its guards say. In a
// toolkit whose guards have other names it is included.
#define _CUDA_PTX_CP_ASYNC_BULK_TENSOR_H_
#define _CUDA_PTX_CP_REDUCE_ASYNC_BULK_TENSOR_H_
#define _CUDA_PTX_LD_H_
#define _CUDA_PTX_MULTIMEM_LD_REDUCE_H_
#define _CUDA_PTX_MULTIMEM_RED_H_
#define _CUDA_PTX_MULTIMEM_ST_H_
#define _CUDA_PTX_SHFL_SYNC_H
#define _CUDA_PTX_ST_H_
#define _CUDA_PTX_TCGEN05_ALLOC_H_
#define _CUDA_PTX_TCGEN05_COMMIT_H_
#define _CUDA_PTX_TCGEN05_CP_H_
#define _CUDA_PTX_TCGEN05_FENCE_H_
#define _CUDA_PTX_TCGEN05_LD_H_
#define _CUDA_PTX_TCGEN05_MMA_H_
#define _CUDA_PTX_TCGEN05_MMA_WS_H_
#define _CUDA_PTX_TCGEN05_SHIFT_H_
#define _CUDA_PTX_TCGEN05_ST_H_
#define _CUDA_PTX_TCGEN05_WAIT_H_
#define _CUDA_PTX_TENSORMAP_CP_FENCEPROXY_H_
#define _CUDA_PTX_TENSORMAP_REPLACE_H_
#include <cuda/ptx>
#undef _CUDA_PTX_CP_ASYNC_BULK_TENSOR_H_
#undef _CUDA_PTX_CP_REDUCE_ASYNC_BULK_TENSOR_H_
#undef _CUDA_PTX_LD_H_
#undef _CUDA_PTX_MULTIMEM_LD_REDUCE_H_
#undef _CUDA_PTX_MULTIMEM_RED_H_
#undef _CUDA_PTX_MULTIMEM_ST_H_
#undef _CUDA_PTX_SHFL_SYNC_H
#undef _CUDA_PTX_ST_H_
#undef _CUDA_PTX_TCGEN05_ALLOC_H_
#undef _CUDA_PTX_TCGEN05_COMMIT_H_
#undef _CUDA_PTX_TCGEN05_CP_H_
#undef _CUDA_PTX_TCGEN05_FENCE_H_
#undef _CUDA_PTX_TCGEN05_LD_H_
#undef _CUDA_PTX_TCGEN05_MMA_H_
#undef _CUDA_PTX_TCGEN05_MMA_WS_H_
#undef _CUDA_PTX_TCGEN05_SHIFT_H_
#undef _CUDA_PTX_TCGEN05_ST_H_
#undef _CUDA_PTX_TCGEN05_WAIT_H_
#undef _CUDA_PTX_TENSORMAP_CP_FENCEPROXY_H_
#undef _CUDA_PTX_TENSORMAP_REPLACE_H_
