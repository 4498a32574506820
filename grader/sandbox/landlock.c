// SPDX-License-Identifier: Apache-2.0
// Landlock: restricts which files the process may write and read from now on.
//
// The part of the kernel's interface that is used is declared here, because a
// machine's headers are often older than its kernel. Each ABI version added
// rights. Asking for one that the kernel does not know is an error, so the
// masks contain only the rights of the version found.
#include "sandbox/internal.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { // the numbers are the same on every architecture
    CALL_CREATE_RULESET = 444,
    CALL_ADD_RULE = 445,
    CALL_RESTRICT_SELF = 446,
    RULESET_VERSION = 1,   // flag of create_ruleset: which ABI is it?
    RULE_PATH_BENEATH = 1, // kind of rule
};

enum { // access rights to files
    MAY_WRITE_FILE = 1 << 1,
    MAY_READ_FILE = 1 << 2,
    MAY_READ_FOLDER = 1 << 3,
    MAY_CHANGE_FOLDERS = 0x1ff << 4, // remove and make, of every kind
    MAY_REFER = 1 << 13,             // rename across folders; ABI 2
    MAY_TRUNCATE = 1 << 14,          // ABI 3
};

enum { SCOPE_ABSTRACT_SOCKETS = 1, SCOPE_SIGNALS = 2 }; // ABI 6

typedef struct Ruleset {
    uint64_t files, network, scopes;
} Ruleset;

typedef struct PathRule {
    uint64_t allowed;
    int32_t folder; // an open file descriptor
} __attribute__((packed)) PathRule;

static uint64_t write_rights(int abi) {
    uint64_t rights = MAY_WRITE_FILE | MAY_CHANGE_FOLDERS;
    rights |= abi >= 2 ? MAY_REFER : 0;
    rights |= abi >= 3 ? MAY_TRUNCATE : 0;
    return rights;
}

static int create_ruleset(int abi, uint64_t files) {
    Ruleset rules = {.files = files};
    size_t size = sizeof rules.files;
    if (abi >= 6) {
        rules.scopes = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS;
        size = sizeof rules;
    }
    return (int)syscall(CALL_CREATE_RULESET, &rules, size, 0);
}

// A path that does not exist needs no rule.
static void allow_path(int ruleset, Str path, uint64_t rights) {
    char name[PATH_MAX];
    if (path.len >= sizeof name)
        return;
    memcpy(name, path.ptr, path.len);
    name[path.len] = '\0';
    PathRule rule = {.allowed = rights};
    rule.folder = open(name, O_PATH | O_CLOEXEC);
    if (rule.folder < 0)
        return;
    struct stat info;
    if (fstat(rule.folder, &info) == 0 && !S_ISDIR(info.st_mode))
        rule.allowed &= MAY_WRITE_FILE | MAY_READ_FILE | MAY_TRUNCATE;
    syscall(CALL_ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0);
    close(rule.folder);
}

static void allow_all(int ruleset, const SandboxPaths *paths, int abi) {
    uint64_t reading =
        paths->read_only_these ? MAY_READ_FILE | MAY_READ_FOLDER : 0;
    uint64_t writing = write_rights(abi);
    for (size_t i = 0; i < paths->write_count; i++)
        allow_path(ruleset, paths->write[i], writing | reading);
    allow_path(ruleset, STR("/dev/null"), MAY_WRITE_FILE | reading);
    for (size_t i = 0; reading && i < paths->read_count; i++)
        allow_path(ruleset, paths->read[i], reading);
}

int sandbox_landlock(void) {
    int abi = (int)syscall(CALL_CREATE_RULESET, NULL, 0, RULESET_VERSION);
    return abi < 1 ? 0 : abi;
}

int sandbox_confine(const SandboxPaths *paths) {
    int abi = sandbox_landlock();
    if (abi == 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return 0;
    uint64_t files = write_rights(abi);
    if (paths->read_only_these)
        files |= MAY_READ_FILE | MAY_READ_FOLDER;
    int ruleset = create_ruleset(abi, files);
    if (ruleset < 0)
        return 0;
    allow_all(ruleset, paths, abi);
    bool confined = syscall(CALL_RESTRICT_SELF, ruleset, 0) == 0;
    close(ruleset);
    return confined ? abi : 0;
}
