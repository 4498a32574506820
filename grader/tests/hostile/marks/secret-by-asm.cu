// expect: 1 prologue
// says: clclab_secret is used here, and not through compute_scalar().
// The secret is named in asm, and nowhere in C++.
__device__ float mine() {
    float x;
    asm volatile("ld.const.f32 %0, [clclab_" "secret];" : "=f"(x));
    return x;
}
#define compute_scalar() (compute_scalar() + 0.0f * mine())
