# SPDX-License-Identifier: Apache-2.0
# Reads the TAP of one suite; prints a line for it, the failed tests with what
# they said, and the reasons of skips; writes "passed failed skipped" to the
# file `counts`. Variables: name, rc (the suite's exit status), counts.
# Diagnostics ("# ...") stand behind their test.

function flush_failure() {
    if (failing != "")
        report = report failing
    failing = ""
}

/^1\.\.[0-9]+/ && plan == "" {
    plan = substr($1, 4) + 0
    if (plan == 0 && tolower($0) ~ /# *skip/) {
        skipped++
        plan_skip = 1
        skips = skips "      skipped: " $0 "\n"
    }
    next
}
/^ok / {
    flush_failure()
    seen++
    if (tolower($0) ~ /# *skip/) {
        skipped++
        skips = skips "      skipped: " substr($0, 4) "\n"
    } else {
        passed++
    }
    next
}
/^not ok / {
    flush_failure()
    seen++
    failed++
    failing = "    " $0 "\n"
    next
}
/^Bail out!/ {
    flush_failure()
    report = report "    " $0 "\n"
    bailed = 1
    next
}
/^TAP version/ { next }
{
    if (failing != "")
        failing = failing "      " $0 "\n"
    else if (stray_lines++ < 40)
        stray = stray "      " $0 "\n"
}
END {
    flush_failure()
    if (plan == "") {
        failed++
        report = report "    it announced no plan\n" stray
    } else if (seen < plan && !plan_skip) {
        failed += plan - seen
        report = report "    " (plan - seen) " of " plan \
            " tests did not run (exit status " rc ")\n" stray
    } else if (seen > plan) {
        failed++
        report = report "    more tests than planned: " seen "\n"
    }
    if (failed == 0 && (rc != 0 || bailed)) {
        failed++
        report = report "    exit status " rc " although no test failed\n" \
            stray
    }
    printf "%-4s  %-28s %4d passed", failed ? "FAIL" : "ok", name, passed
    if (failed)
        printf ", %d failed", failed
    if (skipped)
        printf ", %d skipped", skipped
    printf "\n%s%s", skips, report
    print passed + 0, failed + 0, skipped + 0 >counts
}
