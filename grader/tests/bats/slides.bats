#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The slides: figures are drawn from runs and are the same each time; what is
# missing, or does not fit, is found. The decks themselves are made by
# `make slides` and opened by `make check-slides`.
# shellcheck disable=SC2016 # backquotes are Markdown here
# shellcheck disable=SC2154 # bats' run sets stderr

load common
GEN_MACHINE=${GEN_MACHINE_BIN:-$ROOT/build/tools/gen-machine}
setup() { common_setup; }

# fig KIND [LINE...]: a figure file of a small launch, $W/f.fig.
fig() {
    printf 'kind %s\n' "$1" >"$W/f.fig"
    shift
    printf '%s\n' "$@" >>"$W/f.fig"
}

LAB3="run solutions/03-block-clc/block_clc.cu --kernel block_clc --grid 12
--block 64 --arg buf:3072 --arg i32:768"
LAB3=${LAB3//$'\n'/ }

draw() {
    run --separate-stderr grader/tools/figure "$CLCLAB" "$W/f.fig"
}

@test "a timeline has a frame for each block, stolen ones as well" {
    fig timeline "title t" "$LAB3"
    draw
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    for block in 0 7 8 11; do
        holds "$output" ">$block</text>"
    done
    lacks "$output" ">12</text>"
    holds "$output" "work on a stolen block"
    printf '%s\n' "$output" >"$W/one.svg"
    draw
    [ "$output" = "$(cat "$W/one.svg")" ] || fail "not the same figure again"
}

@test "a timeline has one scale for several launches" {
    fig timeline "title t" "scale 100" "$LAB3"
    draw
    [ "$status" -ne 0 ] || fail "a launch that is longer than the scale"
    holds "$stderr" "the scale has 100"
}

@test "a sequence tells the life of an mbarrier and of a slot" {
    fig sequence "title t" "column warp 2 0 asks" "column mbarrier 2 16 bar" \
        "column slot 2 0 slot" "column proxy - - proxy" "rows 20" "$LAB3"
    draw
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    for part in "init(1)" "try_cancel" "arrive.expect_tx(16)" \
        "lacks 16 bytes" "phase 0 complete" "grant: block" "reads the answer" "fence: release" \
        "async proxy's"; do
        holds "$output" ">$part"
    done
    # A call that is broken behind its bracket is told whole.
    holds "$output" "ptx::fence_proxy_async_generic_sync_restrict(</text>"
    holds "$output" ">ptx::sem_release, ptx::space_shared, ptx::scope_cluster);"
    # What a row draws hides no text of a row above it: no rectangle of a band comes behind
    # the text and reaches up to it.
    awk -F'"' '/font-style="italic">[a-z]+ proxy.s/ { y = $4; x = $2 }
        /^<rect/ && y != "" && $2 < x && x < $2 + $6 && $4 < y && y - 12 < $4 + $8 { print; exit 1 }' \
        <<<"$output" || fail "a text is hidden"
}

@test "another kernel is drawn where it comes in" {
    fig timeline "title t" "$LAB3 --time-set arrive=1500 --time-set hold=4000"
    draw
    [ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
    holds "$output" ">other kernel</text>"
    holds "$output" ">another kernel</text>" # in the legend
    fig timeline "title t" "$LAB3"
    draw
    lacks "$output" "other kernel"
}

@test "a figure's colours mean what they mean in a report" {
    local colour
    fig timeline "title t" "$LAB3"
    draw
    for colour in started stolen; do
        holds "$output" "fill=\"$(sed -n "s/.*--$colour-fill: \(#[0-9a-f]*\);.*/\1/p" grader/report/page.css | head -n 1)\""
    done
    # Those of the handbook that are drawn by hand have no others, but for greys and yellows.
    grep -hoE '#[0-9a-f]{6}' docs/figures/[!c]*.svg docs/figures/cluster.svg | sort -u >"$W/colours"
    [ -s "$W/colours" ]
    while read -r colour; do
        case $colour in
        '#ffffff' | '#1d2227' | '#e6e9e7' | '#8a6d00' | '#fbeeb8') ;;
        *) grep -q -- ": $colour;" grader/report/page.css || fail "no report has $colour" ;;
        esac
    done <"$W/colours"
}

@test "a figure of an unknown kind, or of a launch that fails, is an error" {
    fig pie "$LAB3"
    draw
    [ "$status" -eq 2 ] || fail "exit status $status"
    fig timeline "run solutions/none.cu --grid 1 --block 1"
    draw
    [ "$status" -eq 2 ] || fail "exit status $status"
    holds "$stderr" "f.fig: error: run solutions/none.cu"
    [ -z "$output" ] || fail "it drew something"
}

@test "the table of the mbarrier's page is the machine's, and its states are told apart" {
    its_turn 3
    "$GEN_MACHINE" 40 >"$W/r.json" 2>"$W/log" || fail "exit status $?" "$(cat "$W/log")"
    [ "$(json errors.0.code)" = CLC005 ] || fail "asking first is $(json errors.0.code)"
    [ "$(json states.0.next.1)" = -1 ] || fail "asking first leads to $(json states.0.next.1)"
    [ "$(json states.1.pending) $(json states.1.slot)" = "1 none" ] || fail "init does not lead to state 1"
    local code
    for code in CLC001 CLC002 CLC004 CLC006 CLC007 CLC009 CLC010 BAR001 BAR002 BAR003; do
        grep -q "^{\"code\": \"$code\"" "$W/r.json" || fail "no state breaks $code"
    done
    run "$GEN_MACHINE" 0
    [ "$status" -eq 2 ] || fail "exit status $status"
}

@test "each figure says in words what it shows" {
    for file in slides/figures/*.fig; do
        grep -q '^title ..........' "$file" || fail "$file has no title"
    done
}

deck() { # deck TEXT: converts it as the slides are
    command -v pandoc >/dev/null || skip "pandoc is not installed"
    printf '%s\n' "$1" >"$W/deck.md"
    run pandoc --to revealjs --slide-level=2 -M pictures="$W" \
        -L grader/tools/pandoc/slides.lua "$W/deck.md"
}

@test "a slide without notes, and a picture that is not there, are errors" {
    : >"$W/a.svg"
    deck $'## One\n\n![What it shows](a.svg)\n\n::: notes\nx\n:::'
    [ "$status" -eq 0 ] || fail "exit status $status"
    deck $'## One\n\n![What it shows](b.svg)\n\n::: notes\nx\n:::'
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" 'error: "One": there is no picture b.svg'
    deck $'## One\n\n![](a.svg)\n\n::: notes\nx\n:::'
    holds "$output" 'no words for who cannot see it'
    deck $'## One\n\n::: notes\nx\n:::\n\n## Two\n\nText'
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" 'error: "Two": it has no notes'
}

@test "in a deck a diagram comes row by row, a mistake is predicted, and notes have minutes" {
    local deck='## One

![What it shows](a.svg)

::: notes
x
:::

## A mistake: two

``` {.text include="LICENSE" from="Apache License" nth=1 to="Apache" caption=no}
```

::: notes
y
:::'
    printf '<svg>\n<marker id="head"/><g class="row"><rect end="url(#head)"/></g>\n</svg>\n' >"$W/a.svg"
    command -v pandoc >/dev/null || skip "pandoc is not installed"
    printf '%s\n' "$deck" >"$W/deck.md"
    run pandoc --to revealjs --slide-level=2 -M pictures="$W" \
        -L grader/tools/pandoc/include.lua -L grader/tools/pandoc/slides.lua "$W/deck.md"
    [ "$status" -eq 0 ] || fail "exit status $status: $output"
    # Two pictures in a page do not take each other's arrowheads.
    holds "$output" '<marker id="a-head"/><g class="fragment"><rect end="url(#a-head)"/></g>'
    [[ $output == *'class="predict"'*'class="fragment"'*'Apache License'* ]] || fail "no prediction: $output"
    holds "$output" 'Minutes 0 to 20.'
    holds "$output" 'Minutes 20 to 45.'
    run pandoc --to html -M pictures="$W" \
        -L grader/tools/pandoc/include.lua -L grader/tools/pandoc/slides.lua "$W/deck.md"
    lacks "$output" 'class="predict"'
    holds "$output" '<img src="a.svg"'
}

@test "a reveal.js that is not the one that was published is refused" {
    echo other >"$W/reveal.tgz"
    REVEAL_TARBALL=$W/reveal.tgz run grader/tools/fetch-package reveal.js "$W/reveal.js"
    [ "$status" -eq 69 ] || fail "exit status $status"
    holds "$output" "is not reveal.js"
    [ ! -e "$W/reveal.js" ] || fail "it was unpacked"
}

# page SLIDE...: a page of these slides, with as much of reveal.js as is needed.
page() {
    printf '<!doctype html><style>body, section { margin: 0 }\n'
    printf 'section { width: 1280px; font-size: 20px }</style>\n'
    printf '<section><h2>%s\n</section>\n' "$@"
    printf '<script>const Reveal = { configure() {}, slide() {},\n'
    printf 'isReady: () => true,\n'
    printf 'getSlides: () => [...document.querySelectorAll("section")] };\n'
    printf '</script>\n'
}

@test "slides-check finds what does not fit" {
    command -v chromium >/dev/null || command -v chromium-browser >/dev/null ||
        skip "Chromium is not installed"
    page 'Good</h2><p>Text' >"$W/good.html"
    run grader/tools/slides-check "$W/good.html"
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "1 slides, 0 faults"
    page 'Good</h2>' 'High</h2><div style="height: 800px"></div>' \
        'Small</h2><p style="font-size: 12px">tiny</p>' \
        'Gone</h2><img src="none.svg">' \
        "Wide</h2><pre style='width: 300px'><code style='display: block;
overflow: hidden'>$(printf '%0100d' 0)</code></pre>" >"$W/bad.html"
    run grader/tools/slides-check "$W/good.html" "$W/bad.html"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "bad.html: 5 slides, 4 faults"
    holds "$output" 'slide 1, "High", is 8'
    holds "$output" 'slide 2, "Small", has text of 12 pixels: tiny'
    holds "$output" 'slide 3, "Gone", shows no picture: none.svg'
    holds "$output" 'slide 4, "Wide", has a line of code that is too wide'
}

@test "without Chromium there is no PDF, and with one the next make makes it" {
    local make=(make --no-print-directory -C "$W" -f "$ROOT/Makefile" build/slides/x.pdf)
    mkdir -p "$W/bin" "$W/build/slides" "$W/grader/tools"
    cp -r grader/make "$W/grader/"
    ln -s /usr/bin/* "$W/bin/" # all but Chromium
    rm -f "$W"/bin/chromium*
    cp grader/tools/{setup,slides-pdf} "$W/grader/tools/"
    echo '<p>Text' >"$W/build/slides/handout-x.html"
    PATH=$W/bin run "${make[@]}"
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "skipped: build/slides/x.pdf (Chromium is not installed"
    [ ! -e "$W/build/slides/x.pdf" ] || fail "something is there instead"
    cat >"$W/bin/chromium" <<'END'
#!/bin/sh
for word; do
    case $word in --print-to-pdf=*) echo printed >"${word#*=}" ;; esac
done
END
    chmod +x "$W/bin/chromium"
    PATH=$W/bin run "${make[@]}"
    [ "$(cat "$W/build/slides/x.pdf")" = printed ] || fail "no PDF"
}
