// SPDX-License-Identifier: Apache-2.0
// Stands for the host's header: NVRTC has none.
// clock and clock_t are built in.
#pragma once
