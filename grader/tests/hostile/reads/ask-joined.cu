// expect: 1 builds
// says: may ask only whether a header is there that it names
#define JOIN(a, b) a##b
#define F "@SECRET@"
#if JOIN(__has_, include)(F)
#endif
