// expect: 1 builds
// says: #error directive: lab.h came first
// It claims to be lab.h.
#ifdef CLC_LAB_H
#error lab.h came first
#endif
