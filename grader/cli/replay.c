// SPDX-License-Identifier: Apache-2.0
// The options of a command, to be typed again: made from what it ran with, so
// that none is forgotten. Each row of its table is given, unless its field has
// the value that it has without the option. Read replay_options.
#include "cli/internal.h"
#include "trials/trials.h"

#include <stddef.h>
#include <string.h>

// ---- values --------------------------------------------------------------

static void give_flag(Buf *out, const CliCommand *command, const Option *option,
                      const void *field, const void *usual) {
    (void)command, (void)usual;
    if (*(const bool *)field)
        replay_word(out, str_from(option->name));
}

static void give_number(Buf *out, const CliCommand *command,
                        const Option *option, const void *field,
                        const void *usual) {
    (void)command;
    uint64_t value = *(const uint64_t *)field;
    if (value != *(const uint64_t *)usual)
        replay_number(out, option->name, value);
}

static void give_optional(Buf *out, const CliCommand *command,
                          const Option *option, const void *field,
                          const void *usual) {
    (void)command, (void)usual;
    const CliNumber *number = field;
    if (number->given)
        replay_number(out, option->name, number->value);
}

static void give_choice(Buf *out, const CliCommand *command,
                        const Option *option, const void *field,
                        const void *usual) {
    (void)command;
    uint32_t value = *(const uint32_t *)field;
    if (value != *(const uint32_t *)usual)
        replay_option(out, option->name, option->names[value]);
}

static void give_text(Buf *out, const CliCommand *command, const Option *option,
                      const void *field, const void *usual) {
    (void)command;
    const char *text = *(const char *const *)field;
    const char *before = *(const char *const *)usual;
    if (text && !(before && strcmp(text, before) == 0))
        replay_option(out, option->name, text);
}

// Whether the word begins as those of this option do, such as -DNAME.
static bool is_of(const Option *option, const char *word) {
    enum { LETTER = 2 }; // bytes of "-D"
    size_t length = strlen(option->name);
    return option->is_attached && strncmp(word, option->name, length) == 0 &&
           (length == LETTER ? word[length] != '\0'
                             : word[length] == '=' && word[length + 1]);
}

static bool is_of_any(const CliCommand *command, const char *word) {
    for (size_t i = 0; i < command->option_count; i++)
        if (is_of(&command->options[i], word))
            return true;
    return false;
}

// The words of -I and its like, and the values of --compile-flag, are one list.
static void give_flagged(Buf *out, const CliCommand *command,
                         const Option *option, const void *field,
                         const void *usual) {
    (void)command, (void)usual;
    const CliValues *values = field;
    for (size_t i = 0; i < values->count; i++)
        if (is_of(option, values->items[i]))
            replay_word(out, str_from(values->items[i]));
}

static void give_list(Buf *out, const CliCommand *command, const Option *option,
                      const void *field, const void *usual) {
    (void)usual;
    const CliValues *values = field;
    bool is_shared = !option->is_own && option->offset == offsetof(Args, flags);
    for (size_t i = 0; i < values->count; i++)
        if (!is_shared || !is_of_any(command, values->items[i]))
            replay_option(out, option->name, values->items[i]);
}

void replay_give_size(Buf *out, const CliCommand *command, const Option *option,
                      const void *field, const void *usual) {
    (void)command, (void)usual;
    const uint32_t *size = field;
    if (size[0] == 0)
        return;
    buf_printf(out, " %s %u", option->name, size[0]);
    if (size[1] > 1 || size[2] > 1)
        buf_printf(out, ",%u", size[1]);
    if (size[2] > 1)
        buf_printf(out, ",%u", size[2]);
}

// Without a GPU the virtual machine runs it, and where there is one, too.
void replay_give_device(Buf *out, const CliCommand *command,
                        const Option *option, const void *field,
                        const void *usual) {
    (void)command, (void)usual;
    if (*(const uint32_t *)field == DEVICE_GPU)
        replay_option(out, option->name, option->names[DEVICE_GPU]);
}

// ---- the whole -----------------------------------------------------------

static ArgsGive *give_of(const Option *option) {
    static const struct {
        ArgsTake *take;
        ArgsGive *give;
    } kinds[] = {
        {args_take_flag, give_flag},         {args_take_number, give_number},
        {args_take_optional, give_optional}, {args_take_choice, give_choice},
        {args_take_text, give_text},         {args_take_name, give_text},
        {args_take_path, give_text},         {args_take_list, give_list},
        {args_take_flagged, give_flagged},
    };
    for (size_t i = 0; !option->give && i < COUNT_OF(kinds); i++)
        if (option->take == kinds[i].take)
            return kinds[i].give;
    return option->give;
}

bool replay_can_give(const Option *option) {
    return give_of(option) != NULL;
}

void replay_options(Buf *out, const Args *args, const CliCommand *command) {
    Arena scratch = {0};
    Args usual = args_default(&scratch, command);
    for (size_t i = 0; i < command->option_count; i++) {
        const Option *option = &command->options[i];
        if (option->is_not_replayed)
            continue;
        const char *base = option->is_own ? args->own : (const char *)args;
        const char *before = option->is_own ? usual.own : (const char *)&usual;
        give_of(option)(out, command, option, base + option->offset,
                        before + option->offset);
    }
    arena_free(&scratch);
}
