/** @file
 * Texts from outside, as names and titles of models, for terminals and pages. */
#ifndef DAEDAL_TEXT_H
#define DAEDAL_TEXT_H

#ifdef __cplusplus
extern "C" {
#endif

/** Next character of a text in UTF-8, beyond which *text advances; 0 at the end. Invalid UTF-8,
 * control characters (C0 but tab and line ends, DEL, C1) and characters that change the order of
 * others on the screen (bidirectional overrides, embeddings and isolates) become U+FFFD: names and
 * messages of a model that is not trusted may hold them. */
int dae_text_next(const char **text);

#ifdef __cplusplus
}
#endif
#endif
