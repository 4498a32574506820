// expect: 1 builds
// says: absolute file names are not allowed.
#if __has_embed("@SECRET@")
#endif
