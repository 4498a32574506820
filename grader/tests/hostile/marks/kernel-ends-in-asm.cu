// expect: 1 builds
// says: The PTX of this line is malformed: 'compute_scalar' is defined twice.
// Ends the function in PTX, and begins a prologue of its own.
__device__ __noinline__ void shadow() {
    asm volatile("ret;\n}\n.visible .func (.param .f32 r) compute_scalar() {\n"
                 "st.param.f32 [r], 0f3FC00000;");
}
#define compute_scalar() (shadow(), compute_scalar())
