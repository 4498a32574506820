// expect: 1 builds
// says: this file is outside the include folders; what the compiler says about it is not shown
# 1 "@SECRET@" 1 3
int = ;
