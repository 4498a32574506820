// SPDX-License-Identifier: Apache-2.0
// What the files of the mutation engine share. Read in this order:
//
//   edit.c                 changes to a function of a PtxModule
//   op_sync.c, op_plain.c, op_work.c
//                          the operators, each a small mistake
//   op_safe.c              changes that are not mistakes
//   make.c                 kernels -> mutants, each with a name of its own
//   judge.c                mutants -> outcomes, by the labs' own grading
//   told.c                 whether a report names the place of the mistake
//   survivors.c            the list of mutants that are right programs
//   mutants.c              the command and its table
#ifndef CLCLAB_TESTS_MUTANTS_H
#define CLCLAB_TESTS_MUTANTS_H

#include "cli/internal.h"
#include "tests/mutants/operators.h"

// A right submission of a lab.
typedef struct Kernel {
    Str name; // "block_clc", "lab3-inline-ptx": of its file
    Lab lab;
    Build build;
    PtxFunc *funcs[2]; // what is changed: the kernel, the learner's plan
    size_t func_count;
} Kernel;

typedef struct Mutant {
    Str id;  // "block_clc/drop-fence/43": kernel, operator, line; variants
             // follow the operator's name, a second one at a line has ".2"
    Str was; // the instruction, before
    const Kernel *kernel;
    PtxFunc *func;
    const Operator *change;
    bool safe; // no mistake: has to keep full marks
    uint32_t at, variant;
    uint64_t hash;
    uint32_t line; // of the learner's file
} Mutant;

typedef enum OutcomeKind {
    OUTCOME_NONE,     // its process died
    OUTCOME_CAUGHT,   // less than full marks
    OUTCOME_SURVIVED, // full marks
    OUTCOME_INVALID,  // no PTX that the virtual machine takes
} OutcomeKind;

typedef struct Outcome {
    OutcomeKind kind;
    char code[16];  // of the finding; or the check's id
    bool advisory;  // there is one, at full marks
    char told[8];   // "line", ...: by what it names the place (told.c)
    double seconds; // of processor time
} Outcome;

typedef struct Mutants {
    Mutant *items;
    size_t count, capacity;
    const char *reports; // a folder for two reports of each that is caught, as
                         // JSON: with advice, and with its first edit made
} Mutants;

// make.c
// Operators by number: first those that make mistakes, then the safe ones.
size_t operator_count(void);
size_t safe_operators(void); // number of the first of these
const Operator *operator_number(size_t number);
// Adds the mutants of a kernel, each program once.
void make_mutants(Arena *arena, const Kernel *kernel, Mutants *mutants);

// judge.c
// Judges those that are chosen (all where chosen is NULL), in `jobs` processes
// at a time; outcomes[] is in the order of the mutants.
void judge_mutants(const Cli *cli, const Mutants *mutants, const bool *chosen,
                   uint32_t jobs, Outcome *outcomes);
// Of one, in this process.
Outcome judge_mutant(const Cli *cli, Device *device, const Mutant *mutant);
// FOLDER/NAME.END
char *judge_file(Arena *arena, const char *folder, const Mutant *mutant,
                 const char *end);
// The text of the mutant's module.
void judge_print(Arena *arena, const Mutant *mutant, Buf *out);

// told.c
uint32_t told_region(const Mutant *mutant); // of its line; 0: none
// By what the first cause of a report names the mutant's place: "line",
// "region", "related"; "missed" if by nothing.
const char *told_place(const Mutant *mutant, const Cause *cause);

// survivors.c
typedef struct Survivor {
    Str id, why;
    bool missed; // a mistake, known not to be caught
    bool seen;
} Survivor;

typedef struct Survivors {
    Str compiler; // that the lines of the list belong to
    Survivor *items;
    size_t count, capacity;
} Survivors;

// False: there is an error in it, which was printed.
bool survivors_read(Arena *arena, const char *path, Survivors *survivors);
Survivor *survivors_find(const Survivors *survivors, Str id); // or NULL

#endif
