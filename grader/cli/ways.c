// SPDX-License-Identifier: Apache-2.0
// What a page of a grade shows beside the learner's own run: fixed work, a grid
// stride and CLC at the same work (grader/compare/compare.cu). They are
// pictures, and never change a grade: where one of the parts is missing, as in
// a handout, the page is without them.
#include "cli/ways.h"

#include "check/compare_model.h"
#include "vm/vm.h"

#include <string.h>

void ways_open(Cli *cli, const Course *course, Ways *ways) {
    Str path = str_format(&cli->arena, "%.*sgrader/compare/compare.cu",
                          STR_ARG(course->root));
    *ways = (Ways){0};
    if (!cli->args.format || strcmp(cli->args.format, "html") != 0 ||
        cli->args.untrusted || !file_exists(path.ptr) ||
        submission_build_own(cli, course, path, &ways->build) !=
            CLI_FULL_MARKS ||
        !ways->build.submission.module)
        return;
    Diags unused = diags_new(&cli->arena);
    ways->device = vm_open(vm_model_find(STR("mini")));
    if (ways->device && !vm_time(ways->device, NULL, 0, &unused))
        ways_close(ways);
}

void ways_run(Cli *cli, const Ways *ways, Result *result) {
    if (!ways->device || !result->trace)
        return;
    CompareModel model = {.device = ways->device,
                          .module = ways->build.submission.module};
    result->way_count = compare_model_ways(&model, &cli->arena, result->ways);
}

void ways_close(Ways *ways) {
    if (ways->device)
        ways->device->ops->close(ways->device);
    ways->device = NULL;
}
