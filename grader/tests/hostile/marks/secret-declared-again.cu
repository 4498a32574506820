// expect: 1 prologue
// says: clclab_secret is used here, and not through compute_scalar().
// Another name, for the same variable.
namespace mine {
extern "C" __constant__ LabSecret clclab_secret;
}
#define compute_scalar() (compute_scalar() + 0.0f * mine::clclab_secret.seed)
