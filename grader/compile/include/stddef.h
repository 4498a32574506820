// SPDX-License-Identifier: Apache-2.0
// Stands for the host's header: NVRTC has none.
// size_t, ptrdiff_t and NULL are built in.
#pragma once

#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif

typedef decltype(nullptr) nullptr_t;
