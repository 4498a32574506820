// SPDX-License-Identifier: Apache-2.0
// The Runtime of the process: there is one, as a program calls CUDA without
// naming any. This is the only place of the grader with mutable globals.
#include "runtime/core/journal.h"
#include "runtime/core/runtime.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_PUSHED = 8, USAGE = 2 /* the exit code of a wrong option */ };

static Runtime the_runtime = {.lock = PTHREAD_MUTEX_INITIALIZER, .journal = -1};

// What each thread of the program has of its own.
static _Thread_local struct {
    CudaError last;
    RuntimeShape pushed[MOST_PUSHED];
    size_t pushed_count;
    int capture_mode;
} the_thread;

// ---- errors --------------------------------------------------------------

CudaError runtime_last_error(bool forget) {
    CudaError last = the_thread.last;
    if (the_runtime.is_told)
        return the_runtime.fault;
    if (forget)
        the_thread.last = CUDA_OK;
    return last;
}

// ---- the journal ---------------------------------------------------------

static bool is_open(const Runtime *r) {
    struct stat about;
    return r->journal >= 0 && fstat(r->journal, &about) == 0 &&
           about.st_dev == r->journal_device &&
           about.st_ino == r->journal_inode;
}

// Programs close descriptors that are not theirs, as daemons do, and what they
// open next has the journal's number.
static void open_journal(Runtime *r) {
    struct stat about = {0};
    if (r->journal_path.len == 0 || is_open(r))
        return;
    r->journal = open(r->journal_path.ptr, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (r->journal >= 0 && fstat(r->journal, &about))
        r->journal = -1;
    r->journal_device = about.st_dev;
    r->journal_inode = about.st_ino;
}

static void append(Runtime *r, const Buf *record) {
    size_t done = 0;
    open_journal(r);
    while (r->journal >= 0 && done < record->len) {
        ssize_t count =
            write(r->journal, record->ptr + done, record->len - done);
        if (count <= 0)
            return;
        done += (size_t)count;
    }
}

void runtime_tell(Runtime *r, Buf *record) {
    if (!r->has_begun && !r->is_forked) {
        Buf first = {0};
        r->has_begun = true;
        journal_begin(&first, JOURNAL_BEGIN, r->process);
        journal_end(&first);
        append(r, &first);
        buf_free(&first);
    }
    append(r, record);
    buf_free(record);
}

void runtime_message(Runtime *r, DiagLevel level, const char *what,
                     const char *help) {
    Buf record = {0};
    Diag message = {
        .level = level, .what = str_from(what), .help = str_from(help)};
    journal_message(&record, r->process, &message);
    runtime_tell(r, &record);
}

static void tell_call(Runtime *r, const char *name, CudaError error,
                      bool is_missing) {
    Buf record = {0};
    ExecCall call = {.name = str_from(name),
                     .error = str_from(runtime_error_name(error)),
                     .is_missing = is_missing};
    journal_call(&record, r->process, &call);
    runtime_tell(r, &record);
}

// ---- the beginning and the end -------------------------------------------

static uint64_t number_of(const char *variable, uint64_t otherwise) {
    const char *text = getenv(variable);
    uint64_t value;
    return text && str_to_u64(str_from(text), &value) ? value : otherwise;
}

static void after_fork(void) {
    the_runtime.is_forked = the_runtime.has_begun;
    the_runtime.process = (uint32_t)getpid();
    the_runtime.has_begun = false;
    the_runtime.output.len = 0;
    the_runtime.totals = the_runtime.counted = (ExecResult){0};
}

static void before_fork(void) {
    pthread_mutex_lock(&the_runtime.lock);
}

static void forked(void) {
    pthread_mutex_unlock(&the_runtime.lock);
}

static void forked_child(void) {
    after_fork();
    pthread_mutex_unlock(&the_runtime.lock);
}

// The handles of numbers below VM_FIRST_NUMBER are the machine's own. The
// program itself and its libraries lie above 0x5500'0000'0000, and those of a
// sanitizer below 0x2000'0000'0000.
static void set_numbers(Runtime *r) {
    const uint32_t both = (uint32_t)(UINT64_C(0x200000000000) / VM_STRIDE),
                   programs = (uint32_t)(UINT64_C(0x550000000000) / VM_STRIDE),
                   kernels = (uint32_t)(UINT64_C(0x800000000000) / VM_STRIDE);
    r->near = (Numbers){.next = VM_FIRST_NUMBER, .end = both};
    r->shared = (Numbers){.next = both, .end = programs};
    r->far = (Numbers){.next = kernels, .end = VM_MOST_NUMBERS};
}

// The library knows by its name for which version of CUDA it stands in.
static bool is_cuda12(void) {
    Dl_info self;
    return dladdr(&the_runtime, &self) && self.dli_fname &&
           str_ends(str_from(self.dli_fname), STR(".so.12"));
}

// Of NVIDIA's libraries of kernels the name of one that is loaded.
static int note_library(struct dl_phdr_info *info, size_t size, void *context) {
    static const char *const names[] = {
        "libcublas.so",   "libcublasLt.so", "libcusolver.so",
        "libcusparse.so", "libcufft.so",    "libcurand.so",
        "libcudnn.so",    "libnccl.so",     "libcusolverMg.so"};
    const char **found = context, *slash = strrchr(info->dlpi_name, '/');
    Str file = str_from(slash ? slash + 1 : info->dlpi_name);
    (void)size;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_starts(file, str_from(names[i])))
            *found = file.ptr;
    return *found != NULL;
}

