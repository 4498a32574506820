# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034 # what it sets is for those that source it
# What the checks of this folder share: the programs, a scratch folder that is
# removed at the end, one compile cache, and tests as TAP. A test calls `no` to say
# why it fails; `verdict $? NAME` then prints the result. A check ends with
#
#   echo "1..$number"
#   exit $bad
#
# CLCLAB_BIN and JSON_GET_BIN name the programs.

clclab=${CLCLAB_BIN:-build/clclab}
json_get=${JSON_GET_BIN:-build/tools/json-get}
export XDG_CACHE_HOME=${CLCLAB_TEST_CACHE:-$PWD/build/test-cache}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export XDG_STATE_HOME=$scratch/state # what is graded here is no progress of the user's
number=0 bad=0
: >"$scratch/why"

verdict() { # verdict STATUS NAME: prints a line of TAP, and $scratch/why if it failed
    ((number += 1))
    if (($1 == 0)); then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        sed 's/^/# /' "$scratch/why" | head -n 40
        bad=1
    fi
    : >"$scratch/why"
}

no() { # no MESSAGE...: notes why the test fails; returns 1
    printf '%s\n' "$@" >>"$scratch/why"
    return 1
}

json() { # json PATH: prints a value of the last report, $scratch/json
    "$json_get" "$scratch/json" "$1"
}
