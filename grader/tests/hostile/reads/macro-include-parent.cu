// expect: 1 builds
// says: A macro names the file
#define F "/usr/lib/../../@SECRET@"
#include F
