// expect: 1 builds
// says: excessive recursion at instantiation of class "Deep<200>"
template <int N> struct Deep { static const int value = Deep<N + 1>::value; };
__device__ int x = Deep<0>::value;
