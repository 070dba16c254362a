/* Arrays of numbers in a page, each written once, and the elements that refer to whole columns. */
#include "output/page/page.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void base64_flush(dae__base64 *out)
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
      base64_flush(out);
  }
}

int dae__base64_begin(dae__base64 *out, dae_page *page, const char *type)
{
  out->page = page;
  out->length = 0;
  dae__page_print(page, "<script type=\"text/plain\" id=\"a%d\" data-type=\"%s\">",
                  page->array_count, type);
  return page->array_count++;
}

void dae__base64_end(dae__base64 *out)
{
  base64_flush(out);
  dae__page_put(out->page, "</script>\n");
}

/* Arrays of the same length with the same 64-bit hash, by the mixing function of splitmix64, count
 * as equal. Arrays with values outside the range of normal floats, where floats have fewer than
 * seven digits, are written as double. */
int dae__page_array_of(dae_page *page, const double *values, long count,
                       dae__page_precision precision)
{
  uint64_t hash = 0;
  for (long i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    hash ^= bits;
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
    hash ^= hash >> 31;
  }
  for (const dae__page_array *a = page->arrays; a; a = a->next)
    if (a->hash == hash && a->count == count && (!a->single || precision != DAE__EXACT))
      return a->id;
  dae__page_array *array = DAE__ALLOC(page->arena, dae__page_array, 1);
  if (!array) {
    dae__page_fail(page, DAE_ERROR_MEMORY, "%s: no memory for the page", page->path);
    return 0;
  }
  bool single = precision == DAE__SEVEN;
  for (long i = 0; single && i < count; i++) {
    double size = fabs(values[i]);
    single = !isfinite(size) || size == 0.0 || (size <= FLT_MAX && size >= FLT_MIN);
  }
  dae__base64 out;
  *array = (dae__page_array){.next = page->arrays, .hash = hash, .count = count, .single = single};
  page->arrays = array;
  array->id = dae__base64_begin(&out, page, single ? "f4" : "f8");
  for (long i = 0; i < count; i++) {
    float value = single ? (float)values[i] : 0;
    uint32_t short_bits;
    uint64_t bits;
    memcpy(&short_bits, &value, sizeof short_bits);
    memcpy(&bits, &values[i], sizeof bits);
    dae__base64_add(&out, single ? short_bits : bits, single ? 4 : 8);
  }
  dae__base64_end(&out);
  return array->id;
}

/* Writes the arrays of all columns, and an element that refers to them: {"name": ..., "columns":
 * [{"name": ..., "array": ...}, ...]}, for a phase plot with the numbers of its columns x and y. */
static void page_write_data(dae_page *page, const dae_page_data *data, bool phase, int x, int y)
{
  dae__page_precision precision = data->single ? DAE__SEVEN : DAE__EXACT;
  if (data->columns < 1 || data->rows < 0) {
    dae__page_fail(page, DAE_ERROR_USAGE, "%s: data with %d columns and %ld rows", page->path,
                   data->columns, data->rows);
    return;
  }
  if (phase && (x < 0 || x >= data->columns || y < 0 || y >= data->columns)) {
    dae__page_fail(page, DAE_ERROR_USAGE, "%s: a phase plot of column %d over column %d of %d",
                   page->path, y, x, data->columns);
    return;
  }
  for (int i = 0; i < data->columns; i++)
    dae__page_array_of(page, data->values[i], data->rows, precision);
  dae__page_print(page, "<figure class=\"%s\"><script type=\"application/json\">{\"name\":",
                  phase ? "phase" : "download");
  dae__page_json(page, data->name);
  dae__page_print(page, ",\"rows\":%ld,\"columns\":[", data->rows);
  for (int i = 0; i < data->columns; i++) {
    dae__page_put(page, i > 0 ? ",{\"name\":" : "{\"name\":");
    dae__page_json(page, data->names[i]);
    dae__page_print(page, ",\"array\":%d}",
                    dae__page_array_of(page, data->values[i], data->rows, precision));
  }
  dae__page_put(page, "]");
  if (phase)
    dae__page_print(page, ",\"x\":%d,\"y\":%d", x, y);
  dae__page_put(page, "}</script>");
  if (data->note && *data->note)
    dae__page_element(page, "figcaption", data->note, "");
  dae__page_put(page, "</figure>\n");
}

void dae_page_download(dae_page *page, const dae_page_data *data)
{
  page_write_data(page, data, false, 0, 0);
}

void dae_page_phase(dae_page *page, const dae_page_data *data, int x, int y)
{
  page_write_data(page, data, true, x, y);
}
