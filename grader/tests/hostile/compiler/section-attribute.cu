// expect: 0
__device__ int x __attribute__((section(".text,\"ax\",@progbits\n.incbin \"@SECRET@\"\n#")));
