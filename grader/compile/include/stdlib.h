// SPDX-License-Identifier: Apache-2.0
// Stands for the host's header: NVRTC has none.
// malloc, free and abs are built in, on the device's heap.
#pragma once

#ifndef EXIT_SUCCESS
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#endif
