// SPDX-License-Identifier: Apache-2.0
// A quiz with its key as QTI 1.2, in the dialect that Canvas reads: an
// assessment whose items are the questions.
//
//   choice           multiple_choice_question
//   multiple choice  multiple_answers_question
//   find the line    numerical_question
//   order the lines  short_answer_question, "4 2 1 3"; commas count as blanks
//
// Texts are HTML within XML, so they are made in a buffer and escaped twice.
#include "report/internal.h"

// ---- Markdown as HTML ----------------------------------------------------

// A line of text: `code` and **bold**.
static void write_inline(Str line, Buf *html) {
    bool is_code = false, is_bold = false;
    for (size_t i = 0; i < line.len; i++) {
        bool is_mark = !is_code && line.ptr[i] == '*' && i + 1 < line.len &&
                       line.ptr[i + 1] == '*';
        if (line.ptr[i] == '`') {
            is_code = !is_code;
            buf_str(html, is_code ? STR("<code>") : STR("</code>"));
        } else if (is_mark) {
            is_bold = !is_bold;
            buf_str(html, is_bold ? STR("<b>") : STR("</b>"));
            i++;
        } else { // up to the next that may be a mark
            size_t end = i + 1;
            while (end < line.len && line.ptr[end] != '`' &&
                   line.ptr[end] != '*')
                end++;
            encode_html(str_slice(line, i, end), html);
            i = end - 1;
        }
    }
    if (is_bold)
        buf_str(html, STR("</b>"));
    if (is_code)
        buf_str(html, STR("</code>"));
}

static void write_html(Str markdown, Buf *html) {
    bool is_open = false, is_code = false;
    while (markdown.len) {
        Str line = str_cut(&markdown, '\n');
        if (str_starts(line, STR("```"))) {
            buf_str(html, is_open ? STR("</p>") : STR(""));
            is_code = !is_code;
            is_open = false;
            buf_str(html, is_code ? STR("<pre>") : STR("</pre>"));
        } else if (is_code) {
            encode_html(line, html);
            buf_byte(html, '\n');
        } else if (str_trim(line).len == 0) {
            buf_str(html, is_open ? STR("</p>") : STR(""));
            is_open = false;
        } else {
            buf_str(html, is_open ? STR(" ") : STR("<p>"));
            is_open = true;
            write_inline(str_trim(line), html);
        }
    }
    if (is_open)
        buf_str(html, STR("</p>"));
}

// ---- parts of an item ----------------------------------------------------

static void write_text(Buf *html, Buf *out) {
    buf_str(out, STR("<material><mattext texttype=\"text/html\">"));
    encode_xml(buf_view(html), out);
    buf_str(out, STR("</mattext></material>\n"));
    html->len = 0;
}

static void write_markdown(Str markdown, Buf *out) {
    Buf html = {0};
    write_html(markdown, &html);
    write_text(&html, out);
    buf_free(&html);
}

static void write_field(const char *label, const char *entry, Buf *out) {
    buf_printf(out,
               "<qtimetadatafield><fieldlabel>%s</fieldlabel>"
               "<fieldentry>%s</fieldentry></qtimetadatafield>\n",
               label, entry);
}

// What is asked, without the options: these are given apart.
static Str prompt_of(const QuizQuestion *question) {
    Str body = question->body;
    for (size_t at = 0; at < body.len && quiz_has_letters(question->kind);) {
        Str rest = str_slice(body, at, body.len);
        if (str_starts(rest, STR("- a) ")))
            return str_slice(body, 0, at);
        str_cut(&rest, '\n');
        at = body.len - rest.len;
    }
    return body;
}

static void write_prompt(const QuizQuestion *question, Buf *out) {
    Buf html = {0};
    write_html(prompt_of(question), &html);
    if (question->kind == QUIZ_ORDER)
        buf_str(&html, STR("<p>Write the numbers of all lines, in their order, "
                           "with blanks between them.</p>"));
    else if (question->kind == QUIZ_FIND)
        buf_str(&html, STR("<p>Write the number of the line.</p>"));
    write_text(&html, out);
    buf_free(&html);
}

static void write_options(const QuizQuestion *question, Buf *out) {
    buf_printf(out,
               "<response_lid ident=\"response1\" rcardinality=\"%s\">"
               "<render_choice>\n",
               question->kind == QUIZ_MULTIPLE ? "Multiple" : "Single");
    for (size_t i = 0; i < question->option_count; i++) {
        buf_printf(out, "<response_label ident=\"%c\">", (int)('a' + i));
        write_markdown(question->options[i], out);
        buf_str(out, STR("</response_label>\n"));
    }
    buf_str(out, STR("</render_choice></response_lid>\n"));
}

static void write_blank(const QuizQuestion *question, Buf *out) {
    buf_printf(out,
               "<response_str ident=\"response1\" rcardinality=\"Single\">"
               "<render_fib%s><response_label ident=\"answer1\"/>"
               "</render_fib></response_str>\n",
               question->kind == QUIZ_FIND ? " fibtype=\"Decimal\"" : "");
}

// ---- which answer is right -----------------------------------------------

static void write_equal(Str value, Buf *out) {
    buf_printf(out, "<varequal respident=\"response1\">%.*s</varequal>",
               STR_ARG(value));
}

static bool is_picked(const QuizPicks *picks, size_t option) {
    for (size_t i = 0; i < picks->count; i++)
        if (picks->items[i] == option)
            return true;
    return false;
}

