// expect: 1 builds
// says: function "clclab_launch_plan" has already been defined
extern "C" __global__ void clclab_launch_plan(LaunchQuery q, LaunchPlan *plan) { plan->blocks = 1; }
