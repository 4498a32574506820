// lab: 6
// expect: 1 technique
// says: No block had 2 requests in flight at once: at most 1.
// solution: 3
// One request in flight, where two are asked for.
#define block_clc pipelined_clc
