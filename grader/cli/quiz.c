// SPDX-License-Identifier: Apache-2.0
// clclab quiz: the lab's questions (labs/NN/quiz.md), the learner's answers
// (FILE, or quiz-answers.txt beside the questions) and the key
// (solutions/NN/quiz.txt).
//
//   no FILE, no answers yet   prints the questions, writes a file for answers
//   no key                    prints the questions, checks the form of the
//                             answers, and exits with 69
//   all three                 grades
#include "cli/quiz.h"
#include "cli/options.h"
#include "cli/progress/progress.h"

enum { MOST_QUIZ = 1 << 18 }; // bytes of each of the three files

typedef struct QuizFiles {
    Course course;
    Lab lab;
    Str quiz_path, key_path, answers_path;
    Str quiz_text, key_text, answers_text;
    bool has_key, has_answers, has_template; // template: written in this call
    Quiz quiz;
    QuizKey key;
    QuizAnswers answers;
    Diags diags; // about the answers
} QuizFiles;

// ---- reading -------------------------------------------------------------

// The exit code for a wrong file that is not the learner's: it belongs to the
// course, or to the folder that --labs named.
static int fault_code(const QuizFiles *files) {
    return files->course.given ? CLI_USAGE : CLI_OURS;
}

static int cannot_read(Cli *cli, int code, Str path, FileRead outcome,
                       Str why) {
    if (outcome == FILE_TOO_LARGE)
        return output_error(cli, code, "%.*s: it is larger than 256 KiB",
                            STR_ARG(path));
    return output_error(cli, code, "%.*s: %.*s", STR_ARG(path), STR_ARG(why));
}

static int read_quiz(Cli *cli, QuizFiles *files) {
    Arena *arena = &cli->arena;
    Str text, why;
    files->quiz_path =
        str_format(arena, "%.*s/%.*s/quiz.md", STR_ARG(files->course.labs),
                   STR_ARG(files->lab.folder));
    if (!file_exists(files->quiz_path.ptr))
        return output_error(cli, CLI_MISSING,
                            "lab %u has no quiz: there is no %.*s",
                            files->lab.number, STR_ARG(files->quiz_path));
    FileRead outcome =
        file_read(arena, files->quiz_path.ptr, MOST_QUIZ, &text, &why);
    if (outcome != FILE_READ)
        return cannot_read(cli, fault_code(files), files->quiz_path, outcome,
                           why);
    Diags diags = diags_new(arena);
    files->quiz_text = text;
    if (quiz_parse(arena, files->quiz_path, text, &files->quiz, &diags))
        return CLI_FULL_MARKS;
    output_diags(cli, &diags, text);
    return fault_code(files);
}

static int read_key(Cli *cli, QuizFiles *files) {
    Arena *arena = &cli->arena;
    Str text, why;
    files->key_path =
        str_format(arena, "%.*ssolutions/%.*s/quiz.txt",
                   STR_ARG(files->course.root), STR_ARG(files->lab.folder));
    files->has_key = file_exists(files->key_path.ptr);
    if (!files->has_key)
        return CLI_FULL_MARKS;
    FileRead outcome =
        file_read(arena, files->key_path.ptr, MOST_QUIZ, &text, &why);
    if (outcome != FILE_READ)
        return cannot_read(cli, fault_code(files), files->key_path, outcome,
                           why);
    Diags diags = diags_new(arena);
    files->key_text = text;
    if (quiz_parse_key(arena, files->key_path, text, &files->quiz, &files->key,
                       &diags))
        return CLI_FULL_MARKS;
    output_diags(cli, &diags, text);
    return fault_code(files);
}

