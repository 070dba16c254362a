/* NumPy's npz: a zip archive without compression, with an array NAME.npy for every column, and the
 * provenance as a text. Sizes beyond 4 GB are in fields of zip64. */
#include "output/results/format.h"

#include "core/error.h"
#include "core/mutant.h"
#include "core/utf8.h"

#include <stdio.h>
#include <string.h>

#define ZIP_MAX 0xffffffffu
enum { ZIP_LOCAL = 0x04034b50, ZIP_CENTRAL = 0x02014b50, ZIP_END = 0x06054b50 };
enum { ZIP_END_64 = 0x06064b50, ZIP_LOCATOR_64 = 0x07064b50, ZIP_UTF8 = 0x800, ZIP_DATE = 0x21 };

/* A file in the archive. */
typedef struct entry {
  uint64_t offset, bytes;
  uint32_t crc;
} entry;

typedef struct archive {
  dae_file *file;
  const dae__results_source *source;
  entry *list;
  int count;
  uint64_t at; /* bytes written */
  uint32_t table[256];
} archive;

/* Checksum of zip: CRC-32, reflected polynomial 0xedb88320. */
static void zip_make_table(uint32_t *table)
{
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++)
      c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
}

static uint32_t zip_crc(const uint32_t *table, uint32_t crc, const void *bytes, size_t count)
{
  const unsigned char *at = bytes;
  crc = ~crc;
  for (size_t i = 0; i < count; i++)
    crc = table[(crc ^ at[i]) & 0xff] ^ (crc >> 8);
  return DAE__MUTATE(npz_checksum, ~crc, crc);
}

static void zip_put(archive *a, const void *bytes, size_t count)
{
  dae_file_write(a->file, bytes, count);
  a->at += count;
}

/* A number of 2, 4 or 8 bytes, from low to high. */
static void zip_number(archive *a, uint64_t value, int bytes)
{
  unsigned char text[8];
  for (int i = 0; i < bytes; i++)
    text[i] = (unsigned char)(value >> (8 * i));
  zip_put(a, text, (size_t)bytes);
}

static uint64_t zip_short(uint64_t value)
{
  return value < ZIP_MAX ? value : ZIP_MAX;
}

/* Fields that the headers of an entry share: version, flags, method, time, date, checksum, sizes,
 * lengths of the name and of the zip64 field. */
static void zip_common(archive *a, const entry *e, size_t name, size_t extra)
{
  zip_number(a, extra ? 45 : 20, 2);
  zip_number(a, ZIP_UTF8, 2);
  zip_number(a, 0, 2);
  zip_number(a, 0, 2);
  zip_number(a, ZIP_DATE, 2);
  zip_number(a, e->crc, 4);
  zip_number(a, zip_short(e->bytes), 4);
  zip_number(a, zip_short(e->bytes), 4);
  zip_number(a, name, 2);
  zip_number(a, extra, 2);
}

/* Begins an entry of so many bytes, whose checksum follows by zip_end_entry. */
static void zip_begin_entry(archive *a, const char *name, uint64_t bytes)
{
  entry *e = &a->list[a->count];
  bool large = bytes >= ZIP_MAX;
  *e = (entry){.offset = a->at, .bytes = bytes};
  zip_number(a, ZIP_LOCAL, 4);
  zip_common(a, e, strlen(name) + 4, large ? 20 : 0);
  zip_put(a, name, strlen(name));
  zip_put(a, ".npy", 4);
  if (large) {
    zip_number(a, 1, 2);
    zip_number(a, 16, 2);
    zip_number(a, bytes, 8);
    zip_number(a, bytes, 8);
  }
}

static void zip_add(archive *a, const void *bytes, size_t count)
{
  entry *e = &a->list[a->count];
  e->crc = zip_crc(a->table, e->crc, bytes, count);
  zip_put(a, bytes, count);
}

static dae_status zip_end_entry(archive *a, dae_error *err)
{
  entry *e = &a->list[a->count++];
  unsigned char crc[4];
  for (int i = 0; i < 4; i++)
    crc[i] = (unsigned char)(e->crc >> (8 * i));
  dae_file_replace(a->file, e->offset + 14, crc, sizeof crc);
  return dae_file_end_record(a->file, err);
}

