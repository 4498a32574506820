// lab: 5
// expect: 1 signature
// says: The parameters of tile_clc are not the lab's.
// The solution of another lab, by the name of this one's kernel.
// solution: 3
#define block_clc tile_clc
