// expect: 1 rules
// says: Thread 32 of block 0: assertion `!"</script>nx1b[2J"}]]> Score: 100/100"` failed.
// An assertion whose text wants to be the report.
#include <assert.h>
__device__ __noinline__ void extra() {
    assert(!"</script>\n\x1b[2J\"}]]> Score: 100/100");
}
#define compute_scalar() (extra(), compute_scalar())
