// expect: 70 rules
// says: The virtual machine does not have this instruction: tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}]
__device__ __noinline__ void extra() {
    if (tex1Dfetch<float>((cudaTextureObject_t)1, 0) > 0) __trap();
}
#define compute_scalar() (extra(), compute_scalar())
