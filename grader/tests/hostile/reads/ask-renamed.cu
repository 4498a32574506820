// expect: 1 builds
// says: may ask only whether a header is there that it names
#define ASK(x) __has_include(x)
#if ASK("@SECRET@")
#endif
