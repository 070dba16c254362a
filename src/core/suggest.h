/* "Did you mean ...?" for options, method names and the model language. */
#ifndef DAEDAL_CORE_SUGGEST_H
#define DAEDAL_CORE_SUGGEST_H

/* Letters to insert, drop, replace or swap with their neighbour to turn one word into the other;
 * upper and lower case, and - and _, are the same. Words over 63 letters are far from everything:
 * INT_MAX. */
int dae__edit_distance(const char *a, const char *b);

/* The nearest of the words name(list, 0 ... count - 1), the first of several; NULL if none is
 * near enough to be meant. */
const char *dae__suggest(const char *word, int count, const char *(*name)(const void *list, int i),
                         const void *list);

#endif
