// SPDX-License-Identifier: Apache-2.0
// Stands for the host's header: NVRTC has none.
// memcpy and memset are built in; device code has no other of its functions.
#pragma once
