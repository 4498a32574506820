// SPDX-License-Identifier: Apache-2.0
// Stands for the host's header: NVRTC has none.
#pragma once

#include <cuda/std/cstdint>
