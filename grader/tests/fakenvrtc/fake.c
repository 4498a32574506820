// SPDX-License-Identifier: Apache-2.0
// An NVRTC that compiles nothing, for tests of compile/ where there is no CUDA
// toolkit, and of what the real one seldom does. Its "PTX" lists what it was
// given: options, headers and source. Lines of the source tell it what to do:
//
//   //fake log TEXT      a line of the log
//   //fake result N      what nvrtcCompileProgram returns; with N, no PTX
//   //fake needs OPTION  likewise with 6, and a line of the log, if that option
//                        is not given
//   //fake lambda        likewise, if what is not marked is not for the device
//   //fake unknown OPTION  likewise with 5, if that option is given
//   //fake create N      what nvrtcCreateProgram returns
//   //fake pch N         what nvrtcGetPCHCreateStatus returns; with N, no file
//   //fake refuse        it does not use a precompiled header
//   //fake blame         it calls a precompiled header that it is to use
//                        invalid, and fails
//   //fake crash         likewise, but SIGSEGV ends the process
//   //fake signal N      that signal ends the process, in each compilation
//   //fake say TEXT      a line to standard error
//   //fake exit N        it ends the process
//   //fake spin          it computes without end
//   //fake open PATH     lists whether the file can be read
//   //fake make PATH     lists whether the file can be written
//   //fake getenv NAME   lists a variable of the environment
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FINE = 0,
    BAD_OPTION = 5,
    REJECTED = 6,
    VERSION_MAJOR = 13,
    VERSION_MINOR = 1
};

typedef struct Text { // what is written to it, with a NUL at its end
    char *bytes;
    size_t len, room;
} Text;

typedef struct Program {
    const char *source;
    Text log, ptx;
    int result, pch;
    const char *const *options;
    int option_count;
    const char *make_pch, *use_pch;        // paths; NULL: not asked for
    bool refuses_pch, blames_pch, crashes; // if use_pch
} Program;

int nvrtcVersion(int *major, int *minor);
int nvrtcCreateProgram(Program **out, const char *source, const char *name,
                       int count, const char *const *texts,
                       const char *const *names);
int nvrtcCompileProgram(Program *program, int count,
                        const char *const *options);
int nvrtcGetProgramLogSize(Program *program, size_t *size);
int nvrtcGetProgramLog(Program *program, char *text);
int nvrtcGetPTXSize(Program *program, size_t *size);
int nvrtcGetPTX(Program *program, char *text);
int nvrtcGetPCHCreateStatus(Program *program);

__attribute__((format(printf, 2, 3))) static void put(Text *text,
                                                      const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t more = (size_t)vsnprintf(NULL, 0, format, arguments);
    if (text->len + more + 1 > text->room) {
        text->room = 2 * (text->len + more + 1);
        text->bytes = realloc(text->bytes, text->room);
    }
    if (!text->bytes)
        abort();
    vsnprintf(text->bytes + text->len, more + 1, format, again);
    text->len += more;
    va_end(again);
    va_end(arguments);
}

static void try_open(Program *program, const char *path, int flags) {
    int fd = open(path, flags, 0600);
    put(&program->ptx, "// %s %s: %s\n", flags == O_RDONLY ? "open" : "make",
        path, fd < 0 ? "no" : "yes");
    if (fd >= 0)
        close(fd);
}

static bool has_option(const Program *program, const char *wanted) {
    for (int i = 0; i < program->option_count; i++)
        if (strcmp(program->options[i], wanted) == 0)
            return true;
    return false;
}

static void need(Program *program, const char *option) {
    if (has_option(program, option))
        return;
    program->result = REJECTED;
    put(&program->log, "some/k.cu(1): error: no %s\n\n", option);
}

static void refuse(Program *program, const char *option) {
    if (!has_option(program, option))
        return;
    program->result = BAD_OPTION;
    put(&program->log, "nvrtc: error: unrecognized option %s found\n", option);
}

static void see_lambda(Program *program) {
    if (has_option(program, "--device-as-default-execution-space"))
        return;
    program->result = REJECTED;
    put(&program->log, "some/k.cu(1): error: f is considered a host function\n"
                       "  auto f = [&](auto x) { return x; };\n"
                       "              ^\n\n");
}

static void obey_number(Program *program, const char *word, int number) {
    if (strcmp(word, "result") == 0)
        program->result = number;
    else if (strcmp(word, "pch") == 0)
        program->pch = number;
    else if (strcmp(word, "signal") == 0)
        raise(number);
    else if (strcmp(word, "exit") == 0)
        _exit(number);
}

