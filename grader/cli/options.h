// SPDX-License-Identifier: Apache-2.0
// Rows for options that several commands have. A command's table has its
// options in the order in which --help shows them; OPTIONS_OF_ALL is at its
// end.
#ifndef CLCLAB_CLI_OPTIONS_H
#define CLCLAB_CLI_OPTIONS_H

#include "cli/internal.h"

#include <stddef.h>

// Where an option's field is: in Args, or in the command's own struct.
#define SHARED(field) .offset = offsetof(Args, field)
#define OWN(type, field) .offset = offsetof(type, field), .is_own = true

#define CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL})

// clang-format off
#define OPTION_EMULATION                                                       \
    {"--emulation", "drawn|claimed",                                           \
     "of CLC on Hopper: docs/hopper-emulation.md", args_take_choice,           \
     SHARED(emulation), .names = CHOICES("drawn", "claimed")}
#define OPTION_DEADLINE                                                        \
    {"--deadline", "SECONDS", "of a kernel on a GPU (default: 10)",            \
     args_take_number, SHARED(deadline), .most = CLI_MAX_DEADLINE,             \
     .not_zero = "a kernel has a second at least"}
#define OPTION_DEVICE                                                          \
    {"--device", "auto|vm|gpu", "where the kernel runs (default: auto)",       \
     args_take_choice, SHARED(device), .names = CHOICES("auto", "vm", "gpu"),  \
     .give = replay_give_device}
// Only vm/ knows the models: shared_open_model looks the name up.
#define OPTION_MODEL                                                           \
    {"--gpu-model", "mini|b200|rtx5090",                                       \
     "the GPU that the virtual machine plays (default: mini)",                 \
     args_take_text, SHARED(gpu_model)}
#define OPTION_FORMAT(about)                                                   \
    {"--format", "FORMAT", about, args_take_format, SHARED(format), .is_not_replayed = true}
#define OPTION_OUT                                                             \
    {"--out", "PATH", "write the report there", args_take_path, SHARED(out), .is_not_replayed = true}
#define OPTION_FRAMES                                                          \
    {"--frames", NULL, "also the lines of headers that led to a place",        \
     args_take_flag, SHARED(frames), .is_not_replayed = true}
#define OPTION_TRACE                                                           \
    {"--trace", "PATH", "write a trace of the run there, for Perfetto",        \
     args_take_path, SHARED(trace), .is_not_replayed = true}
#define OPTION_COMPILER                                                        \
    {"--compiler", "nvrtc|nvcc", "which compiler to use", args_take_choice,    \
     SHARED(compiler), .names = CHOICES("nvrtc", "nvcc")}
#define OPTION_FLAG                                                            \
    {"--compile-flag", "FLAG", "passed on to it; may be repeated",             \
     args_take_list, SHARED(flags), .repeats = true, .most = CLI_MAX_FLAGS}
// Of commands for people's own files. -I and its like are as nvcc has them.
#define OPTION_KERNEL                                                          \
    {"--kernel", "NAME", "the kernel: scale, ns::scale, 'gemm<128,64>'",       \
     args_take_name, SHARED(kernel)}
#define OPTION_ARCH                                                            \
    {"--arch", "sm_NN", "which PTX of a program (default: the best)",          \
     args_take_name, SHARED(arch)}
#define OPTION_FLAGGED(name, value, about)                                     \
    {name, value, about, args_take_flagged, SHARED(flags), .repeats = true,    \
     .is_attached = true, .most = CLI_MAX_ARGUMENTS}
#define OPTIONS_OF_BUILD                                                       \
    OPTION_FLAGGED("-I", "DIR", "where headers are"),                          \
    OPTION_FLAGGED("-isystem", "DIR", "likewise, after those of -I"),          \
    OPTION_FLAGGED("-D", "NAME[=V]", "define a macro"),                        \
    OPTION_FLAGGED("-U", "NAME", "undefine one"),                              \
    OPTION_FLAGGED("-include", "FILE", "include it before the first line"),    \
    OPTION_FLAGGED("-std", "c++NN", "the language (default: c++17)"),          \
    {"--compile-commands", "FILE", "take such flags from a database of CMake's", \
     args_take_path, SHARED(database)}
