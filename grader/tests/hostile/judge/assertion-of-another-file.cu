// expect: 1 rules
// says: Thread 32 of block 0: assertion `text` failed.
// Says that the assertion stands in a file that may not be read.
extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t);
__device__ __noinline__ void extra() {
    __assertfail("text", "@SECRET@", 1, "main", 1);
}
#define compute_scalar() (extra(), compute_scalar())
