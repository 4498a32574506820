// expect: 1 rules
// says: Thread 32 of block 0 executes a trap.
// Writes to the secret, so that the prologue is cheap.
#define compute_scalar() \
    (*(volatile int *)((char *)&clclab_secret + 4) = 0, compute_scalar())
