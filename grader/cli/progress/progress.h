// SPDX-License-Identifier: Apache-2.0
// How far a learner has come: the points of each lab of a course, of its quiz
// and of each case of the clinic, kept between grades. It is a convenience: a
// file that cannot be read or written never changes a grade.
//
// $XDG_STATE_HOME/clclab/progress, else ~/.local/state/clclab/progress. Its
// first line is "clclab progress 1"; then there is a line for each lab, the one
// graded last at the end, of fields with tabs between them:
//
//   folder  best  last  most  grades  seconds  course
//
// folder: of the lab ("04-cluster-clc"), with "/quiz" behind it for its quiz;
// of a case of the clinic "clinic/03-particles.cu", with one point; of the
// hints of a region "04-cluster-clc/hint/2", whose points are rungs. best,
// last: points; most: those that the lab gave then; seconds: of the last grade,
// since 1970; course: the real path of its folder.
#ifndef CLCLAB_CLI_PROGRESS_H
#define CLCLAB_CLI_PROGRESS_H

#include "cli/source/source.h"

typedef struct LabProgress {
    Str folder; // "04-cluster-clc"
    double best, last, most;
    uint64_t grades;
    uint64_t seconds;
    Str course;
} LabProgress;

typedef struct Progress { // of one course
    LabProgress *items;
    size_t count;
} Progress;

Progress progress_read(Cli *cli, const Course *course); // without hints
// NULL: it has not been graded.
const LabProgress *progress_of(const Progress *progress, Str folder);
bool progress_is_full(const LabProgress *lab); // NULL is not
// The name under which the points of a lab's quiz are kept, and those of a
// case.
Str progress_quiz(Arena *arena, Str folder);
Str progress_case(Arena *arena, Str name);
// How many quizzes, or cases, have full marks.
size_t progress_quizzes(const Progress *progress);
size_t progress_cases(const Progress *progress);
// Says on stderr if the file is of a later version: then it seems that nothing
// has been done, and nothing is noted.
void progress_tell(Cli *cli);
// Notes a grade of the learner's own file, or of her answers.
void progress_note(Cli *cli, const Course *course, Str folder, double score,
                   double most);

// The rung that was shown last, of the hints of region *todo; with *todo 0 of
// the region that was asked for last, which is then *todo. 0: none was shown.
uint64_t progress_hint(Cli *cli, const Course *course, Str folder,
                       uint64_t *todo);
void progress_note_hint(Cli *cli, const Course *course, Str folder,
                        uint64_t todo, uint64_t rung);

// The lab that the learner is at: the one graded last, or if that has full
// marks, the first without. False: all have full marks, or there are none.
bool progress_at(Cli *cli, const Course *course, const Progress *progress,
                 Str *folder);
// The same, as a lab. All have full marks: a mistake of who called `command`
// without naming a lab.
int progress_lab(Cli *cli, const char *command, const Course *course, Lab *lab);
// Of how many labs there are, how many have full marks.
size_t progress_count(Cli *cli, const Course *course, const Progress *progress,
                      size_t *labs);

#endif
