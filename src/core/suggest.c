/* Spelling suggestions by edit distance. */
#include "core/options.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define WORD_LENGTH_MAX 63 /* longest word in letters, as documented in options.h */

static char suggest_fold(char c)
{
  return c == '-' ? '_' : (char)tolower((unsigned char)c);
}

/* Edit distance by optimal string alignment, with three rows of its table in memory. */
int dae__edit_distance(const char *a, const char *b)
{
  size_t m = strlen(a), n = strlen(b);
  if (m > WORD_LENGTH_MAX || n > WORD_LENGTH_MAX)
    return INT_MAX;
  int rows[3][WORD_LENGTH_MAX + 1];
  for (size_t j = 0; j <= n; j++)
    rows[0][j] = (int)j;
  for (size_t i = 1; i <= m; i++) {
    int *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
    row[0] = (int)i;
    for (size_t j = 1; j <= n; j++) {
      char x = suggest_fold(a[i - 1]), y = suggest_fold(b[j - 1]);
      bool swapped = i > 1 && j > 1 && x == suggest_fold(b[j - 2]) && y == suggest_fold(a[i - 2]);
      row[j] = above[j - 1] + (x != y);
      row[j] = above[j] + 1 < row[j] ? above[j] + 1 : row[j];
      row[j] = row[j - 1] + 1 < row[j] ? row[j - 1] + 1 : row[j];
      if (swapped && above2[j - 2] + 1 < row[j])
        row[j] = above2[j - 2] + 1;
    }
  }
  return rows[m % 3][n];
}

const char *dae_suggest(const char *word, int count, const char *(*name)(const void *list, int i),
                        const void *list)
{
  const char *best = NULL;
  int best_distance = INT_MAX;
  for (int i = 0; i < count; i++) {
    const char *candidate = name(list, i);
    int distance = dae__edit_distance(word, candidate);
    /* largest distance of a suggestion: one error in a short word, one more for every three
     * letters */
    size_t length = strlen(candidate), longer = strlen(word) > length ? strlen(word) : length;
    int limit = 1 + (int)(length > WORD_LENGTH_MAX ? WORD_LENGTH_MAX : length) / 3;
    if (length > 0 && distance < best_distance && distance < (int)longer && distance <= limit) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}
