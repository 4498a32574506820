// expect: 1 builds
// says: expected an identifier
#line 4294967295
int = ;
