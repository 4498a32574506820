// expect: 1 builds
// says: secret.h
#include "secret.h"
