// SPDX-License-Identifier: Apache-2.0
// Stands for the host's header: NVRTC has none.
// printf is built in; device code has no files.
#pragma once
