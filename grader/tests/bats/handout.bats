#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The course as it is handed out: nothing in it gives a lab away, and the labs
# can be graded in it.

load common

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || return 1
    export HANDOUT=$BATS_FILE_TMPDIR/clclab-handout
    grader/tools/make-handout "$HANDOUT.tar.gz" || return 1
    tar -C "$BATS_FILE_TMPDIR" -xzf "$HANDOUT.tar.gz"
}

setup() { common_setup; }

@test "the handout has the labs and the grader, and no solutions, answers or tests" {
    local folder found
    for folder in labs/[0-9]*/ labs/common/; do
        [ -d "$HANDOUT/$folder" ] || fail "no $folder"
    done
    [ -f "$HANDOUT/grader/cli/main.c" ] || fail "no grader"
    found=$(cd "$HANDOUT" && find . -name 'solutions' -o -name 'wrong' -o \
        -name 'tests' -o -name 'bench' -o -name 'slides' -o -name 'quiz.txt' -o \
        -name 'quiz-answers.txt' -o -path '*labs/clinic*' -o -name 'row_*' -o -name '.git*')
    [ -z "$found" ] || fail "it has: $found"
    found=$(cd "$HANDOUT/grader" && find . -type d | grep -E '/([^/]+)/\1$' || true)
    [ -z "$found" ] || fail "a folder is there twice: $found"
}

@test "the clinic's cases are handed out where that is asked for" {
    its_turn 2
    [ ! -e "$HANDOUT/labs/clinic" ] || fail "they are there"
    CLINIC=yes grader/tools/make-handout "$W/with.tar.gz" || fail "make-handout"
    tar -tzf "$W/with.tar.gz" >"$W/list"
    grep -q 'labs/clinic/01-.*\.cu' "$W/list" || fail "they are not there"
    lacks "$(cat "$W/list")" "solutions"
    tar -C "$W" -xzf "$W/with.tar.gz"
    holds "$(make --no-print-directory -C "$W/clclab-handout" help)" "make clinic"
    holds "$(cat "$W/clclab-handout/docs/clclab.1.md")" "**clclab clinic**"
    lacks "$(cat "$W/clclab-handout/docs/clclab.1.md")" "<!--"
}

@test "some labs alone, without hints: nothing names what is not there" {
    its_turn 2
    local top=$W/clclab-handout page
    LABS="1-2, 4" HINTS=no grader/tools/make-handout "$W/few.tar.gz" || fail "make-handout"
    tar -C "$W" -xzf "$W/few.tar.gz"
    [ "$(cd "$top/labs" && echo *)" = "01-fixed-work 02-grid-stride 04-cluster-clc common" ] ||
        fail "$(ls "$top/labs")"
    [ -z "$(find "$top" -name hints.md)" ] || fail "hints are there"
    for page in "$top/README.md" "$top"/docs/getting-started.md "$top"/labs/*/README.md; do
        lacks "$(<"$page")" "hint"
        lacks "$(<"$page")" "<!-- with"
        lacks "$(<"$page")" "](../03-"
        lacks "$(<"$page")" "](../labs/03-"
    done
    run env CLCLAB_ROOT="$top" "$CLCLAB" hint 4
    [ "$status" -eq 69 ] || fail "exit status $status"
    holds "$output" "has no hints"
    run env CLCLAB_ROOT="$top" "$CLCLAB" grade 4 --color never
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "mend in"
    lacks "$output" "clclab hint"
    run env CLCLAB_ROOT="$top" "$CLCLAB"
    lacks "$output" "clclab hint"
}

@test "what LABS, HINTS and CLINIC cannot be is said" {
    local labs
    for labs in 0 4-2 x "1 -" 1-100 42; do
        run env LABS="$labs" grader/tools/make-handout "$W/none.tar.gz"
        [ "$status" -eq 2 ] || fail "LABS=$labs: exit status $status"
        holds "$output" "make handout: LABS"
    done
    for labs in HINTS CLINIC; do
        run env $labs=maybe grader/tools/make-handout "$W/none.tar.gz"
        [ "$status" -eq 2 ] || fail "$labs: exit status $status"
        holds "$output" "$labs is yes or no, not maybe"
    done
    [ ! -e "$W/none.tar.gz" ] || fail "it was made"
}

# The lines between BEGIN and END of a solution that are code, are of some
# length, and are not in the starter: without the blanks round them.
lines_of_solution() {
    local file=$1 starter=${1/#solutions/labs}
    sed -n '/ BEGIN TO''DO(/,/ END TO''DO(/p' "$file" | sed 's/^ *//; s/ *$//' |
        grep -v '^//' | awk 'length >= 48' |
        grep -vxFf <(sed 's/^ *//; s/ *$//' "$starter") | sort -u
}