// `value`: the rest of the line behind the word.
static void obey(Program *program, const char *word, const char *value) {
    obey_number(program, word, atoi(value));
    program->refuses_pch |= strcmp(word, "refuse") == 0;
    program->blames_pch |= strcmp(word, "blame") == 0;
    program->crashes |= strcmp(word, "crash") == 0;
    if (strcmp(word, "log") == 0)
        put(&program->log, "%s\n", value);
    else if (strcmp(word, "needs") == 0)
        need(program, value);
    else if (strcmp(word, "unknown") == 0)
        refuse(program, value);
    else if (strcmp(word, "lambda") == 0)
        see_lambda(program);
    else if (strcmp(word, "say") == 0)
        fprintf(stderr, "%s\n", value);
    else if (strcmp(word, "open") == 0)
        try_open(program, value, O_RDONLY);
    else if (strcmp(word, "make") == 0)
        try_open(program, value, O_WRONLY | O_CREAT);
    else if (strcmp(word, "getenv") == 0)
        put(&program->ptx, "// %s=%s\n", value,
            getenv(value) ? getenv(value) : "");
    while (strcmp(word, "spin") == 0)
        (void)getppid();
}

static void obey_source(Program *program) {
    static const char mark[] = "//fake ";
    const char *at = program->source;
    while ((at = strstr(at, mark))) {
        at += strlen(mark);
        char line[512] = "", word[16] = "";
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        snprintf(word, sizeof word, "%.*s", (int)strcspn(line, " "), line);
        const char *value = line + strlen(word);
        obey(program, word, value + (*value == ' '));
    }
}

static void make_header(Program *program) {
    int fd = program->pch == FINE
                 ? open(program->make_pch, O_WRONLY | O_CREAT, 0600)
                 : -1;
    if (fd >= 0)
        close(fd);
    else if (program->pch == FINE)
        program->pch = REJECTED;
}

static void use_header(Program *program) {
    if (program->crashes)
        raise(SIGSEGV);
    if (program->blames_pch) {
        put(&program->log, "Catastrophic error: invalid precompiled header\n");
        program->result = REJECTED;
    } else if (!program->refuses_pch && access(program->use_pch, R_OK) == 0) {
        put(&program->log, "\"k\": using precompiled header file \"%s\"\n",
            program->use_pch);
    }
}

// ---- what NVRTC exports --------------------------------------------------

int nvrtcVersion(int *major, int *minor) {
    *major = VERSION_MAJOR;
    *minor = VERSION_MINOR;
    return FINE;
}

int nvrtcCreateProgram(Program **out, const char *source, const char *name,
                       int count, const char *const *texts,
                       const char *const *names) {
    const char *failure = strstr(source, "//fake create ");
    if (failure)
        return atoi(failure + strlen("//fake create "));
    Program *program = calloc(1, sizeof *program);
    if (!program)
        abort();
    program->source = source;
    char folder[PATH_MAX] = "";
    if (!getcwd(folder, sizeof folder))
        return 1;
    put(&program->ptx, ".file 1 \"%s/%s\"\n// name %s\n", folder, name, name);
    for (int i = 0; i < count; i++)
        put(&program->ptx, ".file %d \"%s/%s\"\n// header %s = %s\n", i + 2,
            folder, names[i], names[i], texts[i]);
    *out = program;
    return FINE;
}

int nvrtcCompileProgram(Program *program, int count,
                        const char *const *options) {
    static const char make[] = "--create-pch=", use[] = "--use-pch=";
    program->options = options;
    program->option_count = count;
    for (int i = 0; i < count; i++) {
        if (strncmp(options[i], make, strlen(make)) == 0)
            program->make_pch = options[i] + strlen(make);
        else if (strncmp(options[i], use, strlen(use)) == 0)
            program->use_pch = options[i] + strlen(use);
        put(&program->ptx, "// option %s\n", options[i]);
    }
    obey_source(program);
    put(&program->ptx, "// source\n%s// end\n", program->source);
    if (program->make_pch)
        make_header(program);
    if (program->use_pch)
        use_header(program);
    return program->result;
}

int nvrtcGetProgramLogSize(Program *program, size_t *size) {
    *size = program->log.len + 1;
    return FINE;
}

int nvrtcGetProgramLog(Program *program, char *text) {
    memcpy(text, program->log.bytes ? program->log.bytes : "",
           program->log.len + 1);
    return FINE;
}

int nvrtcGetPTXSize(Program *program, size_t *size) {
    *size = program->ptx.len + 1;
    return FINE;
}

int nvrtcGetPTX(Program *program, char *text) {
    memcpy(text, program->ptx.bytes, program->ptx.len + 1);
    return FINE;
}

int nvrtcGetPCHCreateStatus(Program *program) {
    return program->pch;
}
