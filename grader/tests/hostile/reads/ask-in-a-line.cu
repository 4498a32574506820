// expect: 1 builds
// says: A file that is graded may ask only whether a header is there that it names.
#define ASK __has_include
#if ASK("@SECRET@")
#endif
