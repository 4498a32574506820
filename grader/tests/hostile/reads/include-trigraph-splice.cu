// expect: 1 builds
// says: preprocessing directive
#??/
include "@SECRET@"
