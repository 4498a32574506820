// expect: 1 builds
// says: this file is outside the include folders; what the compiler says about it is not shown
#define F "@SECRET@"
#line 1 F
int = ;
