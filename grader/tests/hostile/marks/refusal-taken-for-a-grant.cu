// lab: 3
// expect: 1 rules
// says: Thread 96 of block 0 uses the index of a refused answer in a condition.
namespace cuda {
namespace ptx {
template <typename Answer> __device__ bool always(Answer answer) {
    return clusterlaunchcontrol_query_cancel_is_canceled(answer) || true;
}
} // namespace ptx
} // namespace cuda
#define clusterlaunchcontrol_query_cancel_is_canceled always
