// expect: 0
#define X 1
__device__int x= X;
