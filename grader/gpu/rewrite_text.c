// SPDX-License-Identifier: Apache-2.0
// Fills in snippets, and makes the names that they use.
#include "gpu/rewrite_text.h"
#include "gpu/table.h"

#include <assert.h>

// ---- places --------------------------------------------------------------

typedef struct Field {
    const char *name;
    size_t offset;
} Field;

#define TABLE(field) \
    { #field, offsetof(GpuTable, field) }
#define CONTROL(field) \
    { #field, offsetof(GpuControl, field) }

#define OWN(field) \
    { #field, offsetof(OwnBlock, field) }

static const Field TABLE_FIELDS[] = {
    TABLE(claims), TABLE(orders),  TABLE(taken), TABLE(starts),
    TABLE(calls),  TABLE(control), TABLE(ends),
};

static const Field CONTROL_FIELDS[] = {
    CONTROL(next),    CONTROL(tickets),         CONTROL(refuse_first),
    CONTROL(started), CONTROL(granted),         CONTROL(requests),
    CONTROL(refused), CONTROL(refused_pending), CONTROL(conflicts),
};

static const Field OWN_FIELDS[] = {
    OWN(ctaid),
    OWN(clusterid),
    OWN(cluster),
};

// Snippets name only fields that exist.
static size_t offset_of(const Field *fields, size_t count, Str name) {
    size_t i = 0;
    while (i + 1 < count && !str_equal(name, str_from(fields[i].name)))
        i++;
    assert(str_equal(name, str_from(fields[i].name)));
    return fields[i].offset;
}

// A special register, or the word that replaces it.
static bool fill_in_index(const Snippet *snippet, Str name) {
    static const Field words[] = {
        {"ctaid.x", offsetof(OwnBlock, ctaid[0])},
        {"ctaid.y", offsetof(OwnBlock, ctaid[1])},
        {"ctaid.z", offsetof(OwnBlock, ctaid[2])},
        {"clusterid.x", offsetof(OwnBlock, clusterid[0])},
        {"clusterid.y", offsetof(OwnBlock, clusterid[1])},
        {"clusterid.z", offsetof(OwnBlock, clusterid[2])},
    };
    bool is_drawn = snippet->rewriter->index == INDEX_DRAWN;
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (!str_equal(name, str_from(words[i].name)))
            continue;
        if (is_drawn)
            buf_printf(snippet->out, "[%.*sown+%zu]",
                       STR_ARG(snippet->rewriter->prefix), words[i].offset);
        else
            buf_printf(snippet->out, "%%%s", words[i].name);
        return true;
    }
    if (str_equal(name, STR("get")))
        buf_str(snippet->out, is_drawn ? STR("ld.shared.u32") : STR("mov.u32"));
    return str_equal(name, STR("get"));
}

static void fill_in(const Snippet *snippet, Str name) {
    for (size_t i = 0; i < snippet->argument_count; i++)
        if (str_equal(name, str_from(snippet->arguments[i].name))) {
            buf_str(snippet->out, snippet->arguments[i].text);
            return;
        }
    if (fill_in_index(snippet, name))
        return;
    Str field = name, group = str_cut(&field, '.');
    if (str_equal(group, STR("table")))
        buf_printf(snippet->out, GPU_TABLE_NAME "+%zu",
                   offset_of(TABLE_FIELDS, COUNT_OF(TABLE_FIELDS), field));
    else if (str_equal(group, STR("own")))
        buf_printf(snippet->out, "%zu",
                   offset_of(OWN_FIELDS, COUNT_OF(OWN_FIELDS), field));
    else
        buf_printf(snippet->out, "%zu",
                   offset_of(CONTROL_FIELDS, COUNT_OF(CONTROL_FIELDS), field));
}

void snippet_emit(const Snippet *snippet, const char *text) {
    Str rest = str_from(text);
    while (rest.len) {
        char c = rest.ptr[0];
        rest = str_slice(rest, 1, rest.len);
        if (c == '~')
            buf_str(snippet->out, snippet->rewriter->prefix);
        else if (c == '<')
            fill_in(snippet, str_cut(&rest, '>'));
        else
            buf_byte(snippet->out, c);
    }
}

// ---- names ---------------------------------------------------------------

static bool func_begins(const PtxFunc *func, Str prefix) {
    bool found = str_starts(func->name, prefix);
    for (size_t i = 0; i < func->param_count; i++)
        found |= str_starts(func->params[i]->name, prefix);
    for (size_t i = 0; i < func->result_count; i++)
        found |= str_starts(func->results[i]->name, prefix);
    for (size_t i = 0; i < func->reg_count; i++)
        found |= str_starts(func->regs[i].name, prefix);
    for (size_t i = 0; i < func->var_count; i++)
        found |= str_starts(func->vars[i]->name, prefix);
    for (size_t i = 0; i < func->label_count; i++)
        found |= str_starts(func->labels[i].name, prefix);
    for (size_t i = 0; i < func->table_count; i++)
        found |= str_starts(func->tables[i].name, prefix);
    for (size_t i = 0; i < func->proto_count; i++)
        found |= str_starts(func->protos[i].name, prefix);
    return found;
}

static bool module_begins(const PtxModule *module, Str prefix) {
    for (size_t i = 0; i < module->var_count; i++)
        if (str_starts(module->vars[i]->name, prefix))
            return true;
    for (size_t i = 0; i < module->func_count; i++)
        if (func_begins(module->funcs[i], prefix))
            return true;
    return false;
}

// The prefix has no '$', because the printer adds one where names would clash.
Str snippet_prefix(Arena *arena, const PtxModule *module) {
    Str prefix = STR("gpu_");
    for (uint32_t i = 1; module_begins(module, prefix); i++)
        prefix = str_format(arena, "gpu%u_", i);
    return prefix;
}

// ---- pieces --------------------------------------------------------------

const char *const SNIPPET_CLUSTERS = "\t.reg .b32 ~clusters, ~of;\n"
                                     "\tmov.u32 ~clusters, %nclusterid.x;\n"
                                     "\tmov.u32 ~of, %nclusterid.y;\n"
                                     "\tmul.lo.u32 ~clusters, ~clusters, ~of;\n"
                                     "\tmov.u32 ~of, %nclusterid.z;\n"
                                     "\tmul.lo.u32 ~clusters, ~clusters, ~of;"
                                     "\n";

const char *const SNIPPET_CLUSTER =
    "\t.reg .b32 ~cluster, ~cluster_at, ~cluster_of;\n"
    "\t<get> ~cluster, <clusterid.z>;\n"
    "\t<get> ~cluster_at, <clusterid.y>;\n"
    "\tmov.u32 ~cluster_of, %nclusterid.y;\n"
    "\tmad.lo.u32 ~cluster, ~cluster, ~cluster_of, ~cluster_at;\n"
    "\t<get> ~cluster_at, <clusterid.x>;\n"
    "\tmov.u32 ~cluster_of, %nclusterid.x;\n"
    "\tmad.lo.u32 ~cluster, ~cluster, ~cluster_of, ~cluster_at;\n";

const char *const SNIPPET_BLOCK =
    "\t.reg .b32 ~block, ~block_at, ~block_of;\n"
    "\t<get> ~block, <ctaid.z>;\n"
    "\t<get> ~block_at, <ctaid.y>;\n"
    "\tmov.u32 ~block_of, %nctaid.y;\n"
    "\tmad.lo.u32 ~block, ~block, ~block_of, ~block_at;\n"
    "\t<get> ~block_at, <ctaid.x>;\n"
    "\tmov.u32 ~block_of, %nctaid.x;\n"
    "\tmad.lo.u32 ~block, ~block, ~block_of, ~block_at;\n";

const char *const SNIPPET_THREAD =
    "\t.reg .b32 ~thread, ~threads, ~thread_at, ~thread_of;\n"
    "\tmov.u32 ~thread, %tid.z;\n"
    "\tmov.u32 ~threads, %ntid.z;\n"
    "\tmov.u32 ~thread_at, %tid.y;\n"
    "\tmov.u32 ~thread_of, %ntid.y;\n"
    "\tmad.lo.u32 ~thread, ~thread, ~thread_of, ~thread_at;\n"
    "\tmul.lo.u32 ~threads, ~threads, ~thread_of;\n"
    "\tmov.u32 ~thread_at, %tid.x;\n"
    "\tmov.u32 ~thread_of, %ntid.x;\n"
    "\tmad.lo.u32 ~thread, ~thread, ~thread_of, ~thread_at;\n"
    "\tmul.lo.u32 ~threads, ~threads, ~thread_of;\n";

// Few grids have more than one row of clusters: only those need the divisions.
const char *const SNIPPET_PLACE = "\t.reg .b32 ~x, ~y, ~z;\n"
                                  "\t.reg .pred ~is_row;\n"
                                  "\tmov.b32 ~x, ~index;\n"
                                  "\tmov.b32 ~y, 0;\n"
                                  "\tmov.b32 ~z, 0;\n"
                                  "\tmov.u32 ~of, %nclusterid.x;\n"
                                  "\tsetp.eq.u32 ~is_row, ~of, ~clusters;\n"
                                  "\t@~is_row bra ~row;\n"
                                  "\tdiv.u32 ~y, ~index, ~of;\n"
                                  "\tmul.lo.u32 ~z, ~y, ~of;\n"
                                  "\tsub.u32 ~x, ~index, ~z;\n"
                                  "\tmov.u32 ~of, %nclusterid.y;\n"
                                  "\tdiv.u32 ~z, ~y, ~of;\n"
                                  "\tmul.lo.u32 ~of, ~z, ~of;\n"
                                  "\tsub.u32 ~y, ~y, ~of;\n"
                                  "~row:\n";
