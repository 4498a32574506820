// expect: 1 builds
// says: This pragma of gcc opens another file.
#define P(a, b, c) _Pragma(#a #b c)
P(GCC depend, ency, "\"@SECRET@\"")
