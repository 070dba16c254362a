/* Arrays of numbers in a page, each once, and the elements that offer whole columns. */
#include "output/page/page.h"

#include <float.h>
#include <math.h>
#include <string.h>

void dae__base64_begin(dae__base64 *out, dae_page *page)
{
  out->page = page;
  out->length = 0;
}

static void page_flush(dae__base64 *out)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char text[sizeof out->bytes / 3 * 4];
  size_t n = 0, padding = (3 - out->length % 3) % 3;
  memset(out->bytes + out->length, 0, padding);
  for (size_t i = 0; i < out->length; i += 3) {
    const unsigned char *b = out->bytes + i;
    text[n++] = digits[b[0] >> 2];
    text[n++] = digits[(b[0] & 3) << 4 | b[1] >> 4];
    text[n++] = digits[(b[1] & 15) << 2 | b[2] >> 6];
    text[n++] = digits[b[2] & 63];
  }
  memset(text + n - padding, '=', padding);
  dae__page_write(out->page, text, n);
  out->length = 0;
}

void dae__base64_add(dae__base64 *out, uint64_t number, int bytes)
{
  for (int i = 0; i < bytes; i++) {
    out->bytes[out->length++] = (unsigned char)(number >> 8 * i & 0xff);
    if (out->length == sizeof out->bytes)
      page_flush(out);
  }
}

void dae__base64_end(dae__base64 *out)
{
  page_flush(out);
}

int dae__page_array_begin(dae_page *page, const char *type)
{
  dae__page_print(page, "<script type=\"text/plain\" id=\"a%d\" data-type=\"%s\">",
                  page->array_count, type);
  return page->array_count++;
}

void dae__page_array_end(dae_page *page)
{
  dae__page_put(page, "</script>\n");
}

static uint64_t page_bits_of(double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void page_add_double(dae__base64 *out, double value)
{
  dae__base64_add(out, page_bits_of(value), 8);
}

static void page_add_float(dae__base64 *out, double value)
{
  float single = (float)value;
  uint32_t bits;
  memcpy(&bits, &single, sizeof bits);
  dae__base64_add(out, bits, 4);
}

/* Of 64 bits, by the mixing function of splitmix64: arrays with the same hash and length are taken
 * for the same. */
static uint64_t page_hash_of(const double *values, long count)
{
  uint64_t hash = 0;
  for (long i = 0; i < count; i++) {
    hash ^= page_bits_of(values[i]);
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
    hash ^= hash >> 31;
  }
  return hash;
}

/* No number is too large or too small for seven digits as a float. */
static bool page_fits_float(const double *values, long count)
{
  for (long i = 0; i < count; i++) {
    double size = fabs(values[i]);
    if (isfinite(size) && size != 0.0 && (size > FLT_MAX || size < FLT_MIN))
      return false;
  }
  return true;
}

static int page_write_array(dae_page *page, const double *values, long count, bool single)
{
  dae__base64 out;
  int id = dae__page_array_begin(page, single ? "f4" : "f8");
  dae__base64_begin(&out, page);
  for (long i = 0; i < count; i++)
    (single ? page_add_float : page_add_double)(&out, values[i]);
  dae__base64_end(&out);
  dae__page_array_end(page);
  return id;
}

int dae__page_array_of(dae_page *page, const double *values, long count,
                       dae__page_precision precision)
{
  uint64_t hash = page_hash_of(values, count);
  for (const dae__page_array *a = page->arrays; a; a = a->next)
    if (a->hash == hash && a->count == count && (!a->single || precision != DAE__EXACT))
      return a->id;
  dae__page_array *array = DAE__ALLOC(page->arena, dae__page_array, 1);
  if (!array) {
    dae__page_fail(page, DAE_ERROR_MEMORY, "%s: no memory for the page", page->path);
    return 0;
  }
  bool single = precision == DAE__SEVEN && page_fits_float(values, count);
  *array = (dae__page_array){.next = page->arrays, .hash = hash, .count = count, .single = single};
  page->arrays = array;
  return array->id = page_write_array(page, values, count, single);
}

static int page_column(dae_page *page, const dae_page_data *data, int i)
{
  return dae__page_array_of(page, data->values[i], data->rows,
                            data->single ? DAE__SEVEN : DAE__EXACT);
}

/* The arrays of all columns, and an element that refers to them: {"name": ..., "columns": [{"name":
 * ..., "array": ...}, ...], ... */
static void page_begin_data(dae_page *page, const char *kind, const dae_page_data *data)
{
  for (int i = 0; i < data->columns; i++)
    page_column(page, data, i);
  dae__page_print(page, "<figure class=\"%s\"><script type=\"application/json\">{\"name\":", kind);
  dae__page_json(page, data->name);
  dae__page_print(page, ",\"rows\":%ld,\"columns\":[", data->rows);
  for (int i = 0; i < data->columns; i++) {
    dae__page_put(page, i > 0 ? ",{\"name\":" : "{\"name\":");
    dae__page_json(page, data->names[i]);
    dae__page_print(page, ",\"array\":%d}", page_column(page, data, i));
  }
  dae__page_put(page, "]");
}

static void page_end_data(dae_page *page, const dae_page_data *data)
{
  dae__page_put(page, "}</script>");
  if (data->note && *data->note) {
    dae__page_put(page, "<figcaption>");
    dae__page_escape(page, data->note);
    dae__page_put(page, "</figcaption>");
  }
  dae__page_put(page, "</figure>\n");
}

static bool page_valid(dae_page *page, const dae_page_data *data)
{
  if (data->columns >= 1 && data->rows >= 0)
    return true;
  dae__page_fail(page, DAE_ERROR_USAGE, "%s: data with %d columns and %ld rows", page->path,
                 data->columns, data->rows);
  return false;
}

void dae_page_download(dae_page *page, const dae_page_data *data)
{
  if (!page_valid(page, data))
    return;
  page_begin_data(page, "download", data);
  page_end_data(page, data);
}

void dae_page_phase(dae_page *page, const dae_page_data *data, int x, int y)
{
  if (!page_valid(page, data))
    return;
  if (x < 0 || x >= data->columns || y < 0 || y >= data->columns) {
    dae__page_fail(page, DAE_ERROR_USAGE, "%s: a phase plot of column %d over column %d of %d",
                   page->path, y, x, data->columns);
    return;
  }
  page_begin_data(page, "phase", data);
  dae__page_print(page, ",\"x\":%d,\"y\":%d", x, y);
  page_end_data(page, data);
}
