/* Pictures of matrices, as SVG: a square for every entry, entries below each other joined; of large
 * matrices the fields of a grid, the darker the more entries they hold. Lines between the blocks,
 * whose names stand at the left and above where there is room. */
#include "output/page/page.h"

#include "output/text.h"

#include <math.h>
#include <string.h>

#define SIDE 440.0 /* of the matrix, the longer one, in the units of the picture */
#define TOP 24.0   /* for names above it */
#define LETTER 7.0 /* width of one, about */
#define RUNS 20000 /* of entries; more are counted in a grid instead (about 300 kB of text) */
#define GRID 160   /* fields along the longer side */
#define SHADES 4

typedef struct picture {
  const dae_pattern *pattern;
  int blocks;
  const int *block;
  const char *const *name;
  double unit; /* a row or column, in the units of the picture */
  double left; /* for names at the left of the matrix */
} picture;

static double sparsity_min(double a, double b)
{
  return a < b ? a : b;
}

static long sparsity_runs_of(const dae_pattern *pattern)
{
  long runs = 0;
  for (int c = 0; c < pattern->cols; c++)
    for (int k = pattern->start[c]; k < pattern->start[c + 1]; k++)
      if (k == pattern->start[c] || pattern->row[k] != pattern->row[k - 1] + 1)
        runs++;
  return runs;
}

/* One square each, with a gap between them, where there is room for gaps. */
static void sparsity_write_runs(dae_page *page, const picture *p)
{
  const dae_pattern *pattern = p->pattern;
  bool apart = p->unit >= 6.0;
  dae__page_print(page, "<path class=\"entries%s\" vector-effect=\"non-scaling-stroke\" d=\"",
                  apart ? " apart" : "");
  for (int c = 0; c < pattern->cols; c++)
    for (int k = pattern->start[c]; k < pattern->start[c + 1];) {
      int first = k++;
      while (!apart && k < pattern->start[c + 1] && pattern->row[k] == pattern->row[k - 1] + 1)
        k++;
      dae__page_print(page, "M%d %dh1v%dh-1z", c, pattern->row[first], k - first);
    }
  dae__page_put(page, "\"/>\n");
}

/* Counts entries in fields of size x size; *most is the largest count. */
static void sparsity_count_fields(const dae_pattern *pattern, int size, int *fields, int *most)
{
  *most = 1;
  for (int c = 0; c < pattern->cols; c++)
    for (int k = pattern->start[c]; k < pattern->start[c + 1]; k++) {
      int *field = &fields[c / size * GRID + pattern->row[k] / size];
      if (++*field > *most)
        *most = *field;
    }
}

/* Few entries can be seen as well: by the square root. */
static int sparsity_shade_of(int count, int most)
{
  return (int)ceil(SHADES * sqrt((double)count / most));
}

static void sparsity_write_shade(dae_page *page, int shade, int size, const int *fields, int most)
{
  dae__page_print(page, "<path class=\"entries\" fill-opacity=\"0.%d\" d=\"", 24 * shade);
  for (int c = 0; c < GRID; c++)
    for (int r = 0; r < GRID; r++) {
      if (sparsity_shade_of(fields[c * GRID + r], most) != shade)
        continue;
      int first = r;
      while (r + 1 < GRID && sparsity_shade_of(fields[c * GRID + r + 1], most) == shade)
        r++;
      dae__page_print(page, "M%d %dh%dv%dh-%dz", c * size, first * size, size,
                      (r + 1 - first) * size, size);
    }
  dae__page_put(page, "\"/>\n");
}

static void sparsity_write_grid(dae_page *page, const dae_pattern *pattern)
{
  int *fields = DAE__ALLOC(page->arena, int, GRID *GRID);
  if (!fields) {
    dae__page_fail(page, DAE_ERROR_MEMORY, "%s: no memory for the page", page->path);
    return;
  }
  int side = pattern->rows > pattern->cols ? pattern->rows : pattern->cols;
  int size = (side + GRID - 1) / GRID, most;
  sparsity_count_fields(pattern, size, fields, &most);
  for (int shade = 1; shade <= SHADES; shade++)
    sparsity_write_shade(page, shade, size, fields, most);
}

