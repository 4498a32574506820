// expect: 1 builds
// says: missing closing quote
// says nvcc: invalid multibyte character sequence
__device__ const char x[] = "ÿþÀ€õ"; // ÿ
