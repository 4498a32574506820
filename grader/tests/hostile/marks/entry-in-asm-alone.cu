// expect: 1 correct prologue
// says: The kernel changed no element of data.
// alone
// The kernel that is graded is in asm alone: what is run is what is judged.
extern "C" __global__ void other(float *data, int n) {
    asm volatile("ret;\n}\n.visible .entry fixed_work(.param .u64 a, .param .u32 b) {");
}
__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {(q.n + q.threads_per_block - 1) / q.threads_per_block};
}
