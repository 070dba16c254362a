/* Bounding boxes of meshes: STL, binary and in text, and OBJ. */
#include "core/number.h"
#include "import/urdf.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STL_HEAD 84     /* bytes of a binary STL file before the facets */
#define STL_FACET 50    /* bytes of a facet: normal and three corners as floats, two more bytes */
#define MAX_LINE 512    /* bytes of a line of a file in text that are looked at */
#define MAX_SIZE 1.0e15 /* coordinates beyond are no mesh */

typedef struct box {
  double *low, *high;
  long points;
  bool bad;
} box;

static void mesh_include(box *b, int axis, double value)
{
  if (!isfinite(value) || fabs(value) > MAX_SIZE) {
    b->bad = true;
    return;
  }
  b->low[axis] = fmin(b->low[axis], value);
  b->high[axis] = fmax(b->high[axis], value);
}

/* Float of a little-endian file. */
static double mesh_float(const unsigned char *at)
{
  uint32_t bits =
      (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

static void mesh_read_binary(FILE *file, box *b)
{
  unsigned char facet[STL_FACET];
  while (!b->bad && fread(facet, sizeof facet, 1, file) == 1) {
    for (int k = 0; k < 9; k++)
      mesh_include(b, k % 3, mesh_float(facet + 12 + 4 * k));
    b->points += 3;
  }
}

/* Reads the three numbers after a word of a line; other lines are skipped. */
static void mesh_read_text(FILE *file, const char *word, box *b)
{
  char line[MAX_LINE];
  while (!b->bad && fgets(line, sizeof line, file)) {
    char *rest = line, *part = strtok_r(line, " \t\r\n", &rest);
    if (!part || strcmp(part, word) != 0)
      continue;
    for (int k = 0; k < 3; k++) {
      double value;
      part = strtok_r(NULL, " \t\r\n", &rest);
      if (part && dae__parse_double(part, &value))
        mesh_include(b, k, value);
      else
        b->bad = true;
    }
    b->points++;
  }
}

static bool mesh_has_ending(const char *path, const char *ending)
{
  size_t length = strlen(path), size = strlen(ending);
  bool same = length > size;
  for (size_t i = 0; same && i < size; i++) {
    char c = path[length - size + i];
    same = (c >= 'A' && c <= 'Z' ? c + 32 : c) == ending[i];
  }
  return same;
}

bool dae__mesh_box(const char *path, double low[3], double high[3], const char **reason)
{
  box b = {.low = low, .high = high};
  unsigned char head[STL_HEAD];
  bool stl = mesh_has_ending(path, ".stl"), obj = mesh_has_ending(path, ".obj");
  *reason = "only STL and OBJ files are read";
  FILE *file = stl || obj ? fopen(path, "rb") : NULL;
  if (!file) {
    *reason = stl || obj ? "it cannot be opened" : *reason;
    return false;
  }
  for (int k = 0; k < 3; k++) {
    low[k] = INFINITY;
    high[k] = -INFINITY;
  }
  long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  rewind(file);
  bool binary = stl && size >= STL_HEAD && fread(head, sizeof head, 1, file) == 1;
  if (binary) {
    uint32_t facets = (uint32_t)head[80] | (uint32_t)head[81] << 8 | (uint32_t)head[82] << 16 |
                      (uint32_t)head[83] << 24;
    binary = (uint64_t)size == STL_HEAD + (uint64_t)facets * STL_FACET;
  }
  if (binary) {
    mesh_read_binary(file, &b);
  } else {
    rewind(file);
    mesh_read_text(file, stl ? "vertex" : "v", &b);
  }
  fclose(file);
  *reason = "it is damaged";
  return !b.bad && b.points > 0;
}
