// SPDX-License-Identifier: Apache-2.0
// The commands of clclab debug: each turns to a page of the book, or shows more
// of the present one. Read walk_do, at the end.
#include "cli/debug/debug.h"

static const char HELP[] =
    "s [N]         forward, N steps\n"
    "b [N]         back, N steps\n"
    "g N           to step N\n"
    "f             to the finding\n"
    "o             to where it began, if that is known\n"
    "w [BLOCK.]N   follow warp N alone; w async: the async proxy; w all\n"
    "where         what each warp did last, the latest at the end\n"
    "bar           the mbarriers after this step; * changed by it\n"
    "slot          the slots of answers, likewise\n"
    "p [LANE]      the registers that the warp wrote last, and the parameters\n"
    "p NAME        one of them; of a variable, what the lines that set it "
    "wrote\n"
    "list [LINE]   your source around this step's line, or around LINE\n"
    "q             quit; so does the end of the input\n"
    "An empty line goes on in the same direction.\n";

// ---- the present step ----------------------------------------------------

static const BookStep *present(const Walk *walk) {
    return &walk->book->steps[walk->now];
}

static void show_step(const Walk *walk, Buf *out) {
    const Book *book = walk->book;
    const BookStep *step = present(walk);
    bool is_found = walk->now == book->found;
    buf_printf(out, "step %zu of %zu: ", walk->now + 1, book->step_count);
    walk_who(step, out);
    buf_str(out, walk->now == book->origin ? STR("; it began here\n  ")
                                           : STR("\n  "));
    walk_cut(walk, is_found ? INK_BAD : INK_BOLD, 2, step->text, out);
    if (is_found && book->missing.len)
        walk_wrapped(walk, "  missing: ", book->missing, out);
    walk_source(walk, step->line, false, out);
}

static void show_notes(const Walk *walk, BookWord word, const char *none,
                       Buf *out) {
    const BookStep *step = present(walk);
    bool any = false;
    for (size_t i = step->from; i < step->to; i++) {
        if (walk->book->notes[i].word != word)
            continue;
        any = true;
        walk_wrapped(walk, "  ", walk->book->notes[i].text, out);
    }
    if (!any)
        buf_printf(out, "no %s has been used so far\n", none);
}

static void show_list(const Walk *walk, uint64_t line, Buf *out) {
    enum { AROUND = 5 };
    uint64_t own = present(walk)->line;
    if (line == 0)
        line = own;
    if (line == 0 || line > walk->book->source_count) {
        buf_str(out, line ? STR("the file has no such line\n")
                          : STR("this step is at no line of the file\n"));
        return;
    }
    for (uint64_t i = line > AROUND ? line - AROUND : 1; i <= line + AROUND;
         i++)
        walk_source(walk, (uint32_t)i, i == own, out);
}

static bool same_warp(const BookStep *a, const BookStep *b) {
    return a->cta == b->cta && a->warp == b->warp;
}

// Whether a later step, up to the present one, is the same warp's.
static bool is_old(const Walk *walk, size_t index) {
    const BookStep *steps = walk->book->steps;
    for (size_t i = index + 1; i <= walk->now; i++)
        if (same_warp(&steps[i], &steps[index]))
            return true;
    return false;
}

static void show_where(const Walk *walk, Buf *out) {
    for (size_t i = 0; i <= walk->now; i++) {
        const BookStep *step = &walk->book->steps[i];
        if (is_old(walk, i))
            continue;
        Buf text = {0};
        walk_who(step, &text);
        if (step->line)
            buf_printf(&text, ", line %u", step->line);
        buf_printf(&text, ": %.*s", STR_ARG(step->text));
        buf_str(out, i == walk->now ? STR("> ") : STR("  "));
        walk_cut(walk, i == walk->now ? INK_BOLD : INK_PLAIN, 2,
                 buf_view(&text), out);
        buf_free(&text);
    }
}

// ---- going ---------------------------------------------------------------

