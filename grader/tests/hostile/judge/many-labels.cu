// expect: 0
// 10,000 labels and branches, in asm.
__device__ __noinline__ void extra() {
    asm volatile("{\n"
@TIMES 10000@ "bra L#; L#:\n"
                 "}");
}
#define compute_scalar() (extra(), compute_scalar())
