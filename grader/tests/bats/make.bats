#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The makefile as a learner uses it, and the scripts behind it.

load common
setup() { common_setup; }

quiet_make() {
    timeout -k 5 "$PATIENCE" make --no-print-directory "$@"
}

@test "make help lists the targets of all parts, first the six that a learner needs" {
    run quiet_make help
    [ "$status" -eq 0 ] || fail "exit status $status"
    for target in all grade test lint check-labs bench docs setup help clean; do
        [ "$(grep -c "^  make $target " <<<"$output")" -eq 1 ] || fail "$target"
    done
    [ "$(sed '/^$/Q' <<<"$output" | awk '{ printf "%s ", $2 }')" = \
        "begin grade watch report quiz reset test " ] || fail "the first group"
    # A blank line, a heading, and at least one target under it: nothing else.
    awk '/^$/ { getline; if (!/^[A-Z]/) exit 1; getline; if (!/^  make /) exit 1; groups++; next }
        NR > 1 && !/^  make [a-z-]+ +[^ ]/ { exit 1 }
        END { if (groups < 5) exit 1 }' <<<"$output" || fail "groups: $output"
    [ "$(grep -c '^  make' <<<"$output")" -eq "$(cat Makefile grader/make/*.mk |
        grep -cE '^[a-z-]+:.*[^#]## ')" ] || fail "some are missing"
}

@test "make grade FROM=solutions prints the report, alone, and exits 0" {
    run --separate-stderr quiet_make grade LAB=4 FROM=solutions
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "100/100"
    clclab grade 4 "$(solution 4)" >"$W/direct"
    diff <(echo "$output") "$W/direct" || fail "more than the report"
    [ -z "$stderr" ] || fail "stderr: $stderr"
}

@test "make grade of a starter adds one line of make's to the report" {
    run --separate-stderr quiet_make grade LAB=1
    [ "$status" -eq 2 ] || fail "exit status $status"
    [ "$(wc -l <<<"$stderr")" -eq 1 ] || fail "stderr: $stderr"
    holds "$stderr" "Error 1"
}

@test "make grade passes its variables on" {
    run quiet_make grade LAB=3 FROM=solutions SEED=7 SCHEDULES=2 FORMAT=json \
        DEVICE=vm MODEL=b200
    [ "$status" -eq 0 ] || fail "exit status $status"
    echo "$output" >"$W/r.json"
    [ "$(json seed) $(json schedules) $(json gpu_model)" = "7 2 b200" ] ||
        fail "$(json seed) $(json schedules) $(json gpu_model)"
}

@test "make grade takes a file whose name has blanks and quotes" {
    local file="$W/it's mine.cu"
    cp "$(solution 1)" "$file"
    run quiet_make grade LAB=1 FILE="$file"
    [ "$status" -eq 0 ] || fail "exit status $status"
}

@test "make grade with a file and without LAB says what to write" {
    run quiet_make grade FILE=x.cu
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" "make grade LAB=4"
}

@test "make grade with FILE and FROM says to choose" {
    run quiet_make grade LAB=1 FILE=x.cu FROM=solutions
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" "FILE or FROM"
}

# ---- building ------------------------------------------------------------

need_build() {
    [ -e build/obj/grader/cli/main.o ] || skip "nothing is built in build/"
}

@test "make takes a lab, and a rule, that is gone out of the program" {
    its_turn 3
    need_build
    mkdir -p "$W/tree/build"
    cp -a Makefile grader labs docs "$W/tree/"
    cp -a build/{obj,gen,clclab,libclclab.a,flags,objects} "$W/tree/build/"
    rm -r "$W"/tree/labs/04-* "$W/tree/docs/rules/CLC006.md"
    run quiet_make -C "$W/tree"
    [ "$status" -eq 0 ] || fail "exit status $status"
    lacks "$(nm "$W/tree/build/clclab" "$W/tree/build/libclclab.a" 2>&1)" cluster_clc_reference
    run env -C "$W/tree" build/clclab list
    [ "$status" -eq 0 ] || fail "exit status $status"
    lacks "$output" cluster_clc
    run env -C "$W/tree" build/clclab explain CLC006
    [ "$status" -ne 0 ] || fail "the rule is still there"
    run quiet_make -C "$W/tree"
    lacks "$output" LINK
}