static bool is_followed(const Walk *walk, size_t index) {
    const BookStep *step = &walk->book->steps[index];
    return !walk->is_one ||
           (step->cta == walk->cta && step->warp == walk->warp);
}

// The next step that is followed, by 1 or -1; `from` if there is none.
static size_t neighbour(const Walk *walk, size_t from, int by) {
    size_t at = from;
    while (by > 0 ? at + 1 < walk->book->step_count : at > 0) {
        at = by > 0 ? at + 1 : at - 1;
        if (is_followed(walk, at))
            return at;
    }
    return from;
}

static void go(Walk *walk, uint64_t count, int by, Buf *out) {
    size_t before = walk->now;
    walk->again = by;
    for (uint64_t i = 0; i < count; i++) {
        size_t next = neighbour(walk, walk->now, by);
        if (next == walk->now)
            break;
        walk->now = next;
    }
    if (walk->now == before)
        buf_printf(out, "this is the %s step%s\n", by > 0 ? "last" : "first",
                   walk->is_one ? " of this warp" : "");
    else
        show_step(walk, out);
}

static void go_to(Walk *walk, size_t step, Buf *out) {
    walk->now = step;
    show_step(walk, out);
}

static void go_to_number(Walk *walk, uint64_t number, Buf *out) {
    if (number == 0 || number > walk->book->step_count)
        buf_printf(out, "there are steps 1 to %zu\n", walk->book->step_count);
    else
        go_to(walk, (size_t)number - 1, out);
}

static void go_to_origin(Walk *walk, Buf *out) {
    if (walk->book->origin == BOOK_NO_STEP)
        buf_str(out, STR("no other step is known to belong to the finding\n"));
    else
        go_to(walk, walk->book->origin, out);
}

// The warp that `word` names: "3", "70.3", "async", "70.async". False: none.
static bool read_warp(const Walk *walk, Str word, BookStep *who) {
    uint64_t cta = present(walk)->cta, warp = DEVICE_EVENT_NONE;
    size_t dot = str_find(word, '.');
    if (dot < word.len && !str_to_u64(str_cut(&word, '.'), &cta))
        return false;
    if (!str_equal(word, STR("async")) && !str_to_u64(word, &warp))
        return false;
    if (cta > UINT32_MAX || warp > UINT32_MAX)
        return false;
    *who = (BookStep){.cta = (uint32_t)cta, .warp = (uint32_t)warp};
    for (size_t i = 0; i < walk->book->step_count; i++)
        if (same_warp(&walk->book->steps[i], who))
            return true;
    return false;
}

static void follow(Walk *walk, Str word, Buf *out) {
    BookStep who = *present(walk);
    if (str_equal(word, STR("all"))) {
        walk->is_one = false;
        buf_str(out, STR("all warps are followed\n"));
        return;
    }
    if (word.len && !read_warp(walk, word, &who)) {
        buf_str(out, STR("no step here is that warp's: where lists them\n"));
        return;
    }
    walk->is_one = true;
    walk->cta = who.cta;
    walk->warp = who.warp;
    walk_who(&who, out);
    buf_str(out, STR(" is followed; w all goes back to all of them\n"));
}

// ---- commands ------------------------------------------------------------

typedef enum Command {
    COMMAND_STEP,
    COMMAND_BACK,
    COMMAND_GO,
    COMMAND_FINDING,
    COMMAND_ORIGIN,
    COMMAND_WARP,
    COMMAND_WHERE,
    COMMAND_BAR,
    COMMAND_SLOT,
    COMMAND_PRINT,
    COMMAND_LIST,
    COMMAND_HELP,
    COMMAND_QUIT,
    COMMANDS
} Command;

typedef enum Takes { TAKES_NOTHING, TAKES_NUMBER, TAKES_WORD } Takes;

