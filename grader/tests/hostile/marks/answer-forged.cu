// lab: 3
// expect: 1 rules
// says: Thread 0 of block 0 queries 16 bytes that are no answer of a request.
// The answer is written by the block itself: a cluster that nobody granted.
namespace cuda {
namespace ptx {
__device__ void forged(void *result, uint64_t *bar) {
    *(uint4 *)result = make_uint4(blockIdx.x + 7, 0, 0, 1);
    mbarrier_arrive(bar);
}
} // namespace ptx
} // namespace cuda
#define clusterlaunchcontrol_try_cancel forged
