/* Text in a caller's buffer, whose needed length is counted as by snprintf. */
#ifndef DAEDAL_CORE_TEXT_H
#define DAEDAL_CORE_TEXT_H

#include <stddef.h>

typedef struct dae__text {
  char *at;
  size_t size;   /* size of the buffer in bytes */
  size_t length; /* length of the whole text in bytes, even if it exceeds the buffer */
} dae__text;

/* Returns an empty text in a buffer, which may be NULL with size 0. */
dae__text dae__text_in(char *buffer, size_t size);

__attribute__((format(printf, 2, 3))) void dae__text_add(dae__text *text, const char *format, ...);

/* Appends an item to a comma-separated list; the list is unchanged if the whole item does not
 * fit. */
void dae__list_add(char *list, size_t size, const char *item);

#endif
