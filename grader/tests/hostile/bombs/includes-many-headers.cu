// expect: 0
@TIMES 300@ %:include <cuda/std/array>
