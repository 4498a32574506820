// expect: 1 builds
// says: file names with ".." are not allowed.
#if __has_include(<cuda/../../../../../../../../@SECRET@>)
#error it is there
#endif
