// SPDX-License-Identifier: Apache-2.0
// The quiz of a lab for clclab batch: a class's answers.
#ifndef CLCLAB_CLI_QUIZ_H
#define CLCLAB_CLI_QUIZ_H

#include "cli/internal.h"

typedef struct QuizGrade {
    Str json, text; // reports; the text is for the student
    double points, most;
    Str first_wrong; // "question 3"; empty: all are right
} QuizGrade;

// Sets *hash to one of the questions and the key. An exit code, if one of them
// is not there.
int quiz_check_key(Cli *cli, const Course *course, const Lab *lab, Str *hash);
// Grades the answers in the file that cli->args names, behind the lab.
int quiz_grade_file(Cli *cli, QuizGrade *grade);

#endif
