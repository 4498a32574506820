// expect: 1 prologue
// says: clclab_secret is used here, and not through compute_scalar().
// Computes what the prologue would, from its secret.
__device__ float mine() {
    float x = clclab_secret.seed;
    for (int round = 0; round < clclab_secret.rounds; round++)
        x = fmaf(x, -0.96f, x * 0.0f + 2.9498f) + x * 0.0f;
    return x;
}
#define compute_scalar() (compute_scalar(), mine())
