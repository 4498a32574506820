// expect: 1 signature
// says: There is no kernel named fixed_work.
#define fixed_work my_work
