// expect: 0
// Words that lab.h used, changed after it.
#pragma push_macro("__noinline__")
#undef __noinline__
#define __noinline__ __forceinline__
#define volatile
#define asm(...)
#define LabSecret Nothing
