// SPDX-License-Identifier: Apache-2.0
// What a program registers: its fat binaries, and their kernels and variables.
// A fat binary is loaded when something of it is needed: module_load.
#include "runtime/core/modules.h"
#include "fatbin/fatbin.h"
#include "runtime/core/memory.h"
#include "runtime/core/runtime.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- what is registered --------------------------------------------------

// Each ends with a NUL, and an empty one is behind the last.
static const char *copy_texts(Runtime *r, const char *image) {
    const char *first = image + sizeof MODULE_LINKED - 1, *end = first;
    while (*end)
        end += strlen(end) + 1;
    size_t size = (size_t)(end - first) + 1;
    return memcpy(arena_new(&r->arena, char, size), first, size);
}

// An image's length is not told, and a text may be shorter than what is looked
// for: nothing is read behind the byte that differs.
static bool starts_with(const void *image, const char *magic) {
    return strncmp(image, magic, strlen(magic)) == 0;
}

static bool is_text(const void *image) {
    bool is_fatbin = strnlen(image, 4) == 4 && fatbin_size(image);
    return !is_fatbin && !starts_with(image, "\177ELF");
}

Module *module_add(Runtime *r, const void *image) {
    Module *module = arena_new(&r->arena, Module, 1);
    if (starts_with(image, "\261CbF")) // a wrapper
        memcpy(&image, (const char *)image + 8, sizeof image);
    module->image = image;
    if (starts_with(image, MODULE_LINKED)) {
        module->image = NULL;
        module->texts = copy_texts(r, image);
    } else if (is_text(image)) {
        module->image = NULL;
        module->text = str_copy(&r->arena, str_from(image));
    }
    Module **link = &r->modules;
    while (*link)
        link = &(*link)->next;
    *link = module;
    return module;
}

static void find_func(CudaKernel *kernel) {
    const PtxModule *ptx = kernel->module->ptx;
    const PtxFunc *func = ptx ? ptx_find_func(ptx, kernel->name) : NULL;
    kernel->func = func && func->is_entry && func->has_body ? func : NULL;
}

CudaKernel *module_add_kernel(Runtime *r, Module *module, const void *host,
                              Str name) {
    CudaKernel *kernel = arena_new(&r->arena, CudaKernel, 1);
    kernel->module = module;
    kernel->host = host;
    kernel->name = str_copy(&r->arena, name);
    kernel->next = module->kernels;
    module->kernels = kernel;
    find_func(kernel);
    return kernel;
}

Variable *module_add_variable(Runtime *r, Module *module, const void *host,
                              Str name) {
    Variable *variable = arena_new(&r->arena, Variable, 1);
    variable->module = module;
    variable->host = host;
    variable->name = str_copy(&r->arena, name);
    variable->next = module->variables;
    module->variables = variable;
    return variable;
}

// ---- loading -------------------------------------------------------------

uint32_t module_arch(const Runtime *r) {
    return str_equal(str_from(r->model->name), STR("rtx5090")) ? 120 : 100;
}

CudaError module_refuse_machine_code(Runtime *r) {
    runtime_message(
        r, DIAG_ERROR,
        "The program has kernels without PTX for this device, as they are "
        "machine code only or for a newer one.",
        "Build it with clclab nvcc, or with -arch=sm_100a: that embeds PTX. "
        "With NVRTC, compile for compute_100a and load the PTX. What was built "
        "for sm_120 runs with --gpu-model rtx5090.");
    return CUDA_NO_IMAGE;
}

CudaError module_find_ptx(Runtime *r, const void *data, Str *ptx) {
    static const char elf[] = "\177ELF";
    if (memcmp(data, elf, sizeof elf - 1) == 0)
        return module_refuse_machine_code(r);
    Str image = {data, fatbin_size(data)};
    switch (fatbin_find_ptx(&r->arena, image, module_arch(r), ptx)) {
    case FATBIN_FOUND:
        return CUDA_OK;
    case FATBIN_NO_PTX:
        return module_refuse_machine_code(r);
    case FATBIN_NO_ZSTD:
        runtime_message(r, DIAG_ERROR,
                        "The program's PTX is compressed, and libzstd.so.1 is "
                        "not there.",
                        "Install it (Debian: libzstd1), or build with "
                        "-Xfatbin --compress-mode=none.");
        return CUDA_NO_IMAGE;
    case FATBIN_TOO_LARGE:
    case FATBIN_DAMAGED:
        break;
    }
    runtime_message(r, DIAG_ERROR, "A fat binary of the program is damaged.",
                    "Build the program again.");
    return CUDA_IMAGE;
}

