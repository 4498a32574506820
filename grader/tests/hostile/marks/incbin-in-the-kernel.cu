// expect: 1 builds
// says: The PTX of this line is malformed: Expected an instruction, found '.incbin'.
#define compute_scalar() (compute_scalar() + ([]() { asm volatile(".incbin \"@SECRET@\";"); return 0; })())
