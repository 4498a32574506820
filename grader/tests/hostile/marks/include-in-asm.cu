// expect: 1 builds
// says: The PTX of this line is malformed: Expected an instruction, found '.include'.
#define compute_scalar() (compute_scalar() + ([]() { asm volatile(".include \"@SECRET@\";"); return 0; })())
