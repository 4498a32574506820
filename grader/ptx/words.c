// SPDX-License-Identifier: Apache-2.0
// The tables of opcodes.h as arrays, and the public functions that need only
// these. After them: lookup by name, and the nearest name for messages.
#include "ptx/words.h"

static const OpRow OPS[PTX_OP_COUNT] = {
#define OP_ROW(id, name, dsts, least, most, sink, types, operands, traits, \
               sentence)                                                   \
    [PTX_OP_##id] = {                                                      \
        {name, sizeof(name) - 1}, dsts, least, most, sink, types, operands},
    PTX_OPCODES(OP_ROW)
#undef OP_ROW
};

#define OP_CHECK(id, name, dsts, least, most, sink, types, operands, traits,   \
                 sentence)                                                     \
    _Static_assert((dsts) <= (least) && (least) <= (most) &&                   \
                       (most) < PTX_MAX_OPERANDS &&                            \
                       sizeof(operands) == (most) + 1 && sizeof(sentence) > 1, \
                   name ": a letter for each operand, and a sentence");
PTX_OPCODES(OP_CHECK)
#undef OP_CHECK

static const Str MODS[PTX_MOD_COUNT] = {
#define TYPE_ROW(id, name, bytes) [PTX_MOD_##id] = {name, sizeof(name) - 1},
    PTX_TYPES(TYPE_ROW)
#undef TYPE_ROW
#define MOD_ROW(id, name) [PTX_MOD_##id] = {name, sizeof(name) - 1},
        PTX_MODS(MOD_ROW)
#undef MOD_ROW
};

static const uint8_t TYPE_SIZES[PTX_TYPE_COUNT] = {
#define TYPE_ROW(id, name, bytes) [PTX_##id] = (bytes),
    PTX_TYPES(TYPE_ROW)
#undef TYPE_ROW
};

static const Str SREGS[PTX_SREG_COUNT] = {
#define SREG_ROW(id, name, type) [PTX_SREG_##id] = {name, sizeof(name) - 1},
    PTX_SREGS(SREG_ROW)
#undef SREG_ROW
};

uint32_t ptx_op_results(PtxOp op) {
    return op < PTX_OP_COUNT ? OPS[op].dsts : 0;
}

uint32_t ptx_written_operands(const PtxInstr *instr) {
    return PTX_TRAITS[instr->op].next == PTX_NEXT_CALL
               ? 1
               : ptx_op_results(instr->op);
}

uint32_t ptx_op_least(PtxOp op) {
    return op < PTX_OP_COUNT ? OPS[op].least : 0;
}

// ---- types ---------------------------------------------------------------

uint32_t ptx_type_size(PtxType type) {
    return type < PTX_TYPE_COUNT ? TYPE_SIZES[type] : 0;
}

// PtxMod begins with the types, in the order of PtxType.
_Static_assert((int)PTX_MOD_PRED == (int)PTX_PRED, "types lead PtxMod");
_Static_assert((int)PTX_MOD_SURFREF == (int)PTX_SURFREF, "types lead PtxMod");

Str ptx_type_name(PtxType type) {
    return type < PTX_TYPE_COUNT ? MODS[type] : (Str){0};
}

Str ptx_op_name(PtxOp op) {
    return op < PTX_OP_COUNT ? OPS[op].name : (Str){0};
}

Str ptx_mod_name(PtxMod mod) {
    return mod < PTX_MOD_COUNT ? MODS[mod] : (Str){0};
}

PtxType words_mod_type(PtxMod mod) {
    return (int)mod < (int)PTX_TYPE_COUNT ? (PtxType)mod : PTX_NONE;
}

static const bool IS_FLOAT[PTX_TYPE_COUNT] = {
    [PTX_F16] = true,    [PTX_F16X2] = true, [PTX_BF16] = true,
    [PTX_BF16X2] = true, [PTX_F32] = true,   [PTX_F32X2] = true,
    [PTX_F64] = true,    [PTX_TF32] = true,
};

bool ptx_type_is_float(PtxType type) {
    return type < PTX_TYPE_COUNT && IS_FLOAT[type];
}