# Tests call make while others run what it has built, and may set a locale. (Without
# compilers: nothing is made.)
@test "a make in another locale finds nothing to link" {
    local list
    quiet_make -npq CC=true >"$W/database" 2>/dev/null || true
    for list in OBJECTS LAB_CONFS RULE_PAGES HASHED; do
        sed -n "s/^$list := //p" "$W/database" | tr ' ' '\n' | grep . >"$W/list"
        [ "$(wc -l <"$W/list")" -ge 10 ] || fail "$list: $(cat "$W/list")"
        LC_ALL=C sort -c "$W/list" || fail "$list is not sorted"
    done
}

@test "while a program is linked, and if that fails, the old one is there" {
    need_build
    mkdir -p "$W/tree/build"
    cp -a Makefile grader labs docs "$W/tree/"
    cp -a build/{obj,gen,clclab,libclclab.a,flags,objects} "$W/tree/build/"
    # A linker that writes half a file, and says who can be run meanwhile.
    cat >"$W/linker" <<END
#!/bin/sh
while [ "\$1" != -o ]; do shift; done
echo half >"\$2"
"$W/tree/build/clclab" version || echo "it is not there"
exit 1
END
    chmod +x "$W/linker"
    sed -i "s|^LINK = \$(COMPILER)|LINK = $W/linker|" "$W/tree/grader/make/build.mk"
    touch "$W/tree/build/libclclab.a"
    run quiet_make -C "$W/tree"
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$output" "LINK  build/clclab"
    holds "$output" "clclab 0."
    run "$W/tree/build/clclab" version
    [ "$status" -eq 0 ] || fail "exit status $status"
}

@test "a program that was built for other processors says so" {
    need_build
    command -v gcc >/dev/null || skip "no gcc"
    gcc -std=c11 -D_GNU_SOURCE -Igrader -c -o "$W/isa.o" -DVM_ISAS='LEVEL(v9)' \
        "$(find grader/vm -name isa.c)"
    echo 'const char vm_isa_v9[1];' >"$W/v9.c"
    gcc -o "$W/clclab" build/obj/grader/cli/main.o "$W/isa.o" "$W/v9.c" build/libclclab.a -ldl -lm
    run "$W/clclab" grade 1 "$(solution 1)" --root "$ROOT" --device vm
    [ "$status" -eq 69 ] || fail "exit status $status"
    holds "$output" "this clclab was built for a newer processor; build it on this machine with make"
}

# ---- the tools of the tests themselves -----------------------------------

@test "run-tests counts, and notices what dies or stops early" {
    cat >"$W/good" <<'END'
#!/bin/sh
printf '1..3\nok 1 - a\nok 2 - b # SKIP no GPU\nok 3 - c\n'
END
    cat >"$W/bad" <<'END'
#!/bin/sh
printf '1..4\nok 1 - a\nnot ok 2 - b\n# because\n'
kill -9 $$
END
    cat >"$W/mute" <<'END'
#!/bin/sh
exit 0
END
    cat >"$W/late" <<'END'
#!/bin/sh
printf '1..1\nok 1 - a\n'
exit 3
END
    chmod +x "$W"/{good,bad,mute,late}
    run grader/tools/run-tests --out "$W/out" "$W/good"
    [ "$status" -eq 0 ] || fail "exit status $status"
    [ "${lines[-1]}" = "2 passed, 0 failed, 1 skipped" ] || fail "${lines[-1]}"
    run grader/tools/run-tests --out "$W/out" "$W/good" "$W/bad" "$W/mute" "$W/late"
    [ "$status" -eq 1 ] || fail "exit status $status"
    [ "${lines[-1]}" = "4 passed, 5 failed, 1 skipped" ] || fail "${lines[-1]}"
    holds "$output" "because"
    run grader/tools/run-tests --out "$W/out"
    [ "$status" -eq 1 ] || fail "no test at all passed"
}

