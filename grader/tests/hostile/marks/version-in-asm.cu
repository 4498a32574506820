// expect: 1 builds
// says: The PTX of this line is malformed: Expected an instruction, found '.version'.
#define compute_scalar() (compute_scalar() + ([]() { asm volatile(".version 1.0"); return 0.0f; })())
