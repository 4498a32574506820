// expect: 0
asm(".incbin \"@SECRET@\"");