// Their calls fail, which not every program looks at. (Those that a program
// loads later are not seen.)
static void warn_of_libraries(Runtime *r) {
    const char *found = NULL;
    dl_iterate_phdr(note_library, &found);
    if (!found)
        return;
    Str what = str_format(
        &r->arena,
        "The program uses %s. NVIDIA's libraries of kernels bring machine "
        "code for cards, and none of it runs here: calls that need the device "
        "fail, and what depends on them is wrong.",
        found);
    runtime_message(r, DIAG_WARNING, what.ptr,
                    "Look at what these calls return, or check the parts of "
                    "the program that do without.");
}

// `clclab exec` has looked at it; whoever sets the variable by hand is told as
// there, as a program that checks other kernels than asked for misleads.
static void read_kernels(Runtime *r) {
    char why[128];
    const char *text = getenv(RUNTIME_KERNELS_VARIABLE);
    if (!text)
        return;
    r->kernels = arena_new(&r->arena, regex_t, 1);
    int error = regcomp(r->kernels, text, REG_EXTENDED | REG_NOSUB);
    if (!error)
        return;
    regerror(error, r->kernels, why, sizeof why);
    dprintf(STDERR_FILENO, "clclab: " RUNTIME_KERNELS_VARIABLE "=%s: %s\n",
            text, why);
    _exit(USAGE);
}

static void begin(Runtime *r) {
    const char *journal = getenv(JOURNAL_VARIABLE);
    const char *model = getenv(RUNTIME_MODEL_VARIABLE);
    r->is_ready = true;
    r->is_cuda12 = is_cuda12();
    r->process = (uint32_t)getpid();
    if (journal)
        r->journal_path = str_copy(&r->arena, str_from(journal));
#define READ_NUMBER(field, variable, value) \
    r->options.field = number_of(variable, value);
    RUNTIME_NUMBERS(READ_NUMBER)
#undef READ_NUMBER
    r->options.model = model ? model : RUNTIME_DEFAULT_MODEL;
    read_kernels(r);
    r->model = vm_model_find(str_from(r->options.model));
    if (!r->model)
        r->model = vm_model_find(STR(RUNTIME_DEFAULT_MODEL));
    set_numbers(r);
    warn_of_libraries(r);
    pthread_atfork(before_fork, forked, forked_child);
}

Runtime *runtime_enter(void) {
    Runtime *r = &the_runtime;
    pthread_mutex_lock(&r->lock);
    if (!r->is_ready)
        begin(r);
    return r;
}

void runtime_exit(Runtime *r) {
    pthread_mutex_unlock(&r->lock);
}

CudaError runtime_leave(Runtime *r, const char *name, CudaError error) {
    if (r->is_forked) {
        runtime_message(
            r, DIAG_WARNING,
            "A process that had used the device was forked, and its child uses "
            "CUDA: that fails on every device.",
            "Call CUDA first in the child, or start it with exec.");
        error = CUDA_INITIALIZATION;
    }
    if (r->fault && !r->is_fresh) {
        r->is_told = true;
        error = r->fault;
    } else if (error && error != CUDA_NOT_READY) {
        tell_call(r, name, error, false);
    }
    r->is_fresh = false;
    if (error && error != CUDA_NOT_READY)
        the_thread.last = error;
    pthread_mutex_unlock(&r->lock);
    return error;
}

CudaError runtime_refuse(const char *name) {
    return runtime_leave(runtime_enter(), name, CUDA_VALUE);
}

CudaError runtime_missing(const char *name, CudaError error) {
    Runtime *r = runtime_enter();
    tell_call(r, name, error, true);
    the_thread.last = error;
    runtime_exit(r);
    return error;
}

void runtime_flush(Runtime *r) {
    if (r->output.len == 0)
        return;
    fwrite(r->output.ptr, 1, r->output.len, stdout);
    r->output.len = 0;
}

void runtime_count(Runtime *r) {
    Buf record = {0};
    ExecResult since = r->totals;
    since.launches -= r->counted.launches;
    since.unchecked -= r->counted.unchecked;
    since.instructions -= r->counted.instructions;
    r->counted = r->totals;
    journal_counts(&record, r->process, &since);
    runtime_tell(r, &record);
}

// A loop that takes blocks was never gone round. Other schedules do grant.
static void tell_ungranted(Runtime *r) {
    if (r->requests && !r->granted && r->options.schedules <= 1)
        runtime_message(
            r, DIAG_NOTE,
            "No request to cancel a block was granted: the device held all "
            "blocks at once. What the kernels do with a granted block has not "
            "been checked.",
            "Launch more blocks, or take --gpu-model mini or --schedules 16.");
}

void runtime_end(Runtime *r) {
    Buf record = {0};
    tell_ungranted(r);
    runtime_count(r);
    journal_begin(&record, JOURNAL_END, r->process);
    journal_end(&record);
    runtime_tell(r, &record);
}

// When the program ends, or unloads the library.
__attribute__((destructor)) static void end(void) {
    Runtime *r = &the_runtime;
    if (!r->is_ready || r->is_forked)
        return;
    runtime_flush(r);
    if (!r->has_begun && r->totals.launches == 0)
        return;
    runtime_end(r);
}

// ---- <<< >>> -------------------------------------------------------------

bool runtime_push(const RuntimeShape *shape) {
    if (the_thread.pushed_count == MOST_PUSHED)
        return false;
    the_thread.pushed[the_thread.pushed_count++] = *shape;
    return true;
}

bool runtime_pop(RuntimeShape *shape) {
    if (the_thread.pushed_count == 0)
        return false;
    *shape = the_thread.pushed[--the_thread.pushed_count];
    return true;
}

int *runtime_capture_mode(void) {
    return &the_thread.capture_mode;
}
