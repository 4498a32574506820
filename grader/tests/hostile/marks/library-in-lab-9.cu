// lab: 9
// expect: 1 technique
// says: clusterlaunchcontrol.try_cancel comes from a header, not from an asm statement of this file.
// solution: 3
// Lab 9 wants asm of the file itself. This has the name of its kernel, and a library's asm
// on lines that say that they are the submission's.
#line 1 "raw_ptx.cu"
#define block_clc raw_ptx
