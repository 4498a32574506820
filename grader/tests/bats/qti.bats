#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Quizzes as QTI: what another reader of XML finds in them is what the quiz and its key say.

# shellcheck disable=SC2001 # sed is shorter
load common
setup() {
    common_setup
    type xmllint >/dev/null 2>&1 || skip "no xmllint"
}

# at NUMBER PATH: the texts that XPath finds in a question, on one line
at() {
    local path="//*[local-name()='item'][$1]//$2"
    xmllint --xpath "$(sed "s/q:\\([a-z_]*\\)/*[local-name()='\\1']/g" <<<"$path")/text()" "$W/quiz.xml" |
        tr '\n' '|'
}

# given QUIZ NUMBER: the question in quiz.md
given() {
    awk -v n="$2" '/^## / { here = ($2 == n ".") } here' "$1"
}

@test "each answer marked right is the key's, of each question of each lab" {
    local quiz folder number answer kind right ways questions=0
    for quiz in labs/[0-9]*/quiz.md; do
        folder=$(basename "$(dirname "$quiz")")
        clclab quiz "$folder" --format qti >"$W/quiz.xml" || fail "$folder"
        xmllint --noout "$W/quiz.xml" || fail "$folder: it is no XML"
        while IFS=: read -r number answer; do
            questions=$((questions + 1))
            kind=$(given "$quiz" "$number" | sed -n '1s/.*(\(.*\))$/\1/p')
            ways=$(sed 's/^ *//; s/ *$//; s/ *| */|/g' <<<"$answer")
            case $kind in
            choice)
                right=$(at "$number" "q:varequal")
                [ "$(at "$number" "q:fieldentry" | cut -d '|' -f 1)" = multiple_choice_question ] || fail "$folder $number"
                ;;
            "multiple choice") right=$(at "$number" "q:and/q:varequal" | tr '|' ' ') ;;
            "order the lines")
                right=$(at "$number" "q:varequal" | tr '|' '\n' | grep -v , | tr '\n' '|')
                at "$number" "q:varequal" | tr '|' '\n' | grep -qx "$(sed 's/|.*//; s/ /,/g' <<<"$ways")" ||
                    fail "$folder $number: commas"
                ;;
            "find the line") right=$(at "$number" "q:varequal") ;;
            *) fail "$folder $number: $kind" ;;
            esac
            right=$(sed 's/[ |]*$//' <<<"$right")
            [ "$right" = "$ways" ] || fail "$folder $number: $right, not $ways"
            [ "$(xmllint --xpath "count(//*[local-name()='item'][$number]//*[local-name()='response_label'][@ident!='answer1'])" "$W/quiz.xml")" = \
                "$(given "$quiz" "$number" | grep -c '^- [a-h]) ')" ] || fail "$folder $number: options"
        done < <(grep -E '^[0-9]+:' "solutions/$folder/quiz.txt")
    done
    [ "$questions" -gt 80 ] || fail "only $questions questions"
}

@test "options and code are as in the quiz; without the key there is nothing" {
    clclab quiz 4 --format qti >"$W/quiz.xml"
    holds "$(at 2 "q:response_label[2]//q:mattext")" '&lt;p&gt;17&lt;/p&gt;'
    at 5 "q:mattext" >"$W/find"
    holds "$(<"$W/find")" 'bx * blockDim.x &amp;gt;= n'
    holds "$(<"$W/find")" '&lt;pre&gt;'

    lacks "$(at 2 "q:presentation/q:material/q:mattext")" "17"
    mkdir -p "$W/course/build"
    cp -r labs "$W/course/"
    usage=0
    clclab quiz 4 --format qti --root "$W/course" >"$W/out" 2>"$W/err" || usage=$?
    [ "$usage" -eq 69 ] || fail "exit status $usage"
    [ ! -s "$W/out" ] || fail "it printed something"
}

@test "the package has a manifest that names each quiz" {
    type zip unzip >/dev/null 2>&1 || skip "no zip"
    LAB=3 run grader/tools/make-qti "$CLCLAB" "$W/q.zip"
    [ "$status" -eq 0 ] || fail "exit status $status"
    unzip -q "$W/q.zip" -d "$W/q"
    xmllint --noout "$W/q/imsmanifest.xml" "$W/q/clclab03/clclab03.xml" || fail "no XML"
    holds "$(<"$W/q/imsmanifest.xml")" 'href="clclab03/clclab03.xml"'
    LAB=77 run grader/tools/make-qti "$CLCLAB" "$W/r.zip"
    [ "$status" -eq 2 ] || fail "exit status $status"
}
