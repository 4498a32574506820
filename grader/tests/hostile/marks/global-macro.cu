// expect: 1 signature
// says: There is no kernel named fixed_work.
#define __global__ __device__
