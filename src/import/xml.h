/* XML files as trees with places, by expat. Size, number of elements and depth are bounded, and
 * entities are refused: a file cannot take more memory than a multiple of its size. */
#ifndef DAEDAL_IMPORT_XML_H
#define DAEDAL_IMPORT_XML_H

#include "core/arena.h"

#include <daedal/status.h>

typedef struct dae__xml_attribute {
  const char *name, *value;
  struct dae__xml_attribute *next;
} dae__xml_attribute;

typedef struct dae__xml {
  const char *name;
  int line, column; /* from 1 */
  dae__xml_attribute *attributes;
  struct dae__xml *child, *last, *next, *parent;
} dae__xml;

typedef struct dae__xml_file {
  const char *path;
  const char *text; /* the whole file */
  size_t length;
  dae__xml *root;
  dae__arena *arena;
} dae__xml_file;

/* Reads a file; all memory is of the arena. */
dae_status dae__xml_read(const char *path, dae__arena *arena, dae__xml_file *out, dae_error *err);

/* Records DAE_ERROR_MODEL at an element of a file. */
__attribute__((format(printf, 4, 5))) dae_status dae__xml_fail(const dae__xml_file *file,
                                                               const dae__xml *at, dae_error *err,
                                                               const char *format, ...);

/* First child with a name, or the next one after a child; NULL: none. */
const dae__xml *dae__xml_child(const dae__xml *parent, const char *name);
const dae__xml *dae__xml_next(const dae__xml *child);
/* Value of an attribute; NULL: none. */
const char *dae__xml_value(const dae__xml *element, const char *attribute);

#endif
