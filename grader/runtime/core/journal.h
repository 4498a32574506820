// SPDX-License-Identifier: Apache-2.0
// The file in which the library that runs in a program tells clclab exec what
// it saw: records, each appended at once, so that a program that crashes loses
// none.
//
//   record   its length without these 4 bytes, its kind, the process, fields
//   field    its length in 4 bytes, and so many bytes; a number has 8
//
// A reader ignores a last record that is cut short, and gets empty fields where
// one is damaged.
#ifndef CLCLAB_RUNTIME_JOURNAL_H
#define CLCLAB_RUNTIME_JOURNAL_H

#include "result/exec.h"

// The environment of the program. What CLCLAB_EXEC_JOURNAL names is the file.
#define JOURNAL_VARIABLE "CLCLAB_EXEC_JOURNAL"

typedef enum JournalKind {
    JOURNAL_BEGIN = 1, // a process uses the device
    JOURNAL_FINDING,   // seen for the first time in the process
    JOURNAL_AGAIN,     // in another launch
    JOURNAL_CALL,      // a function of CUDA returned an error
    JOURNAL_MESSAGE,
    JOURNAL_COUNTS, // what the process did since the last of them
    JOURNAL_END,    // the process comes to its end
} JournalKind;

// Adds a journal's records to a result, which is otherwise filled in already.
void journal_read(Arena *arena, Str journal, ExecResult *result);

// Each begins a record in the empty *out, adds to it, and ends it.
void journal_begin(Buf *out, JournalKind kind, uint32_t process);
void journal_number(Buf *out, uint64_t number);
void journal_str(Buf *out, Str text);
void journal_end(Buf *out);
// A finding's record: `number` counts the process's findings from 0.
void journal_finding(Buf *out, uint32_t process, uint64_t number,
                     const ExecFinding *finding);
void journal_again(Buf *out, uint32_t process, uint64_t number);
void journal_call(Buf *out, uint32_t process, const ExecCall *call);
void journal_message(Buf *out, uint32_t process, const Diag *message);
// What a process did since the last such record.
void journal_counts(Buf *out, uint32_t process, const ExecResult *counts);

#endif
