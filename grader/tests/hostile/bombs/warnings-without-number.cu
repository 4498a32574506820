// expect: 0
@TIMES 200@ __device__ int f#() { int unused; return "text" [9]; }
