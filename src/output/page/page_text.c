/* Texts of a page: headings, paragraphs, verdicts, code. */
#include "output/page/page.h"

void dae_page_heading(dae_page *page, const char *text)
{
  dae__page_section *section = DAE__ALLOC(page->arena, dae__page_section, 1);
  char *copy = dae__page_copy(page, text);
  if (!section || !copy)
    return;
  section->text = copy;
  *page->last_section = section;
  page->last_section = &section->next;
  if (page->sections++ > 0)
    dae__page_put(page, "</section>\n");
  dae__page_print(page, "<section id=\"s%d\">\n<h2>", page->sections);
  dae__page_escape(page, text);
  dae__page_put(page, "</h2>\n");
}

static void page_element(dae_page *page, const char *tag, const char *text)
{
  dae__page_print(page, "<%s>", tag);
  dae__page_escape(page, text);
  dae__page_print(page, "</%s>\n", tag);
}

void dae_page_subheading(dae_page *page, const char *text)
{
  page_element(page, "h3", text);
}

void dae_page_text(dae_page *page, const char *text)
{
  page_element(page, "p", text);
}

void dae_page_verdict(dae_page *page, dae_page_mood mood, const char *sentence, const char *text)
{
  dae__page_print(page, "<div class=\"verdict %s\">\n<p><strong>", dae__page_mood_name(mood));
  dae__page_escape(page, sentence);
  dae__page_put(page, "</strong></p>\n");
  if (text && *text)
    page_element(page, "p", text);
  dae__page_put(page, "</div>\n");
}

const char *dae__page_mood_name(dae_page_mood mood)
{
  switch (mood) {
  case DAE_PAGE_GOOD:
    return "good";
  case DAE_PAGE_WARNING:
    return "warning";
  case DAE_PAGE_BAD:
    return "bad";
  default:
    return "plain";
  }
}

void dae_page_code(dae_page *page, const char *caption, const char *text, bool folded)
{
  bool named = caption && *caption;
  dae__page_put(page, folded ? "<details class=\"code\">\n" : "<figure class=\"code\">\n");
  if (folded)
    page_element(page, "summary", named ? caption : "Show");
  else if (named)
    page_element(page, "figcaption", caption);
  /* the line break after <pre> is not part of the text */
  dae__page_put(page, "<pre tabindex=\"0\">\n");
  dae__page_escape(page, text);
  dae__page_put(page, "</pre>\n");
  dae__page_put(page, folded ? "</details>\n" : "</figure>\n");
}
