// SPDX-License-Identifier: Apache-2.0
// clclab completion SHELL: a script that completes clclab's command line, made
// from the tables of the commands and their options. What depends on the
// course, the labs and the codes of the rules, the script asks clclab for when
// it completes.
//
// For each shell there is one function; parts that all need come first.
#include "cli/options.h"

#include <string.h>

// ---- what is completed ---------------------------------------------------

typedef enum WordKind {
    WORD_FILE,
    WORD_NONE,
    WORD_LAB,
    WORD_CODE,
    WORD_COMMAND,
    WORD_SHELL
} WordKind;

// What the command's first argument is, by its name in --help.
static WordKind first_word(const CliCommand *command) {
    static const struct {
        const char *name;
        WordKind kind;
    } kinds[] = {{"LAB", WORD_LAB},     {"[LAB", WORD_LAB},
                 {"[CODE", WORD_CODE},  {"[COMMAND", WORD_COMMAND},
                 {"bash|", WORD_SHELL}, {"[CASE", WORD_NONE}};
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (strncmp(command->words, kinds[i].name, strlen(kinds[i].name)) == 0)
            return kinds[i].kind;
    return command->words[0] ? WORD_FILE : WORD_NONE;
}

static bool names_file(const Option *option) {
    static const char *const names[] = {"PATH", "DIR", "FILE"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (option->value && strstr(option->value, names[i]))
            return true;
    return false;
}

// The values of an option, with blanks between; empty: they are no list.
static Str values_of(Arena *arena, const CliCommand *command,
                     const Option *option) {
    if (option->take == args_take_format)
        return report_format_names(arena, command->report, " ");
    Str list = {0};
    if (!option->value || !strchr(option->value, '|'))
        return list;
    for (Str rest = str_from(option->value); rest.len;) {
        Str name = str_cut(&rest, '|');
        list = str_format(arena, "%.*s%s%.*s", STR_ARG(list),
                          list.len ? " " : "", STR_ARG(name));
    }
    return list;
}

typedef struct Script {
    Arena *arena;
    const CliCommand *const *commands;
    size_t count;
    Buf *out;
} Script;

static void add_names(const Script *script, Buf *out) {
    for (size_t i = 0; i < script->count; i++)
        buf_printf(out, "%s%s", i ? " " : "", script->commands[i]->name);
}

// A text in single quotes. `quote`: how the shell writes one within them.
// `escape`: bytes that get a backslash besides.
static void add_quoted(Buf *out, const char *text, const char *quote,
                       const char *escape) {
    buf_byte(out, '\'');
    for (; *text; text++)
        if (*text == '\'') {
            buf_str(out, str_from(quote));
        } else {
            if (strchr(escape, *text))
                buf_byte(out, '\\');
            buf_byte(out, *text);
        }
    buf_byte(out, '\'');
}

// The shell's command that prints the words of that kind, where clclab is
// `program`.
static const char *words_by(WordKind kind) {
    switch (kind) {
    case WORD_LAB:
        return "list 2>/dev/null | awk '{ print $2 }'";
    case WORD_CODE:
        return "explain 2>/dev/null | awk '/^[A-Z0-9]+ / { print $1 }'";
    default:
        return NULL;
    }
}

// ---- bash ----------------------------------------------------------------

static void bash_values(const Script *script, const CliCommand *command) {
    for (size_t i = 0; i < command->option_count; i++) {
        const Option *option = &command->options[i];
        Str values = values_of(script->arena, command, option);
        if (!option->value)
            continue;
        buf_printf(script->out, "    '%s %s') ", command->name, option->name);
        if (values.len)
            buf_printf(script->out, "kind='words' words='%.*s'",
                       STR_ARG(values));
        else
            buf_printf(script->out, "kind='%s'",
                       names_file(option) ? "file" : "none");
        buf_str(script->out, STR(" ;;\n"));
    }
}

static void bash_first(const Script *script, const CliCommand *command) {
    WordKind kind = first_word(command);
    const char *by = words_by(kind);
    buf_printf(script->out, "    %s) ", command->name);
    if (by)
        buf_printf(script->out, "words=$(\"$program\" %s)", by);
    else if (kind == WORD_SHELL)
        buf_str(script->out, STR("words='bash zsh fish'"));
    else if (kind == WORD_COMMAND)
        buf_str(script->out, STR("words=$commands"));
    else
        buf_printf(script->out, "kind='%s'",
                   kind == WORD_NONE ? "none" : "file");
    buf_str(script->out, STR(" ;;\n"));
}

static void bash_options(const Script *script, const CliCommand *command) {
    buf_printf(script->out, "    %s) words='", command->name);
    for (size_t i = 0; i < command->option_count; i++)
        buf_printf(script->out, "%s%s", i ? " " : "", command->options[i].name);
    buf_str(script->out, STR("' ;;\n"));
}

static void bash_cases(const Script *script, const char *head,
                       void (*add)(const Script *, const CliCommand *)) {
    buf_printf(script->out, "    case %s in\n", head);
    for (size_t i = 0; i < script->count; i++)
        add(script, script->commands[i]);
    buf_str(script->out, STR("    esac\n"));
}

static void bash(const Script *script) {
    Buf *out = script->out;
    buf_str(out, STR("# clclab: bash. In ~/.bashrc: "
                     "source <(clclab completion bash)\n"
                     "_clclab() {\n"
                     "    local program=${COMP_WORDS[0]} words='' kind='words' "
                     "commands='"));
    add_names(script, out);
    buf_str(out, STR("'\n"
                     "    local word=${COMP_WORDS[COMP_CWORD]} "
                     "before=${COMP_WORDS[COMP_CWORD - 1]} "
                     "command=${COMP_WORDS[1]}\n"
                     "    COMPREPLY=()\n"
                     "    if ((COMP_CWORD == 1)); then\n"
                     "        words=$commands\n"
                     "    elif [[ $word == -* ]]; then\n"));
    bash_cases(script, "$command", bash_options);
    buf_str(out, STR("    elif [[ $before == -* ]]; then\n"
                     "        kind='file'\n"));
    bash_cases(script, "\"$command $before\"", bash_values);
    buf_str(out, STR("    elif ((COMP_CWORD == 2)); then\n"));
    bash_cases(script, "$command", bash_first);
    buf_str(out, STR("    else\n"
                     "        kind='file'\n"
                     "    fi\n"
                     "    case $kind in\n"
                     "    file) mapfile -t COMPREPLY < <(compgen -f -- "
                     "\"$word\") ;;\n"
                     "    words) mapfile -t COMPREPLY < <(compgen -W "
                     "\"$words\" -- \"$word\") ;;\n"
                     "    esac\n"
                     "}\n"
                     "complete -o filenames -F _clclab clclab\n"));
}

// ---- zsh -----------------------------------------------------------------

#define ZSH_QUOTE "'\\''"

static void zsh_option(const Script *script, const CliCommand *command,
                       const Option *option) {
    Str values = values_of(script->arena, command, option);
    Buf spec = {0};
    buf_printf(&spec, "%s%s[", option->repeats ? "*" : "", option->name);
    for (const char *c = option->help; *c; c++)
        buf_printf(&spec, strchr("[]:", *c) ? "\\%c" : "%c", *c);
    buf_byte(&spec, ']');
    if (values.len)
        buf_printf(&spec, ":value:(%.*s)", STR_ARG(values));
    else if (option->value)
        buf_printf(&spec, ":value:%s", names_file(option) ? "_files" : " ");
    buf_byte(&spec, '\0');
    buf_str(script->out, STR(" \\\n            "));
    add_quoted(script->out, spec.ptr, ZSH_QUOTE, "");
    buf_free(&spec);
}

static void zsh_first(const Script *script, const CliCommand *command) {
    WordKind kind = first_word(command);
    const char *by = words_by(kind);
    buf_str(script->out, STR(" \\\n            "));
    if (by)
        buf_printf(script->out,
                   "\"1:word:($(\"$program\" %s | tr '\\n' ' '))\"", by);
    else if (kind == WORD_SHELL)
        buf_str(script->out, STR("'1:shell:(bash zsh fish)'"));
    else if (kind == WORD_COMMAND)
        buf_str(script->out, STR("\"1:command:($names)\""));
    else
        buf_str(script->out,
                kind == WORD_NONE ? STR("'1: : '") : STR("'1:file:_files'"));
    buf_str(script->out, STR(" '*:file:_files'\n"));
}

static void zsh_command(const Script *script, const CliCommand *command) {
    buf_printf(script->out, "    %s)\n        _arguments -S", command->name);
    for (size_t i = 0; i < command->option_count; i++)
        zsh_option(script, command, &command->options[i]);
    zsh_first(script, command);
    buf_str(script->out, STR("        ;;\n"));
}

static void zsh(const Script *script) {
    Buf *out = script->out;
    buf_str(out, STR("#compdef clclab\n"
                     "# clclab: zsh. In ~/.zshrc, below compinit: "
                     "source <(clclab completion zsh)\n"
                     "_clclab() {\n"
                     "    local program=${words[1]} names='"));
    add_names(script, out);
    buf_str(out, STR("'\n    local -a commands\n    commands=(\n"));
    for (size_t i = 0; i < script->count; i++) {
        Buf line = {0};
        buf_printf(&line, "%s:%s", script->commands[i]->name,
                   script->commands[i]->summary);
        buf_byte(&line, '\0');
        buf_str(out, STR("        "));
        add_quoted(out, line.ptr, ZSH_QUOTE, "");
        buf_byte(out, '\n');
        buf_free(&line);
    }
    buf_str(out, STR("    )\n"
                     "    if ((CURRENT == 2)); then\n"
                     "        _describe command commands\n"
                     "        return\n"
                     "    fi\n"
                     "    shift words\n"
                     "    ((CURRENT--))\n"
                     "    case ${words[1]} in\n"));
    for (size_t i = 0; i < script->count; i++)
        zsh_command(script, script->commands[i]);
    buf_str(out, STR("    esac\n}\ncompdef _clclab clclab\n"));
}

// ---- fish ----------------------------------------------------------------

static void fish_line(const Script *script, const CliCommand *command,
                      const char *rest) {
    buf_printf(script->out,
               "complete -c clclab -n '__fish_seen_subcommand_from %s' %s",
               command->name, rest);
}

static void fish_option(const Script *script, const CliCommand *command,
                        const Option *option) {
    Str values = values_of(script->arena, command, option);
    Buf *out = script->out;
    bool is_long = option->name[1] == '-', is_letter = !option->name[2];
    fish_line(script, command, is_long ? "-l " : is_letter ? "-s " : "-o ");
    buf_str(out, str_from(option->name + (is_long ? 2 : 1)));
    if (values.len)
        buf_printf(out, " -x -a '%.*s'", STR_ARG(values));
    else if (option->value)
        buf_str(out, names_file(option) ? STR(" -r -F") : STR(" -x"));
    buf_str(out, STR(" -d "));
    add_quoted(out, option->help, "\\'", "\\");
    buf_byte(out, '\n');
}

static void fish_first(const Script *script, const CliCommand *command) {
    WordKind kind = first_word(command);
    const char *by = words_by(kind);
    if (kind == WORD_FILE)
        return; // fish completes files by itself
    fish_line(script, command, kind == WORD_LAB ? "" : "-f ");
    if (by) {
        buf_str(script->out, STR("-a \"("));
        buf_str(script->out, STR("eval (commandline -opc)[1] "));
        for (; *by; by++) // what the double quotes would take
            buf_printf(script->out, strchr("$\"\\", *by) ? "\\%c" : "%c", *by);
        buf_str(script->out, STR(")\""));
    } else if (kind == WORD_SHELL) {
        buf_str(script->out, STR("-a 'bash zsh fish'"));
    } else if (kind == WORD_COMMAND) {
        buf_str(script->out, STR("-a '"));
        add_names(script, script->out);
        buf_byte(script->out, '\'');
    }
    buf_byte(script->out, '\n');
}

static void fish(const Script *script) {
    buf_str(script->out, STR("# clclab: fish. In a shell: clclab completion "
                             "fish | source\n"));
    for (size_t i = 0; i < script->count; i++) {
        const CliCommand *command = script->commands[i];
        buf_printf(script->out,
                   "complete -c clclab -n __fish_use_subcommand -f -a %s -d ",
                   command->name);
        add_quoted(script->out, command->summary, "\\'", "\\");
        buf_byte(script->out, '\n');
        fish_first(script, command);
        for (size_t k = 0; k < command->option_count; k++)
            fish_option(script, command, &command->options[k]);
    }
}

// ---- the command ---------------------------------------------------------

static int completion(Cli *cli) {
    static const struct {
        const char *name;
        void (*write)(const Script *script);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    Buf out = {0};
    Script script = {.arena = &cli->arena,
                     .commands = cli->commands,
                     .count = cli->command_count,
                     .out = &out};
    for (size_t i = 0; i < COUNT_OF(shells); i++)
        if (strcmp(cli->args.words[0], shells[i].name) == 0)
            shells[i].write(&script);
    int code = out.len ? output_stdout(cli, buf_view(&out))
                       : output_error(cli, CLI_USAGE,
                                      "there is no completion for \"%s\"; the "
                                      "shells are bash, zsh and fish",
                                      cli->args.words[0]);
    buf_free(&out);
    return code;
}

static const Option OPTIONS[] = {OPTIONS_OF_ALL};

const CliCommand COMPLETION_COMMAND = {
    .name = "completion",
    .summary = "Print a script that completes commands",
    .example = "clclab completion bash",
    .words = "bash|zsh|fish",
    .least_words = 1,
    .most_words = 1,
    .more = "bash, in ~/.bashrc:                 source <(clclab completion "
            "bash)\nzsh, in ~/.zshrc below compinit:    source <(clclab "
            "completion zsh)\nfish, in ~/.config/fish/config.fish:  clclab "
            "completion fish | source\nclclab must be found by PATH.\n",
    .options = OPTIONS,
    .option_count = COUNT_OF(OPTIONS),
    .run = completion,
};
