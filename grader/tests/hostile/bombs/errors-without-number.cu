// expect: 1 builds
// says: A namespace scope variable without memory space annotations
@TIMES 5000@ int x# = "text of an error";