// A file that cannot be read at all is a mistake in the command line; one with
// mistakes in it is graded, with messages.
static int read_answers(Cli *cli, QuizFiles *files) {
    Arena *arena = &cli->arena;
    bool named = cli->args.word_count > 1;
    files->answers_path = named
                              ? str_from(cli->args.words[1])
                              : str_format(arena, "%.*s/%.*s/quiz-answers.txt",
                                           STR_ARG(files->course.labs),
                                           STR_ARG(files->lab.folder));
    files->diags = diags_new(arena);
    files->has_answers = named || file_exists(files->answers_path.ptr);
    if (!files->has_answers)
        return CLI_FULL_MARKS;
    Str why;
    FileRead outcome = file_read(arena, files->answers_path.ptr, MOST_QUIZ,
                                 &files->answers_text, &why);
    if (outcome != FILE_READ)
        return cannot_read(cli, CLI_USAGE, files->answers_path, outcome, why);
    quiz_parse_answers(arena, files->answers_path, files->answers_text,
                       &files->quiz, &files->answers, &files->diags);
    return CLI_FULL_MARKS;
}

static int read_files(Cli *cli, QuizFiles *files) {
    int code;
    if (!course_find(cli, &files->course, &code))
        return code;
    code = course_lab(cli, &files->course, cli->args.words[0], &files->lab);
    if (code == CLI_FULL_MARKS)
        code = read_quiz(cli, files);
    if (code == CLI_FULL_MARKS)
        code = read_key(cli, files);
    return code == CLI_FULL_MARKS ? read_answers(cli, files) : code;
}

// ---- of a class ----------------------------------------------------------

static int no_key_for_class(Cli *cli, const QuizFiles *files) {
    return output_error(cli, CLI_MISSING,
                        "this copy of the course has no answers (%.*s)",
                        STR_ARG(files->key_path));
}

int quiz_check_key(Cli *cli, const Course *course, const Lab *lab, Str *hash) {
    QuizFiles *files = arena_new(&cli->arena, QuizFiles, 1);
    *files = (QuizFiles){.course = *course, .lab = *lab};
    int code = read_quiz(cli, files);
    if (code == CLI_FULL_MARKS)
        code = read_key(cli, files);
    if (code != CLI_FULL_MARKS)
        return code;
    if (!files->has_key)
        return no_key_for_class(cli, files);
    *hash = hash_sha256(&cli->arena, str_format(&cli->arena, "%.*s%.*s",
                                                STR_ARG(files->quiz_text),
                                                STR_ARG(files->key_text)));
    return CLI_FULL_MARKS;
}

static Str find_first_wrong(Arena *arena, const QuizResult *result) {
    for (size_t i = 0; i < result->quiz->count; i++)
        if (result->items[i].mark != QUIZ_RIGHT)
            return str_format(arena, "question %zu", i + 1);
    return (Str){0};
}

int quiz_grade_file(Cli *cli, QuizGrade *grade) {
    Arena *arena = &cli->arena;
    QuizFiles *files = arena_new(arena, QuizFiles, 1);
    QuizResult *result = arena_new(arena, QuizResult, 1);
    Buf json = {0}, text = {0};
    int code = read_files(cli, files);
    if (code == CLI_FULL_MARKS && !files->has_key)
        code = no_key_for_class(cli, files);
    if (code != CLI_FULL_MARKS)
        return code;
    quiz_grade(arena, &files->quiz, &files->key, &files->answers, result);
    result->file = files->answers_path;
    result->messages = files->diags.items;
    result->message_count = files->diags.count;
    report_quiz_json(result, &json);
    report_quiz_text(result, files->answers_text, (ReportStyle){.width = 80},
                     &text);
    *grade = (QuizGrade){.json = str_copy(arena, buf_view(&json)),
                         .text = str_copy(arena, buf_view(&text)),
                         .points = (double)result->points,
                         .most = (double)files->quiz.count,
                         .first_wrong = find_first_wrong(arena, result)};
    buf_free(&json);
    buf_free(&text);
    return CLI_FULL_MARKS;
}

// ---- no answers yet ------------------------------------------------------

static int write_template(Cli *cli, const QuizFiles *files) {
    Buf text = {0};
    Str grade = str_format(&cli->arena, "make quiz LAB=%u", files->lab.number);
    report_quiz_template(&files->quiz, files->quiz_path, grade, &text);
    int code =
        output_file(cli, "quiz", files->answers_path.ptr, buf_view(&text));
    buf_free(&text);
    return code;
}

