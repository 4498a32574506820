// expect: 0
asm(".section .init_array; .quad 0");
asm("/*");
