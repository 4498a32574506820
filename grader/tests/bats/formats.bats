#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Reports for other programs: the same scores in all of them, valid whatever happens, and
# read by readers that others wrote: Debian's xmllint, junitparser and jsonschema with
# SARIF's own schema, and the code with which GitHub writes its commands.

load common
setup() {
    its_turn 2
    common_setup
}

READERS=$ROOT/build/readers
FORMATS='json junit sarif github gradescope classroom autolab html'
WRONG=solutions/03-block-clc/wrong/acquires_only.cu

# needs_reader COMMAND
needs_reader() {
    command -v "$1" >/dev/null || skip "no $1: grader/tools/setup readers"
}

# needs_package NAME: fetched once.
needs_package() {
    [ -d "$READERS/$1" ] || grader/tools/fetch-package "$1" "$READERS/$1" 2>"$W/fetch" ||
        skip "no $1: $(head -n 1 "$W/fetch")"
}

# report FORMAT STATUS ARGUMENT...: the report of clclab with these arguments is in $W/r.FORMAT.
report() {
    local status=0
    clclab "${@:3}" --format "$1" >"$W/r.$1" 2>"$W/err" || status=$?
    [ "$status" -eq "$2" ] || fail "$1: exit status $status, not $2: $(cat "$W/err")"
}

# get FORMAT PATH: a value of that report.
get() {
    "$JSON_GET" "$W/r.$1" "$2"
}

classroom_json() { # classroom_json: what the step's output holds, as $W/r.decoded
    sed -n 's/^result=//p' "$W/r.classroom" | base64 -d >"$W/r.decoded"
}

# score_in FORMAT: the score that the report names.
score_in() {
    case $1 in
    json | gradescope) get "$1" score ;;
    junit) sed -n 's/.*name="score" value="\([0-9.]*\)".*/\1/p' "$W/r.junit" ;;
    sarif) get sarif runs.0.properties.score ;;
    github) sed -n 's/^Lab [0-9]*: score \([0-9.]*\).*/\1/p' "$W/r.github" ;;
    html) sed -n 's/.*class="score [a-z]*">\([0-9.]*\) of .*/\1/p' "$W/r.html" ;;
    autolab)
        tail -n 1 "$W/r.autolab" >"$W/r.last"
        get last scoreboard.0
        ;;
    classroom)
        local i count sum=0
        classroom_json
        count=$(get decoded 'tests.#')
        for ((i = 0; i < count; i++)); do
            sum=$((sum + $(get decoded "tests.$i.score")))
        done
        echo "$sum"
        ;;
    esac
}

expected_status() { # expected_status FORMAT STATUS
    [ "$1" = gradescope ] && echo 0 || echo "$2"
}

# balanced FILE: every element of the HTML ends, within the one that it began in; its
# scripts are ours, and nothing is loaded.
balanced() {
    needs_reader python3
    python3 - "$1" <<'END'
import sys
from html.parser import HTMLParser


class Reader(HTMLParser):
    stack, scripts = [], 0

    def handle_starttag(self, tag, attributes):
        assert not {"src", "onerror", "style"} & {name for name, _ in attributes}, attributes
        self.scripts += tag == "script"
        if tag not in ("meta", "br"):
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag, (tag, self.getpos())


reader = Reader()
reader.feed(open(sys.argv[1], encoding="utf-8").read())
reader.close()
assert not reader.stack and reader.scripts in (0, 2), (reader.stack, reader.scripts)
END
}

