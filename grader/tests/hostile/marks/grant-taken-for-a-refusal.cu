// lab: 3
// expect: 1 rules
// says: Block 8 was granted to the request of thread 0 of block 1, and nobody decoded its index: its work is lost
namespace cuda {
namespace ptx {
template <typename Answer> __device__ bool never(Answer answer) {
    return clusterlaunchcontrol_query_cancel_is_canceled(answer) && false;
}
} // namespace ptx
} // namespace cuda
#define clusterlaunchcontrol_query_cancel_is_canceled never
