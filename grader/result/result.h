// SPDX-License-Identifier: Apache-2.0
// result: what was measured, found and judged, as plain data. Devices and
// check/ fill it in; report/ makes every output format from this and nothing
// else. In brackets: who fills it in.
//
//   finding.h  a violation of a rule           (a device)
//   run.h      the outcome of one launch       (a device)
//   trace.h    what happened in it             (a device)
//   verdict.h  the result of clclab grade      (check/)
//   summary.h  what of it has a fixed size     (check/)
//   launch.h   the result of clclab run        (check/)
//   quiz.h     a quiz, and what was answered   (check/)
//   clinic.h   a case of the bug clinic        (check/)
//   compare.h  techniques side by side         (check/)
//   doctor.h   what a machine has              (cli/)
//   exec.h     the result of clclab exec       (runtime/, cli/)
//   batch.h    a submission of many, a class    (batch/, cli/)
#ifndef CLCLAB_RESULT_H
#define CLCLAB_RESULT_H

#include "result/batch.h"
#include "result/clinic.h"
#include "result/compare.h"
#include "result/doctor.h"
#include "result/exec.h"
#include "result/launch.h"
#include "result/quiz.h"
#include "result/run.h"
#include "result/summary.h"
#include "result/trace.h"
#include "result/verdict.h"

#endif
