// expect: 0
// Who calls a function that depends on nothing may call it once for all.
extern "C" __device__ __attribute__((const)) float compute_scalar(void);
