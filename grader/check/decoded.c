// SPDX-License-Identifier: Apache-2.0
// What the file does with the index of an answer, read off its text and its
// PTX: a call that decodes it and left no code, because nothing uses what it
// gives; an axis of the grid along which no answer is asked for its index; the
// block's own index, added to that of an answer.
//
// Only calls by name count (get_first_ctaid is in it), which the compiler may
// leave out; asm statements that are volatile it keeps.
#include "check/internal.h"

#include <string.h>

typedef struct Tokens {
    Str rest;
    SrcLoc next, at;
    Str token;
} Tokens;

static bool next_token(Tokens *tokens) {
    tokens->token = place_token(&tokens->rest, &tokens->next, &tokens->at);
    return tokens->token.len > 0;
}

static bool has(Str token, const char *part) {
    return place_is_name(token) &&
           memmem(token.ptr, token.len, part, strlen(part));
}

static bool is_decoding(Str token) {
    return has(token, "get_first_ctaid");
}

static bool is_asking(Str token) {
    return has(token, "is_canceled");
}

static bool is_get_first(const PtxInstr *instr) {
    return instr->op == PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL &&
           !ptx_has(instr, PTX_MOD_IS_CANCELED);
}

// Whether an instruction that decodes an index was inlined into lines `from` to
// `to` of the file.
static bool is_decoded(const Submission *submission, uint32_t from,
                       uint32_t to) {
    const PtxModule *module = submission->module;
    for (size_t f = 0; f < module->func_count; f++)
        for (size_t i = 0; i < module->funcs[f]->instr_count; i++) {
            const PtxInstr *instr = &module->funcs[f]->instrs[i];
            uint32_t loc = is_get_first(instr) ? instr->loc : 0;
            for (; loc; loc = module->locs[loc].inlined_at) {
                SrcLoc at = place_as_given(submission, ptx_src(module, loc));
                if (from <= at.line && at.line <= to &&
                    str_equal(at.file, submission->file))
                    return true;
            }
        }
    return false;
}

// What the statement assigns to: `bx`, or `stolen.x`; empty: something else.
static Str target_of(Tokens statement) {
    Str target = {0};
    bool is_joined = false;
    while (next_token(&statement)) {
        if (place_is_mark(statement.token, '='))
            return target;
        if (place_is_mark(statement.token, '.')) {
            is_joined = target.len > 0;
            continue;
        }
        if (!place_is_name(statement.token) || is_decoding(statement.token))
            break;
        if (is_joined)
            target.len = (size_t)(statement.token.ptr + statement.token.len -
                                  target.ptr);
        else
            target = statement.token;
        is_joined = false;
    }
    return (Str){0};
}

// Whether the target stands at the token; moves to behind it.
static bool take_target(Tokens *tokens, Str target) {
    const char *end = tokens->token.ptr + target.len;
    if (end > tokens->rest.ptr + tokens->rest.len ||
        memcmp(tokens->token.ptr, target.ptr, target.len) != 0)
        return false;
    while (tokens->token.ptr + tokens->token.len < end && next_token(tokens))
        continue;
    return tokens->token.ptr + tokens->token.len == end;
}

// The line behind the statement in which the target is set once more before
// anything reads it, whatever branch was taken; 0: there is none.
static uint32_t set_again(Tokens behind, Str target) {
    while (target.len > 0 && next_token(&behind)) {
        if (str_equal(behind.token, STR("else")) ||
            str_equal(behind.token, STR("return")))
            return 0;
        SrcLoc at = behind.at;
        if (!take_target(&behind, target))
            continue;
        bool is_set = next_token(&behind) && place_is_mark(behind.token, '=') &&
                      next_token(&behind) && !place_is_mark(behind.token, '=');
        return is_set ? at.line : 0;
    }
    return 0;
}

static Tokens tokens_of(const Submission *submission) {
    return (Tokens){.rest = submission->source,
                    .next = {submission->file, 1, 1}};
}

bool decoded_without_code(const Submission *submission, Decoded *found) {
    Tokens tokens = tokens_of(submission), statement = tokens;
    while (place_is_short(submission) && next_token(&tokens)) {
        if (strchr(";{}", tokens.token.ptr[0]) ||
            str_equal(tokens.token, STR("else")))
            statement = tokens;
        // A condition in front of it ends with its last bracket.
        if (place_is_mark(tokens.token, ')'))
            statement = tokens;
        if (!is_decoding(tokens.token))
            continue;
        SrcLoc at = tokens.at;
        Str target = target_of(statement);
        while (next_token(&tokens) && !strchr(";{}", tokens.token.ptr[0]))
            continue;
        if (is_decoded(submission, at.line, tokens.at.line))
            continue;
        *found = (Decoded){at, target, set_again(tokens, target)};
        return true;
    }
    return false;
}

