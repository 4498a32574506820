// expect: 0
namespace mine { __global__ void fixed_work(float *data, int n) {} }
