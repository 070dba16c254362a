/* make_page FOLDER: writes the pages that the browser test looks at into a folder, and beside them
 * the numbers of the large one, row by row. */
#include "page/pages.h"

#include <stdio.h>
#include <stdlib.h>

static bool write_numbers(const char *folder)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/large.f8", folder);
  FILE *file = fopen(path, "wb");
  if (!file)
    return false;
  for (long k = 0; k < LARGE_ROWS; k++)
    for (int i = 0; i < LARGE_COLUMNS; i++) {
      double value = large_value(i, k);
      fwrite(&value, sizeof value, 1, file);
    }
  return fclose(file) == 0;
}

int main(int argc, char **argv)
{
  if (argc != 2)
    return EXIT_FAILURE;
  for (const page_maker *maker = page_makers; maker->name; maker++) {
    char path[4096];
    dae_error err = dae_error_none();
    snprintf(path, sizeof path, "%s/%s.html", argv[1], maker->name);
    if (make_page(maker, path, NULL, &err) != DAE_OK) {
      fprintf(stderr, "make_page: %s\n", err.text);
      return EXIT_FAILURE;
    }
  }
  return write_numbers(argv[1]) ? EXIT_SUCCESS : EXIT_FAILURE;
}
