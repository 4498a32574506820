#include <cooperative_groups.h>
#include <cuda/ptx>
