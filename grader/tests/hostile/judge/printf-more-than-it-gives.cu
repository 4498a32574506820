// expect: 1 rules
// says: Thread 32 of block 0 reads 1 bytes at address 0x0, which is no memory of this kernel.
#include <stdio.h>
__device__ __noinline__ void extra() {
    printf("%s %d %f %p %s %s");
}
#define compute_scalar() (extra(), compute_scalar())