// ---- axes ----------------------------------------------------------------

static bool asks_along(const PtxModule *module, const PtxMod *mods,
                       size_t count) {
    for (size_t f = 0; f < module->func_count; f++)
        for (size_t i = 0; i < module->funcs[f]->instr_count; i++)
            for (size_t m = 0; m < count; m++)
                if (is_get_first(&module->funcs[f]->instrs[i]) &&
                    ptx_has(&module->funcs[f]->instrs[i], mods[m]))
                    return true;
    return false;
}

static bool has_several_along(const Lab *lab, size_t axis) {
    for (size_t i = 0; i < lab->size_count; i++) {
        uint32_t grid[3];
        shape_grid(lab, lab->sizes[i], grid);
        if (grid[axis] > 1)
            return true;
    }
    return false;
}

static SrcLoc last_of(const Submission *submission, bool (*is_it)(Str)) {
    Tokens tokens = tokens_of(submission);
    SrcLoc last = {0};
    while (place_is_short(submission) && next_token(&tokens))
        last = is_it(tokens.token) ? tokens.at : last;
    return last;
}

SrcLoc decoded_asked(const Submission *submission) {
    return last_of(submission, is_asking);
}

SrcLoc decoded_last(const Submission *submission) {
    return last_of(submission, is_decoding);
}

const char *decoded_axis_left_out(const Grade *grade) {
    static const PtxMod all[] = {
        PTX_MOD_GET_FIRST_CTAID_X, PTX_MOD_GET_FIRST_CTAID_Y,
        PTX_MOD_GET_FIRST_CTAID_Z, PTX_MOD_GET_FIRST_CTAID};
    static const char *const names[] = {"x", "y", "z"};
    const PtxModule *module = grade->submission->module;
    if (shape_of(grade->lab) != SHAPE_BOX || !asks_along(module, all, 3) ||
        asks_along(module, &all[3], 1))
        return NULL;
    for (size_t axis = 3; axis-- > 0;)
        if (has_several_along(grade->lab, axis) &&
            !asks_along(module, &all[axis], 1))
            return names[axis];
    return NULL;
}

// ---- the block's own index -------------------------------------------------

// What a register may hold; of both, nothing is known.
typedef enum Held { IS_OTHER, IS_GRANTED, IS_OWN, IS_EITHER } Held;

static uint8_t held_by(const PtxOperand *operand, const uint8_t *held) {
    if (operand->kind == PTX_OPND_REG)
        return held[operand->reg];
    bool is_own =
        operand->kind == PTX_OPND_SREG && (operand->sreg == PTX_SREG_CTAID_X ||
                                           operand->sreg == PTX_SREG_CTAID_Y ||
                                           operand->sreg == PTX_SREG_CTAID_Z);
    return is_own ? IS_OWN : IS_OTHER;
}

// Whether the instruction adds one to the other; notes what it writes. A
// register that both may come to, by moves, is not known any more.
static bool adds_own(const PtxInstr *instr, uint8_t *held) {
    const PtxOperand *to = instr->operands;
    if (is_get_first(instr) && to->kind == PTX_OPND_REG)
        held[to->reg] |= IS_GRANTED;
    if (instr->op == PTX_OP_MOV && instr->operand_count == 2 &&
        to->kind == PTX_OPND_REG)
        held[to->reg] |= held_by(&instr->operands[1], held);
    if (instr->op != PTX_OP_ADD || instr->operand_count != 3)
        return false;
    uint8_t a = held_by(&instr->operands[1], held),
            b = held_by(&instr->operands[2], held);
    return (a == IS_GRANTED && b == IS_OWN) || (a == IS_OWN && b == IS_GRANTED);
}

static uint32_t find_own_added(const PtxFunc *func) {
    Arena arena = {0};
    uint8_t *held = arena_new(&arena, uint8_t, func->reg_count + 1);
    uint32_t loc = 0;
    for (size_t i = 0; i < func->instr_count && !loc; i++)
        if (adds_own(&func->instrs[i], held))
            loc = func->instrs[i].loc;
    arena_free(&arena);
    return loc;
}

SrcLoc decoded_own_added(const Submission *submission) {
    const PtxModule *module = submission->module;
    for (size_t f = 0; f < module->func_count; f++) {
        uint32_t loc = find_own_added(module->funcs[f]);
        SrcLoc at = place_as_given(submission, ptx_src(module, loc));
        if (loc && str_equal(at.file, submission->file))
            return at;
    }
    return (SrcLoc){0};
}