@test "json-get takes JSON and nothing else" {
    printf '{"a": [1, {"id": "q", "v": "x\\u0041"}, -1.5e3, true, null], "b": {}}' >"$W/r.json"
    [ "$(json a.0) $(json a.q.v) $(json 'a.#') $(json b) $(json a.2)" = \
        '1 x\u0041 5 {} -1.5e3' ]
    run json a.9
    [ "$status" -eq 3 ] || fail "exit status $status"
    run --separate-stderr "$JSON_GET" "$W/r.json" a.0 a.9 a.q.v
    [ "$output" = $'1\n\nx\\u0041' ] || fail "a path that is not there shifts lines"
    for bad in '{' '{"a":01}' '[1,]' '' '1 2' '{"a" 1}' 'nul' '"\q"' '[1' \
        $'"\xff"' $'"\n"' '{"a":1,}' '+1' '.5' '"abc'; do
        printf '%s' "$bad" >"$W/r.json"
        run "$JSON_GET" "$W/r.json"
        [ "$status" -eq 1 ] || fail "taken: $bad"
    done
}

# rooms ROW...: makes the rooms below $W/g, and $W/rooms.md, their table.
rooms() {
    local row
    printf '| room | its headers | may include | never |\n|---|---|---|---|\n' >"$W/rooms.md"
    for row; do
        echo "$row" >>"$W/rooms.md"
        row=${row#| }
        mkdir -p "$W/g/${row%% *}" "$W/o/${row%% *}"
    done
}

layers() { # without objects
    run grader/tools/check-layers "$W/g" "" "$W/rooms.md"
}

layers_of_objects() { # with those of all sources
    local file
    command -v gcc >/dev/null || skip "no gcc"
    for file in $(cd "$W/g" && find . -name '*.c'); do
        gcc -c -fPIE -w -I "$W/g" -o "$W/o/${file%.c}.o" "$W/g/$file"
    done
    run grader/tools/check-layers "$W/g" "$W/o" "$W/rooms.md"
}

@test "check-layers finds each kind of violation" {
    rooms '| base/ | base.h | libc | |' '| ptx/ | ptx.h | base | |' \
        '| vm/ | vm.h | base, ptx | |' '| check/ | check.h, a.h | base | |'
    echo 'void *f(void) { return malloc(1); }' >"$W/g/base/a.c"
    layers
    [ "$status" -eq 0 ] || fail "base may allocate"
    echo '#include "check/check.h"' >"$W/g/vm/a.c"
    echo '#include "internal.h"' >"$W/g/vm/b.c"
    printf '#include "ptx/ptx.h"\n#include "vm/any.h"\n#include "ptx/lex.h"\n' >"$W/g/vm/c.c"
    echo 'int g(void) { printf("x"); return 0; } // exit(' >"$W/g/check/a.c"
    echo 'void h(void) { exit(1); }' >"$W/g/check/b.c"
    echo 'void h(void *p) { free(p); heap_free(p); x->free(p); my_free(p); }' >"$W/g/ptx/a.c"
    mkdir "$W/g/odd" && echo >"$W/g/odd/a.c" && echo >"$W/g/odd/b.c"
    layers
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" 'vm/a.c:1: error: vm/ may not include "check/check.h"'
    holds "$output" 'vm/b.c:1: error: write "vm/internal.h"'
    holds "$output" 'vm/c.c:3: error: vm/ may not include "ptx/lex.h"'
    holds "$output" 'check/a.c:1: error: only cli/ prints'
    holds "$output" 'check/b.c:1: error: only cli/ exits'
    holds "$output" 'ptx/a.c:1: error: only base/ allocates'
    holds "$output" 'odd/: error: an unknown room'
    [ "${#lines[@]}" -eq 7 ] || fail "more: $output"
}

@test "check-layers: a room in a room has a row and rules of its own" {
    rooms '| base/ | base.h | libc | |' '| vm/code/ | *.h | base | |' \
        '| vm/order/ | order.h | base, vm/code | |' '| vm/ | vm.h | base, vm/order/order.h | |' \
        '| cli/pages/ | pages.h | all | |'
    echo 'int p(void) { return printf("x"); }' >"$W/g/cli/pages/a.c"
    echo '#include "vm/code/any.h"' >"$W/g/vm/order/a.c"
    echo '#include "vm/order/order.h"' >"$W/g/vm/a.c"
    layers
    [ "$status" -eq 0 ] || fail "what the rows allow"
    echo '#include "vm/order/order.h"' >"$W/g/vm/code/a.c"
    echo '#include "vm/vm.h"' >"$W/g/vm/order/b.c"
    echo '#include "vm/code/any.h"' >"$W/g/vm/b.c"
    echo 'void h(void) { exit(1); }' >"$W/g/vm/order/c.c"
    mkdir "$W/g/vm/time" && echo >"$W/g/vm/time/a.c"
    layers
    holds "$output" 'vm/code/a.c:1: error: vm/code/ may not include "vm/order/order.h"'
    holds "$output" 'vm/order/b.c:1: error: vm/order/ may not include "vm/vm.h"'
    holds "$output" 'vm/b.c:1: error: vm/ may not include "vm/code/any.h"'
    holds "$output" 'vm/order/c.c:1: error: only cli/ exits'
    holds "$output" 'vm/time/: error: an unknown room'
    [ "${#lines[@]}" -eq 5 ] || fail "more: $output"
}

@test "each file looks only into the views of an instruction that are its own" {
    mkdir -p "$W/vm/code" "$W/vm/exec"
    printf '%s\n' '//   view     of      used by vm/...' '//   compare  setp    exec/compare.c' \
        '//   call     call    exec/control.c' '//                     any(has_call)' \
        '//   video    vadd4   exec/video.c' >"$W/vm/code/instr.h"
    echo 'int f(const VmInstr *in) { return in->compare.yes; }' >"$W/vm/exec/compare.c"
    echo 'int g(Step *s, VmInstr *load) { return !s->in->call + load->video.a; }' >"$W/vm/exec/video.c"
    views() { run awk -f grader/tools/views.awk "$W/vm/code/instr.h" "$W"/vm/exec/*.c; }
    views
    [ "$status" -eq 0 ] || fail "right ones: $output"
    echo 'int h(VmInstr *load) { return load->compare.yes; }' >"$W/vm/exec/other.c"
    echo 'int k(Step *s) { return s->in->video.a; } // in->compare' >"$W/vm/exec/some.c"
    echo 'int m(Other *o, VmCluster *load) { return load->compare.yes; }' >"$W/vm/exec/third.c"
    views
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" 'vm/exec/other.c:1: error: the view compare of an instruction is not for this file'
    holds "$output" 'vm/exec/some.c:1: error: the view video of an instruction is not for this file'
    [ "${#lines[@]}" -eq 2 ] || fail "more: $output"
    rm "$W/vm/exec/compare.c" "$W/vm/exec/other.c" "$W/vm/exec/some.c"
    views
    [ "$status" -eq 1 ] || fail "a view that nothing uses: exit status $status"
    holds "$output" 'vm/code/instr.h:2: error: nothing uses the view compare'
}

@test "check-layers holds the table of the rooms to its order and to the folders" {
    rooms '| base/ | base.h | libc | |' '| vm/ | vm.h | base, ptx/ptx.h | |' \
        '| ptx/ | ptx.h | base | |'
    echo '| batch/ | | base | |' >>"$W/rooms.md"
    layers
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" 'rooms.md:4: error: vm/ names ptx, which has no row above it'
    holds "$output" 'rooms.md:6: error: batch/ has a row and is not there'
    [ "${#lines[@]}" -eq 2 ] || fail "more: $output"
    echo 'no table' >"$W/rooms.md"
    layers
    holds "$output" 'rooms.md: error: it has no table of the rooms'
}

@test "check-layers names a circle of files, across rooms and levels of the CPU" {
    rooms '| base/ | base.h | libc | |' '| vm/ | vm.h | base | |' '| vm/order/ | *.h | base, vm | |'
    echo 'int base_one(void) { return 1; }' >"$W/g/base/a.c"
    echo 'int base_one(void), vm_b(void); int vm_a(void) { return base_one() + vm_b(); }' >"$W/g/vm/a.c"
    echo 'int vm_c(void); int vm_b(void) { return vm_c(); }' >"$W/g/vm/b.c"
    echo 'int base_one(void); int vm_c(void) { return base_one() + vm_c(); }' >"$W/g/vm/c.c"
    echo 'int vm_a(void); int order(void) { return vm_a(); }' >"$W/g/vm/order/a.c"
    layers_of_objects
    [ "$status" -eq 0 ] || fail "calls one way, and a function that calls itself"
    echo 'extern const int vm_table; int vm_c(void) { return vm_table; }' >"$W/g/vm/c.c"
    echo 'int vm_a(void); const int vm_table = 1; int f(void) { return vm_a(); }' >"$W/g/vm/exec_d.c"
    layers_of_objects
    holds "$output" "g/vm/a.c: error: a circle: vm/a.c -> vm/b.c (vm_b) -> vm/c.c (vm_c) -> vm/exec_d.c (vm_table) -> vm/a.c (vm_a)"
    [ "${#lines[@]}" -eq 1 ] || fail "more: $output"
    cp "$W/o/vm/exec_d.o" "$W/o/vm/exec_d.v2.o"
    mv "$W/o/vm/exec_d.o" "$W/o/vm/exec_d.v3.o"
    run grader/tools/check-layers "$W/g" "$W/o" "$W/rooms.md"
    holds "$output" "vm/exec_d.c (vm_table) -> vm/a.c (vm_a)"
    [ "${#lines[@]}" -eq 1 ] || fail "more: $output"
}

@test "check-layers names what two files define" {
    rooms '| base/ | base.h | libc | |' '| vm/ | vm.h | base | |' '| check/ | check.h | base | |'
    echo 'int a(void) { return 1; } static int own(void) { return a(); } int b(void) { return own(); }' >"$W/g/vm/a.c"
    echo 'static int own(void) { return 1; } int c(void) { return own(); }' >"$W/g/check/a.c"
    layers_of_objects
    [ "$status" -eq 0 ] || fail "static functions may share a name: $output"
    echo 'int b(int n) { return n; }' >"$W/g/check/b.c"
    layers_of_objects
    [ "$status" -eq 1 ] || fail "exit status $status"
    [[ $output == *"defines b, and so does "*": give one another name" ]] || fail "not told: $output"
    [ "${#lines[@]}" -eq 1 ] || fail "more: $output"
}

@test "check-layers finds a call that leaves its room without an include" {
    rooms '| base/ | base.h | libc | |' '| ptx/ | ptx.h | base | |' '| device/ | device.h | ptx | |' \
        '| vm/ | vm.h | device | |' '| check/ | check.h | base | |'
    echo 'int ptx_a(void) { return 1; }' >"$W/g/ptx/a.c"
    echo 'int ptx_a(void); int vm_a(void) { return ptx_a(); }' >"$W/g/vm/a.c"
    layers_of_objects
    [ "$status" -eq 0 ] || fail "what the rooms of the row may call, it may call"
    echo 'int vm_a(void); int check_a(void) { return vm_a(); }' >"$W/g/check/a.c"
    layers_of_objects
    holds "$output" "check/a.c: error: calls vm_a of vm/a.c: check/ may not call vm/"
    [ "${#lines[@]}" -eq 1 ] || fail "more: $output"
    rm "$W/o/check/a.o" "$W/g/vm/a.c"
    run grader/tools/check-layers "$W/g" "$W/o" "$W/rooms.md"
    holds "$output" "check/a.c: error: it is not compiled"
    [ "${#lines[@]}" -eq 1 ] || fail "an object without a source counts: $output"
}

@test "check-layers finds a mutable global in an object" {
    rooms '| vm/ | vm.h | libc | |'
    printf 'static int hidden;\nconst char *const names[] = {"a"};\nint vm_next(void) { static int n; return ++n + hidden++; }\n' >"$W/g/vm/a.c"
    layers_of_objects
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "'hidden' is mutable"
    lacks "$output" "names"
}

@test "a unit test that crashes or checks nothing fails" {
    command -v gcc >/dev/null || skip "no gcc"
    cat >"$W/t.c" <<'END'
#include "tests/unit/test.h"
TEST(good) { CHECK_INT(1, 1); }
TEST(wrong) { CHECK_STR(STR("a"), "b"); }
TEST(crash) { CHECK(true); abort(); }
TEST(leave) { CHECK(true); exit(0); }
TEST(empty) {}
TEST(absent) { SKIP("no GPU"); }
TEST_MAIN(TESTCASE(good), TESTCASE(wrong), TESTCASE(crash), TESTCASE(leave),
          TESTCASE(empty), TESTCASE(absent))
END
    gcc -D_GNU_SOURCE -Igrader -o "$W/t" "$W/t.c" grader/base/*.c -lm
    run "$W/t"
    [ "$status" -eq 1 ] || fail "exit status $status"
    [ "$(grep -c '^not ok' <<<"$output")" -eq 4 ] || fail "count"
    holds "$output" "ok 1 - good"
    holds "$output" "ok 6 - absent # SKIP no GPU"
    holds "$output" "t.c:3: check failed"
}
