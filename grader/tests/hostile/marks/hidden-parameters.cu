// lab: 4
// expect: 1 exactly_once
// says: Not all of 32 block indices were processed exactly once: 7 never (first: block 1), 1 several times
// The kernel's parameters are taken from the bytes behind them.
#define blockIdx other_index
__device__ uint3 other_index_of() { uint3 x = {0, 0, 0}; asm volatile("mov.u32 %0, %%ctaid.y;" : "=r"(x.x)); return x; }
#define other_index other_index_of()
