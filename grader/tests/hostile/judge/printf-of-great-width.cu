// expect: 0
#include <stdio.h>
__device__ __noinline__ void extra() {
    for (int i = 0; i < 1; i++) printf("%2147483647d %.2147483647f", 1, 1.0);
}
#define compute_scalar() (extra(), compute_scalar())