static void zip_central(archive *a, const entry *e, const char *name)
{
  bool size = e->bytes >= ZIP_MAX, place = e->offset >= ZIP_MAX;
  size_t extra = size || place ? 4 + (size ? 16u : 0u) + (place ? 8u : 0u) : 0;
  zip_number(a, ZIP_CENTRAL, 4);
  zip_number(a, 0x0300 | (extra ? 45 : 20), 2);
  zip_common(a, e, strlen(name) + 4, extra);
  zip_number(a, 0, 2);
  zip_number(a, 0, 2);
  zip_number(a, 0, 2);
  zip_number(a, (uint64_t)0100644 << 16, 4); /* permissions of a file */
  zip_number(a, zip_short(e->offset), 4);
  zip_put(a, name, strlen(name));
  zip_put(a, ".npy", 4);
  if (extra) {
    zip_number(a, 1, 2);
    zip_number(a, extra - 4, 2);
  }
  if (size) {
    zip_number(a, e->bytes, 8);
    zip_number(a, e->bytes, 8);
  }
  if (place)
    zip_number(a, e->offset, 8);
}

static const char *zip_name(const archive *a, int i)
{
  return i < a->source->columns ? a->source->names[i] : "provenance";
}

static dae_status zip_end(archive *a, dae_error *err)
{
  uint64_t start = a->at, count = (uint64_t)a->count;
  for (int i = 0; i < a->count; i++)
    zip_central(a, &a->list[i], zip_name(a, i));
  uint64_t end = a->at, bytes = end - start;
  if (count >= 0xffff || bytes >= ZIP_MAX || start >= ZIP_MAX) {
    zip_number(a, ZIP_END_64, 4);
    zip_number(a, 44, 8);
    zip_number(a, 0x032d, 2);
    zip_number(a, 45, 2);
    zip_number(a, 0, 8);
    zip_number(a, count, 8);
    zip_number(a, count, 8);
    zip_number(a, bytes, 8);
    zip_number(a, start, 8);
    zip_number(a, ZIP_LOCATOR_64, 4);
    zip_number(a, 0, 4);
    zip_number(a, end, 8);
    zip_number(a, 1, 4);
  }
  uint64_t shown = count < 0xffff ? count : 0xffff;
  zip_number(a, ZIP_END, 4);
  zip_number(a, 0, 4);
  zip_number(a, shown, 2);
  zip_number(a, shown, 2);
  zip_number(a, zip_short(bytes), 4);
  zip_number(a, zip_short(start), 4);
  zip_number(a, 0, 2);
  return dae_file_end_record(a->file, err);
}

/* ---- arrays ---- */

static bool npy_little_endian(void)
{
  const uint16_t one = 1;
  return *(const unsigned char *)&one;
}

/* Header of an array, a multiple of 64 bytes; returns its length. */
static size_t npy_header(char *text, size_t size, const char *type, const char *shape)
{
  int used =
      snprintf(text + 10, size - 10, "{'descr': '%c%s', 'fortran_order': False, 'shape': (%s), }",
               npy_little_endian() ? '<' : '>', type, shape);
  size_t length = 10 + (size_t)used, whole = (length + 1 + 63) / 64 * 64;
  memset(text + length, ' ', whole - length);
  text[whole - 1] = '\n';
  memcpy(text, "\x93NUMPY\x01\x00", 8);
  text[8] = (char)((whole - 10) & 0xff);
  text[9] = (char)((whole - 10) >> 8);
  return whole;
}

static dae_status npz_write_part(void *user, int column, long first, long count,
                                 const double *values, dae_error *err)
{
  archive *a = user;
  char head[192], shape[32];
  long rows = a->source->rows;
  if (first == 0) {
    snprintf(shape, sizeof shape, "%ld,", rows);
    size_t length = npy_header(head, sizeof head, "f8", shape);
    zip_begin_entry(a, zip_name(a, column), length + (uint64_t)rows * sizeof *values);
    zip_add(a, head, length);
  }
  zip_add(a, values, (size_t)count * sizeof *values);
  return first + count == rows ? zip_end_entry(a, err) : dae_file_end_record(a->file, err);
}