@test "no line of a solution is anywhere in it, but in hints and quizzes" {
    local file line lab count=0 later
    local -A asked=() # lines of labs before: they may be in what follows those
    for file in solutions/[0-9]*/*.cu; do
        lab=$(basename "$(dirname "$file")")
        while IFS= read -r line; do
            [ -z "${asked[$line]:-}" ] || continue
            asked[$line]=yes
            ((count += 1))
            while IFS= read -r found; do
                found=${found#"$HANDOUT/"}
                later=${found#labs/}
                later=${later%%/*}
                # A later lab may build on this one.
                [[ $found == labs/* && $later > $lab ]] ||
                    fail "$found has of $file: $line"
            done < <(grep -rlF --exclude=hints.md --exclude=quiz.md \
                --exclude-dir=common -e "$line" "$HANDOUT")
        done < <(lines_of_solution "$file")
    done
    [ "$count" -ge 20 ] || fail "only $count lines were looked for"
}

# Of a rule's kernel, the lines that it is about may ask and look.
@test "no page of it shows a whole loop of requests" {
    local page
    while IFS= read -r page; do
        awk -v part="$([[ $page != */rules/* ]] || echo yes)" '
            /^```/ {
                if (inside && asks && looks && (!part || waits && whole)) exit 1
                inside = !inside
                asks = waits = looks = whole = 0
            }
            inside && /try_cancel/ { asks = 1 }
            inside && /try_wait/ { waits = 1 }
            inside && /query_cancel/ { looks = 1 }
            inside && /__global__|for \(/ { whole = 1 }' "$page" ||
            fail "$page shows one"
    done < <(find "$HANDOUT/docs" "$HANDOUT/README.md" -name '*.md')
}

@test "the page of a rule shows the lines that matter, wrong and right" {
    local page code
    for page in "$HANDOUT"/docs/rules/[A-Z]*.md; do
        code=$(basename "$page" .md)
        [ "$code" != README ] || continue
        [ "$(grep -c '^```cuda' "$page")" -eq 2 ] || fail "$code: not two blocks"
        grep -q "// <- $code\$" "$page" || fail "$code: not the line to blame"
    done
    run sed -n '/^## Right/,$p' "$HANDOUT/docs/rules/CLC006.md"
    holds "$output" "fence_proxy_async(space_shared);"
    lacks "$output" "mbarrier_init("
    holds "$(cat "$HANDOUT/labs/09-raw-ptx/README.md")" "release         all threads"
}

@test "no link of it leads out of it" {
    cp grader/tools/check-docs "$HANDOUT/grader/tools/"
    cp docs/words.txt docs/handbook.txt "$HANDOUT/docs/"
    cd "$HANDOUT" || return
    run grader/tools/check-docs
    rm grader/tools/check-docs docs/words.txt docs/handbook.txt
    holds "$output" "ok 1 - links"
    lacks "$output" "not ok 1 - links"
    lacks "$output" "not ok 2 - images"
}

# The code of a page, a piece a line: what stands between backquotes, and the lines
# of blocks, those that end in a backslash with the next.
code_in() { # code_in PAGE
    sed 's/<!--.*-->//' "$1" | awk '
        function spans(text, parts, count, i) {
            count = split(text, parts, "`")
            for (i = 2; i <= count; i += 2) print parts[i]
        }
        /^ *```/ { inside = !inside; spans(paragraph); paragraph = ""; next }
        inside || /^    / {
            line = line $0
            if (sub(/\\$/, " ", line)) next
            print line
            line = ""
            if (!inside) paragraph = paragraph " " $0
            next
        }
        /^$/ { spans(paragraph); paragraph = ""; next }
        { paragraph = paragraph " " $0 }
        END { spans(paragraph) }' | sed 's/  */ /g'
}

