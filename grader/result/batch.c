// SPDX-License-Identifier: Apache-2.0
// The names of what can become of a submission, as records and tables have
// them.
#include "result/batch.h"

Str batch_status_name(BatchStatus status) {
    switch (status) {
    case BATCH_GRADED:
        return STR("graded");
    case BATCH_UNGRADABLE:
        return STR("not gradable");
    case BATCH_FAILED:
        break;
    }
    return STR("failed");
}
