// expect: 0
// Waits for a grid before this one: there is none, so this is right.
__device__ __noinline__ void extra() {
    asm volatile("griddepcontrol.wait;");
    asm volatile("griddepcontrol.launch_dependents;");
}
#define compute_scalar() (extra(), compute_scalar())
