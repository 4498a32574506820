// expect: 1 builds
// says: The PTX of this line is malformed: Blocks are nested more than 200 deep.
__device__ __noinline__ void extra() {
    asm volatile(
@TIMES 5000@ "{\n"
@TIMES 5000@ "}\n"
    );
}
#define compute_scalar() (extra(), compute_scalar())
