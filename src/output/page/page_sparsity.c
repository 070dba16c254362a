/* Sparsity patterns as SVG. Small matrices: a square for every entry, with adjacent entries of a
 * column merged into one rectangle. Large matrices: a grid of fields, darker for more entries.
 * Lines separate the blocks, whose names are at the left and at the top. */
#include "output/page/page.h"

#include "core/utf8.h"

#include <math.h>
#include <string.h>

/* Constants of the picture: chosen, not measured. */
#define SPARSITY_SIDE 440.0 /* longer side of the matrix, in units of the picture */
#define SPARSITY_TOP 24.0   /* height of the block names above the matrix */
#define SPARSITY_LETTER 7.0 /* approximate width of a character */
/* largest number of rectangles (300 kB of text); larger matrices are drawn as a grid */
#define SPARSITY_MAX_RUNS 20000
#define SPARSITY_GRID 160 /* number of grid fields along the longer side of the matrix */
#define SPARSITY_SHADES 4

typedef struct picture {
  const dae_pattern *pattern;
  int blocks;
  const int *block;
  const char *const *name;
  double unit; /* size of a matrix entry, in units of the picture */
  double left; /* width of the block names at the left */
} picture;

/* Writes a grid of fields shaded by their number of entries, as one path for each shade. */
static void sparsity_write_grid(dae_page *page, const dae_pattern *pattern)
{
  int *fields = DAE__ALLOC(page->arena, int, SPARSITY_GRID *SPARSITY_GRID);
  if (!fields) {
    dae__page_fail(page, DAE_ERROR_MEMORY, "%s: no memory for the page", page->path);
    return;
  }
  int side = pattern->rows > pattern->cols ? pattern->rows : pattern->cols;
  int size = (side + SPARSITY_GRID - 1) / SPARSITY_GRID, most = 1;
  for (int c = 0; c < pattern->cols; c++)
    for (int k = pattern->start[c]; k < pattern->start[c + 1]; k++) {
      int count = ++fields[c / size * SPARSITY_GRID + pattern->row[k] / size];
      most = count > most ? count : most;
    }
  /* shades, proportional to the square root of the number of entries, so that a field with a single
   * entry is visible */
  for (int field = 0; field < SPARSITY_GRID * SPARSITY_GRID; field++)
    fields[field] = (int)ceil(SPARSITY_SHADES * sqrt((double)fields[field] / most));
  for (int shade = 1; shade <= SPARSITY_SHADES; shade++) {
    dae__page_print(page, "<path class=\"entries\" fill-opacity=\"0.%d\" d=\"", 24 * shade);
    for (int field = 0; field < SPARSITY_GRID * SPARSITY_GRID; field++) {
      if (fields[field] != shade)
        continue;
      int first = field;
      while ((field + 1) % SPARSITY_GRID != 0 && fields[field + 1] == shade)
        field++;
      dae__page_print(page, "M%d %dh%dv%dh-%dz", first / SPARSITY_GRID * size,
                      first % SPARSITY_GRID * size, size, (field + 1 - first) * size, size);
    }
    dae__page_put(page, "\"/>\n");
  }
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
  long runs = 0;
  for (int c = 0; c < pattern->cols; c++)
    for (int k = pattern->start[c]; k < pattern->start[c + 1]; k++)
      runs += k == pattern->start[c] || pattern->row[k] != pattern->row[k - 1] + 1;
  bool counted = runs > SPARSITY_MAX_RUNS, apart = p->unit >= 6.0;
  int width = (int)ceil(p->left + p->unit * pattern->cols) + 1;
  int height = (int)ceil(SPARSITY_TOP + p->unit * pattern->rows) + 1;
  dae__page_print(page,
                  "<figure class=\"sparsity\">\n<svg role=\"img\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" aria-label=\"",
                  width, height, width, height);
  sparsity_write_description(page, p, counted);
  dae__page_print(page, "\">\n<g transform=\"translate(%d %d) scale(", (int)p->left,
                  (int)SPARSITY_TOP);
  dae__page_number(page, p->unit);
  dae__page_put(page, ")\">\n");
  if (counted)
    sparsity_write_grid(page, pattern);
  else
    dae__page_print(page, "<path class=\"entries%s\" vector-effect=\"non-scaling-stroke\" d=\"",
                    apart ? " apart" : "");
  /* a rectangle for each run of adjacent entries or, if gaps between entries are visible, a square
   * for each entry */
  for (int c = 0; !counted && c < pattern->cols; c++)
    for (int k = pattern->start[c]; k < pattern->start[c + 1];) {
      int first = k++;
      while (!apart && k < pattern->start[c + 1] && pattern->row[k] == pattern->row[k - 1] + 1)
        k++;
      dae__page_print(page, "M%d %dh1v%dh-1z", c, pattern->row[first], k - first);
    }
  dae__page_put(page, counted ? "" : "\"/>\n");
  dae__page_put(page, "<path class=\"lines\" vector-effect=\"non-scaling-stroke\" d=\"");
  dae__page_print(page, "M0 0H%dV%dH0Z", pattern->cols, pattern->rows);
  for (int i = 0, end = 0; i + 1 < p->blocks; i++) {
    end += p->block[i];
    dae__page_print(page, "M%d 0V%dM0 %dH%d", end, pattern->rows, end, pattern->cols);
  }
  dae__page_put(page, "\"/>\n</g>\n");
  double begin = 0.0;
  for (int i = 0; i < p->blocks; i++) {
    double size = p->unit * p->block[i], middle = begin + size / 2;
    double length = SPARSITY_LETTER * dae__utf8_length(p->name[i]);
    if (size >= 2 * SPARSITY_LETTER && length <= p->left)
      sparsity_write_name(page, "end", p->left - 6.0, SPARSITY_TOP + middle + 4.0, p->name[i]);
    if (size >= length)
      sparsity_write_name(page, "middle", p->left + middle, SPARSITY_TOP - 8.0, p->name[i]);
    begin += size;
  }
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
  /* upper limit of the size of an entry, for matrices with less than 16 rows */
  p.unit = fmin(SPARSITY_SIDE / side, SPARSITY_SIDE / 16);
  p.left = 12.0 + fmin(SPARSITY_LETTER * longest, SPARSITY_SIDE / 3);
  sparsity_write_picture(page, &p);
}
