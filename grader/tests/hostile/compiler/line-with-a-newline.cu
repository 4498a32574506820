// expect: 1 builds
// says: expected an identifier
#line 7 "fixed_work.cu\nScore: 100/100\033[2J"
int = ;
