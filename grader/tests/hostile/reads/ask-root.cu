// expect: 0
#if __has_include("etc/passwd")
#error it is there
#endif
