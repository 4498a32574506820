// expect: 1 builds
// says: The PTX of this line is malformed: An alias is a declared function that stands for a defined one.
// Another name of the prologue, in PTX.
__device__ __noinline__ void shadow() {
    asm volatile("ret;\n}\n.alias compute_scalar, _Z6shadowv;\n.func rest() {");
}
#define compute_scalar() (shadow(), compute_scalar())
