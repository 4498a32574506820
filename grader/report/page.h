// SPDX-License-Identifier: Apache-2.0
// The style and the script of a report as a page of HTML: report/page.css and
// report/page.js, compiled in (grader/tools/gen-page).
#ifndef CLCLAB_REPORT_PAGE_H
#define CLCLAB_REPORT_PAGE_H

extern const char page_css[], page_js[];

#endif
