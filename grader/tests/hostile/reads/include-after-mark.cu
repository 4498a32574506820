// expect: 1 builds
// says: unrecognized token
// says nvcc: not expected here
﻿#include "@SECRET@"