bool ptx_type_is_signed(PtxType type) {
    return type == PTX_S8 || type == PTX_S16 || type == PTX_S32 ||
           type == PTX_S64 || type == PTX_S16X2;
}

// ---- an instruction's suffixes -------------------------------------------

bool ptx_has(const PtxInstr *instr, PtxMod mod) {
    for (size_t i = 0; i < instr->mod_count; i++)
        if (instr->mods[i] == mod)
            return true;
    return false;
}

static const PtxSpace MOD_SPACES[PTX_MOD_COUNT] = {
    [PTX_MOD_CONST] = PTX_SPACE_CONST,
    [PTX_MOD_GLOBAL] = PTX_SPACE_GLOBAL,
    [PTX_MOD_LOCAL] = PTX_SPACE_LOCAL,
    [PTX_MOD_PARAM] = PTX_SPACE_PARAM,
    [PTX_MOD_PARAM_ENTRY] = PTX_SPACE_PARAM,
    [PTX_MOD_PARAM_FUNC] = PTX_SPACE_PARAM,
    [PTX_MOD_SHARED] = PTX_SPACE_SHARED,
    [PTX_MOD_SHARED_CLUSTER] = PTX_SPACE_SHARED,
    [PTX_MOD_SHARED_CTA] = PTX_SPACE_SHARED,
};

PtxSpace ptx_space(const PtxInstr *instr) {
    for (size_t i = 0; i < instr->mod_count; i++) {
        PtxSpace space = MOD_SPACES[instr->mods[i]];
        if (space != PTX_SPACE_GENERIC)
            return space;
    }
    return PTX_SPACE_GENERIC;
}

uint32_t ptx_vector(const PtxInstr *instr) {
    if (ptx_has(instr, PTX_MOD_V2))
        return 2;
    if (ptx_has(instr, PTX_MOD_V4))
        return 4;
    return ptx_has(instr, PTX_MOD_V8) ? 8 : 1;
}

// ---- lookup --------------------------------------------------------------

const OpRow *words_op(PtxOp op) {
    return &OPS[op];
}

Str words_mod(PtxMod mod) {
    return MODS[mod];
}

Str words_sreg(PtxSreg sreg) {
    return SREGS[sreg];
}

enum { SALT_OP, SALT_MOD, SALT_SREG };

void words_init(Words *words, Arena *arena) {
    words->map = (Map){.arena = arena};
    for (uint32_t op = PTX_OP_NONE + 1; op < PTX_OP_COUNT; op++)
        *map_at(&words->map, SALT_OP, OPS[op].name) = op;
    for (uint32_t mod = PTX_MOD_NONE + 1; mod < PTX_MOD_COUNT; mod++)
        *map_at(&words->map, SALT_MOD, MODS[mod]) = mod;
    for (uint32_t sreg = 0; sreg < PTX_SREG_COUNT; sreg++)
        *map_at(&words->map, SALT_SREG, SREGS[sreg]) = sreg + 1;
}

PtxOp words_find_op(const Words *words, Str name) {
    return (PtxOp)map_get(&words->map, SALT_OP, name);
}

PtxMod words_find_mod(const Words *words, Str suffix) {
    return (PtxMod)map_get(&words->map, SALT_MOD, suffix);
}

bool words_find_sreg(const Words *words, Str name, PtxSreg *sreg) {
    uint32_t found = map_get(&words->map, SALT_SREG, name);
    if (found)
        *sreg = (PtxSreg)(found - 1);
    return found != 0;
}

// ---- the nearest name ----------------------------------------------------

Str words_nearest_op(Str name) {
    Nearest nearest = nearest_start(name);
    for (size_t op = PTX_OP_NONE + 1; op < PTX_OP_COUNT; op++)
        nearest_try(&nearest, OPS[op].name);
    return nearest.best;
}

Str words_nearest_mod(Str suffix) {
    Nearest nearest = nearest_start(suffix);
    for (size_t mod = PTX_MOD_NONE + 1; mod < PTX_MOD_COUNT; mod++)
        nearest_try(&nearest, MODS[mod]);
    return nearest.best;
}
