// expect: 1 builds
// says: this file is outside the include folders; what the compiler says about it is not shown
#line 1 "@SECRET@"
__device__ const char *where = __FILE__;
int = ;
