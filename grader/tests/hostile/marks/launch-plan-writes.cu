// expect: 1 launch_plan
// says: Thread 0 of block 0 writes 4 bytes at address 0x1000, which is no memory of this kernel.
// The plan is asked for in a launch of its own, which tries to write into the kernel's data.
__device__ LaunchPlan launch_plan(LaunchQuery q) {
    for (unsigned long at = 0x1000; at < 0x100000000; at += 0x1000000)
        *(volatile float *)at = 1.5f;
    return {(q.n + q.threads_per_block - 1) / q.threads_per_block};
}
#define launch_plan other_plan