static CudaError refuse(Runtime *r, const Diags *diags) {
    Arena scratch = {0};
    const Diag *first = &diags->items[0];
    for (size_t i = 0; i < diags->count && first->level != DIAG_ERROR; i++)
        first = &diags->items[i];
    Str what = str_format(&scratch, "The PTX of the program, line %u: %.*s",
                          first->at.line, STR_ARG(first->what));
    runtime_message(r, DIAG_ERROR, str_cstring(&scratch, what),
                    str_cstring(&scratch, first->help));
    r->why = str_format(&r->arena, "line %u; error: %.*s\n", first->at.line,
                        STR_ARG(first->what));
    arena_free(&scratch);
    return CUDA_PTX;
}

// The module's variables become memory that all devices have. Those that are
// managed lie where the program can use them too.
static CudaError adopt_variables(Runtime *r, Module *module) {
    for (size_t i = 0; i < module->ptx->var_count; i++) {
        const PtxVar *var = module->ptx->vars[i];
        VmVariable at;
        if (!vm_variable(module->device, var, &at))
            continue;
        if (!memory_adopt(r, at.number, at.bytes, at.size) ||
            (var->is_managed && !memory_share(r, at.number)))
            return CUDA_MEMORY;
    }
    for (Variable *v = module->variables; v; v = v->next) {
        const PtxVar *var = ptx_find_var(module->ptx, v->name);
        VmVariable at;
        if (!var || !vm_variable(module->device, var, &at))
            continue;
        v->number = at.number;
        v->size = at.size;
        if (v->managed)
            *v->managed = memory_address(r, &r->slots[at.number]);
    }
    return CUDA_OK;
}

static CudaError open_device(Runtime *r, Module *module) {
    Diags diags = diags_new(&r->arena);
    uint32_t first = memory_reserve(r, module->ptx->var_count);
    module->device = vm_open(r->model);
    if (!module->device || !first)
        return CUDA_MEMORY;
    vm_number(module->device, first);
    if (!module->device->ops->load(module->device, module->ptx, &diags))
        return refuse(r, &diags);
    vm_keep(module->device);
    memory_show(r, module->device);
    vm_textures(module->device, &r->textures);
    return adopt_variables(r, module);
}

static CudaError parse(Runtime *r, Str text, PtxModule **ptx) {
    Diags diags = diags_new(&r->arena);
    *ptx = ptx_parse(&r->arena, STR("PTX"), text, &diags);
    return *ptx ? CUDA_OK : refuse(r, &diags);
}

typedef struct Parts {
    PtxModule **items;
    size_t count, capacity;
} Parts;

static CudaError add_part(Runtime *r, Parts *parts, Str text) {
    arena_grow(&r->arena, parts->items, parts->count, parts->capacity);
    return parse(r, text, &parts->items[parts->count++]);
}

// NVIDIA's library for kernels that launch kernels is such a part without PTX
// for this device. The others may do without it.
static CudaError add_fatbin(Runtime *r, Module *module, Parts *parts,
                            const void *data) {
    Str text, image = {data, fatbin_size(data)};
    if (fatbin_find_ptx(&r->arena, image, module_arch(r), &text) ==
        FATBIN_NO_PTX) {
        module->lacks_parts = true;
        return CUDA_OK;
    }
    CudaError error = module_find_ptx(r, data, &text);
    return error ? error : add_part(r, parts, text);
}

// Of a program that was compiled with -rdc=true, or of one that has linked
// texts itself.
static CudaError link_parts(Runtime *r, Module *module) {
    Parts parts = {0};
    CudaError error = CUDA_OK;
    for (size_t i = 0; module->parts && module->parts[i] && !error; i++)
        error = add_fatbin(r, module, &parts, module->parts[i]);
    for (const char *at = module->texts; at && *at && !error;
         at += strlen(at) + 1)
        error = add_part(r, &parts, str_from(at));
    if (!error && !parts.count)
        error = module_refuse_machine_code(r);
    if (!error)
        module->ptx = ptx_link(&r->arena, parts.items, parts.count);
    return error;
}

// What NVIDIA's library for kernels has, and kernels call here: each row is a
// function and its PTX. The handle of a graph's condition is the address of a
// number.
static const struct {
    const char *name, *ptx;
} device_functions[] = {
    {"cudaGraphSetConditional",
     ".version 8.0\n.target sm_90\n.address_size 64\n"
     ".visible .func cudaGraphSetConditional(.param .b64 handle, "
     ".param .b32 value)\n"
     "{\n.reg .b32 %r1;\n.reg .b64 %rd1;\n"
     "ld.param.b64 %rd1, [handle];\nld.param.b32 %r1, [value];\n"
     "st.global.b32 [%rd1], %r1;\nret;\n}\n"},
};

