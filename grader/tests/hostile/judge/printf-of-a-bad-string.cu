// expect: 1 rules
// says: Thread 32 of block 0 reads 1 bytes at address 0x10, which is no memory of this kernel.
#include <stdio.h>
__device__ __noinline__ void extra() {
    printf("%s", (const char *)0x10);
}
#define compute_scalar() (extra(), compute_scalar())
