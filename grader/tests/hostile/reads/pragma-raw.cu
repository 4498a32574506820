// expect: 1 builds
// says: This pragma of gcc opens another file.
_Pragma(R"(GCC dependency "@SECRET@")")
