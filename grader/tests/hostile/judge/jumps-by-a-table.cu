// expect: 1 rules
// says: Thread 32 of block 0 jumps through entry 109 of a table of 2.
// An index that the table does not have.
__device__ __noinline__ void extra() {
    asm volatile("{ table: .branchtargets one, two;\n .reg .u32 i; mov.u32 i, %tid.x; add.u32 i, i, 77;\n"
                 "brx.idx i, table;\n one: two: }");
}
#define compute_scalar() (extra(), compute_scalar())
