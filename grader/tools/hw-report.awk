# SPDX-License-Identifier: Apache-2.0
# Describes in words what a probe of grader/hardware/probes.cu left in its buffers.
#
#   awk -v probe=order|refusal|answer|request -v blocks=N -f hw-report.awk
#
# Input: one line for every 16 bytes of a buffer: its name and four 32-bit words in
# hexadecimal, as od prints them. Output: lines of three fields, separated by tabs:
# what was examined, a value that can be compared with another device's (`-` if it is
# only a figure), and a description. Start reading at the functions say_*.

BEGIN { OFS = "\t" }

{
    for (i = 2; i <= NF; i++)
        word[$1, size[$1]++] = $i
}

END {
    if (probe == "order")
        say_order()
    else if (probe == "refusal")
        say_refusal()
    else if (probe == "answer")
        say_answer()
    else
        say_request()
}

# ---- numbers -------------------------------------------------------------

function number(digits,    i, value) {
    for (i = 1; i <= length(digits); i++)
        value = value * 16 + index("123456789abcdef", substr(digits, i, 1))
    return value + 0
}

function at(list, i) {
    return number(word[list, i])
}

# How many of the `count` entries that the probe counted are in its list.
function kept(count) {
    return count < blocks ? count : blocks
}

# How many of a list's first `count` values are less than the one before.
function steps_back(list, count,    i, back) {
    for (i = 1; i < count; i++)
        back += at(list, i) < at(list, i - 1)
    return back + 0
}

# The size of the largest such step.
function widest(list, count,    i, wide) {
    for (i = 1; i < count; i++)
        if (at(list, i - 1) - at(list, i) > wide)
            wide = at(list, i - 1) - at(list, i)
    return wide + 0
}

function say_ascending(what, list, count,    back) {
    if (count < 2) {
        print what, "-", "too few to tell (" count ")"
        return
    }
    back = steps_back(list, count)
    print what, back ? "not ascending" : "ascending", back ? \
        "not ascending: " back " of " count - 1 " steps go back, by up to " \
        widest(list, count) : "ascending (" count " indices)"
}

# Says whether each of the blocks 0 to blocks - 1 was owned once; owned[] has how often.
function say_once(owned,    i, none, several) {
    for (i = 0; i < blocks; i++) {
        none += !owned[i]
        several += owned[i] > 1
    }
    print "each index is started or granted", \
        none + several ? "not once" : "once", none + several ? \
        none + 0 " never, " several + 0 " more than once" : "exactly once"
}

# Every block counts: a count of 0 means that no block wrote anything. Returns whether
# this is so, after saying it.
function says_nothing(count) {
    if (count == 0)
        print "run", "nothing", "no block wrote anything"
    return count == 0
}

# ---- the probes ----------------------------------------------------------

function say_order(    starts, grants, i, owned, lowest) {
    starts = at("counts", 0)
    grants = at("counts", 1)
    if (says_nothing(starts))
        return
    print "blocks", "-", starts " of " blocks " started, " grants \
        " were granted"
    for (i = 0; i < kept(starts); i++) {
        owned[at("started", i)]++
        lowest += at("started", i) < starts
    }
    for (i = 0; i < kept(grants); i++)
        owned[at("granted", i)]++
    print "indices that start", lowest == starts ? "lowest" : "not lowest", \
        lowest == starts ? "the lowest ones" : \
        "not the lowest ones: " starts - lowest " are higher"
    say_ascending("starts, as they were noted", "started", kept(starts))
    if (grants)
        print "the first grant", "-", "index " at("granted", 0)
    say_ascending("grants, as they were noted", "granted", kept(grants))
    say_once(owned)
}