/* A text as an array without dimensions of 32-bit characters. */
static dae_status npz_write_text(archive *a, const char *text, dae_error *err)
{
  char head[192], type[24];
  int characters = dae__utf8_length(text);
  snprintf(type, sizeof type, "U%d", characters > 0 ? characters : 1);
  size_t length = npy_header(head, sizeof head, type, "");
  zip_begin_entry(a, zip_name(a, a->count),
                  length + (uint64_t)(characters > 0 ? characters : 1) * sizeof(uint32_t));
  zip_add(a, head, length);
  for (int i = 0; i < (characters > 0 ? characters : 1); i++) {
    uint32_t c = (uint32_t)dae__utf8_next(&text);
    zip_add(a, &c, sizeof c);
  }
  return zip_end_entry(a, err);
}

static dae_status npz_write(const dae__results_source *s, dae_file *file, dae_error *err)
{
  const dae_env *env = s->spool->env;
  archive a = {.file = file, .source = s};
  a.list = env->allocate(env->user, ((size_t)s->columns + 1) * sizeof *a.list);
  if (!a.list)
    return dae__out_of_memory(err);
  zip_make_table(a.table);
  dae_status status = dae__spool_columns(s->spool, npz_write_part, &a, err);
  if (!status)
    status = npz_write_text(&a, s->provenance, err);
  if (!status)
    status = zip_end(&a, err);
  env->release(env->user, a.list);
  return status;
}

/* ---- reading ---- */

static uint64_t zip_get(const dae__results_input *in, uint64_t at, int bytes)
{
  uint64_t value = 0;
  for (int i = 0; i < bytes && at + (uint64_t)i < in->size; i++)
    value |= (uint64_t)in->bytes[at + (uint64_t)i] << (8 * i);
  return value;
}

/* An array in the archive. */
typedef struct member {
  uint64_t name, name_length; /* without .npy */
  uint64_t data, bytes;       /* of the values */
  char type[16];              /* "<f8" */
  char shape[48];             /* "5," */
} member;

/* Copies what follows `key` in the header of an array, up to one of the characters `end`. */
static bool npy_field(const char *head, const char *key, const char *end, char *text, size_t size)
{
  const char *at = strstr(head, key);
  size_t length = at ? strcspn(at + strlen(key), end) : 0;
  if (!at || length >= size)
    return false;
  memcpy(text, at + strlen(key), length);
  text[length] = 0;
  return true;
}

/* Reads the central entry at *at and the header of its array; *at moves to the next entry. */
static bool zip_member(const dae__results_input *in, uint64_t *at, member *m)
{
  if (*at > in->size || in->size - *at < 46 || zip_get(in, *at, 4) != ZIP_CENTRAL)
    return false;
  uint64_t bytes = zip_get(in, *at + 24, 4), offset = zip_get(in, *at + 42, 4);
  uint64_t name = zip_get(in, *at + 28, 2), extra = zip_get(in, *at + 30, 2);
  uint64_t comment = zip_get(in, *at + 32, 2), field = *at + 46 + name + 4;
  bool stored = zip_get(in, *at + 10, 2) == 0;
  if (bytes == ZIP_MAX) {
    bytes = zip_get(in, field, 8);
    field += 16;
  }
  if (offset == ZIP_MAX)
    offset = zip_get(in, field, 8);
  m->name = *at + 46;
  m->name_length = name;
  *at += 46 + name + extra + comment;
  if (!stored || *at > in->size || name < 5 ||
      memcmp(in->bytes + m->name + name - 4, ".npy", 4) != 0)
    return false;
  m->name_length -= 4;
  if (offset > in->size || in->size - offset < 30 || zip_get(in, offset, 4) != ZIP_LOCAL)
    return false;
  m->data = offset + 30 + zip_get(in, offset + 26, 2) + zip_get(in, offset + 28, 2);
  if (m->data > in->size || bytes > in->size - m->data || bytes < 10 ||
      memcmp(in->bytes + m->data, "\x93NUMPY", 6) != 0)
    return false;
  bool later = in->bytes[m->data + 6] > 1;
  uint64_t head = zip_get(in, m->data + 8, later ? 4 : 2) + (later ? 12u : 10u);
  char text[1024];
  if (head > bytes || head >= sizeof text)
    return false;
  memcpy(text, in->bytes + m->data, (size_t)head);
  memset(text, ' ', later ? 12 : 10);
  text[head] = 0;
  m->data += head;
  m->bytes = bytes - head;
  return npy_field(text, "'descr': '", "'", m->type, sizeof m->type) &&
         npy_field(text, "'shape': (", ")", m->shape, sizeof m->shape);
}

