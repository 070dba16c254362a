/* Edit distance of words, for "did you mean ...?": see dae_suggest in options.h. */
#ifndef DAEDAL_CORE_SUGGEST_H
#define DAEDAL_CORE_SUGGEST_H

/* Number of insertions, deletions, replacements and swaps of neighbouring letters that turn one
 * word into the other; upper and lower case, and - and _, are the same. INT_MAX for words over 63
 * letters. */
int dae__edit_distance(const char *a, const char *b);

#endif
