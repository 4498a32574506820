// lab: 9
// expect: 1 technique
// says: clusterlaunchcontrol.try_cancel comes from a header, not from an asm statement of this file.
// solution: 3
// The same, with functions that are called by other names.
namespace mine {
using namespace cuda::ptx;
template <typename... T> __device__ void ask(T... x) { clusterlaunchcontrol_try_cancel(x...); }
}
namespace cuda { namespace ptx { using mine::ask; } }
#define clusterlaunchcontrol_try_cancel ask
#define block_clc raw_ptx