/* Start of the central directory and number of its entries; false: no zip archive. */
static bool zip_directory(const dae__results_input *in, uint64_t *start, uint64_t *count)
{
  const uint64_t longest = 22 + 65535;
  uint64_t at = in->size >= 22 ? in->size - 22 : 0, stop = at > longest ? at - longest : 0;
  while (in->size >= 22 && zip_get(in, at, 4) != ZIP_END && at > stop)
    at--;
  if (in->size < 22 || zip_get(in, at, 4) != ZIP_END)
    return false;
  *count = zip_get(in, at + 10, 2);
  *start = zip_get(in, at + 16, 4);
  if (at >= 20 && zip_get(in, at - 20, 4) == ZIP_LOCATOR_64) {
    uint64_t end = zip_get(in, at - 12, 8);
    if (end > in->size || in->size - end < 56 || zip_get(in, end, 4) != ZIP_END_64)
      return false;
    *count = zip_get(in, end + 32, 8);
    *start = zip_get(in, end + 48, 8);
  }
  return *start <= in->size && *count <= in->size / 46;
}

static const char *npz_text(const dae__results_input *in, const member *m)
{
  size_t characters = (size_t)(m->bytes / 4);
  char *text = DAE__ALLOC(in->arena, char, 4 * characters + 1);
  if (!text)
    return NULL;
  dae__text out = dae__text_in(text, 4 * characters + 1);
  for (size_t i = 0; i < characters; i++) {
    uint32_t c;
    memcpy(&c, in->bytes + m->data + 4 * i, sizeof c);
    if (c > 0 && c < 0x110000)
      dae__utf8_add(&out, (int)c);
  }
  return text;
}

/* Whether a member is a column: doubles in one dimension; *rows: their number. */
static bool npz_is_column(const member *m, long *rows)
{
  char type[8], shape[48];
  *rows = (long)(m->bytes / sizeof(double));
  snprintf(type, sizeof type, "%cf8", npy_little_endian() ? '<' : '>');
  snprintf(shape, sizeof shape, "%ld,", *rows);
  return strcmp(m->type, type) == 0 && strcmp(m->shape, shape) == 0;
}

static dae_status npz_read(const dae__results_input *in, dae_error *err)
{
  uint64_t start, count, at;
  long rows = 0, own, columns = 0;
  const char **names;
  double *values;
  member m;
  if (!zip_directory(in, &start, &count))
    return dae__results_refuse(in, "a zip archive", err);
  at = start;
  for (uint64_t i = 0; i < count; i++) {
    if (!zip_member(in, &at, &m))
      return dae__results_refuse(in, "an archive of uncompressed arrays", err);
    if (!npz_is_column(&m, &own))
      continue;
    if (columns++ > 0 && own != rows)
      return dae__results_refuse(in, "an archive of columns of equal length", err);
    rows = own;
  }
  DAE__TRY(dae__results_room(in, columns, rows, &names, &values, err));
  at = start;
  for (uint64_t i = 0, j = 0; i < count; i++) {
    zip_member(in, &at, &m);
    if (npz_is_column(&m, &own)) {
      char *name = DAE__ALLOC(in->arena, char, m.name_length + 1);
      if (name)
        memcpy(name, in->bytes + m.name, (size_t)m.name_length);
      names[j] = name;
      memcpy(values + j++ * (uint64_t)rows, in->bytes + m.data, (size_t)rows * sizeof *values);
    } else if (m.name_length == 10 && memcmp(in->bytes + m.name, "provenance", 10) == 0) {
      in->out->provenance = npz_text(in, &m);
    }
  }
  return dae__arena_status(in->arena, err);
}

const dae__results_format dae__format_npz = {
    .suffix = {".npz"}, .name = "NPZ", .write = npz_write, .read = npz_read};
