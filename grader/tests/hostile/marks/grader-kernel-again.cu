// expect: 1 builds
// says: function "clclab_prologue" has already been defined
extern "C" __global__ void clclab_prologue(float *value) { *value = 1.5f; }
