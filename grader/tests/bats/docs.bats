#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The handbook: it can be made, its pages hold together, and what checks the
# Markdown files sees each kind of mistake.

load common
setup() { common_setup; }

needs_pandoc() {
    command -v pandoc >/dev/null || skip "pandoc is not installed"
}

@test "the site has every chapter, and each of its links leads somewhere" {
    its_turn 2
    needs_pandoc
    MINISEARCH=$W/none run grader/tools/make-docs site "$W/site" # check-site is its last step
    [ "$status" -eq 0 ] || fail "exit status $status"
    [ -z "$output" ] || fail "it said something"
    local page
    for page in index labs-04-cluster-clc rules-clc006 clclab.1 semantics; do
        [ -s "$W/site/$page.html" ] || fail "no $page.html"
        holds "$(cat "$W/site/index.html")" "href=\"$page.html\""
    done
    ! grep -hoE '(src|href)="https?:[^"]*\.(css|js|svg|png)"' "$W"/site/*.html ||
        fail "a page needs a network"
    holds "$(cat "$W/site/index.html")" '<script src="site.js" defer>'
    lacks "$(cat "$W/site/index.html")" 'role="search"' # there is none without MiniSearch
}

# shellcheck disable=SC2016 # backquotes of Markdown
@test "the search looks in every section, and the site has ways to slides and PDF if they are there" {
    needs_pandoc
    copy_of_tree
    mkdir -p "$W/mini/dist/umd" "$W/tree/build/docs" "$W/tree/build/slides/reveal.js" \
        "$W/tree/build/slides/figures"
    echo 'var MiniSearch;' >"$W/mini/dist/umd/index.js"
    echo MIT >"$W/mini/LICENSE.txt"
    echo pdf >"$W/tree/build/docs/handbook.pdf"
    touch "$W"/tree/build/slides/{theme.css,index.html,00-course.html}
    printf '## A "part" \\\\ of it\n\nWords `and </script> code`.\n' >>"$W/tree/docs/README.md"
    cd "$W/tree" || return
    MINISEARCH=$W/mini run grader/tools/make-docs site "$W/site"
    [ "$status" -eq 0 ] || fail "exit status $status: $output"
    holds "$(cat "$W/site/index.html")" 'role="search"'
    holds "$(cat "$W/site/index.html")" 'href="slides/index.html">Slides'
    holds "$(cat "$W/site/index.html")" 'href="handbook.pdf">PDF'
    holds "$(cat "$W/site/search/pages.js")" \
        '["index","a-part--of-it","Index","A \u0022part\u0022 \u005c of it","Words and \u003c/script> code ."],'
    holds "$(cat "$W/site/search/pages.js")" '["glossary","","'
}

@test "the search finds a section by its words, and by a word with a mistake in it" {
    needs_pandoc
    local browser mini=build/docs/minisearch
    browser=$(command -v chromium || command -v chromium-browser) || skip "Chromium is not installed"
    [ -d "$mini" ] || grader/tools/fetch-package minisearch "$mini" 2>"$W/fetch" ||
        skip "MiniSearch cannot be fetched"
    mini=$PWD/$mini
    copy_of_tree
    printf '## Wandering about\n\nHippopotamuses wander.\n' >>"$W/tree/docs/README.md"
    cd "$W/tree" || return
    MINISEARCH=$mini grader/tools/make-docs site "$W/site"
    cat >>"$W/site/index.html" <<'END'
<script>
addEventListener('load', () => {
  const field = document.querySelector('input[type=search]');
  field.value = location.hash.slice(1);
  field.dispatchEvent(new Event('input'));
});
</script>
END
    local word
    for word in wander hipopotamuses; do
        run timeout -k 5 "$PATIENCE" "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$W/profile" \
            --virtual-time-budget=10000 --dump-dom "file://$W/site/index.html#$word"
        holds "$output" '<a href="index.html#wandering-about">Index: Wandering about</a>'
    done
    lacks "$output" 'The search does not work'
}

@test "the book has every chapter once, and its links lead into it" {
    its_turn 2
    needs_pandoc
    run grader/tools/make-docs book "$W/book"
    [ "$status" -eq 0 ] || fail "exit status $status"
    local id
    for id in index labs-04-cluster-clc rules-clc006 clclab.1; do
        [ "$(grep -c "id=\"$id\"" "$W/book/handbook.html")" -eq 1 ] ||
            fail "$id is not there once"
    done
}

@test "the man page is made from the reference chapter" {
    needs_pandoc
    run grader/tools/make-docs man "$W/clclab.1"
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$(head -n 30 "$W/clclab.1")" '.TH "CLCLAB" "1"'
    holds "$(cat "$W/clclab.1")" ".SH EXIT STATUS"
    holds "$(cat "$W/clclab.1")" '[B]--grid' # and no dash in its place
    lacks "$(cat "$W/clclab.1")" '_V_'
}

@test "make-docs names what a chapter links to and is not there" {
    needs_pandoc
    copy_of_tree
    echo 'See [this](nowhere.md).' >>"$W/tree/docs/glossary.md"
    cd "$W/tree" || return
    run grader/tools/make-docs site "$W/site"
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "docs/glossary.md: error: no such file: nowhere.md"
}

# A small tree of its own, with the tools, to make mistakes in.
copy_of_tree() {
    mkdir -p "$W/tree/grader" "$W/tree/docs" "$W/tree/labs"
    cp -r grader/tools "$W/tree/grader/tools"
    cp docs/handbook.css docs/words.txt docs/glossary.md "$W/tree/docs/"
    echo '# The course' >"$W/tree/README.md"
    printf '# Index\n' >"$W/tree/docs/README.md"
    printf 'docs/README.md\ndocs/glossary.md\n' >"$W/tree/docs/handbook.txt"
}

# checked TEXT: check-docs of a page with this text; its output in $output.
checked() {
    copy_of_tree
    printf '%s\n' "$1" >>"$W/tree/docs/README.md"
    cd "$W/tree" || return
    run grader/tools/check-docs
    cd "$ROOT" || return
}

complains() { # complains TEXT MESSAGE
    checked "$1"
    [ "$status" -eq 1 ] || fail "exit status $status of: $1"
    holds "$output" "# docs/README.md:2: error: $2"
}

@test "a figure of the slides is in a page if it was drawn; else its words are" {
    needs_pandoc
    copy_of_tree
    mkdir -p "$W/tree/slides/figures"
    : >"$W/tree/slides/figures/a.fig"
    echo '![Eight places](../slides/figures/a.svg)' >>"$W/tree/docs/glossary.md"
    cd "$W/tree" || return
    run grader/tools/make-docs site "$W/site"
    [ "$status" -eq 0 ] || fail "exit status $status: $output"
    holds "$(cat "$W/site/glossary.html")" '<em>Eight places</em>'
    mkdir -p build/slides/figures
    echo '<svg/>' >build/slides/figures/a.svg
    run grader/tools/make-docs site "$W/site"
    holds "$(cat "$W/site/glossary.html")" 'src="files/build-slides-figures-a.svg"'
    [ -s "$W/site/files/build-slides-figures-a.svg" ] || fail "the figure is not there"
    echo '![Nothing](../slides/figures/b.svg)' >>"$W/tree/docs/glossary.md"
    run grader/tools/make-docs site "$W/site"
    [ "$status" -eq 1 ] || fail "exit status $status"
}

# shellcheck disable=SC2016 # backquotes of Markdown
@test "a better figure takes the place of one that is drawn with letters" {
    needs_pandoc
    copy_of_tree
    mkdir -p "$W/tree/docs/figures"
    echo '<svg/>' >"$W/tree/docs/figures/a.svg"
    printf '<!-- figure: figures/a.svg What it shows -->\n```\n +--+\n```\n\n```\nkept\n```\n' >>"$W/tree/docs/glossary.md"
    cd "$W/tree" || return
    run grader/tools/make-docs site "$W/site"
    [ "$status" -eq 0 ] || fail "exit status $status: $output"
    holds "$(cat "$W/site/glossary.html")" 'src="files/docs-figures-a.svg"'
    holds "$(cat "$W/site/glossary.html")" 'kept'
    lacks "$(cat "$W/site/glossary.html")" '+--+'
}

@test "check-docs says which link, anchor or image leads nowhere" {
    complains 'A [link](gone.md) to nothing.' 'no such file: gone.md'
    complains 'A [link](../../up.md) out.' 'no such file: ../../up.md'
    complains 'A [link](glossary.md#gone) to it.' 'no such heading: glossary.md#gone'
    complains 'A [link](#gone) to it.' 'no such heading: #gone'
    complains '![a picture](figures/gone.svg)' 'no such file: figures/gone.svg'
}

@test "check-docs says which code cannot be shown" {
    local open='```{.cuda include='
    complains "${open}labs/gone.cu}"$'\n```' 'no such file: labs/gone.cu'
    complains "${open}grader/tools/setup region=\"TODO(9)\"}"$'\n```' \
        'grader/tools/setup has no region TODO(9)'
    complains "${open}grader/tools/setup from=\"no such text\"}"$'\n```' \
        "grader/tools/setup has no line with 'no such text'"
}

@test "check-docs says which page of docs is in no chapter" {
    copy_of_tree
    cp "$W/tree/docs/glossary.md" "$W/tree/docs/forgotten.md"
    cd "$W/tree" || return
    run grader/tools/check-docs
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "docs/forgotten.md:1: error: docs/handbook.txt does not have it"
}

@test "check-docs says which word is in no dictionary, and where" {
    command -v aspell >/dev/null || skip "aspell is not installed"
    complains 'Here is a mispeled word.' 'not in the dictionary: mispeled'
}

# shellcheck disable=SC2016 # backquotes of Markdown
@test "check-docs lets code, names, numbers and comments be" {
    checked 'A `mispeled` word, [a link](glossary.md#glossary), sm_100a, --optoin,
<!-- mispeled --> and a block:

    mispeled [link](gone.md)

```
[link](gone.md) mispeled
```'
    [ "$status" -eq 0 ] || fail "exit status $status"
}

@test "check-docs prints that it skips the spelling where aspell is missing" {
    copy_of_tree
    mkdir -p "$W/bin"
    local tool
    for tool in bash awk sed grep find sort mktemp rm cat tr cut env; do
        ln -sf "$(command -v "$tool")" "$W/bin/$tool"
    done
    cd "$W/tree" || return
    PATH=$W/bin run grader/tools/check-docs
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "# SKIP aspell or its English words are not installed"
}

@test "check-docs fails where aspell does" {
    copy_of_tree
    mkdir -p "$W/bin"
    cat >"$W/bin/aspell" <<'END'
#!/bin/sh
[ "$1" != dicts ] || { echo en_GB; exit; }
echo "Error: the dictionary is broken" >&2
exit 1
END
    chmod +x "$W/bin/aspell"
    cd "$W/tree" || return
    PATH=$W/bin:$PATH run grader/tools/check-docs
    [ "$status" -eq 1 ] || fail "exit status $status"
    holds "$output" "aspell cannot read it: Error: the dictionary is broken"
}

@test "check-site finds links between pages that lead nowhere" {
    mkdir -p "$W/site"
    echo '<a href="b.html#x">b</a><a href="c.html">c</a>' >"$W/site/a.html"
    echo '<p id="y">b</p><img alt="" src="gone.png">' >"$W/site/b.html"
    run grader/tools/check-site "$W/site"
    [ "$status" -eq 1 ] || fail "exit status $status"
    diff <(printf '%s\n' "$output" | sort) - <<<"a.html: b.html#x
a.html: c.html
b.html: gone.png"
}

# proof EXIT SAYS: check-errata of a page with one proof, by od.
# shellcheck disable=SC2016 # backquotes of Markdown
proof() {
    copy_of_tree
    printf '```{.sh .proof exit=%s says="%s"}\nod --version\n```\n' "$1" "$2" \
        >"$W/tree/docs/errata.md"
    run "$W/tree/grader/tools/check-errata"
}

@test "check-errata fails when a proof proves it no longer" {
    proof 0 'od ('
    [ "$status" -eq 0 ] || fail "exit status $status"
    holds "$output" "ok 1 - docs/errata.md:1: od --version"
    proof 1 'od ('
    [ "$status" -eq 1 ] || fail "exit status $status with another status"
    proof 0 'CLC006'
    [ "$status" -eq 1 ] || fail "exit status $status with another text"
    holds "$output" "not ok 1"
}
