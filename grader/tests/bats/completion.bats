#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Completion of the command line, in the three shells themselves.

load common
setup() {
    common_setup
    mkdir -p "$W/bin" "$W/files"
    ln -s "$CLCLAB" "$W/bin/clclab"
    export PATH=$W/bin:$PATH CLCLAB_ROOT=$ROOT
    cd "$W/files" || return 1
    touch mine.cu other.txt
}

# completes SHELL LINE: prints what the shell offers at the end of the line, one word a line.
completes() {
    case $1 in
    bash)
        bash --norc -c '
            source <(clclab completion bash)
            read -r -a COMP_WORDS <<<"$1"
            [[ $1 != *" " ]] || COMP_WORDS+=("")
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _clclab
            printf "%s\n" "${COMPREPLY[@]}"' bash "$2"
        ;;
    fish)
        # shellcheck disable=SC2016 # fish's own variable
        fish --no-config -c 'clclab completion fish | source; complete -C $argv[1]' "$2" | cut -f 1
        ;;
    zsh)
        clclab completion zsh >"$W/clclab.zsh"
        rm -f "$W/asked"
        ASKED=$W/asked timeout "$PATIENCE" zsh -f "$W/ask.zsh" "$W/clclab.zsh" "$2"
        ;;
    esac
}

# A zsh in a terminal of its own is given the line and told to complete it. What it offers is
# what its completion adds with compadd, which is written to $ASKED. The screen is read for
# the words that end it, which no line that was typed has in this form.
zsh_asker() {
    cat >"$W/ask.zsh" <<'END'
zmodload zsh/zpty
zpty ask "zsh -f -i"
say() { zpty -w ask "$1" }
say "PS1=; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source ${(q)1}"
say 'compadd() { local -a got; if [[ ${@[(I)-[OAD]]} -eq 0 ]]; then builtin compadd -O got "$@"; print -rl -- $got >>$ASKED; fi; builtin compadd "$@" }'
say 'finish() { zle complete-word; zle .kill-whole-line; print -n it is" "complete >/dev/tty }; zle -N finish; bindkey "^T" finish'
zpty -w -n ask "$2"$'\C-t'
zpty -r ask out '*it is complete*'
zpty -d ask
[[ ! -e $ASKED ]] || tr -d ' ' <$ASKED
END
}

# offers SHELL LINE WORD...: the words are among what is offered.
offers() {
    local shell=$1 line=$2 word
    completes "$shell" "$line" >"$W/offered"
    for word in "${@:3}"; do
        grep -qxF -- "$word" "$W/offered" || fail "$shell: no $word after '$line': $(cat "$W/offered")"
    done
}

# offers_no SHELL LINE WORD...: none of them is.
offers_no() {
    local shell=$1 line=$2 word
    completes "$shell" "$line" >"$W/offered"
    for word in "${@:3}"; do
        ! grep -qxF -- "$word" "$W/offered" || fail "$shell: $word after '$line'"
    done
}

in_shell() { # in_shell SHELL: what each of them must do
    offers "$1" 'clclab ' grade next run completion version
    offers "$1" 'clclab gr' grade
    offers_no "$1" 'clclab gr' next
    offers "$1" 'clclab grade --s' --seed --schedules
    offers_no "$1" 'clclab quiz --s' --schedules
    offers "$1" 'clclab grade --device ' auto vm gpu
    offers "$1" 'clclab grade --format ' json sarif gradescope
    offers_no "$1" 'clclab quiz 1 --format ' sarif
    offers "$1" 'clclab grade 0' 04-cluster-clc 01-fixed-work
    offers "$1" 'clclab explain CLC' CLC001 CLC006
    offers "$1" 'clclab completion ' bash zsh fish
    offers "$1" 'clclab run ' mine.cu
    offers "$1" 'clclab grade 4 m' mine.cu
    offers "$1" 'clclab grade --out ' other.txt
}

@test "bash" { in_shell bash; }

@test "zsh" {
    command -v zsh >/dev/null || skip "no zsh: grader/tools/setup readers"
    zsh_asker
    in_shell zsh
}

@test "fish" {
    command -v fish >/dev/null || skip "no fish: grader/tools/setup readers"
    in_shell fish
}

@test "the scripts are clean" {
    local shell
    clclab completion bash >"$W/bash.sh"
    ! command -v shellcheck >/dev/null || shellcheck -s bash "$W/bash.sh"
    for shell in bash zsh fish; do
        ! command -v "$shell" >/dev/null || clclab completion "$shell" | "$shell" -n || fail "$shell: an error"
    done
}

@test "a shell that is none" { usage_error "bash, zsh and fish" completion tcsh; }

@test "a mistyped lab is guessed" {
    usage_error "did you mean 04-cluster-clc?" grade 04-clustr
    usage_error "did you mean 03-block-clc?" grade 3b
    usage_error "did you mean 06-pipelined-clc?" grade pipelined
    usage_error "did you mean 10-scheduler?" grade 1O-scheduler
    usage_error "the labs are 01-fixed-work" grade frobnicate
}
