// SPDX-License-Identifier: Apache-2.0
// The report of clclab doctor, as text and as JSON.
#include "report/report.h"
#include "tests/unit/json_scan.h"
#include "tests/unit/test.h"

static DoctorReport sample(void) {
    DoctorReport report = {.count = 4, .vm_ready = true};
    report.lines[0] =
        (DoctorLine){DOCTOR_VM,         DOCTOR_FINE,      STR("compiler"),
                     STR("NVRTC 13.0"), STR("every lab"), (Str){0}};
    report.lines[1] = (DoctorLine){DOCTOR_VM,    DOCTOR_ODD,
                                   STR("cache"), STR("/a\x1b[2J\"b"),
                                   STR("speed"), STR("Set XDG_CACHE_HOME.")};
    report.lines[2] =
        (DoctorLine){DOCTOR_GPU,   DOCTOR_ABSENT,       STR("gpu"),
                     STR("None."), STR("running them"), STR("Do without.")};
    report.lines[3] = (DoctorLine){
        DOCTOR_TOOLS,
        DOCTOR_NEEDED,
        STR("make"),
        STR("It is missing, and this sentence is long enough to be wrapped."),
        STR("all"),
        STR("Install it.")};
    return report;
}

TEST(text_has_groups_lines_and_the_end) {
    DoctorReport report = sample();
    Buf out = {0};
    report_doctor_text(&report, (ReportStyle){.width = 60}, &out);
    CHECK_STR(buf_view(&out),
              "Grading on the virtual machine\n"
              "  ok      compiler    NVRTC 13.0\n"
              "                      for   every lab\n"
              "  look    cache       /a\\x1b[2J\"b\n"
              "                      for   speed\n"
              "                      help  Set XDG_CACHE_HOME.\n"
              "\nRunning on a GPU\n"
              "  no      gpu         None.\n"
              "                      for   running them\n"
              "                      help  Do without.\n"
              "\nOther programs\n"
              "  NEEDED  make        It is missing, and this sentence is\n"
              "                      long enough to be wrapped.\n"
              "                      for   all\n"
              "                      help  Install it.\n"
              "\nThe labs can be graded on the virtual machine.\n"
              "They cannot be run on a GPU here.\n");
    out.len = 0;
    report.vm_ready = false;
    report.gpu_ready = true;
    report_doctor_text(&report, (ReportStyle){.width = 60}, &out);
    CHECK_HOLDS(buf_view(&out), "No lab can be graded yet");
    CHECK_HOLDS(buf_view(&out), "There is a GPU that can run them.");
    buf_free(&out);
}

TEST(json_is_valid_and_has_it_all) {
    DoctorReport report = sample();
    Buf out = {0};
    report_doctor_json(&report, &out);
    CHECK(is_json(buf_view(&out)));
    CHECK_HOLDS(buf_view(&out), "\"schema\": \"clclab/doctor/v1\"");
    CHECK_HOLDS(buf_view(&out), "\"vm_ready\": true,\n  \"gpu_ready\": false");
    CHECK_HOLDS(buf_view(&out), "\"id\": \"compiler\",\n      \"state\": "
                                "\"fine\"");
    CHECK_HOLDS(buf_view(&out), "\"found\": \"/a\\u001b[2J\\\"b\"");
    CHECK_HOLDS(buf_view(&out), "\"group\": \"tools\"");
    CHECK_HOLDS(buf_view(&out), "\"help\": null");
    buf_free(&out);
}

TEST_MAIN(TESTCASE(text_has_groups_lines_and_the_end),
          TESTCASE(json_is_valid_and_has_it_all))
