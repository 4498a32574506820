// expect: 0
// Words that the rest of the file needs.
#pragma GCC poison blockIdx threadIdx
