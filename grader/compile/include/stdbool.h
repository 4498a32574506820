// SPDX-License-Identifier: Apache-2.0
// Stands for the host's header: NVRTC has none.
// bool is built in.
#pragma once

#ifndef __bool_true_false_are_defined
#define __bool_true_false_are_defined 1
#endif
