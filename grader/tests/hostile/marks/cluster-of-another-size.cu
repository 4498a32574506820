// lab: 4
// expect: 1 signature
// says: cluster_clc declares no cluster size.
#define __cluster_dims__(...)
