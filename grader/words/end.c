// SPDX-License-Identifier: Apache-2.0
// The texts for kernels that end too early, too late, or not at all: TRAP,
// ASSERT, LIMIT, TIMEOUT, FAULT, UNSUPPORTED.
#include "words/catalogue.h"

CASE_WORDS(TRAP_TRAP, .WHAT = "{thread} executes a trap",
           .HELP = "find out which condition leads to the trap");
CASE_WORDS(TRAP_BREAKPOINT,
           .WHAT = "{thread} reaches a breakpoint, and there is no debugger",
           .HELP = "remove __brkpt() or asm(\"brkpt;\")");
CASE_WORDS(TRAP_PURE_VIRTUAL, .WHAT = "{thread} calls a pure virtual function",
           .HELP =
               "a constructor or destructor calls a virtual function that its "
               "class does not define");
CASE_WORDS(ASSERT_FAILED, .WHAT = "{thread}: assertion `{text}` failed",
           .HELP = "find out why the condition is false");
CASE_WORDS(ASSERT_GPU, .WHAT = "An assertion of the kernel failed.",
           .ACTUAL = "{text}", .HELP = HELP_VM);
CASE_WORDS(LIMIT_STEPS,
           .WHAT = "the kernel did not end within {limit} thread-instructions; "
                   "{thread} was still running here",
           .HELP =
               "look for a loop whose condition never becomes false, or that "
               "waits for something that another thread never does");
CASE_WORDS(LIMIT_WORK,
           .WHAT =
               "the kernel did not end within {limit} steps (a step is an "
               "instruction of a thread, or as much other work); {ratio}% of "
               "them went into {work}",
           .HELP = "do less of that: none of this course's kernels needs a "
                   "thousandth of it");
CASE_WORDS(
    LIMIT_ENDLESS,
    .WHAT = "{thread} is in a loop that never ends: nothing but its counters "
            "changes from one round of it to the next",
    .HELP = "look at the condition of the loop: nothing that other threads "
            "still do makes it false");
CASE_WORDS(
    LIMIT_CALLS,
    .WHAT = "the call stack of block {block} is full ({count} calls deep)",
    .HELP = "the recursion does not end, or its local arrays are too large "
            "(a whole program may ask for a larger stack: "
            "cudaDeviceSetLimit)");
CASE_WORDS(LIMIT_STACK,
           .WHAT = "{thread}: no room on the stack for alloca of {size} bytes",
           .HELP = "allocate less, or in global memory");
CASE_WORDS(LIMIT_REQUESTS,
           .WHAT =
               "{thread} requests a cancellation; there were {count} requests "
               "before, for a grid of {clusters} clusters",
           .HELP = "leave the loop on the first refusal: the block will not be "
                   "granted anything any more");
CASE_WORDS(
    LIMIT_ORDER,
    .WHAT = "the order of the kernel's accesses was not checked to the end: "
            "{records}",
    .HELP = "launch fewer blocks or give it a smaller problem; rules about "
            "order (RACE, CLC006, CLC007, MEM003) say nothing about the rest "
            "of this run");
CASE_WORDS(
    TIMEOUT_DISPLAY,
    .WHAT = "The driver stopped the kernel, which kept a display waiting.",
    .ACTUAL = "{text}", .HELP = HELP_VM);
CASE_WORDS(
    TIMEOUT_DEADLINE,
    .WHAT = "The kernel did not end within {seconds} s, and was ended.",
    .ACTUAL = "{progress}",
    .HELP = "Look for a wait that nobody ends. The virtual machine says which "
            "thread waits for what, and where.");
CASE_WORDS(FAULT_INSTRUCTION,
           .WHAT =
               "The GPU stopped the kernel at an instruction that it cannot "
               "execute.",
           .ACTUAL = "{text}", .HELP = HELP_VM);
CASE_WORDS(FAULT_LEFT_ITS_CODE,
           .WHAT = "The GPU stopped the kernel, which had left its own code.",
           .ACTUAL = "{text}", .HELP = HELP_VM);
CASE_WORDS(FAULT_UNKNOWN,
           .WHAT =
               "The GPU stopped the kernel: a trap, or a fault that it has no "
               "name for.",
           .ACTUAL = "{text}", .HELP = HELP_VM);
CASE_WORDS(FAULT_STACK,
           .WHAT =
               "The GPU stopped the kernel: its call stack overflowed, or was "
               "damaged.",
           .ACTUAL = "{text}", .HELP = HELP_VM);
CASE_WORDS(
    UNSUPPORTED_INSTRUCTION,
    .WHAT = "the virtual machine does not have {name}: {text} (line {line} of "
            "the PTX)",
    .HELP = "this is a limit of the virtual machine, not a mistake of yours: "
            "write it another way, or report it with this line");
CASE_WORDS(UNSUPPORTED_LAUNCH,
           .WHAT =
               "the kernel launches a kernel (dynamic parallelism): it calls "
               "{name}, which the virtual machine does not have",
           .HELP = "launch the inner kernel from the host: kernels that launch "
                   "kernels are not what the virtual machine is for");
CASE_WORDS(UNSUPPORTED_FUNCTION,
           .WHAT = "the kernel calls {name}, which is not defined",
           .HELP =
               "define the function in the file itself; of the system's, the "
               "virtual machine has printf, assert, malloc, free, new and "
               "delete");

ALL_CASE_WORDS(words_end, END_CASES);
