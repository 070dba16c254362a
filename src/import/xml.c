#include "import/xml.h"

#include "core/error.h"
#include "core/number.h"

#include <errno.h>
#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Bounds, far above the largest robots: chosen, not measured. */
#define XML_MAX_BYTES ((size_t)64 << 20)
#define XML_MAX_ELEMENTS 500000
#define XML_MAX_DEPTH 100
#define XML_PIECE 4096 /* bytes of strings and elements that are allocated together */

typedef struct reader {
  dae__xml_file *file;
  XML_Parser parser;
  dae__xml *open; /* the innermost open element */
  int depth, elements;
  const char *refusal; /* reason to stop; NULL: none */
  char *piece;         /* memory for small objects */
  size_t left;
} reader;

/* ---- memory ---- */

/* Small objects share pieces of the arena; NULL: out of memory, which stops the parser. */
static void *xml_alloc(reader *r, size_t bytes)
{
  bytes = (bytes + 15) / 16 * 16;
  if (bytes > r->left) {
    r->left = bytes > XML_PIECE ? bytes : XML_PIECE;
    r->piece = DAE__ALLOC(r->file->arena, char, r->left);
  }
  if (!r->piece) {
    r->left = 0;
    XML_StopParser(r->parser, XML_FALSE);
    return NULL;
  }
  char *at = r->piece;
  r->piece += bytes;
  r->left -= bytes;
  memset(at, 0, bytes);
  return at;
}

static const char *xml_copy(reader *r, const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = xml_alloc(r, size);
  return copy ? memcpy(copy, text, size) : NULL;
}

/* ---- events of the parser ---- */

static void xml_stop(reader *r, const char *why)
{
  if (!r->refusal)
    r->refusal = why;
  XML_StopParser(r->parser, XML_FALSE);
}

static void XMLCALL xml_begin(void *user, const XML_Char *name, const XML_Char **attributes)
{
  reader *r = user;
  if (++r->depth > XML_MAX_DEPTH || ++r->elements > XML_MAX_ELEMENTS) {
    xml_stop(r, r->depth > XML_MAX_DEPTH ? "elements are nested more than 100 deep"
                                         : "the file has more than 500000 elements");
    return;
  }
  dae__xml *e = xml_alloc(r, sizeof *e);
  if (!e)
    return;
  *e = (dae__xml){.name = xml_copy(r, name),
                  .line = (int)XML_GetCurrentLineNumber(r->parser),
                  .column = (int)XML_GetCurrentColumnNumber(r->parser) + 1,
                  .parent = r->open};
  dae__xml_attribute **last = &e->attributes;
  for (int i = 0; attributes[i]; i += 2) {
    dae__xml_attribute *a = xml_alloc(r, sizeof *a);
    if (!a)
      return;
    *a = (dae__xml_attribute){.name = xml_copy(r, attributes[i]),
                              .value = xml_copy(r, attributes[i + 1])};
    *last = a;
    last = &a->next;
  }
  if (!r->open)
    r->file->root = e;
  else if (r->open->last)
    r->open->last->next = e;
  else
    r->open->child = e;
  if (r->open)
    r->open->last = e;
  r->open = e;
}

static void XMLCALL xml_end(void *user, const XML_Char *name)
{
  reader *r = user;
  (void)name;
  r->depth--;
  if (r->open)
    r->open = r->open->parent;
}