# valid FORMAT: the report is what its readers take.
valid() {
    case $1 in
    json | gradescope) "$JSON_GET" "$W/r.$1" '' >/dev/null || fail "$1: not JSON" ;;
    junit)
        xmllint --noout "$W/r.junit" || fail "not XML"
        junitparser merge "$W/r.junit" "$W/merged.xml" || fail "junitparser does not read it"
        ;;
    sarif)
        PYTHONWARNINGS=ignore jsonschema -i "$W/r.sarif" "$READERS"/sarif-schema/lib/schemas/*.json ||
            fail "not SARIF"
        ;;
    github) ! grep -v '^::\(error\|warning\|notice\) \|^Lab \|^and \|^[0-9]* errors, ' "$W/r.github" ||
        fail "a line that is none of ours" ;;
    classroom)
        classroom_json
        [ "$(get decoded version)" = 1 ] || fail "no version"
        ;;
    autolab)
        tail -n 1 "$W/r.autolab" >"$W/r.last"
        tail -n 2 "$W/r.autolab" | head -n 1 >"$W/r.stages"
        get last scores >/dev/null || fail "the last line has no scores"
        [ "$(get stages _presentation)" = semantic ] || fail "no stages"
        ;;
    html) balanced "$W/r.html" || fail "not HTML" ;;
    esac
}

# needs_readers: all of them.
needs_readers() {
    local command
    for command in xmllint junitparser jsonschema; do needs_reader "$command"; done
    needs_package sarif-schema
}

@test "the same score in every format" {
    local format file status
    for file in "$WRONG" "$(solution 3)" labs/03-block-clc/block_clc.cu; do
        status=1
        [ "$file" != "$(solution 3)" ] || status=0
        report json "$status" grade 3 "$file"
        for format in $FORMATS; do
            report "$format" "$(expected_status "$format" "$status")" grade 3 "$file"
            [ "$(score_in "$format")" = "$(score_in json)" ] ||
                fail "$file: $format says $(score_in "$format"), JSON $(score_in json)"
        done
    done
}

@test "each format is valid: right, wrong, not compiled, bytes that are no text" {
    local format file
    needs_readers
    printf 'int x = "\xff\x1b[2J]]>&<\x01" \xc3\x28;\n' >"$W/rejected.cu"
    sed 's/^extern "C" __global__.*/&\
    if (threadIdx.x == 0 \&\& blockIdx.x == 0) printf("\\xff\\x1b[2J]]>\&<\\x01\\n::error::x\\n");/' \
        "$WRONG" >"$W/prints.cu"
    sed -i '1i #include <cstdio>' "$W/prints.cu"
    for file in "$(solution 3)" "$WRONG" "$W/rejected.cu" "$W/prints.cu"; do
        for format in $FORMATS; do
            clclab grade 3 "$file" --format "$format" >"$W/r.$format" 2>"$W/err" || true
            valid "$format"
        done
    done
    holds "$(get json output)" "::error::x"
}

