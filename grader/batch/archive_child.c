// SPDX-License-Identifier: Apache-2.0
// Reads an archive by libarchive and sends its entries to the parent. The
// library is loaded when it is needed, since graders of one file do without,
// and before the child gives up all but memory and its output.
#include "batch/batch.h"
#include "batch/internal.h"
#include "sandbox/sandbox.h"

#include <dlfcn.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// libarchive's (archive.h, archive_entry.h), which version 3 has not changed.
enum { ARCHIVE_FINE = 0, ARCHIVE_ENDS = 1, ARCHIVE_IS_ODD = -20 };
enum { TYPE_FILE = 0100000, TYPE_LINK = 0120000, TYPE_FOLDER = 0040000 };

typedef struct Library {
    void *(*open)(void);
    int (*open_memory)(void *archive, const void *bytes, size_t count);
    int (*next)(void *archive, void **entry);
    ssize_t (*data)(void *archive, void *bytes, size_t count);
    const char *(*error)(void *archive);
    const char *(*path)(void *entry);
    const char *(*path_utf8)(void *entry);
    const char *(*hard_link)(void *entry);
    unsigned (*type)(void *entry);
} Library;

enum { EXIT_NO_ARCHIVE = BATCH_EXIT_NO_LIBRARY + 1, EXIT_BROKEN };

// As in compile/child.c: a data pointer holds a function's address.
static bool find_function(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool load(void *handle, Library *library) {
    return find_function(handle, "archive_read_new", &library->open) &&
           find_function(handle, "archive_read_open_memory",
                         &library->open_memory) &&
           find_function(handle, "archive_read_next_header", &library->next) &&
           find_function(handle, "archive_read_data", &library->data) &&
           find_function(handle, "archive_error_string", &library->error) &&
           find_function(handle, "archive_entry_pathname", &library->path) &&
           find_function(handle, "archive_entry_pathname_utf8",
                         &library->path_utf8) &&
           find_function(handle, "archive_entry_hardlink",
                         &library->hard_link) &&
           find_function(handle, "archive_entry_filetype", &library->type);
}

// A version of the library may lack one of these.
static void support(void *handle, void *archive) {
    static const char *const names[] = {
        "archive_read_support_format_tar",   "archive_read_support_format_zip",
        "archive_read_support_format_7zip",  "archive_read_support_filter_gzip",
        "archive_read_support_filter_bzip2", "archive_read_support_filter_xz",
        "archive_read_support_filter_zstd"};
    int (*function)(void *archive);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (find_function(handle, names[i], &function))
            function(archive);
}

static bool send(int out, const void *bytes, size_t count) {
    const char *at = bytes;
    while (count > 0) {
        ssize_t n = write(out, at, count);
        if (n <= 0)
            return false;
        at += n;
        count -= (size_t)n;
    }
    return true;
}

static bool send_entry(int out, char kind, const char *path, const char *data,
                       size_t size) {
    char head[64];
    int len =
        snprintf(head, sizeof head, "%c %zu %zu\n", kind, strlen(path), size);
    return send(out, head, (size_t)len) && send(out, path, strlen(path)) &&
           send(out, data, size);
}

// Up to a byte more than may be kept; negative: it cannot be read.
static ssize_t read_data(const Library *library, void *archive, size_t most,
                         char *bytes) {
    size_t count = 0;
    while (count <= most) {
        ssize_t n = library->data(archive, bytes + count, most + 1 - count);
        if (n < 0)
            return n;
        if (n == 0)
            break;
        count += (size_t)n;
    }
    return (ssize_t)count;
}

static const char *path_of(const Library *library, void *entry) {
    const char *path = library->path_utf8(entry);
    if (!path)
        path = library->path(entry);
    return path ? path : "";
}

static bool send_next(const Library *library, void *archive, void *entry,
                      char *bytes, int out) {
    const char *path = path_of(library, entry);
    unsigned type = library->type(entry);
    ssize_t count = 0;
    if (type == TYPE_FOLDER)
        return send_entry(out, 'd', path, NULL, 0);
    if (type == TYPE_LINK || library->hard_link(entry))
        return send_entry(out, 'l', path, NULL, 0);
    if (type != TYPE_FILE)
        return send_entry(out, 'o', path, NULL, 0);
    size_t most = batch_most(str_from(path));
    if (most)
        count = read_data(library, archive, most, bytes);
    if (count < 0)
        return send_entry(out, 'b', path, NULL, 0);
    if ((size_t)count > most)
        return send_entry(out, 'z', path, NULL, 0);
    return send_entry(out, 'f', path, bytes, (size_t)count);
}

static int read_entries(const Library *library, void *archive, int out) {
    char *bytes = heap_alloc(1, BATCH_MOST_PACKED + 1);
    void *entry;
    int status;
    for (size_t i = 0; i <= BATCH_MOST_FILES; i++) {
        status = library->next(archive, &entry);
        if (status == ARCHIVE_ENDS)
            return 0;
        if (status < ARCHIVE_IS_ODD) {
            const char *error = library->error(archive);
            send_entry(out, 'e', error ? error : "it is damaged", NULL, 0);
            return i ? EXIT_BROKEN : EXIT_NO_ARCHIVE;
        }
        if (!send_next(library, archive, entry, bytes, out))
            return EXIT_BROKEN;
    }
    send_entry(out, 'e', "it has too many files", NULL, 0);
    return EXIT_BROKEN;
}

int batch_archive_child(void *context, int out) {
    const Str *text = context;
    Library library;
    setlocale(LC_CTYPE, "C.UTF-8"); // names of files are in UTF-8
    void *handle = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
    void *archive = handle && load(handle, &library) ? library.open() : NULL;
    if (!archive)
        return BATCH_EXIT_NO_LIBRARY;
    support(handle, archive);
    sandbox_only_compute();
    if (library.open_memory(archive, text->ptr, text->len) != ARCHIVE_FINE) {
        const char *error = library.error(archive);
        send_entry(out, 'e', error ? error : "it is no archive", NULL, 0);
        return EXIT_NO_ARCHIVE;
    }
    return read_entries(&library, archive, out);
}
