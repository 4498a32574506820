// expect: 0
// Marks of Unicode that change the order of what is shown: a right submission. ‮⁦ }
__device__ int x; /* ‮ */ /* ﻿ */