static void add_how_to_go_on(const QuizFiles *files, Buf *out) {
    buf_str(out, STR("\nWrite your answers behind the colons of\n  "));
    utf8_escape(files->answers_path, out);
    buf_printf(out, "\nand grade them: clclab quiz %u\n", files->lab.number);
}

// ---- the report ----------------------------------------------------------

static int write_report(Cli *cli, const QuizFiles *files,
                        const QuizResult *result) {
    Report report = {
        .kind = REPORT_QUIZ, .quiz = result, .source = files->answers_text};
    Buf out = {0};
    shared_add_report(cli, &report, &out);
    if (files->has_template)
        add_how_to_go_on(files, &out);
    int code = shared_write_report(cli, buf_view(&out));
    buf_free(&out);
    return code;
}

static int no_key(Cli *cli, const QuizFiles *files) {
    return output_error(cli, CLI_MISSING,
                        "nothing was graded: this copy of the course has no "
                        "answers (%.*s); ask whoever gave it to you, or hand "
                        "in %.*s",
                        STR_ARG(files->key_path), STR_ARG(files->answers_path));
}

// Grades the answers and prints the result. The files have been read.
static int grade_quiz(Cli *cli, const QuizFiles *files) {
    QuizResult *result = arena_new(&cli->arena, QuizResult, 1);
    quiz_grade(&cli->arena, &files->quiz, files->has_key ? &files->key : NULL,
               &files->answers, result);
    if (files->has_answers)
        result->file = files->answers_path;
    result->messages = files->diags.items;
    result->message_count = files->diags.count;
    int code = write_report(cli, files, result);
    if (code != CLI_FULL_MARKS)
        return code;
    if (!files->has_key)
        return no_key(cli, files);
    if (files->has_answers && cli->args.word_count < 2)
        progress_note(cli, &files->course,
                      progress_quiz(&cli->arena, files->lab.folder),
                      (double)result->points, (double)files->quiz.count);
    bool full =
        result->points == files->quiz.count && result->message_count == 0;
    return full ? CLI_FULL_MARKS : CLI_BELOW;
}

// The questions with the right answers, for a platform: nothing is graded.
static int write_qti(Cli *cli, const QuizFiles *files) {
    QuizResult *result = arena_new(&cli->arena, QuizResult, 1);
    if (!files->has_key)
        return no_key_for_class(cli, files);
    *result = (QuizResult){.quiz = &files->quiz, .key = &files->key};
    return write_report(cli, files, result);
}

static int quiz(Cli *cli) {
    QuizFiles *files = arena_new(&cli->arena, QuizFiles, 1);
    int code = read_files(cli, files);
    if (code != CLI_FULL_MARKS)
        return code;
    if (str_equal(str_from(cli->args.format), STR("qti")))
        return write_qti(cli, files);
    int written = CLI_FULL_MARKS;
    if (!files->has_answers && shared_is_for_a_person(cli, REPORT_QUIZ)) {
        written = write_template(cli, files);
        files->has_template = written == CLI_FULL_MARKS;
    }
    code = grade_quiz(cli, files);
    return written == CLI_FULL_MARKS ? code : written;
}

static const Option OPTIONS[] = {
    OPTION_FORMAT("of the report (default: text)"),
    OPTION_OUT,
    OPTION_ROOT,
    OPTION_LABS,
    OPTIONS_OF_ALL,
};

const CliCommand QUIZ_COMMAND = {
    .name = "quiz",
    .summary = "Grade a quiz, or print its questions",
    .example = "clclab quiz 4",
    .words = "LAB [FILE]",
    .least_words = 1,
    .most_words = 2,
    .more = "FILE has the answers, a line \"2: b\" for each question. Without "
            "it they are in the\nlab's quiz-answers.txt; where that is "
            "missing, the questions are printed and it\nis written, to be "
            "filled in. Exit status: 0 all answers are right, 69 the right\n"
            "answers (solutions/) are not there.\n",
    .options = OPTIONS,
    .option_count = COUNT_OF(OPTIONS),
    .report = REPORT_QUIZ,
    .run = quiz,
};
