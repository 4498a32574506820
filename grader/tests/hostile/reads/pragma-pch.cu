// expect: 1 builds
// says: This pragma of gcc opens another file.
#pragma GCC pch_preprocess "@SECRET@"