#define OPTION_ROOT                                                            \
    {"--root", "DIR", "the course's folder", args_take_path, SHARED(root)}
#define OPTION_LABS                                                            \
    {"--labs", "DIR", "other labs than the course's", args_take_path,          \
     SHARED(labs)}
#define OPTIONS_OF_STRANGERS                                                   \
    {"--untrusted", NULL, "FILE is a stranger's: the sandbox must be whole",   \
     args_take_flag, SHARED(untrusted), .is_not_replayed = true},                                       \
    {"--allow-weak-sandbox", NULL, "it need not be, all the same",             \
     args_take_flag, SHARED(allow_weak), .is_not_replayed = true}
#define OPTIONS_OF_ALL                                                         \
    {"--color", "auto|always|never", "colours in text", args_take_choice,      \
     SHARED(color), .names = CHOICES("auto", "always", "never"),               \
     .is_not_replayed = true},                                                 \
    {"--help", NULL, "print this", args_take_flag, SHARED(help),               \
     .is_not_replayed = true}

// For commands whose own options have a ScheduleArgs, called `field`.
#define OPTION_SEED(type, field, about)                                        \
    {"--seed", "N", about, args_take_number, OWN(type, field.seed),            \
     .most = UINT64_MAX, .is_not_replayed = true}
#define OPTION_SCHEDULES(type, field, about)                                   \
    {"--schedules", "N", about, args_take_number, OWN(type, field.schedules),  \
     .most = CLI_MAX_SCHEDULES,                                                \
     .not_zero = "at least one schedule is judged", .is_not_replayed = true}
#define OPTION_ONLY(type, field)                                               \
    {"--only-schedule", "N", "this schedule alone; run: 0 is the plain one",   \
     args_take_optional, OWN(type, field.only), .most = CLI_MAX_SCHEDULES, .is_not_replayed = true}
#define OPTION_SWITCHES(type, field)                                           \
    {"--switches", "K", "after K context switches, turns as in the plain one", \
     args_take_optional, OWN(type, field.switches), .most = UINT64_MAX, .is_not_replayed = true}
#define OPTION_JOBS(type, field, about)                                        \
    {"--jobs", "N", about " (default: one for each processor)",                \
     args_take_number, OWN(type, field), .most = CLI_MAX_WORKERS,              \
     .not_zero = "at least one run at a time", .is_not_replayed = true}
#define OPTION_NO_TIME(type, field)                                            \
    {"--no-time", NULL, "elapsed_ms is 0: same seed, same bytes",              \
     args_take_flag, OWN(type, field.no_time), .is_not_replayed = true}

// The fields: bool no_advice, uint64_t obey.
#define OPTIONS_OF_ADVICE(type)                                                \
    {"--no-advice",                                                            \
     NULL,                                                                     \
     "try no edits of the kernel that may mend it",                            \
     args_take_flag,                                                           \
     OWN(type, no_advice),                                                     \
     .is_not_replayed = true},                                                 \
    {                                                                          \
        "--obey", "K", "judge it with the K-th edit that its report tells",    \
            args_take_number, OWN(type, obey), .most = ADVICE_MOST_EDITS,      \
            .not_zero = "the first edit has number 1",                         \
            .is_not_replayed = true                                            \
    }

// Only vm/ knows the figures: the command passes them on.
#define OPTION_TIME_SET(type, field)                                           \
    {"--time-set", "NAME=VALUE", "change a figure of that model",              \
     args_take_list, OWN(type, field), .repeats = true,                        \
     .most = CLI_MAX_ARGUMENTS, .is_not_replayed = true}
// clang-format on

#endif
