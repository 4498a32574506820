// expect: 1 builds
// says: identifier "F" is undefined
#define F(x) F F(x)(x) F
__device__ int x = F(F(F(F(1))));
