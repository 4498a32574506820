// SPDX-License-Identifier: Apache-2.0
// Stands for the host's header: NVRTC has none.
// assert is built in; with NDEBUG it does nothing. As in C, each inclusion
// checks NDEBUG again.
#ifdef NDEBUG
#undef assert
#define assert(condition) ((void)0)
#endif
