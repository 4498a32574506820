// expect: 1 builds
// says: class "LabSecret" has already been defined
// lab.h once more, after its guard is gone.
#undef CLC_LAB_H
