# SPDX-License-Identifier: Apache-2.0
# Reads the TAP of one suite. Prints a line for the suite, the failed tests with their
# output, and the reasons for skipped tests; writes "passed failed skipped" to the file
# `counts`. Variables: name, rc (the suite's exit status), counts. Diagnostics
# ("# ...") follow their test.
#
# What will be printed is stored line by line: a single string would be copied each time
# that a line is added to it, and a suite may print megabytes.

function say(line) {
    report[++report_lines] = line
}

function print_lines(lines, count,    i) {
    for (i = 1; i <= count; i++)
        print lines[i]
}

/^1\.\.[0-9]+/ && plan == "" {
    plan = substr($1, 4) + 0
    if (plan == 0 && tolower($0) ~ /# *skip/) {
        skipped++
        plan_skip = 1
        skips[++skip_lines] = "      skipped: " $0
    }
    next
}
/^ok / {
    failing = 0
    seen++
    if (tolower($0) ~ /# *skip/) {
        skipped++
        skips[++skip_lines] = "      skipped: " substr($0, 4)
    } else {
        passed++
    }
    next
}
/^not ok / {
    failing = 1
    seen++
    failed++
    say("    " $0)
    next
}
/^Bail out!/ {
    failing = 0
    say("    " $0)
    bailed = 1
    next
}
/^TAP version/ { next }
{
    if (failing)
        say("      " $0)
    else if (stray_lines < 40)
        stray[++stray_lines] = "      " $0
}

function say_stray(    i) {
    for (i = 1; i <= stray_lines; i++)
        say(stray[i])
}

END {
    if (plan == "") {
        failed++
        say("    it announced no plan")
        say_stray()
    } else if (seen < plan && !plan_skip) {
        failed += plan - seen
        say("    " (plan - seen) " of " plan " tests did not run (exit status " rc ")")
        say_stray()
    } else if (seen > plan) {
        failed++
        say("    more tests than planned: " seen)
    }
    if (failed == 0 && (rc != 0 || bailed)) {
        failed++
        say("    exit status " rc " although no test failed")
        say_stray()
    }
    printf "%-4s  %-28s %4d passed", failed ? "FAIL" : "ok", name, passed
    if (failed)
        printf ", %d failed", failed
    if (skipped)
        printf ", %d skipped", skipped
    printf "\n"
    print_lines(skips, skip_lines)
    print_lines(report, report_lines)
    print passed + 0, failed + 0, skipped + 0 >counts
}
