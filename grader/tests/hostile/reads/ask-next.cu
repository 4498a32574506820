// expect: 1 builds
// says: absolute file names are not allowed.
#if __has_include_next(<@SECRET@>)
#error it is there
#endif
