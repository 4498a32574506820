// expect: 1 prologue
// says: clclab_secret is used here, and not through compute_scalar().
// The secret is read by what says that it is lab.h.
#line 1 "lab.h"
__device__ float mine() { return clclab_secret.seed; }
#define compute_scalar() (compute_scalar() + 0.0f * mine())
