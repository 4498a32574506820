# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Waiting for what happens, not for a time: until_is ends when something is so. Machines may
# be slow, so PATIENCE, seconds, is only there that a wait in vain ends with a message, and
# not with the whole suite; no test may need less. Source it.

PATIENCE=600

# until_is COMMAND...: waits until it succeeds; 1: it never did.
until_is() {
    local latest=$((SECONDS + PATIENCE))
    while ((SECONDS < latest)); do
        ! "$@" >/dev/null 2>&1 || return 0
        moment
    done
    return 1
}

moment() { # between two looks, so that they leave the processor to others
    read -rt 0.05 <> <(:) || true
}

# has_worked PROCESS: it, or a child that it has waited for, has used some ticks of a processor.
has_worked() {
    local stat
    read -ra stat <"/proc/$1/stat" || return 0 # it has even ended
    ((stat[13] + stat[14] + stat[15] + stat[16] > 3))
}

is_gone() { # is_gone PROCESS: it has ended, whether somebody has waited for it or not
    [[ ! -e /proc/$1 ]] || grep -q '^State:.*Z' "/proc/$1/status"
}
