// expect: 1 builds
// says: The PTX of this line is malformed: 'clclab_prologue' is defined twice.
// expect nvcc: 1 rules
// says nvcc: compute_scalar() gave another value than lab.h's
// alone
// Under nvcc a function comes before lab.h's kernels in PTX: it ends itself, writes
// those kernels anew, with a scalar that it knows, and hides lab.h's in a comment.
__device__ __noinline__ void forge() {
    asm volatile("ret;\n}\n"
        ".visible .entry clclab_prologue(.param .u64 p) {\n"
        ".reg .u64 a; ld.param.u64 a, [p]; cvta.to.global.u64 a, a; st.global.f32 [a], 0f3FC00000; ret;\n}\n"
        ".visible .entry clclab_launch_plan(.param .align 4 .b8 q[16], .param .u64 plan) {\n"
        ".reg .b32 n<4>; .reg .u64 a; ld.param.u64 a, [plan]; cvta.to.global.u64 a, a;\n"
        "ld.param.u32 n0, [q]; ld.param.u32 n1, [q+4]; add.u32 n0, n0, n1; sub.u32 n0, n0, 1;\n"
        "div.u32 n0, n0, n1; st.global.u32 [a], n0; ret;\n}\n"
        ".visible .entry fixed_work(.param .u64 data, .param .u32 count) {\n"
        ".reg .u64 d, o; .reg .u32 i, j, k, n; .reg .f32 x; .reg .pred p; .reg .b32 s;\n"
        "{ .param .b32 r; call (r), compute_scalar, (); ld.param.b32 s, [r]; }\n"
        "ld.param.u64 d, [data]; cvta.to.global.u64 d, d; ld.param.u32 n, [count];\n"
        "mov.u32 i, %ctaid.x; mov.u32 j, %ntid.x; mov.u32 k, %tid.x; mad.lo.u32 i, i, j, k;\n"
        "setp.ge.s32 p, i, n; @p ret;\n"
        "mul.wide.u32 o, i, 4; add.u64 d, d, o; ld.global.f32 x, [d];\n"
        "mul.f32 x, x, 0f3FC00000; st.global.f32 [d], x; ret;\n}\n"
        ".func rest() {\n/" "*");
}
extern "C" __global__ void fixed_work(float *data, int n) { forge(); }
__device__ LaunchPlan launch_plan(LaunchQuery q) { return {q.n}; }
extern "C" __global__ void last() { asm volatile("*" "/ ret;\n}\n.visible .entry last() {\n"); }
