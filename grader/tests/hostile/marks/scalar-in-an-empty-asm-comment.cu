// expect: 1 builds
// says: The PTX of this line is malformed: Cannot read '/*': the comment is not closed.
// Opens a comment in PTX behind which the rest of the kernel would be lost.
#define compute_scalar() (compute_scalar() + ([]() { asm volatile("/" "*"); return 0.0f; })())
