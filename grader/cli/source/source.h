// SPDX-License-Identifier: Apache-2.0
// From what a user names to what can be judged.
//
//   course.c      where labs/ and solutions/ are; which lab is meant
//   submission.c  a file -> Submission (compile and parse)
//   binary.c      the PTX in a program; database.c: compile_commands.json
//   kernels.c     which kernel of a file is meant (kernels.h)
//   handed_in.c   a folder in place of a file
//   labs.h        what is generated of the labs
#ifndef CLCLAB_CLI_SOURCE_H
#define CLCLAB_CLI_SOURCE_H

#include "check/check.h"
#include "cli/core/core.h"
#include "cli/source/labs.h"

// course.c
typedef struct Course {
    Str root;   // "" (the current folder), or a path that ends in "/"
    Str labs;   // the folder of the labs, without a "/" at the end
    Str common; // the folder of lab.h
    bool given; // by --root, CLCLAB_ROOT or --labs
} Course;

// Finds the course; if there is none, prints an error and returns false.
bool course_find(Cli *cli, Course *course, int *code);
// The same, but if there is no course *course is empty, without an error.
bool course_find_any(Cli *cli, Course *course, int *code);
// Reads the lab.conf of the lab that the user named. CLI_FULL_MARKS: *lab is
// filled in.
int course_lab(Cli *cli, const Course *course, const char *name, Lab *lab);
// The names of the labs' folders, sorted.
size_t course_list(Cli *cli, const Course *course, Str **folders);
int course_read_conf(Cli *cli, const Course *course, Str folder, Lab *lab);
const LabEntry *course_find_entry(Str folder); // NULL: it is not built in
uint32_t course_number(Str folder);            // 4 of "04-cluster-clc"; 0: none
const char *course_hints(Cli *cli, const Course *course, const Lab *lab);
// The lab's reference.c is compiled in: an error if the course's is another
// one, since grades would be of what is no longer asked.
int course_check_reference(Cli *cli, const Course *course, const Lab *lab);

// submission.c
// Reads, compiles and parses. CLI_FULL_MARKS: *submission can be graded.
// `lab` may be NULL (clclab ptx).
typedef struct Build {
    Submission submission;
    Str ptx;          // its text; empty if it did not compile
    Diags asm_errors; // CompileResult's
    Str kernel;       // what --kernel names, if the compiler has found it
    // Of a program: the PTX of its sources; else none.
    struct BuildText {
        Str ptx;
        bool is_part; // linked with the other parts
    } * texts;
    size_t text_count, text_capacity;
    PtxModule **modules; // of a kernel of no lab: where it may be
    size_t module_count;
    Diags diags;       // of the compiler and the parser
    GuardsNote guards; // of the compiler
} Build;
typedef struct BuildText BuildText;
// The two halves of submission_build: what the compiler makes, and what the PTX
// says. Parsing a stranger's PTX is bounded work (bounded.h).
int submission_compile(Cli *cli, const Course *course, const Lab *lab, Str path,
                       Build *build);
void submission_parse(Cli *cli, Build *build);
int submission_build(Cli *cli, const Course *course, const Lab *lab, Str path,
                     Build *build);

// The same for a kernel that belongs to no lab, .cu or .ptx. It can include
// files of its own folder. `course` may be empty.
int submission_compile_own(Cli *cli, const Course *course, Str path,
                           Build *build);
void submission_parse_own(Cli *cli, Build *build);
int submission_build_own(Cli *cli, const Course *course, Str path,
                         Build *build);
Str submission_cache(Arena *arena); // the folder; empty: none

// database.c: the flags of --compile-commands for the file, behind those that
// there are; none without that option.
int database_flags(Cli *cli, Str path, CliValues *flags);

// handed_in.c: where *file is a folder, the source in it takes its place.
int handed_in_find(Cli *cli, const Lab *lab, Str *file);

#endif
