// expect: 1 builds
// says: import is not a template
import <cuda/ptx>;
import "secret.h";
export module hostile;
