// SPDX-License-Identifier: Apache-2.0
// Finds the course, which is the folder with labs/ and solutions/, and the lab
// that is meant. The course is the one that --root names, else CLCLAB_ROOT,
// else the one above the program. A course is recognised by labs/common/lab.h.
//
// What lies in or above the current folder is never taken for the course: it
// may be a student's own, and its lab.conf would decide the marks. Where the
// program's course is above the current folder, however, its path is the short
// one from here ("labs/...", "../labs/..."), because messages show it.
#include "cli/source/source.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_LEVELS = 32, MOST_LABS = 1000, MOST_CONF = 1 << 16 };

// ---- the root ------------------------------------------------------------

static bool is_course(Arena *arena, Str root) {
    Str path = str_format(arena, "%.*slabs/common/lab.h", STR_ARG(root));
    return file_exists(path.ptr);
}

static bool find_above_program(Cli *cli, Str *root) {
    for (Str at = str_from(cli->program); at.len > 0; at.len--) {
        if (at.ptr[at.len - 1] != '/' || !is_course(&cli->arena, at))
            continue;
        *root = at;
        return true;
    }
    return false;
}

static bool is_same_folder(Arena *arena, Str a, Str b) {
    struct stat one, other;
    Str here = a.len ? a : STR(".");
    return stat(str_cstring(arena, here), &one) == 0 &&
           stat(str_cstring(arena, b), &other) == 0 &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// The path of this course from here: "", "../", ..., if it is above the current
// folder.
static Str shorten(Arena *arena, Str root) {
    Str up = STR("");
    for (int level = 0; level < MOST_LEVELS; level++) {
        if (is_same_folder(arena, up, root))
            return up;
        up = str_format(arena, "../%.*s", STR_ARG(up));
    }
    return root;
}

static Str with_slash(Arena *arena, const char *path) {
    size_t len = strlen(path);
    bool has = len > 0 && path[len - 1] == '/';
    return str_format(arena, "%s%s", path, has ? "" : "/");
}

// *found: false if none was named and none was found.
static int find_root(Cli *cli, Course *course, bool *found) {
    Arena *arena = &cli->arena;
    const char *given = cli->args.root, *name = "--root";
    if (!given && (given = getenv("CLCLAB_ROOT")) && given[0])
        name = "CLCLAB_ROOT";
    if (given && given[0]) {
        course->given = true;
        course->root = with_slash(arena, given);
        *found = is_course(arena, course->root);
        if (*found)
            return CLI_FULL_MARKS;
        return output_error(cli, CLI_USAGE,
                            "%s: %s is not the course's folder (it has no "
                            "labs/common/lab.h)",
                            name, given);
    }
    *found = find_above_program(cli, &course->root);
    if (*found)
        course->root = shorten(arena, course->root);
    return CLI_FULL_MARKS;
}

static int no_course(Cli *cli) {
    return output_error(cli, CLI_MISSING,
                        "the course's folder, which has labs/common/lab.h, is "
                        "not above the program; say where it is with --root or "
                        "CLCLAB_ROOT");
}

static Str without_slash(Arena *arena, const char *path) {
    Str s = str_from(path);
    while (s.len > 1 && s.ptr[s.len - 1] == '/')
        s.len--;
    return str_copy(arena, s);
}

static void set_folders(Cli *cli, Course *course) {
    Arena *arena = &cli->arena;
    course->labs = str_format(arena, "%.*slabs", STR_ARG(course->root));
    course->common = str_format(arena, "%.*s/common", STR_ARG(course->labs));
}

bool course_find_any(Cli *cli, Course *course, int *code) {
    bool found = false;
    *course = (Course){0};
    *code = find_root(cli, course, &found);
    if (found)
        set_folders(cli, course);
    else
        course->root = (Str){0};
    return *code == CLI_FULL_MARKS;
}

bool course_find(Cli *cli, Course *course, int *code) {
    Arena *arena = &cli->arena;
    if (!course_find_any(cli, course, code))
        return false;
    if (course->labs.len == 0) {
        *code = no_course(cli);
        return false;
    }
    if (!cli->args.labs)
        return true;
    course->given = true;
    course->labs = without_slash(arena, cli->args.labs);
    Str header = str_format(arena, "%.*s/common/lab.h", STR_ARG(course->labs));
    if (file_exists(header.ptr))
        course->common =
            str_format(arena, "%.*s/common", STR_ARG(course->labs));
    if (file_exists(course->labs.ptr))
        return true;
    *code = output_error(cli, CLI_USAGE, "--labs: %s: %s", cli->args.labs,
                         strerror(errno));
    return false;
}

// ---- the labs ------------------------------------------------------------

uint32_t course_number(Str folder) {
    size_t dash = str_find(folder, '-');
    uint64_t number;
    Str digits = str_slice(folder, 0, dash);
    if (dash == folder.len || digits.len > 4 || !str_to_u64(digits, &number))
        return 0;
    return (uint32_t)number;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(((const Str *)a)->ptr, ((const Str *)b)->ptr);
}

size_t course_list(Cli *cli, const Course *course, Str **folders) {
    Arena *arena = &cli->arena;
    *folders = arena_new(arena, Str, MOST_LABS);
    size_t count = 0;
    DIR *directory = opendir(course->labs.ptr);
    struct dirent *entry;
    while (directory && (entry = readdir(directory)) && count < MOST_LABS) {
        if (course_number(str_from(entry->d_name)) == 0)
            continue;
        Str conf = str_format(arena, "%.*s/%s/lab.conf", STR_ARG(course->labs),
                              entry->d_name);
        if (file_exists(conf.ptr))
            (*folders)[count++] = str_copy(arena, str_from(entry->d_name));
    }
    if (directory)
        closedir(directory);
    qsort(*folders, count, sizeof **folders, compare_names);
    return count;
}

static bool is_meant(Str folder, Str name) {
    uint64_t number;
    while (name.len > 0 && name.ptr[name.len - 1] == '/')
        name.len--;
    if (str_to_u64(name, &number))
        return number > 0 && number == course_number(folder);
    return str_equal(folder, name);
}

// By letters that are nearly right, by its number, or by a part of its name.
static const char *nearest_lab(Cli *cli, const char *name, const Str *folders,
                               size_t count) {
    const char **names = arena_new(&cli->arena, const char *, count + 1);
    unsigned long number = strtoul(name, NULL, 10);
    const char *by_number = NULL, *by_part = NULL;
    for (size_t i = 0; i < count; i++) {
        names[i] = str_cstring(&cli->arena, folders[i]);
        if (number && number == course_number(folders[i]))
            by_number = names[i];
        if (!by_part && strlen(name) >= 4 && strstr(names[i], name))
            by_part = names[i];
    }
    const char *by_letters = args_suggest(name, names, count);
    return by_letters ? by_letters : by_number ? by_number : by_part;
}

static int unknown_lab(Cli *cli, const Course *course, const char *name,
                       const Str *folders, size_t count) {
    Str list = STR("");
    for (size_t i = 0; i < count; i++)
        list = str_format(&cli->arena, "%.*s%s%.*s", STR_ARG(list),
                          i ? ", " : "", STR_ARG(folders[i]));
    if (count == 0)
        return output_error(cli, CLI_MISSING, "there are no labs in %s",
                            course->labs.ptr);
    const char *meant = nearest_lab(cli, name, folders, count);
    if (meant)
        return output_error(cli, CLI_USAGE,
                            "there is no lab \"%s\"; did you mean %s?", name,
                            meant);
    return output_error(
        cli, CLI_USAGE,
        "there is no lab \"%s\"; the labs are %.*s (a number is "
        "enough)",
        name, STR_ARG(list));
}

const LabEntry *course_find_entry(Str folder) {
    for (size_t i = 0; i < lab_entry_count; i++)
        if (str_equal(folder, str_from(lab_entries[i].folder)))
            return &lab_entries[i];
    return NULL;
}

// The lab's own file, if it can be read. In a student's folder it is what she
// works on, and then differs from itself in nothing.
static Str read_starter(Cli *cli, const Course *course, Str folder, Str file) {
    Str path = str_format(&cli->arena, "%.*s/%.*s/%.*s", STR_ARG(course->labs),
                          STR_ARG(folder), STR_ARG(file));
    Str text = {0}, why;
    if (file_read(&cli->arena, path.ptr, CLI_MAX_SOURCE, &text, &why))
        return (Str){0};
    return text;
}

const char *course_hints(Cli *cli, const Course *course, const Lab *lab) {
    return str_format(&cli->arena, "%.*s/%.*s/hints.md", STR_ARG(course->labs),
                      STR_ARG(lab->folder))
        .ptr;
}

int course_read_conf(Cli *cli, const Course *course, Str folder, Lab *lab) {
    Arena *arena = &cli->arena;
    int fault = course->given ? CLI_USAGE : CLI_OURS;
    Str path = str_format(arena, "%.*s/%.*s/lab.conf", STR_ARG(course->labs),
                          STR_ARG(folder));
    Str text, why;
    Diags diags = diags_new(arena);
    switch (file_read(arena, path.ptr, MOST_CONF, &text, &why)) {
    case FILE_READ:
        break;
    case FILE_TOO_LARGE:
        return output_error(cli, fault, "%s: it is larger than 64 KiB",
                            path.ptr);
    case FILE_UNREADABLE:
        return output_error(cli, fault, "%s: %.*s", path.ptr, STR_ARG(why));
    }
    if (!check_parse_lab(arena, path, text, lab, &diags)) {
        output_diags(cli, &diags, text);
        return fault;
    }
    lab->folder = folder;
    lab->starter = read_starter(cli, course, folder, lab->file);
    lab->has_hints = file_exists(course_hints(cli, course, lab));
    lab->number = course_number(folder);
    const LabEntry *entry = course_find_entry(folder);
    if (entry) {
        lab->reference = entry->reference;
        return CLI_FULL_MARKS;
    }
    return output_error(cli, fault,
                        "%s: lab %.*s is not built into this clclab: run make "
                        "again",
                        path.ptr, STR_ARG(folder));
}

int course_lab(Cli *cli, const Course *course, const char *name, Lab *lab) {
    Str *folders;
    size_t count = course_list(cli, course, &folders);
    for (size_t i = 0; i < count; i++)
        if (is_meant(folders[i], str_from(name)))
            return course_read_conf(cli, course, folders[i], lab);
    return unknown_lab(cli, course, name, folders, count);
}

int course_check_reference(Cli *cli, const Course *course, const Lab *lab) {
    Arena *arena = &cli->arena;
    const LabEntry *entry = course_find_entry(lab->folder);
    Str path = str_format(arena, "%.*s/%.*s/reference.c", STR_ARG(course->labs),
                          STR_ARG(lab->folder));
    Str text, why;
    if (file_read(arena, path.ptr, CLI_MAX_SOURCE, &text, &why) != FILE_READ ||
        str_equal(hash_sha256(arena, text), str_from(entry->reference_sha256)))
        return CLI_FULL_MARKS;
    return output_error(cli, CLI_MISSING,
                        "%s is not the one that this clclab was built with: "
                        "run make again",
                        path.ptr);
}
