// expect: 1 builds
// says: A namespace scope variable without memory space annotations
const char *x = R"x(
