// expect: 0
// Right, though nothing that a lab needs: objects with functions that are found at run time.
struct Base { __device__ virtual float value() = 0; };
struct Own : Base { __device__ float value() override { return compute_scalar(); } };
__device__ __noinline__ float through(Base &base) { return base.value(); }
#define compute_scalar() ([]() { Own own; return through(own); })()
