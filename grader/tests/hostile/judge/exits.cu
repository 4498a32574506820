// expect: 1 correct prologue
// says: The kernel changed no element of data.
// Leaves before anything is done.
__device__ __noinline__ void extra() {
    asm volatile("exit;");
}
#define compute_scalar() (extra(), compute_scalar())