function say_refusal(    refusals, i, owned, early, least) {
    refusals = at("counts", 1)
    least = blocks
    if (says_nothing(at("counts", 0)))
        return
    for (i = 0; i < kept(refusals); i++)
        if (at("given", i) < blocks) {
            early++
            if (at("given", i) < least)
                least = at("given", i)
        }
    for (i = 0; i < blocks; i++)
        owned[i] = at("owners", i)
    print "refusals", "-", refusals
    print "given away at a refusal", early ? "less than all" : "all", early ? \
        "less than the whole grid at " early " of them, at least " least \
        " of " blocks " blocks" : "the whole grid"
    say_once(owned)
}

# What the bytes of one kind of answer hold, word by word.
function say_layout(what, list, count,    w, text) {
    for (w = 0; w < 4; w++)
        text = text (w ? ", " : "") field(list, count, w)
    print what, text, text
}

# Describes word w: a constant; x, y or z; or else its two halves, the lower one first.
function field(list, count, w,    whole) {
    whole = part(list, count, w, 1, 8)
    return whole == "varies" ? part(list, count, w, 5, 4) " and " \
        part(list, count, w, 1, 4) : whole
}

# Describes the `digits` hexadecimal digits of word w from digit `from` on.
function part(list, count, w, from, digits,    i, k, fits) {
    for (k = 0; k < 4; k++)
        fits[k] = k == 3 || list == "granted"
    for (i = 0; i < count; i++) {
        for (k = 0; k < 3; k++)
            fits[k] = fits[k] && substr(word[list, 4 * i + w], from, digits) \
                == substr(word["index", 4 * i + k], 9 - digits)
        fits[3] = fits[3] && substr(word[list, 4 * i + w], from, digits) == \
            substr(word[list, w], from, digits)
    }
    for (k = 3; k >= 0; k--)
        if (fits[k])
            return k == 3 ? "`" substr(word[list, w], from, digits) "`" : \
                substr("xyz", k + 1, 1)
    return "varies"
}

function bytes_of(list, i) {
    return "`" word[list, 4 * i] " " word[list, 4 * i + 1] " " \
        word[list, 4 * i + 2] " " word[list, 4 * i + 3] "`"
}

function say_answer(    grants, refusals, i, last) {
    grants = kept(at("counts", 0))
    refusals = kept(at("counts", 1))
    if (says_nothing(grants + refusals))
        return
    print "answers", "-", grants " grants, " refusals " refusals"
    if (grants)
        say_layout("words of a grant", "granted", grants)
    for (i = 0; i < 3 && grants; i++) {
        last = int((grants - 1) * i / 2)
        print "a grant", "-", bytes_of("granted", last) " is block (" \
            at("index", 4 * last) ", " at("index", 4 * last + 1) ", " \
            at("index", 4 * last + 2) ")"
    }
    if (refusals) {
        say_layout("words of a refusal", "refused", refusals)
        print "a refusal", "-", bytes_of("refused", 0)
    }
}

function sort(list, count,    gap, i, k, value) { # Shell sort
    for (gap = int(count / 2); gap > 0; gap = int(gap / 2))
        for (i = gap; i < count; i++) {
            value = list[i]
            for (k = i; k >= gap && list[k - gap] > value; k -= gap)
                list[k] = list[k - gap]
            list[k] = value
        }
}

function say_cycles(what, list, count) {
    if (!count)
        return
    sort(list, count)
    print what, "-", "median " list[int(count / 2)] " cycles, quartiles " \
        list[int(count / 4)] " and " list[int(count * 3 / 4)] ", least " \
        list[0] ", most " list[count - 1] " (" count " of them)"
}

function say_request(    requests, i, grants, refusals, granted, refused, \
                     on, sms) {
    requests = at("counts", 0)
    if (says_nothing(requests))
        return
    for (i = 0; i < requests && i < 2 * blocks; i++) {
        if (!on[at("requests", 4 * i + 1)]++)
            sms++
        if (at("requests", 4 * i + 2))
            granted[grants++] = at("requests", 4 * i)
        else
            refused[refusals++] = at("requests", 4 * i)
    }
    print "requests", "-", requests " from " sms + 0 " SMs"
    say_cycles("cycles to a grant", granted, grants)
    say_cycles("cycles to a refusal", refused, refusals)
}
