// expect: 1 builds
// says: invalid line number
#line 0 ""
int = ;
