// SPDX-License-Identifier: Apache-2.0
// What went wrong, to whoever waits.
#include "batch/engine.h"

int batch_fail(Batch *batch, int code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    batch->said = str_vformat(&batch->arena, format, args);
    va_end(args);
    batch->host->say(batch->host->context, batch->said);
    return code;
}
