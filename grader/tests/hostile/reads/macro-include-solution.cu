// expect: 1 builds
// says: A macro names the file
#define F <@SOLUTION@>
#include F
#define fixed_work mine
