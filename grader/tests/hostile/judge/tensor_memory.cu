// expect: 70 rules
// says: The virtual machine does not have this instruction: tcgen05.fence::before_thread_sync
__device__ __noinline__ void extra() {
    asm volatile("tcgen05.fence::before_thread_sync;");
}
#define compute_scalar() (extra(), compute_scalar())
