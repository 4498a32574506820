// expect: 1 builds
// says: The PTX of this line is malformed: The size of an array is an integer from 0 to 1099511627776.
__device__ char big[1ull << 46];
__device__ __noinline__ void extra() {
    big[clock64() & 1023] = 1;
}
#define compute_scalar() (extra(), compute_scalar())