static const struct {
    const char *name, *brief;
    Takes takes;
} COMMAND_NAMES[COMMANDS] = {
    [COMMAND_STEP] = {"step", "s", TAKES_NUMBER},
    [COMMAND_BACK] = {"back", "b", TAKES_NUMBER},
    [COMMAND_GO] = {"go", "g", TAKES_NUMBER},
    [COMMAND_FINDING] = {"finding", "f", TAKES_NOTHING},
    [COMMAND_ORIGIN] = {"origin", "o", TAKES_NOTHING},
    [COMMAND_WARP] = {"warp", "w", TAKES_WORD},
    [COMMAND_WHERE] = {"where", "where", TAKES_NOTHING},
    [COMMAND_BAR] = {"bar", "bar", TAKES_NOTHING},
    [COMMAND_SLOT] = {"slot", "slot", TAKES_NOTHING},
    [COMMAND_PRINT] = {"print", "p", TAKES_WORD},
    [COMMAND_LIST] = {"list", "l", TAKES_NUMBER},
    [COMMAND_HELP] = {"help", "h", TAKES_NOTHING},
    [COMMAND_QUIT] = {"quit", "q", TAKES_NOTHING},
};

static Command find_command(Str word) {
    int command = str_equal(word, STR("?")) ? COMMAND_HELP : 0;
    while (!str_equal(word, STR("?")) && command < COMMANDS &&
           !str_equal(word, str_from(COMMAND_NAMES[command].name)) &&
           !str_equal(word, str_from(COMMAND_NAMES[command].brief)))
        command++;
    return (Command)command;
}

static bool obey(Walk *walk, Command command, uint64_t number, Str word,
                 Buf *out) {
    switch (command) {
    case COMMAND_STEP:
        go(walk, number ? number : 1, 1, out);
        break;
    case COMMAND_BACK:
        go(walk, number ? number : 1, -1, out);
        break;
    case COMMAND_GO:
        go_to_number(walk, number, out);
        break;
    case COMMAND_FINDING:
        go_to(walk, walk->book->found, out);
        break;
    case COMMAND_ORIGIN:
        go_to_origin(walk, out);
        break;
    case COMMAND_WARP:
        follow(walk, word, out);
        break;
    case COMMAND_WHERE:
        show_where(walk, out);
        break;
    case COMMAND_BAR:
        show_notes(walk, BOOK_BAR, "mbarrier", out);
        break;
    case COMMAND_SLOT:
        show_notes(walk, BOOK_SLOT, "slot", out);
        break;
    case COMMAND_PRINT:
        values_show(walk, word, out);
        break;
    case COMMAND_LIST:
        show_list(walk, number, out);
        break;
    case COMMAND_HELP:
        buf_str(out, STR(HELP));
        break;
    case COMMAND_QUIT:
    case COMMANDS:
        return false;
    }
    return true;
}

void walk_begin(Walk *walk, Buf *out) {
    const Book *book = walk->book;
    buf_str(out, STR("Run: "));
    walk_cut(walk, INK_PLAIN, 5, book->run, out);
    buf_printf(out,
               "%.*s, with %zu steps before it and %zu after it. h lists the "
               "commands.\n",
               STR_ARG(book->code), book->found,
               book->step_count - 1 - book->found);
    if (book->before)
        buf_printf(out, "%llu earlier steps of these warps are left out.\n",
                   (unsigned long long)book->before);
    walk->now = book->found;
    show_step(walk, out);
}

bool walk_do(Walk *walk, Str line, Buf *out) {
    Str rest = str_trim(line);
    Str word = str_cut(&rest, ' ');
    uint64_t number = 0;
    if (word.len == 0) {
        if (walk->again)
            go(walk, 1, walk->again, out);
        return true;
    }
    rest = str_trim(rest);
    Command command = find_command(word);
    if (command == COMMANDS) {
        buf_str(out, STR("there is no such command; h lists them\n"));
        return true;
    }
    Takes takes = COMMAND_NAMES[command].takes;
    bool fits = rest.len == 0 || takes == TAKES_WORD ||
                (takes == TAKES_NUMBER && str_to_u64(rest, &number));
    if (fits)
        return obey(walk, command, number, rest, out);
    buf_printf(out, "%s takes %s\n", COMMAND_NAMES[command].name,
               takes == TAKES_NUMBER ? "a whole number" : "nothing");
    return true;
}
