#include "svg_reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- XML ---- */

#define DEEP 16

typedef struct xml {
  const char *at;
  char open[DEEP][32]; /* names of the elements around */
  int depth;
  bool closed; /* the root has ended */
} xml;

static bool skip_name(xml *x, char name[32])
{
  size_t length = 0;
  while (x->at[length] && (isalnum((unsigned char)x->at[length]) || strchr("-:_", x->at[length])))
    length++;
  if (length == 0 || length >= 32 || !isalpha((unsigned char)x->at[0]))
    return false;
  memcpy(name, x->at, length);
  name[length] = '\0';
  x->at += length;
  return true;
}

/* text up to a character that ends it, with nothing in it that has to be escaped */
static bool skip_text(xml *x, const char *ends)
{
  static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
  for (; *x->at && !strchr(ends, *x->at); x->at++) {
    bool known = *x->at != '&';
    for (int i = 0; i < 5 && !known; i++)
      known = strncmp(x->at, entities[i], strlen(entities[i])) == 0;
    unsigned char c = (unsigned char)*x->at;
    if (!known || c == '<' || (c < 0x20 && c != '\n') || c == 0x7f || c == 0xff)
      return false;
  }
  return true;
}

static bool skip_attributes(xml *x)
{
  char name[32];
  while (x->at[0] == ' ') {
    x->at++;
    if (!skip_name(x, name) || strncmp(x->at, "=\"", 2) != 0)
      return false;
    x->at += 2;
    if (!skip_text(x, "\"") || *x->at != '"')
      return false;
    x->at++;
  }
  return true;
}

static bool skip_tag(xml *x)
{
  char name[32];
  bool ends = x->at[1] == '/';
  x->at += ends ? 2 : 1;
  if (x->closed || !skip_name(x, name))
    return false;
  if (ends) {
    if (x->depth == 0 || strcmp(x->open[--x->depth], name) != 0)
      return false;
  } else {
    if (!skip_attributes(x))
      return false;
    bool empty = *x->at == '/';
    x->at += empty;
    if (!empty && x->depth == DEEP)
      return false;
    if (!empty)
      memcpy(x->open[x->depth++], name, sizeof name);
  }
  x->closed = x->depth == 0;
  return *x->at++ == '>';
}

const char *svg_mistake(const char *svg)
{
  xml x = {.at = svg};
  while (*x.at) {
    const char *before = x.at;
    if (!(*x.at == '<' ? skip_tag(&x) : skip_text(&x, "<")))
      return before;
  }
  return x.closed ? NULL : x.at;
}

/* ---- paths ---- */

static void add_point(svg_path *path, double x, double y, bool draw)
{
  path->at[path->count++] = (svg_point){x, y, draw};
  path->left = fmin(path->left, x);
  path->right = fmax(path->right, x);
  path->top = fmin(path->top, y);
  path->bottom = fmax(path->bottom, y);
}

static const char *read_pair(const char *at, double *x, double *y)
{
  char *end;
  *x = strtod(at, &end);
  if (end == at)
    return NULL;
  at = end + (*end == ',');
  *y = strtod(at, &end);
  return end == at ? NULL : end;
}

static bool read_data(const char *at, svg_path *path)
{
  double x = 0, y = 0, dx, dy;
  while (*at != '"' && path->count < SVG_POINTS) {
    if (strncmp(at, "h0", 2) == 0) {
      path->dots++;
      at += 2;
    } else if (*at == 'M') {
      at = read_pair(at + 1, &x, &y);
      path->pieces++;
      if (at)
        add_point(path, x, y, false);
    } else {
      at = read_pair(at + (*at == 'l' || *at == ' '), &dx, &dy);
      x += dx;
      y += dy;
      if (at)
        add_point(path, x, y, true);
    }
    if (!at)
      return false;
  }
  return *at == '"';
}

bool svg_path_read(const char *svg, const char *title, int which, svg_path *path)
{
  char wanted[128];
  snprintf(wanted, sizeof wanted, "<title>%s</title>", title);
  path->count = path->pieces = path->dots = 0;
  path->left = path->top = INFINITY;
  path->right = path->bottom = -INFINITY;
  const char *at = strstr(svg, wanted), *end = at ? strstr(at, "</g>") : NULL;
  for (; at && which >= 0; which--)
    at = strstr(at + 1, "<path");
  at = at && at < end ? strstr(at, " d=\"") : NULL;
  return at && read_data(at + 4, path);
}

bool svg_box_read(const char *svg, svg_box *box)
{
  const char *at = strstr(svg, "class=\"daedal-axis\"");
  at = at ? strstr(at, " d=\"M") : NULL;
  return at &&
         sscanf(at + 5, "%lf,%lfV%lfH%lf", &box->left, &box->top, &box->bottom, &box->right) == 4;
}
