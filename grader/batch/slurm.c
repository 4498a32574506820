// SPDX-License-Identifier: Apache-2.0
// What Slurm's programs print, read strictly: a line that is not as it should
// be makes the whole answer none.
#include "batch/batch.h"

#include <string.h>

static bool is_one_of(Str word, const char *const *words) {
    for (; *words; words++)
        if (str_equal(word, str_from(*words)))
            return true;
    return false;
}

bool batch_read_job(Str text, uint64_t *job) {
    Str line = str_cut(&text, '\n');
    return text.len == 0 && str_to_u64(str_cut(&line, ';'), job) && *job > 0;
}

// A state that is not known counts as one of a task that may still write.
static void count_task(Str state, Str reason, BatchQueue *queue) {
    static const char *const ended[] = {
        "BOOT_FAIL",     "COMPLETED", "DEADLINE", "FAILED",  "NODE_FAIL",
        "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",  "TIMEOUT", NULL};
    static const char *const waiting[] = {
        "PENDING",       "REQUEUED",     "REQUEUE_FED", "REQUEUE_HOLD",
        "RESV_DEL_HOLD", "SPECIAL_EXIT", NULL};
    if (str_equal(state, STR("CANCELLED"))) {
        queue->cancelled++;
    } else if (is_one_of(state, ended)) {
        queue->ended++;
    } else if (is_one_of(state, waiting)) {
        queue->waiting++;
        queue->held += str_equal(reason, STR("launch failed requeued held"));
        queue->reason = reason;
    } else {
        queue->running++;
    }
}

static bool is_state(Str word) {
    for (size_t i = 0; i < word.len; i++)
        if (!(word.ptr[i] >= 'A' && word.ptr[i] <= 'Z') && word.ptr[i] != '_')
            return false;
    return word.len > 0;
}

bool batch_read_queue(Str text, BatchQueue *queue) {
    *queue = (BatchQueue){0};
    if (text.len > 0 && text.ptr[text.len - 1] != '\n')
        return false; // it was cut
    while (text.len > 0) {
        Str line = str_cut(&text, '\n');
        uint64_t job;
        bool is_number = str_to_u64(str_cut(&line, '|'), &job);
        Str state = str_cut(&line, '|');
        if (!is_number || job == 0 || !is_state(state))
            return false;
        queue->job = job > queue->job ? job : queue->job;
        count_task(state, str_trim(line), queue);
    }
    return true;
}

// Options that would take the job from what waits for it.
bool batch_is_job_option(const char *option) {
    static const char *const ours[] = {
        "--array", "--job-name",    "--parsable", "--wrap",      "--wait",
        "--chdir", "--output",      "--error",    "--open-mode", "--test-only",
        "--input", "--clusters",    "--help",     "--usage",     "--version",
        "--quiet", "--export-file", NULL};
    static const char shorts[] = "aJWDoeiMhVQ";
    if (option[0] != '-' || !option[1] || strcmp(option, "--") == 0)
        return false;
    if (option[1] != '-')
        return !strchr(shorts, option[1]);
    Str rest = str_from(option);
    return !is_one_of(str_cut(&rest, '='), ours);
}
