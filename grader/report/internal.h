// SPDX-License-Identifier: Apache-2.0
// What the files of report/ share: escape.c (bytes), excerpt.c (a source line
// and its caret), text.c and json.c (the formats).
#ifndef CLCLAB_REPORT_INTERNAL_H
#define CLCLAB_REPORT_INTERNAL_H

#include "report/report.h"

// Bytes of the UTF-8 sequence at the start of s (s is not empty) and its code
// point; 0 where they are not valid UTF-8.
size_t utf8_decode(Str s, uint32_t *code);
// Whether a terminal shows the code point as one harmless character.
bool utf8_is_printable(uint32_t code);

typedef enum Tone {
    TONE_PLAIN,
    TONE_BOLD,
    TONE_GOOD,
    TONE_BAD,
    TONE_ODD,
    TONE_FAINT,
    TONE_LABEL,
} Tone;

// Appends text in a tone, escaped.
void tone_text(ReportStyle style, Tone tone, Str text, Buf *out);

// The line `at.line` of `source` and a caret under `at.col`; nothing where
// there is no such line.
void excerpt_write(ReportStyle style, Str source, SrcLoc at, Buf *out);

#endif
