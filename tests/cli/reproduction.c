/* See reproduction.h. */
#include "reproduction.h"
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- files of text and numbers ---- */

/* the end of a field, which may stand in quotes */
static char *field_end(char *at)
{
  if (*at == '"') {
    at = strchr(at + 1, '"');
    assert_non_null(at);
    at++;
  } else {
    at += strcspn(at, ",\r\n");
  }
  assert_true(*at == ',' || *at == '\r');
  return at;
}

/* kind t: a text, e: the same or nothing, n: a finite number, o: the same or nothing */
static bool is_of_kind(char kind, const char *field, const char *end)
{
  char *number_end;
  double value = strtod(field, &number_end);
  if (field == end)
    return kind == 'o' || kind == 'e';
  return kind == 't' || kind == 'e' || (number_end == end && isfinite(value));
}

/* Every record has as many fields as the header, of these kinds. The number of records. */
int reproduction_records(const char *path, const char *header, const char *kinds)
{
  char *text = file_read(path), *at = text + strlen(header);
  int records = 0;
  assert_memory_equal(text, header, strlen(header));
  for (; strcmp(at, "\r\n") != 0; records++) {
    assert_memory_equal(at, "\r\n", 2);
    at += 2;
    for (const char *kind = kinds; *kind; kind++) {
      char *field = at;
      at = field_end(field);
      if (!is_of_kind(*kind, field, at))
        fail_msg("%s: record %d: %.40s", path, records + 1, field);
      assert_true(*at == (kind[1] ? ',' : '\r'));
      at += kind[1] != '\0';
    }
  }
  free(text);
  return records;
}

void reproduction_text(const char *out, const char *const *parts, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (!strstr(out, parts[i]))
      fail_msg("there is no '%s' in\n%s", parts[i], out);
  for (const char *line = out; *line; line += strcspn(line, "\n") + 1)
    if (strcspn(line, "\n") > 80)
      fail_msg("more than 80 columns:\n%.100s", line);
  assert_null(strstr(out, "OUT\n"));
}

/* All values are as before and all verdicts as recorded. The number of values. */
int reproduction_values(const char *out, const char *key)
{
  char begin[32];
  int right = 0, checked = 0;
  snprintf(begin, sizeof begin, "\n%s: regression: ", key);
  const char *end = strstr(out, begin);
  assert_non_null(end);
  assert_int_equal(sscanf(end + strlen(begin), "%d of %d values", &right, &checked), 2);
  assert_int_equal(right, checked);
  assert_non_null(strstr(end, "files in r/\n"));
  assert_non_null(strstr(end, "\nverdicts as recorded"));
  return checked;
}
