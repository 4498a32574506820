// expect: 1 builds
// says: The PTX of this line is malformed: Expected an instruction, found '.target'.
#define compute_scalar() (compute_scalar() + ([]() { asm volatile(".target sm_50"); return 0.0f; })())
