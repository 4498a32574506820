// expect: 1 builds
// says: may ask only whether a header is there that it names
#define F "@SECRET@"
#if __has_include(F)
#endif
