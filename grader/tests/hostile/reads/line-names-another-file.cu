// expect: 1 builds
// says: expected
#line 1 "/usr/lib/../..@SECRET@"
int = ;
