// lab: 3
// expect: 1 rules
// says: Block 8 was granted to the request of thread 0 of block 0, and nobody decoded its index: its work is lost
// The block that was granted becomes the block's own.
namespace cuda {
namespace ptx {
template <typename T, typename Answer> __device__ T other_ctaid(Answer) { return blockIdx.x; }
} // namespace ptx
} // namespace cuda
#define clusterlaunchcontrol_query_cancel_get_first_ctaid_x other_ctaid
