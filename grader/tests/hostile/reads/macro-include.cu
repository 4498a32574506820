// expect: 1 builds
// says: A macro names the file
#define F "@SECRET@"
#include F
