// expect: 0
__device__ int x =
@TIMES 3000@ (
1
@TIMES 3000@ )
;
