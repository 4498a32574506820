// SPDX-License-Identifier: Apache-2.0
// The driver's functions that link device code while the program runs. The
// result, which the program may copy, is what was added: texts of PTX, which
// module_add takes apart.
#include "runtime/core/modules.h"
#include "runtime/core/runtime.h"

#include <string.h>

typedef enum LinkInput {
    LINK_CUBIN,
    LINK_PTX,
    LINK_FATBIN,
    LINK_OBJECT,
    LINK_LIBRARY,
} LinkInput;

typedef struct Linked {
    Buf image;
} Linked;

static CudaError begin(Runtime *r, Linked **linked) {
    *linked = arena_new(&r->arena, Linked, 1);
    buf_str(&(*linked)->image, str_from(MODULE_LINKED));
    return CUDA_OK;
}

API CudaError cuLinkCreate_v2(uint32_t count, int *options, void **values,
                              Linked **linked) {
    (void)count, (void)options, (void)values;
    RETURN("cuLinkCreate", begin(r, linked));
}

static CudaError add(Runtime *r, Linked *linked, LinkInput kind,
                     const void *data, size_t size) {
    Str text = {data, size};
    if (kind == LINK_FATBIN) {
        CudaError error = module_find_ptx(r, data, &text);
        if (error)
            return error;
    } else if (kind != LINK_PTX) {
        return module_refuse_machine_code(r);
    }
    while (text.len && text.ptr[text.len - 1] == '\0')
        text.len--;
    buf_str(&linked->image, text);
    buf_str(&linked->image, (Str){"", 1});
    return CUDA_OK;
}

API CudaError cuLinkAddData_v2(Linked *linked, LinkInput kind, void *data,
                               size_t size, const char *name, uint32_t count,
                               int *options, void **values) {
    (void)name, (void)count, (void)options, (void)values;
    RETURN("cuLinkAddData", add(r, linked, kind, data, size));
}

static CudaError add_file(Runtime *r, Linked *linked, LinkInput kind,
                          const char *path) {
    Str text;
    CudaError error = module_read_file(r, path, &text);
    return error ? error : add(r, linked, kind, text.ptr, text.len);
}

API CudaError cuLinkAddFile_v2(Linked *linked, LinkInput kind, const char *path,
                               uint32_t count, int *options, void **values) {
    (void)count, (void)options, (void)values;
    RETURN("cuLinkAddFile", add_file(r, linked, kind, path));
}

// Behind the last text, an empty one.
static CudaError complete(Linked *linked, const void **image, size_t *size) {
    buf_str(&linked->image, (Str){"", 1});
    *image = linked->image.ptr;
    if (size)
        *size = linked->image.len;
    return CUDA_OK;
}

API CudaError cuLinkComplete(Linked *linked, const void **image, size_t *size) {
    RETURN("cuLinkComplete", complete(linked, image, size));
}

API CudaError cuLinkDestroy(Linked *linked) {
    buf_free(&linked->image);
    return CUDA_OK;
}
