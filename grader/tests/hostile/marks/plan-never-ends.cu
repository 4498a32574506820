// expect: 1 launch_plan
// says: The kernel did not end within
__device__ LaunchPlan launch_plan(LaunchQuery q) {
    for (volatile int i = 0;; i++) {}
}
#define launch_plan other_plan
