// expect: 0
__device__ int strange(int x) {
    const char *text = R"x(
#include "@SECRET@"
)x";
    // \ 
    return x + 1'000 + L'"' + u8'\'' + text[0]; // __has_include(F)
}
#define CONCAT(a, b) a##_##b
#ifdef __has_include
#if defined(__has_include) && __has_include(<cuda/ptx>)
#include <cuda/ptx>
#endif
#endif
