// expect: 1 rules
// says: Thread 32 of block 0 reads 1 bytes of variable text (offset 0) that thread 31 of block 0 has written
#include <stdio.h>
__device__ char text[64];
__device__ __noinline__ void extra() {
    for (int i = 0; i < (int)sizeof text; i++) text[i] = 'x';
    printf("%s", text);
}
#define compute_scalar() (extra(), compute_scalar())
