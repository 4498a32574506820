// SPDX-License-Identifier: Apache-2.0
// The printer's state. Private to ptx/. print.c prints modules and functions.
// print_names.c gives everything in a function a unique name (blocks are not
// printed, so names that shadowed each other would clash). print_instr.c prints
// instructions.
#ifndef CLCLAB_PTX_PRINT_H
#define CLCLAB_PTX_PRINT_H

#include "ptx/map.h"
#include "ptx/ptx.h"
#include "ptx/words.h"

// Names by index; all NULL if names are printed as they were written.
typedef struct FuncNames {
    Str *params, *results;
    Str *regs, *vars, *labels, *tables, *protos;
    uint8_t *ranges; // by register: see below
} FuncNames;

// How a register is declared. A range is printed at its first register.
enum { REG_LISTED, REG_RANGE_FIRST, REG_RANGE_REST, REG_FORMAL };

typedef struct PtxPrinter {
    const PtxModule *module;
    const PtxHooks *hooks; // NULL: none
    const PtxFunc *func;
    Buf *out;
    Arena scratch;
    FuncNames names;
    Map taken;           // see print_names.c
    uint32_t names_used; // calls of print_name_func so far
    Map locs; // (file, line, col) -> index of its last .loc in this function
    uint32_t loc; // the current .loc
    Map strings;  // name of an inlined function -> its number + 1
} Printer;

void print_name_module(Printer *printer);
void print_name_func(Printer *printer);
Str print_name_of_reg(const Printer *printer, uint32_t reg);
Str print_name_of_var(const Printer *printer, const PtxVar *var);

void print_instr(const Printer *printer, const PtxInstr *instr);
// "+8", "+-8", or nothing for 0.
void print_offset(Buf *out, uint64_t offset);

#endif
