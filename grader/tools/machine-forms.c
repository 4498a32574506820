// SPDX-License-Identifier: Apache-2.0
// Which forms of instructions the virtual machine takes, for
// grader/tools/ask-ptxas. Kernels, one a line as asm-forms --module makes them,
// on standard input; for each a line on standard output:
//
//   +            the machine takes it
//   - message    the parser says that it is malformed
//   ? message    the machine says that it does not have it
//
// Each is launched with a thread; one that is decoded counts as taken, whatever
// it then does.
#include "ptx/ptx.h"
#include "vm/vm.h"

#include <stdio.h>
#include <string.h>

enum { LINE_MOST = 1 << 16, STEPS = 64 };

static void print_result(const DeviceRun *run) {
    bool lacks = run->status == RUN_UNSUPPORTED;
    puts(lacks ? "? the machine does not have it" : "+");
}

static void run_kernel(Arena *arena, const PtxModule *module) {
    Diags diags = diags_new(arena);
    DeviceRun run = {.status = RUN_REFUSED};
    DeviceLaunch launch = {.kernel = module->funcs[0]->name,
                           .grid = {1, 1, 1},
                           .block = {1, 1, 1},
                           .step_limit = STEPS};
    Device *vm = vm_open(vm_model_find(STR("mini")));
    if (vm->ops->load(vm, module, &diags))
        vm->ops->launch(vm, arena, &launch, &run);
    vm->ops->close(vm);
    print_result(&run);
}

static void try_line(const char *line) {
    Arena arena = {0};
    Diags diags = diags_new(&arena);
    Str text = str_format(
        &arena, ".version 9.0\n.target sm_100a\n.address_size 64\n%s", line);
    PtxModule *module = ptx_parse(&arena, STR("form"), text, &diags);
    if (module)
        run_kernel(&arena, module);
    else
        printf("- %.*s\n", STR_ARG(diags.items[0].what));
    arena_free(&arena);
}

int main(void) {
    static char line[LINE_MOST];
    while (fgets(line, sizeof line, stdin))
        try_line(line);
    return 0;
}
