#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# clclab run and ptx on people's own programs: code for the host, templates, flags of
# compilers, compilation databases, and what is compiled already.

load common
setup() {
    its_turn 2
    common_setup
}

LAUNCH=(--grid 1 --block 1 --arg buf:128)

# own NAME: $W/NAME from standard input.
own() {
    mkdir -p "$(dirname "$W/$1")"
    cat >"$W/$1"
}

run_own() { # run_own FILE OPTION...: output, status, stderr
    local file=$1
    shift
    run --separate-stderr clclab run "$W/$file" "${LAUNCH[@]}" "$@"
}

clean() { # clean KERNEL: what run_own did
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    holds "$output" "Kernel $1"
    holds "$output" "Clean: nothing found"
}

refused() { # refused STATUS TEXT
    [ "$status" -eq "$1" ] || fail "exit status $status" "$stderr"
    holds "$stderr" "$2"
}

# ptx_of NAME NUMBER: PTX of a kernel NAME that stores NUMBER, for sm_${3:-100a}.
ptx_of() {
    printf '%s\n' '.version 8.7' ".target sm_${3:-100a}" '.address_size 64' \
        ".visible .entry $1(.param .u64 p) {" '.reg .b64 %rd<3>;' \
        'ld.param.u64 %rd1, [p];' 'cvta.to.global.u64 %rd2, %rd1;' \
        "st.global.u32 [%rd2], $2;" 'ret;' '}'
}

# image KIND ARCH FLAGS TEXT: an entry of a fat binary, for the assembler.
image() {
    local text=$4
    printf '%s\n' ".long $1, 64" ".quad 9f - 8f" ".long 0, 0, 0, $2, 0, 0" ".quad $3, 0, 0" 8:
    while IFS= read -r line; do printf '.ascii "%s\\n"\n' "$line"; done <<<"$text"
    printf '%s\n' '.balign 8, 0' 9:
}

# object NAME SECTION IMAGE...: an object file $W/NAME with a fat binary for each IMAGE,
# which is a list of entries.
object() {
    local name=$1 section=$2 part
    shift 2
    {
        printf '.section %s,"a"\n' "$section"
        for part; do
            printf '%s\n' '.balign 8, 0' '.long 0xba55ed50, 0x100001' '.quad 2f - 1f' 1: \
                "$part" 2:
        done
    } | cc -c -x assembler -o "$W/$name" -
}

# ---- code for the host ------------------------------------------------------

@test "a file with code for the host is nvcc's, and is told so in one line" {
    own program.cu <<'END'
#include <vector>
namespace ns {
template <int N> __global__ void fill(int *out) { out[threadIdx.x] = N; }
}
__global__ void scale(int *x) { x[threadIdx.x] *= 3; }
int main() {
    std::vector<int> v(32);
    scale<<<1, 32>>>(nullptr);
    return (int)v.size() - 32;
}
END
    run_own program.cu --kernel scale
    clean _Z5scalePi
    holds "$stderr" "nvcc is taken"
    holds "$stderr" "program.cu:1: cannot open source file \"vector\""
    [ "$(wc -l <<<"$stderr")" -eq 1 ] || fail "$stderr"
    # Kept, with that line; and an instance that the program lacks.
    run_own program.cu --kernel scale
    clean _Z5scalePi
    holds "$stderr" "nvcc is taken"
    run_own program.cu --kernel 'ns::fill<7>' --dump 0="$W/o"
    clean _ZN2ns4fillILi7EEEvPi
    [ "$(od -An -v -tu4 -N8 "$W/o" | xargs)" = "7 0" ] || fail "$(od -tu4 "$W/o")"
    # The compiler that was asked for is the only one.
    run_own program.cu --kernel scale --compiler nvrtc
    [ "$status" -eq 1 ] || fail "exit status $status"
    lacks "$stderr" "nvcc is taken"
}

