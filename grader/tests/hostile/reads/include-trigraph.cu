// expect: 1 builds
// says: expected a declaration
??=include "@SECRET@"
