// expect: 0
// What runs before main, on a machine that would run it.
#ifndef __CUDA_ARCH__
__attribute__((constructor)) void first() { __builtin_trap(); }
#endif
