/* Distance of words, for "did you mean ...?": see dae_suggest in options.h. */
#ifndef DAEDAL_CORE_SUGGEST_H
#define DAEDAL_CORE_SUGGEST_H

/* Letters to insert, drop, replace or swap with their neighbour to turn one word into the other;
 * upper and lower case, and - and _, are the same. Words over 63 letters are far from everything:
 * INT_MAX. */
int dae__edit_distance(const char *a, const char *b);

#endif
