// expect: 1 prologue
// says: clclab_secret is used here, and not through compute_scalar().
// A variable is initialised with the secret's address.
__device__ const LabSecret *const where = &clclab_secret;
#define compute_scalar() (compute_scalar() + 0.0f * where->seed)
