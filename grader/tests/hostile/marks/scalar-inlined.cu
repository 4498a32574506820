// expect: 0
// The prologue is to disappear in the kernel.
extern "C" __device__ __forceinline__ float compute_scalar(void);
