// expect: 1 builds
// says: may ask only whether a header is there that it names
#include <cuda/std/cstdint>
#define F "@SECRET@"
#if _CCCL_HAS_INCLUDE(F)
#endif
