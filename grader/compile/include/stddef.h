// SPDX-License-Identifier: Apache-2.0
// Stands for the host's header: NVRTC has none.
// size_t, ptrdiff_t and NULL are built in.
#pragma once

#ifndef offsetof
#define offsetof(type, member) \
    ((size_t)((char *)&(((type *)0)->member) - (char *)0))
#endif

typedef decltype(nullptr) nullptr_t;
