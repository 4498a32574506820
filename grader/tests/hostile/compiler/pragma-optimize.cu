// expect: 0
// Options for the host's compiler.
#pragma GCC optimize("O0", "-fplugin=/tmp/hostile.so", "-fdump-tree-all")
#pragma GCC target("arch=native")
