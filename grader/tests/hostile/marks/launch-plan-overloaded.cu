// expect: 0
// A template is no better a match than lab.h's declaration.
template <typename Q> __device__ LaunchPlan launch_plan(Q) { return {1}; }
