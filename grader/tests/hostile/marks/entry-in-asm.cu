// expect: 1 builds
// says: The PTX of this line is malformed: 'fixed_work' is defined twice.
// A second kernel of the name that is graded, in PTX.
__device__ __noinline__ void shadow() {
    asm volatile("ret;\n}\n.visible .entry fixed_work(.param .u64 a, .param .u32 b) {");
}
#define compute_scalar() (shadow(), compute_scalar())