@test "JUnit: counts, and what failed" {
    needs_reader junitparser
    report junit 1 grade 3 "$WRONG"
    cat >"$W/read.py" <<'END'
import sys
from junitparser import JUnitXml
xml = JUnitXml.fromfile(sys.argv[1])
suite = next(iter(xml))
kinds = [c.result[0].__class__.__name__ if c.result else "Passed" for c in suite]
print(suite.tests, suite.failures, suite.errors, suite.skipped)
print(kinds.count("Passed"), kinds.count("Failure"), kinds.count("Skipped"))
print([r.type for c in suite for r in c.result if r.__class__.__name__ == "Failure"])
END
    run /usr/bin/python3 "$W/read.py" "$W/r.junit"
    [ "$output" = "8 1 0 5
2 1 5
['CLC006']" ] || fail "$output"
}

@test "SARIF: the rule, the place, and a fingerprint that outlives other lines" {
    local before
    report sarif 1 grade 3 "$WRONG"
    [ "$(get sarif runs.0.results.0.ruleId)" = CLC006 ] || fail "another rule"
    [ "$(get sarif runs.0.results.0.locations.0.physicalLocation.artifactLocation.uri)" = "$WRONG" ] ||
        fail "another file"
    before=$(get sarif runs.0.results.0.partialFingerprints)
    mkdir -p "$W/$(dirname "$WRONG")"
    (printf '// one\n// two\n' && cat "$WRONG") >"$W/$WRONG"
    (cd "$W" && CLCLAB_ROOT=$ROOT clclab grade 3 "$WRONG" --format sarif >r.sarif) || [ $? -eq 1 ]
    [ "$(get sarif runs.0.results.0.partialFingerprints)" = "$before" ] || fail "it changed"
}

@test "GitHub's annotations are written as GitHub writes them" {
    needs_reader node
    needs_package actions-core
    cp "$WRONG" "$W/a,b:c%.cu"
    (cd "$W" && CLCLAB_ROOT=$ROOT clclab grade 3 'a,b:c%.cu' --format github >r.github) || [ $? -eq 1 ]
    cat >"$W/write.js" <<'END'
const fs = require("fs");
const { issueCommand } = require(process.argv[2] + "/lib/command.js");
const plain = s => s.replace(/%3A/g, ":").replace(/%2C/g, ",").replace(/%0D/g, "\r").replace(/%0A/g, "\n").replace(/%25/g, "%");
for (const line of fs.readFileSync(process.argv[3], "utf8").split("\n")) {
    const parts = line.match(/^::(\w+) (.*?)::(.*)$/);
    if (!parts) continue;
    const properties = {};
    for (const p of parts[2].split(",")) properties[p.slice(0, p.indexOf("="))] = plain(p.slice(p.indexOf("=") + 1));
    if (properties.file !== "a,b:c%.cu") throw new Error("file: " + properties.file);
    issueCommand(parts[1], properties, plain(parts[3]));
}
END
    node "$W/write.js" "$READERS/actions-core" "$W/r.github" >"$W/theirs"
    [ -s "$W/theirs" ] || fail "no annotation"
    diff "$W/theirs" <(grep '^::' "$W/r.github") || fail "written in another way"
}

@test "what is missing is no zero, in any format" {
    local format
    needs_readers
    mkdir "$W/empty"
    for format in $FORMATS; do
        CLCLAB_TOOLKIT=$W/empty report "$format" "$(expected_status "$format" 69)" grade 3 "$WRONG"
        valid "$format"
        holds "$(cat "$W/err")" "toolkit"
    done
    [ "$(get json verdict) $(get json score) $(get json max_score)" = "error null null" ] ||
        fail "JSON: $(get json verdict), score $(get json score) of $(get json max_score)"
    run clclab verify "$W/r.json" "$WRONG"
    holds "$output" "nothing was judged"
    for format in gradescope junit sarif autolab github html; do
        [ -z "$(score_in "$format" 2>/dev/null)" ] || [ "$(score_in "$format")" = "" ] ||
            fail "$format: a score: $(score_in "$format")"
    done
    holds "$(cat "$W/r.gradescope")" "Nothing was judged, and this is no zero"
    holds "$(cat "$W/r.github")" "the grader itself failed"
    [ "$(get sarif runs.0.invocations.0.executionSuccessful)" = false ] || fail "SARIF"
    [ "$(get decoded status)" = error ] || fail "Classroom"
}

@test "a grader that is killed leaves a valid report, which the next grade replaces" {
    local format
    needs_readers
    for format in json junit sarif gradescope html; do
        rm -f "$W/r.$format"
        "$CLCLAB" grade 3 "$(solution 3)" --format "$format" --out "$W/r.$format" --schedules 100000 2>"$W/err" &
        until [ -s "$W/r.$format" ]; do kill -0 $! || fail "it ended: $(cat "$W/err")"; done
        kill -KILL $!
        wait $! || true
        valid "$format"
        holds "$(cat "$W/r.$format")" "was ended before it had judged"
    done
    report json 1 grade 3 "$WRONG"
    clclab grade 3 "$WRONG" --format gradescope --out "$W/r.gradescope"
    [ "$(get gradescope score)" = "$(get json score)" ] || fail "the report was not replaced"
}

@test "a run: JUnit, SARIF and annotations for continuous integration" {
    local format
    needs_readers
    for format in junit sarif github; do
        report "$format" 1 run docs/examples/row_sums_wrong.cu --grid 40 --block 32 \
            --arg buf:16000:iota32 --arg buf:160 --arg i32:100
        valid "$format"
    done
    holds "$(cat "$W/r.github")" "::error file=docs/examples/row_sums_wrong.cu,line="
    holds "$(cat "$W/r.junit")" "<failure message="
}
