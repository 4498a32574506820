// SPDX-License-Identifier: Apache-2.0
// Text in a tone, as a terminal shows it. Whatever it would act on in the text
// itself is escaped.
#include "report/internal.h"

void tone_text(ReportStyle style, Tone tone, Str text, Buf *out) {
    static const char *const codes[] = {
        [TONE_PLAIN] = "0",  [TONE_BOLD] = "1", [TONE_GOOD] = "32",
        [TONE_BAD] = "1;31", [TONE_ODD] = "35", [TONE_FAINT] = "2",
        [TONE_LABEL] = "36",
    };
    bool colored = style.color && tone != TONE_PLAIN;
    if (colored)
        buf_printf(out, "\x1b[%sm", codes[tone]);
    utf8_escape(text, out);
    if (colored)
        buf_str(out, STR("\x1b[0m"));
}