// All that are right, and none that is not.
static void write_set(const QuizQuestion *question, const QuizPicks *picks,
                      Buf *out) {
    buf_str(out, STR("<and>"));
    for (size_t option = 1; option <= question->option_count; option++) {
        char letter = (char)('a' + option - 1);
        bool is_right = is_picked(picks, option);
        buf_str(out, is_right ? STR("") : STR("<not>"));
        write_equal((Str){&letter, 1}, out);
        buf_str(out, is_right ? STR("") : STR("</not>"));
    }
    buf_str(out, STR("</and>"));
}

static void write_order(const QuizPicks *picks, Buf *out) {
    static const char *const separators[] = {" ", ", ", ","};
    for (size_t k = 0; k < COUNT_OF(separators); k++) {
        Buf text = {0};
        for (size_t i = 0; i < picks->count; i++)
            buf_printf(&text, "%s%u", i ? separators[k] : "", picks->items[i]);
        write_equal(buf_view(&text), out);
        buf_free(&text);
    }
}

static void write_line(const QuizPicks *picks, Buf *out) {
    Buf text = {0};
    buf_printf(&text, "%u", picks->items[0]);
    write_equal(buf_view(&text), out);
    buf_printf(out,
               "<and><vargte respident=\"response1\">%u</vargte>"
               "<varlte respident=\"response1\">%u</varlte></and>",
               picks->items[0], picks->items[0]);
    buf_free(&text);
}

static void write_way(const QuizQuestion *question, const QuizPicks *picks,
                      Buf *out) {
    char letter = (char)('a' + picks->items[0] - 1);
    switch (question->kind) {
    case QUIZ_CHOICE:
        write_equal((Str){&letter, 1}, out);
        return;
    case QUIZ_MULTIPLE:
        write_set(question, picks, out);
        return;
    case QUIZ_ORDER:
        write_order(picks, out);
        return;
    case QUIZ_FIND:
        write_line(picks, out);
        return;
    }
}

// Any one of the key's ways will do.
static void write_condition(const QuizQuestion *question,
                            const QuizEntry *entry, Buf *out) {
    bool has_several = entry->way_count > 1 || question->kind == QUIZ_ORDER ||
                       question->kind == QUIZ_FIND;
    buf_str(out, STR("<conditionvar>"));
    buf_str(out, has_several ? STR("<or>") : STR(""));
    for (size_t i = 0; i < entry->way_count; i++)
        write_way(question, &entry->ways[i], out);
    buf_str(out, has_several ? STR("</or>") : STR(""));
    buf_str(out, STR("</conditionvar>"));
}

// ---- an item -------------------------------------------------------------

static const char *type_of(QuizKind kind) {
    switch (kind) {
    case QUIZ_CHOICE:
        return "multiple_choice_question";
    case QUIZ_MULTIPLE:
        return "multiple_answers_question";
    case QUIZ_ORDER:
        return "short_answer_question";
    case QUIZ_FIND:
        break;
    }
    return "numerical_question";
}

static void write_processing(const QuizQuestion *question,
                             const QuizEntry *entry, Buf *out) {
    buf_str(out, STR("<resprocessing>\n<outcomes><decvar maxvalue=\"100\" "
                     "minvalue=\"0\" varname=\"SCORE\" vartype=\"Decimal\"/>"
                     "</outcomes>\n<respcondition continue=\"No\">"));
    write_condition(question, entry, out);
    buf_str(out, STR("<setvar action=\"Set\" varname=\"SCORE\">100</setvar>"
                     "</respcondition>\n<respcondition continue=\"Yes\">"
                     "<conditionvar><other/></conditionvar>"
                     "<displayfeedback feedbacktype=\"Response\" "
                     "linkrefid=\"general_incorrect_fb\"/></respcondition>\n"
                     "</resprocessing>\n"));
}

static void write_item(const QuizResult *result, size_t index, Buf *out) {
    const QuizQuestion *question = &result->quiz->questions[index];
    const QuizEntry *entry = &result->key->entries[index];
    buf_printf(out, "<item ident=\"clclab%02u_%02zu\"", result->quiz->number,
               index + 1);
    encode_xml_attribute("title", question->title, out);
    buf_str(out, STR(">\n<itemmetadata><qtimetadata>\n"));
    write_field("question_type", type_of(question->kind), out);
    write_field("points_possible", "1", out);
    buf_str(out, STR("</qtimetadata></itemmetadata>\n<presentation>\n"));
    write_prompt(question, out);
    if (quiz_has_letters(question->kind))
        write_options(question, out);
    else
        write_blank(question, out);
    buf_str(out, STR("</presentation>\n"));
    write_processing(question, entry, out);
    buf_str(out, STR("<itemfeedback ident=\"general_incorrect_fb\">"
                     "<flow_mat>"));
    write_markdown(entry->why, out);
    buf_str(out, STR("</flow_mat></itemfeedback>\n</item>\n"));
}

void report_quiz_qti(const QuizResult *result, Buf *out) {
    Buf title = {0};
    buf_printf(&title, "Quiz %u: %.*s", result->quiz->number,
               STR_ARG(result->quiz->title));
    buf_str(out,
            STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<questestinterop "
                "xmlns=\"http://www.imsglobal.org/xsd/ims_qtiasiv1p2\">\n"));
    buf_printf(out, "<assessment ident=\"clclab%02u\"", result->quiz->number);
    encode_xml_attribute("title", buf_view(&title), out);
    buf_str(out, STR(">\n<qtimetadata>\n"));
    write_field("cc_maxattempts", "1", out);
    buf_str(out, STR("</qtimetadata>\n<section ident=\"root_section\">\n"));
    for (size_t i = 0; i < result->quiz->count; i++)
        write_item(result, i, out);
    buf_str(out, STR("</section>\n</assessment>\n</questestinterop>\n"));
    buf_free(&title);
}