pages_of_handout() { find "$HANDOUT" -name '*.md' | sort; }

@test "each target of make that it names is there, and takes the variables" {
    local page piece target variable help count=0
    help=$(make --no-print-directory -C "$HANDOUT" help)
    lacks "$help" "clinic"
    lacks "$help" "solutions"
    while IFS= read -r page; do
        while IFS= read -r piece; do
            target=$(sed -E 's/.*make ([a-z-]+).*/\1/' <<<"$piece")
            grep -q "^  make $target " <<<"$help" || fail "$page: $piece: no make $target"
            while IFS= read -r variable; do
                grep "^  make $target " <<<"$help" | grep -qF "$variable" ||
                    fail "$page: $piece: make $target takes no $variable"
            done < <(grep -oE '\b[A-Z_]+=' <<<"$piece")
            ((count += 1))
        done < <(code_in "$page" | grep -E '^ *(\$ )?make [a-z]')
    done < <(pages_of_handout)
    [ "$count" -ge 20 ] || fail "only $count were found"
}

# Words of the help of a command that begin with "--"; of all of them.
options_of() { # options_of COMMAND
    clclab "$1" --help | grep -oE '(^|[^a-zA-Z-])--[a-z][a-z-]*' | grep -oE -e '--.*'
}

@test "each command and option of clclab that it names is there" {
    its_turn 2
    local page piece command commands options count=0
    # The cases of the clinic are not handed out.
    commands=$(clclab help | sed -nE 's/^  ([a-z]+)( .*)?$/\1/p' | grep -vx clinic | tr '\n' ' ')
    [ "$(wc -w <<<"$commands")" -ge 14 ] || fail "only these commands: $commands"
    for command in $commands; do
        options+=$'\n'$(options_of "$command")$'\n'
    done
    while IFS= read -r page; do
        while IFS= read -r piece; do
            command=${piece##*clclab }
            [[ " $commands " == *" $command "* ]] || fail "$page: $piece: no $command"
            ((count += 1))
        done < <({ code_in "$page"; grep -oE '\*\*clclab [a-z]+' "$page"; } |
            grep -oE '(^|[ /*])clclab [a-z]+')
        while IFS= read -r piece; do
            [[ $options == *$'\n'"$piece"$'\n'* ]] || fail "$page: no option $piece"
            [ "$piece" != --solutions ] || fail "$page: $piece is of no use"
        done < <({ code_in "$page" | grep -E 'clclab|^ ?--'; grep -oE '\*\*--[a-z-]+' "$page"; } |
            grep -oE '(^|[ *[])--[a-z][a-z-]+' | grep -oE -e '--.*')
    done < <(pages_of_handout)
    [ "$count" -ge 30 ] || fail "only $count were found"
}

@test "each file and folder of the course that it names is there, or said to be missing" {
    local page path count=0
    while IFS= read -r page; do
        while IFS= read -r path; do
            ((count += 1))
            [ -e "$HANDOUT/$path" ] || grep -qF "($path is not in the handout.)" "$page" ||
                fail "$page: no $path"
        done < <(sed 's/<!--.*-->//' "$page" |
            grep -oE '(^|[ `"(])(docs|labs|solutions|slides|grader)/[A-Za-z0-9_./-]*[A-Za-z0-9_]' |
            sed 's/^[^a-z]//' | sort -u)
    done < <(pages_of_handout)
    [ "$count" -ge 30 ] || fail "only $count were found"
}

@test "each quiz of it says who grades it, and is still a quiz" {
    local quiz number
    for quiz in "$HANDOUT"/labs/[0-9]*/quiz.md; do
        number=$(sed -n '1s/^# Quiz \([0-9]*\):.*/\1/p' "$quiz")
        grep -qF '**Your instructor grades it**' "$quiz" || fail "$quiz does not say it"
        grep -qF "\`make quiz LAB=$number\`" "$quiz" || fail "$quiz: not its number"
        echo '1: a' >"$W/answers.txt"
        run clclab quiz "$number" "$W/answers.txt" --root "$HANDOUT"
        [ "$status" -eq 69 ] || fail "$quiz: exit status $status"
    done
    lacks "$(cat labs/03-block-clc/quiz.md)" "instructor"
}

@test "a link to a page that is not handed out is an error" {
    its_turn 2
    mkdir -p "$W/tree"
    cp -r Makefile LICENSE docs labs solutions grader "$W/tree/"
    echo 'See [the errata](../docs/errata.md).' >>"$W/tree/labs/01-fixed-work/README.md"
    run "$W/tree/grader/tools/make-handout" "$W/out.tar.gz"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "labs/01-fixed-work/README.md: error: ../docs/errata.md is not in a handout"
    [ ! -e "$W/out.tar.gz" ] || fail "there is a tarball"
}

# What this tree has compiled, from sources with the same text, is not compiled again:
# it comes along, and the sources get their dates here.
take_objects() {
    (cd "$HANDOUT" && find grader labs -type f ! -name not-here.mk -print0) |
        xargs -0 cp --parents --attributes-only --preserve=timestamps -t "$HANDOUT" || return
    mkdir -p "$HANDOUT/build"
    [ ! -d build/obj ] || cp -a build/obj build/flags build/objects "$HANDOUT/build/"
}

# From the .d files, the headers that the objects of the handout are made of.
headers_of_objects() {
    tr ' ' '\n' <"$HANDOUT/build/objects" | sed "s|^|$HANDOUT/|; s|o\$|d|" | xargs cat |
        sed -n 's/^\([^ ]*\):$/\1/p' | sort -u
}

@test "make grade LAB=1 works in it; tests and solutions say that they are not there" {
    its_turn 2
    local header target
    take_objects || fail "objects"
    cd "$HANDOUT" || return
    run timeout -k 5 "$PATIENCE" make --no-print-directory grade LAB=1
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" "Lab 1: One element per thread"
    holds "$output" "FAIL"
    holds "$output" "labs/01-fixed-work/fixed_work.cu:"
    headers_of_objects >"$W/headers"
    [ "$(wc -l <"$W/headers")" -ge 100 ] || fail "$(wc -l <"$W/headers") headers"
    while IFS= read -r header; do
        [ -f "$header" ] || fail "$header is not in it"
    done <"$W/headers"
    cp "$ROOT/$(solution 1)" "$W/mine.cu"
    run build/clclab grade 1 "$W/mine.cu"
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "Score: 100/100"

    run build/clclab grade 1 --solutions
    [ "$status" -ne 0 ] || fail "it graded a solution"
    holds "$output" "No such file"
    run build/clclab hint 1 2
    [ "$status" -eq 0 ] || fail "exit status $status of hint"
    run build/clclab explain CLC006
    [ "$status" -eq 0 ] || fail "exit status $status of explain"
    holds "$output" "// <- CLC006"
    echo '1: a' >"$W/answers.txt"
    run build/clclab quiz 3 "$W/answers.txt"
    [ "$status" -eq 69 ] || fail "exit status $status of the quiz: is its key there?"
    for target in test check-labs lint docs slides handout; do
        run make --no-print-directory "$target"
        [ "$status" -eq 2 ] || fail "make $target: exit status $status"
        holds "$output" "make $target: not part of a handout"
    done
}

@test "a starter that was filled in is not handed out" {
    its_turn 2
    mkdir -p "$W/tree"
    cp -r Makefile LICENSE docs labs solutions grader "$W/tree/"
    cp solutions/03-block-clc/block_clc.cu "$W/tree/labs/03-block-clc/"
    run "$W/tree/grader/tools/make-handout" "$W/out.tar.gz"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "labs/03-block-clc/block_clc.cu: error: it has what a solution has"
    [ ! -e "$W/out.tar.gz" ] || fail "there is a tarball"
}

@test "the same tree gives the same tarball" {
    its_turn 2
    grader/tools/make-handout "$W/again.tar.gz"
    cmp "$W/again.tar.gz" "$HANDOUT.tar.gz"
}