@test "without nvcc a file with code for the host says what is needed" {
    local toolkit=$W/toolkit cuda
    cuda=${CUDA_HOME:-${CUDA_PATH:-/usr/local/cuda}}
    [ -d "$cuda/lib64" ] || skip "no toolkit in $cuda"
    mkdir -p "$toolkit"
    ln -s "$cuda/include" "$cuda/lib64" "$toolkit/"
    [ ! -e "$cuda/version.json" ] || ln -s "$cuda/version.json" "$toolkit/"
    own host.cu <<'END'
__global__ void scale(int *x) { x[threadIdx.x] *= 3; }
int main() { return 0; }
END
    CLCLAB_TOOLKIT=$toolkit run_own host.cu
    stderr=${stderr//$'\n'/ }
    refused 69 "code for the host, which NVRTC does not take"
    holds "$stderr" "host.cu:2:"
    holds "$stderr" "Install the whole toolkit"
}

# ---- names ------------------------------------------------------------------

@test "a kernel is named as in the source, and an instance is made" {
    own names.cu <<'END'
namespace ns {
template <int M, int N = 64> __global__ void gemm(float *p) { p[threadIdx.x] = M * N; }
__global__ void plain(float *p) { p[threadIdx.x] = 1; }
}
__global__ void twice(float *p) { p[threadIdx.x] = 2; }
__global__ void twice(int *p) { p[threadIdx.x] = 2; }
END
    run_own names.cu --kernel ns::plain
    clean _ZN2ns5plainEPf
    run_own names.cu --kernel 'ns::gemm<2>' --dump 0="$W/o"
    clean _ZN2ns4gemmILi2ELi64EEEvPf
    [ "$(od -An -v -tf4 -N4 "$W/o" | xargs)" = 128 ] || fail "$(od -tf4 "$W/o")"
    run_own names.cu --kernel 'twice(int*)'
    clean _Z5twicePi
    run_own names.cu --kernel twice
    refused 2 "say which kernel is meant, with --kernel: twice, _Z5twicePi"
    run_own names.cu --kernel gemm
    refused 2 "gemm is a template of which the file has no instance"
    run_own names.cu --kernel 'ns::gem<2>'
    refused 2 "--kernel ns::gem<2>: the compiler says:"
    run_own names.cu --kernel 'gemm<2>'
    refused 2 "if it is in a namespace, write that as well"
    run_own names.cu --kernel plian
    refused 2 "did you mean ns::plain?"
    clclab ptx "$W/names.cu" --kernel 'ns::gemm<1, 2>' >"$W/ptx"
    grep -q 'entry _ZN2ns4gemmILi1ELi2EEEvPf' "$W/ptx" || fail "no such instance"
    ! grep -q clclab_kernel "$W/ptx" || fail "what names it is left"
}

# ---- headers and flags -------------------------------------------------------

# A project of which each part needs another flag.
project() {
    own project/src/k.cu <<'END'
#include "../shared/s.h"
#include "same.h"
#include <up.h>
__global__ void k(int *x) { x[threadIdx.x] = SHARED + SAME + UP + N + FIRST; }
END
    echo '#include "same.h"' | own project/shared/s.h
    echo '#define SHARED 1' | own project/shared/same.h
    echo '#define SAME 2' | own project/src/same.h
    echo '#define UP 3' | own project/up/up.h
    echo '#define FIRST 4' | own project/first.h
}

@test "flags of compilers stand on the command line" {
    project
    cd "$W/project" || return 1
    run_own project/src/k.cu -Iup -DN=5 -include first.h --dump 0="$W/o"
    clean _Z1kPi
    [ "$(od -An -tu4 -N4 "$W/o" | xargs)" = 15 ] || fail "$(od -tu4 "$W/o")"
    [ -z "$stderr" ] || fail "$stderr"
    run_own project/src/k.cu -I src -isystem up -D N -U N -D N=6 -include=first.h --std=c++20
    clean _Z1kPi
    run_own project/src/k.cu -I up -DN=5 -UN -include first.h
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "${output//$'\n'/ }" 'identifier "N" is'
    clclab ptx src/k.cu -Iup -DN=5 -include first.h | grep -q 'entry _Z1kPi' || fail "ptx"
    run_own project/src/k.cu -I
    refused 2 "-I needs a value"
    run_own project/src/k.cu -std=
    refused 2 "-std: an empty value"
    run_own project/src/k.cu -Iup -DN=5 -include first.h --grid 1 --block 33 --arg buf:4
    refused 2 "twice"
}

@test "a finding's command repeats the flags" {
    project
    cd "$W/project" || return 1
    LAUNCH=(--grid 1 --block 64 --arg buf:128)
    run_own project/src/k.cu -Iup -DN=5 -include first.h
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "${output//[$'\n\\']/}" "-Iup"
    holds "${output//[$'\n\\']/}" "-include=first.h"
}

@test "a thousand headers of one's own" {
    local i
    mkdir "$W/many"
    for i in {1..1000}; do echo "constexpr int v$i = $i;" >"$W/many/h$i.h"; done
    {
        for i in {1..1000}; do echo "#include \"h$i.h\""; done
        echo '__global__ void k(int *x) { x[threadIdx.x] = v1 + v1000; }'
    } >"$W/many/k.cu"
    run_own many/k.cu --dump 0="$W/o"
    clean _Z1kPi
    [ "$(od -An -tu4 -N4 "$W/o" | xargs)" = 1001 ] || fail "$(od -tu4 "$W/o")"
    # What is kept is of these headers.
    echo 'constexpr int v1 = 2;' >"$W/many/h1.h"
    run_own many/k.cu --dump 0="$W/o"
    clean _Z1kPi
    [ "$(od -An -tu4 -N4 "$W/o" | xargs)" = 1002 ] || fail "$(od -tu4 "$W/o")"
}

@test "flags come from a compilation database" {
    project
    cat >"$W/project/cc.json" <<END
[{"directory": "$W/project", "file": "src/other.cu", "arguments": ["nvcc", "-c", "src/other.cu"]},
 {"directory": "$W/project/build/..", "file": "src/k.cu",
  "command": "nvcc -O3 \"-DN=5\" -isystem=up --options-file more.rsp -gencode arch=compute_90,code=sm_90 -c src/k.cu -o k.o"}]
END
    mkdir "$W/project/build"
    echo '-include first.h' >"$W/project/more.rsp"
    run_own project/src/k.cu --compile-commands "$W/project/cc.json" --dump 0="$W/o"
    clean _Z1kPi
    [ "$(od -An -tu4 -N4 "$W/o" | xargs)" = 15 ] || fail "$(od -tu4 "$W/o")"
    holds "$stderr" "not taken: -O3 -gencode"
    echo '__global__ void k(int *x) {}' | own project/src/new.cu
    run_own project/src/new.cu --compile-commands "$W/project/cc.json"
    refused 2 "new.cu is not in it; the nearest is $W/project/src/"
    echo '{"a": 1}' >"$W/no.json"
    run_own project/src/k.cu --compile-commands "$W/no.json"
    refused 2 "it is no compilation database"
    run_own project/src/k.cu --compile-commands "$W/none.json"
    refused 2 "No such file"
}

# ---- what is compiled already --------------------------------------------------

@test "the PTX of objects, programs, libraries and fat binaries" {
    local one two
    one=$(image 1 90 0 "$(ptx_of one 9 90)" && image 1 100 0x100000 "$(ptx_of one 1)")
    two=$(image 1 100 0x100000 "$(ptx_of _Z3twoPf 2)")
    object k.o .nv_fatbin "$one" "$two"
    run_own k.o --kernel one --dump 0="$W/o"
    clean one
    [ "$(od -An -tu4 -N4 "$W/o" | xargs)" = 1 ] || fail "$(od -tu4 "$W/o")"
    holds "$stderr" "has PTX for sm_90, sm_100a; taken is that for sm_100a (--arch takes another)"
    run_own k.o --kernel one --arch compute_90 --dump 0="$W/o"
    clean one
    [ "$(od -An -tu4 -N4 "$W/o" | xargs)" = 9 ] || fail "$(od -tu4 "$W/o")"
    [ -z "$stderr" ] || fail "$stderr"
    run_own k.o --arch sm_80
    refused 2 "has no PTX for sm_80 (--arch); it has some for sm_90, sm_100a"
    run_own k.o
    refused 2 "say which kernel is meant, with --kernel: one, two"
    echo 'int main(void) { return 0; }' >"$W/main.c"
    cc -o "$W/program" "$W/main.c" "$W/k.o"
    run_own program --kernel two
    clean _Z3twoPf
    ar rcs "$W/library.a" "$W/k.o"
    run_own library.a --kernel two
    clean _Z3twoPf
    objcopy -O binary -j .nv_fatbin "$W/k.o" "$W/k.fatbin"
    run_own k.fatbin --kernel two
    clean _Z3twoPf
    run --separate-stderr clclab ptx "$W/program" --kernel two
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    holds "$output" "_Z3twoPf"
    lacks "$output" "entry one"
}

@test "parts that the device's linker joins are one module" {
    local caller callee
    caller='.version 8.7
.target sm_100a
.address_size 64
.extern .global .u32 number;
.visible .entry k(.param .u64 p) {
.reg .b64 %rd<3>; .reg .b32 %r<2>;
ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1;
ld.global.u32 %r1, [number]; st.global.u32 [%rd2], %r1; ret;
}'
    callee='.version 8.7
.target sm_100a
.address_size 64
.visible .global .u32 number = 77;'
    object k.o __nv_relfatbin "$(image 1 100 0x100000 "$caller")" \
        "$(image 1 100 0x100000 "$callee")"
    run_own k.o --dump 0="$W/o"
    clean k
    [ "$(od -An -tu4 -N4 "$W/o" | xargs)" = 77 ] || fail "$(od -tu4 "$W/o")"
}

@test "a file without PTX says how to add it" {
    object k.o .nv_fatbin "$(image 2 100 0x100000 "machine code")"
    run_own k.o
    refused 69 "has no PTX, only code for sm_100a; have nvcc add it: -gencode arch=compute_100a,code=compute_100a"
    object none.o .text
    run_own none.o
    refused 2 "has no code for a GPU"
    echo text >"$W/text.bin"
    run_own text.bin
    refused 2 "is neither a .cu nor a .ptx file"
    object cut.o .nv_fatbin "$(image 1 100 0 "$(ptx_of one 1)" | sed 's/^.quad 9f - 8f/.quad 99999/')"
    run_own cut.o
    refused 2 "the file is damaged"
    run_own nowhere
    refused 2 "No such file"
}

@test "what nvcc makes is read" {
    local nvcc
    nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
    [ -x "$nvcc" ] || skip "no nvcc"
    own k.cu <<'END'
template <int N> __global__ void fill(int *out) { out[threadIdx.x] = N; }
void launch() { fill<5><<<1, 32>>>(nullptr); }
END
    "$nvcc" -c -gencode arch=compute_100a,code=compute_100a -o "$W/k.o" "$W/k.cu"
    run_own k.o --kernel 'fill<5>' --dump 0="$W/o"
    [ "$status" -ne 69 ] || skip "$stderr"
    clean _Z4fillILi5EEvPi
    [ "$(od -An -tu4 -N4 "$W/o" | xargs)" = 5 ] || fail "$(od -tu4 "$W/o")"
}