static CudaError link_function(Runtime *r, Module *module, const char *name,
                               const char *text) {
    PtxModule *parts[] = {module->ptx, NULL};
    const PtxFunc *func = ptx_find_func(module->ptx, str_from(name));
    if (!func || func->has_body)
        return CUDA_OK;
    CudaError error = parse(r, str_from(text), &parts[1]);
    if (!error)
        module->ptx = ptx_link(&r->arena, parts, COUNT_OF(parts));
    return error;
}

static CudaError link_functions(Runtime *r, Module *module) {
    CudaError error = CUDA_OK;
    for (size_t i = 0; i < COUNT_OF(device_functions) && !error; i++)
        error = link_function(r, module, device_functions[i].name,
                              device_functions[i].ptx);
    return error;
}

static CudaError read_ptx(Runtime *r, Module *module) {
    Str text = module->text;
    if (module->parts || module->texts)
        return link_parts(r, module);
    CudaError error =
        module->image ? module_find_ptx(r, module->image, &text) : CUDA_OK;
    return error ? error : parse(r, text, &module->ptx);
}

static CudaError load(Runtime *r, Module *module) {
    CudaError error = read_ptx(r, module);
    if (!error)
        error = link_functions(r, module);
    if (error)
        return error;
    for (CudaKernel *kernel = module->kernels; kernel; kernel = kernel->next)
        find_func(kernel);
    return open_device(r, module);
}

CudaError module_load(Runtime *r, Module *module) {
    if (!r->has_begun)
        runtime_tell(r, &(Buf){0});
    if (!module->is_tried)
        module->end = load(r, module);
    module->is_tried = true;
    return module->end;
}

CudaError module_read_file(Runtime *r, const char *path, Str *text) {
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return CUDA_NO_FILE;
    if (fstat(file, &about) != 0 || about.st_size < 0)
        about.st_size = 0;
    size_t size = (size_t)about.st_size, done = 0;
    char *bytes = arena_new(&r->arena, char, size + 16);
    ssize_t count = 1;
    while (done < size && count > 0) {
        count = read(file, bytes + done, size - done);
        done += count > 0 ? (size_t)count : 0;
    }
    close(file);
    *text = (Str){bytes, done};
    return CUDA_OK;
}

CudaError module_read(Runtime *r, Module **module, const char *path) {
    Str text;
    CudaError error = module_read_file(r, path, &text);
    *module = NULL;
    if (error)
        return error;
    *module = module_add(r, text.ptr);
    return module_load(r, *module);
}

// ---- what is meant -------------------------------------------------------

static CudaError find_loaded(Runtime *r, Module *module,
                             const CudaKernel *kernel) {
    CudaError error = module_load(r, module);
    if (error || kernel->func)
        return error;
    return module->lacks_parts ? module_refuse_machine_code(r) : CUDA_FUNCTION;
}

CudaError module_find_kernel(Runtime *r, const void *host,
                             CudaKernel **kernel) {
    for (Module *m = r->modules; m; m = m->next)
        for (CudaKernel *k = m->kernels; k && !m->is_dead; k = k->next)
            if (k->host == host || k == host) {
                *kernel = k;
                return find_loaded(r, m, k);
            }
    return CUDA_FUNCTION;
}

CudaKernel *module_kernel_named(Runtime *r, Module *module, Str name) {
    for (CudaKernel *k = module->kernels; k; k = k->next)
        if (str_equal(k->name, name))
            return k->func ? k : NULL;
    const PtxFunc *func = ptx_find_func(module->ptx, name);
    return func && func->is_entry && func->has_body
               ? module_add_kernel(r, module, NULL, name)
               : NULL;
}

CudaError module_find_variable(Runtime *r, const void *host,
                               Variable **variable) {
    for (Module *m = r->modules; m; m = m->next)
        for (Variable *v = m->variables; v && !m->is_dead; v = v->next)
            if (v->host == host || (v->managed && *v->managed == host)) {
                *variable = v;
                CudaError error = module_load(r, m);
                return error || v->number ? error : CUDA_SYMBOL;
            }
    return CUDA_SYMBOL;
}

CudaError module_symbol(Runtime *r, const void *symbol, size_t offset,
                        size_t count, void **address) {
    Variable *variable;
    CudaError error = module_find_variable(r, symbol, &variable);
    if (error)
        return error;
    if (offset > variable->size || count > variable->size - offset)
        return CUDA_VALUE;
    *address = (char *)memory_address(r, &r->slots[variable->number]) + offset;
    return CUDA_OK;
}
