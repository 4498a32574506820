// SPDX-License-Identifier: Apache-2.0
// The fixed words of the language (opcodes, suffixes, special registers), from
// text to number and back. Private to ptx/.
#ifndef CLCLAB_PTX_WORDS_H
#define CLCLAB_PTX_WORDS_H

#include "ptx/map.h"
#include "ptx/ptx.h"

typedef struct OpRow { // instructions.h explains the columns
    Str name;
    uint8_t dsts, least, most;
    bool may_sink;
    uint8_t types;
    char operands[PTX_MAX_OPERANDS]; // a letter each; 0: there is none
} OpRow;

const OpRow *words_op(PtxOp op);
Str words_mod(PtxMod mod);
Str words_sreg(PtxSreg sreg);
// The type that a suffix names, or PTX_NONE.
PtxType words_mod_type(PtxMod mod);

// Text -> number, by hash. Built again for each parse, to have no mutable
// globals.
typedef struct Words {
    Map map;
} Words;

void words_init(Words *words, Arena *arena);
PtxOp words_find_op(const Words *words, Str name);     // or PTX_OP_NONE
PtxMod words_find_mod(const Words *words, Str suffix); // or PTX_MOD_NONE
// True, with *sreg set, if the name (with %) is a special register.
bool words_find_sreg(const Words *words, Str name, PtxSreg *sreg);

// The known name nearest to `name`, or empty where none is near.
Str words_nearest_op(Str name);
Str words_nearest_mod(Str suffix);

#endif
