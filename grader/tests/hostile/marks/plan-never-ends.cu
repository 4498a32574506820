// expect: 1 launch_plan
// says: Thread 0 of block 0 is in a loop that never ends: nothing but its counters changes
__device__ LaunchPlan launch_plan(LaunchQuery q) {
    for (volatile int i = 0;; i++) {}
}
#define launch_plan other_plan
