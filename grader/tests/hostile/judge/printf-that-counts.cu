// expect: 0
#include <stdio.h>
__device__ __noinline__ void extra() {
    int count = 7;
    printf("%n %hhn %*d %1$s %", &count);
}
#define compute_scalar() (extra(), compute_scalar())