static void XMLCALL xml_entity(void *user, const XML_Char *name, int is_parameter,
                               const XML_Char *value, int length, const XML_Char *base,
                               const XML_Char *system, const XML_Char *public,
                               const XML_Char *notation)
{
  (void)name, (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public,
      (void)notation;
  xml_stop(user, "entities are not accepted here");
}

/* ---- places ---- */

/* Copies the line of a place into an error record, cut around the column. */
static void xml_locate(const dae__xml_file *file, int line, int column, dae_error *err)
{
  const char *at = file->text, *end = file->text + file->length;
  if (!err)
    return;
  snprintf(err->file, sizeof err->file, "%s", file->path);
  err->line = line;
  err->column = column;
  for (int i = 1; i < line && at < end; i++) {
    const char *next = memchr(at, '\n', (size_t)(end - at));
    at = next ? next + 1 : end;
  }
  size_t length = 0, skip = column > 100 ? (size_t)column - 100 : 0;
  while (at + length < end && at[length] != '\n' && at[length] != '\r')
    length++;
  skip = skip < length ? skip : 0;
  size_t shown = length - skip < sizeof err->source - 1 ? length - skip : sizeof err->source - 1;
  memcpy(err->source, at + skip, shown);
  err->source[shown] = '\0';
  for (size_t i = 0; i < shown; i++)
    if ((unsigned char)err->source[i] < 0x20)
      err->source[i] = ' ';
  err->caret = column - 1 - (int)skip;
}

dae_status dae__xml_fail(const dae__xml_file *file, const dae__xml *at, dae_error *err,
                         const char *format, ...)
{
  char text[sizeof err->text];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  dae__fail(err, DAE_ERROR_MODEL, NULL, "%s", text);
  xml_locate(file, at->line, at->column, err);
  return DAE_ERROR_MODEL;
}

/* ---- reading ---- */

/* Reads a regular file of bounded size into the arena. */
static dae_status xml_load(const char *path, dae__xml_file *out, dae_error *err)
{
  struct stat info;
  errno = 0;
  if (stat(path, &info) != 0)
    return dae__fail_file(err, path, "read");
  if (!S_ISREG(info.st_mode) || (size_t)info.st_size > XML_MAX_BYTES)
    return dae__fail(err, DAE_ERROR_FILE, path, "%s: %s", path,
                     S_ISREG(info.st_mode) ? "a file of more than 64 MB is not read"
                                           : "it is not a file");
  FILE *file = fopen(path, "rb");
  if (!file)
    return dae__fail_file(err, path, "read");
  size_t size = (size_t)info.st_size;
  char *text = DAE__ALLOC(out->arena, char, size + 1);
  size_t length = text ? fread(text, 1, size, file) : 0;
  bool failed = ferror(file) != 0;
  fclose(file);
  if (!text)
    return dae__out_of_memory(err);
  out->text = text;
  out->length = length;
  return failed ? dae__fail_file(err, path, "read") : DAE_OK;
}

dae_status dae__xml_read(const char *path, dae__arena *arena, dae__xml_file *out, dae_error *err)
{
  *out = (dae__xml_file){.path = path, .arena = arena};
  DAE__TRY(xml_load(path, out, err));
  reader r = {.file = out, .parser = XML_ParserCreate(NULL)};
  if (!r.parser)
    return dae__out_of_memory(err);
  XML_SetUserData(r.parser, &r);
  XML_SetElementHandler(r.parser, xml_begin, xml_end);
  XML_SetEntityDeclHandler(r.parser, xml_entity);
  dae_status status = DAE_OK;
  if (XML_Parse(r.parser, out->text, (int)out->length, XML_TRUE) != XML_STATUS_OK) {
    enum XML_Error code = XML_GetErrorCode(r.parser);
    bool memory = !r.refusal && (dae__arena_failed(arena) || code == XML_ERROR_NO_MEMORY);
    status = memory ? dae__out_of_memory(err)
                    : dae__fail(err, DAE_ERROR_MODEL, NULL, "the XML is not well-formed: %s",
                                r.refusal ? r.refusal : XML_ErrorString(code));
    if (r.refusal)
      dae__fail(err, DAE_ERROR_MODEL, NULL, "%s", r.refusal);
    if (!memory)
      xml_locate(out, (int)XML_GetCurrentLineNumber(r.parser),
                 (int)XML_GetCurrentColumnNumber(r.parser) + 1, err);
  }
  XML_ParserFree(r.parser);
  return status;
}

const dae__xml *dae__xml_child(const dae__xml *parent, const char *name)
{
  const dae__xml *c = parent ? parent->child : NULL;
  while (c && strcmp(c->name, name) != 0)
    c = c->next;
  return c;
}

const dae__xml *dae__xml_next(const dae__xml *child)
{
  const dae__xml *c = child->next;
  while (c && strcmp(c->name, child->name) != 0)
    c = c->next;
  return c;
}

const char *dae__xml_value(const dae__xml *element, const char *attribute)
{
  const dae__xml_attribute *a = element ? element->attributes : NULL;
  while (a && strcmp(a->name, attribute) != 0)
    a = a->next;
  return a ? a->value : NULL;
}