static void sparsity_write_lines(dae_page *page, const picture *p)
{
  dae__page_put(page, "<path class=\"lines\" vector-effect=\"non-scaling-stroke\" d=\"");
  dae__page_print(page, "M0 0H%dV%dH0Z", p->pattern->cols, p->pattern->rows);
  for (int i = 0, end = 0; i + 1 < p->blocks; i++) {
    end += p->block[i];
    dae__page_print(page, "M%d 0V%dM0 %dH%d", end, p->pattern->rows, end, p->pattern->cols);
  }
  dae__page_put(page, "\"/>\n");
}

static void sparsity_write_name(dae_page *page, const char *anchor, double x, double y,
                                const char *name)
{
  dae__page_print(page, "<text text-anchor=\"%s\" x=\"", anchor);
  dae__page_number(page, round(x));
  dae__page_put(page, "\" y=\"");
  dae__page_number(page, round(y));
  dae__page_put(page, "\">");
  dae__page_escape(page, name);
  dae__page_put(page, "</text>\n");
}

static void sparsity_write_names(dae_page *page, const picture *p)
{
  double begin = 0.0;
  for (int i = 0; i < p->blocks; i++) {
    double size = p->unit * p->block[i], middle = begin + size / 2;
    double width = LETTER * dae__utf8_length(p->name[i]);
    if (size >= 2 * LETTER && width <= p->left)
      sparsity_write_name(page, "end", p->left - 6.0, TOP + middle + 4.0, p->name[i]);
    if (size >= width)
      sparsity_write_name(page, "middle", p->left + middle, TOP - 8.0, p->name[i]);
    begin += size;
  }
}

static void sparsity_write_description(dae_page *page, const picture *p, bool counted)
{
  const dae_pattern *pattern = p->pattern;
  double all = (double)pattern->rows * pattern->cols;
  int entries = pattern->start[pattern->cols];
  dae__page_print(page, "%d × %d, %d entries (", pattern->rows, pattern->cols, entries);
  double percent = all > 0.0 ? 100.0 * entries / all : 0.0;
  dae__page_number(page, percent < 10.0 ? round(100.0 * percent) / 100.0 : round(percent));
  dae__page_put(page, " %)");
  for (int i = 0; i < p->blocks; i++) {
    dae__page_put(page, i > 0 ? ", " : "; blocks: ");
    dae__page_escape(page, p->name[i]);
    dae__page_print(page, " %d", p->block[i]);
  }
  dae__page_put(page, counted ? "; the darker, the more entries" : "");
}

static void sparsity_write_picture(dae_page *page, const picture *p)
{
  const dae_pattern *pattern = p->pattern;
  bool counted = sparsity_runs_of(pattern) > RUNS;
  int width = (int)ceil(p->left + p->unit * pattern->cols) + 1;
  int height = (int)ceil(TOP + p->unit * pattern->rows) + 1;
  dae__page_print(page,
                  "<figure class=\"sparsity\">\n<svg role=\"img\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d",
                  width, height, width, height);
  dae__page_put(page, "\" aria-label=\"");
  sparsity_write_description(page, p, counted);
  dae__page_print(page, "\">\n<g transform=\"translate(%d %d) scale(", (int)p->left, (int)TOP);
  dae__page_number(page, p->unit);
  dae__page_put(page, ")\">\n");
  if (counted)
    sparsity_write_grid(page, pattern);
  else
    sparsity_write_runs(page, p);
  sparsity_write_lines(page, p);
  dae__page_put(page, "</g>\n");
  sparsity_write_names(page, p);
  dae__page_put(page, "</svg>\n<figcaption>");
  sparsity_write_description(page, p, counted);
  dae__page_put(page, "</figcaption></figure>\n");
}

void dae_page_sparsity(dae_page *page, const dae_pattern *pattern, int blocks, const int *block,
                       const char *const *name)
{
  long sum = 0;
  int longest = 0;
  for (int i = 0; i < blocks; i++) {
    sum += block[i];
    longest = dae__utf8_length(name[i]) > longest ? dae__utf8_length(name[i]) : longest;
  }
  int side = pattern->rows > pattern->cols ? pattern->rows : pattern->cols;
  if (side < 1 || sum > side) {
    dae__page_fail(page, DAE_ERROR_USAGE, "%s: a matrix of %d rows and columns in blocks of %ld",
                   page->path, side, sum);
    return;
  }
  picture p = {.pattern = pattern, .blocks = blocks, .block = block, .name = name};
  p.unit = sparsity_min(SIDE / side, SIDE / 16); /* small matrices are no larger than need be */
  p.left = 12.0 + sparsity_min(LETTER * longest, SIDE / 3);
  sparsity_write_picture(page, &p);
}
