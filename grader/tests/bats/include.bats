#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# grader/tools/pandoc/include.lua: code in slides and docs is taken from the
# files of the course by tag, and a tag that is not there is an error with its
# place.

# shellcheck disable=SC2016 # backquotes are Markdown here

load common

setup() {
    common_setup
    command -v pandoc >/dev/null || skip "pandoc is not installed"
}

# page ATTRIBUTES [OPTION...]: converts a page whose third line is such a block.
page() {
    printf '# A page\n\n```{.cuda %s}\n```\n' "$1" >"$W/page.md"
    shift
    run pandoc -L grader/tools/pandoc/include.lua "$@" "$W/page.md"
}

@test "a region is shown without its markers and its indentation" {
    page 'include="solutions/03-block-clc/block_clc.cu" region="TODO(4)" comments=no' -t markdown
    [ "$status" -eq 0 ]
    [[ $output == *$'{#listing-1 .cpp}\nwhile (!ptx::mbarrier_try_wait'* ]]
    [[ $output == *'`solutions/03-block-clc/block_clc.cu`, TODO(4)'* ]]
    [[ $output != *BEGIN* && $output != *acquire:* ]]
}

@test "of a Markdown page the code under a heading is shown" {
    page 'include="docs/rules/CLC006.md" region="Right" from="__global__" to="__global__" caption=no' -t plain
    [ "$status" -eq 0 ]
    [[ $output == *"__global__ void steal(int *done) {"* ]]
    [[ $output != *CLC006.md* ]]
}

@test "from and to narrow it, mark sets lines off" {
    page 'include="labs/common/lab.h" from="void clclab_prologue" to="}" mark="*value"' \
        -s --metadata title=t -t html
    [ "$status" -eq 0 ]
    [[ $output == *"#listing-1-2 { background"* ]]
    [[ $output != *launch_plan* ]]
}

@test "comments and empty lines can be left out" {
    page 'include="solutions/03-block-clc/block_clc.cu" from="namespace ptx" to="TODO(2)" comments=no' -t plain
    [[ $output == *$'\n\n'*'extern "C"'* ]] || fail "no empty line: $output"
    page 'include="solutions/03-block-clc/block_clc.cu" from="namespace ptx" to="TODO(2)" comments=no blanks=no caption=no' -t plain
    [ "$status" -eq 0 ]
    [[ $output == *$'ptx = cuda::ptx;\n    extern "C"'* && $output != *BEGIN* ]] || fail "$output"
}

@test "lines behind the last can be shown as well" {
    page 'include="labs/common/lab.h" from="extern" nth=3 to="{" more=1 caption=no' -t plain
    [ "$status" -eq 0 ]
    local longer=$output
    page 'include="labs/common/lab.h" from="extern" nth=3 to="{" caption=no' -t plain
    [[ $longer == "$output"* && $(wc -l <<<"$longer") -eq $(($(wc -l <<<"$output") + 1)) ]] || fail "$longer" "$output"
}

@test "of several lines the nth is taken" {
    page 'include="labs/common/lab.h" from="extern" nth=3 to="}" caption=no' -t plain
    [ "$status" -eq 0 ]
    [[ $output == *clclab_prologue* ]]
}

@test "what is not there is an error with the place of the block" {
    local attributes
    for attributes in 'include="labs/none.cu"' \
        'include="labs/common/lab.h" region="TODO(1)"' \
        'include="solutions/03-block-clc/block_clc.cu" region="TODO"' \
        'include="solutions/03-block-clc/block_clc.cu" from="TODO(1)"' \
        'include="labs/common/lab.h" from="float compute_scalar" to="no such text"' \
        'include="labs/common/lab.h" mark="no such text"' \
        'include="labs/common/lab.h" from="extern"' \
        'include="labs/common/lab.h" from="extern" nth=99' \
        'include="docs/rules/CLC006.md" region="Source"' \
        'include="../secret"' 'include="/etc/passwd"' 'region="TODO(1)"'; do
        page "$attributes"
        [ "$status" -eq 1 ]
        [[ $output == "$W/page.md:3: error: "* ]] ||
            fail "$attributes: $output"
    done
}

@test "a fence that is no block of code for Pandoc is an error" {
    page 'include="labs/common/lab.h" from="struct LabSecret {" to="  two blanks"'
    [ "$status" -eq 1 ]
    [[ $output == *"page.md: error: a fence is left in the text: {.cuda include="* ]] || fail "$output"
    page 'include="labs/common/lab.h" from="struct LabSecret {" caption=no' -t plain
    [ "$status" -eq 0 ]
}

@test "the files that were read are written as a rule for make" {
    page 'include="labs/common/lab.h" from="struct LabSecret {"' \
        -M include-deps="$W/page.d" -M include-target=page.html
    [ "$status" -eq 0 ]
    run cat "$W/page.d"
    [ "${lines[0]}" = "page.html: labs/common/lab.h" ]
}
