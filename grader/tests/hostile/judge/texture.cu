// expect: 1 rules
// says: fetches from texture 0x1
__device__ __noinline__ void extra() {
    if (tex1Dfetch<float>((cudaTextureObject_t)1, 0) > 0) __trap();
}
#define compute_scalar() (extra(), compute_scalar())
