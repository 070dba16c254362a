/* MATLAB version 4 in the layout of Dymola's trajectories ("binTrans"): matrices Aclass, name,
 * description, dataInfo, data_1 (parameters: here time alone) and data_2 (rows: variables, columns:
 * times), and behind them, where readers of the layout do not look, the provenance.
 *
 * A matrix is a header of five 32-bit integers (type, rows, columns, imaginary part, length of the
 * name with its 0), its name, and its entries by columns. Type: 1000 (bytes from high to low) + 10
 * (0: double, 2: 32-bit integer, 5: 8-bit) + 1 (text). dataInfo, for each variable: matrix, row in
 * it, 0 (linear interpolation), -1 (not defined outside). */
#include "output/results/format.h"

#include "core/error.h"
#include "core/mutant.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { MAT_DOUBLE = 0, MAT_INT = 20, MAT_TEXT = 51, CLASS_WIDTH = 11 };

static int mat_byte_order(void)
{
  const uint16_t one = 1;
  return *(const unsigned char *)&one ? 0 : 1000;
}

static void mat_begin(dae_file *file, int type, size_t rows, size_t columns, const char *name)
{
  const int32_t head[5] = {mat_byte_order() + type, (int32_t)rows, (int32_t)columns, 0,
                           (int32_t)strlen(name) + 1};
  dae_file_write(file, head, sizeof head);
  dae_file_write(file, name, strlen(name) + 1);
}

/* Texts as the columns of a matrix, filled up with blanks. */
static void mat_write_texts(dae_file *file, const char *name, int count, const char *const *text)
{
  size_t width = 1;
  for (int i = 0; i < count; i++)
    width = strlen(text[i]) > width ? strlen(text[i]) : width;
  mat_begin(file, MAT_TEXT, width, (size_t)count, name);
  for (int i = 0; i < count; i++) {
    dae_file_put(file, text[i]);
    for (size_t k = strlen(text[i]); k < width; k++)
      dae_file_write(file, " ", 1);
  }
}

static void mat_write_info(dae_file *file, int columns)
{
  mat_begin(file, MAT_INT, 4, (size_t)columns, "dataInfo");
  for (int j = 0; j < columns; j++) {
    const int32_t info[4] = {j == 0 ? 0 : 2, j + 1, 0, -1};
    dae_file_write(file, info, sizeof info);
  }
}

static dae_status mat_write_rows(void *user, long rows, const double *values, dae_error *err)
{
  const dae__results_source *s = ((void **)user)[0];
  dae_file *file = ((void **)user)[1];
  dae_file_write(file, values, (size_t)rows * (size_t)s->columns * sizeof *values);
  return dae_file_end_record(file, err);
}

/* Times of the first and the last row. */
static dae_status mat_read_times(const dae__results_source *s, double *times, dae_error *err)
{
  const dae_env *env = s->spool->env;
  double *row = env->allocate(env->user, (size_t)s->columns * sizeof *row);
  DAE__TRY(dae_file_sync(s->spool->file, NULL, err));
  int fd = dae__spool_reopen(s->spool);
  dae_status status = row ? DAE_OK : dae__out_of_memory(err);
  for (int i = 0; i < 2 && !status && s->rows > 0; i++) {
    if (fd < 0 || !dae__spool_read(s->spool, fd, i == 0 ? 0 : s->rows - 1, 1, row))
      status = dae__fail_file(err, dae_file_part(s->spool->file), "read");
    times[i] = DAE__MUTATE(mat_time, row[0], row[s->columns - 1]);
  }
  if (fd >= 0)
    close(fd);
  env->release(env->user, row);
  return status;
}

static dae_status mat_write(const dae__results_source *s, dae_file *file, dae_error *err)
{
  static const char *const class[] = {"Atrajectory", "1.1", "", "binTrans"};
  double times[2] = {0};
  if (s->rows > INT32_MAX || s->columns > INT32_MAX / 4)
    return dae__fail(err, DAE_ERROR_FILE, s->path,
                     "%s cannot have %ld rows: a MAT file of version 4 counts up to 2147483647",
                     s->path, s->rows);
  DAE__TRY(mat_read_times(s, times, err));
  mat_begin(file, MAT_TEXT, 4, CLASS_WIDTH, "Aclass");
  for (size_t k = 0; k < CLASS_WIDTH; k++)
    for (int i = 0; i < 4; i++)
      dae_file_write(file, k < strlen(class[i]) ? &class[i][k] : " ", 1);
  mat_write_texts(file, "name", s->columns, s->names);
  mat_write_texts(file, "description", s->columns, s->units);
  mat_write_info(file, s->columns);
  mat_begin(file, MAT_DOUBLE, 1, 2, "data_1");
  dae_file_write(file, times, sizeof times);
  mat_begin(file, MAT_DOUBLE, (size_t)s->columns, (size_t)s->rows, "data_2");
  DAE__TRY(dae__spool_rows(s->spool, mat_write_rows, (void *[]){(void *)s, file}, err));
  mat_begin(file, MAT_TEXT, 1, strlen(s->provenance), "provenance");
  dae_file_put(file, s->provenance);
  return dae_file_end_record(file, err);
}

/* ---- reading ---- */

/* A matrix of the file. */
typedef struct matrix {
  int type;
  uint64_t rows, columns;
  const unsigned char *data;
  char name[32];
} matrix;

/* Bytes of an entry by the digit P of the type: double, float, 32, 16, 16 and 8 bit. */
static const size_t mat_bytes[] = {8, 4, 4, 2, 2, 1};

/* Next matrix behind *at; false: there is none, or it does not fit into the file. */
static bool mat_next(const dae__results_input *in, size_t *at, matrix *m)
{
  int32_t head[5];
  if (in->size - *at < sizeof head)
    return false;
  memcpy(head, in->bytes + *at, sizeof head);
  *at += sizeof head;
  int kind = head[0] - mat_byte_order(), digit = kind / 10;
  if (kind < 0 || digit > 5 || kind % 10 > 1 || head[1] < 0 || head[2] < 0 || head[3] != 0 ||
      head[4] < 1 || (uint64_t)head[4] > in->size - *at)
    return false;
  *m = (matrix){.type = digit, .rows = (uint64_t)head[1], .columns = (uint64_t)head[2]};
  size_t length = (size_t)head[4];
  for (size_t i = 0; i < length && i + 1 < sizeof m->name; i++)
    m->name[i] = (char)in->bytes[*at + i];
  *at += length;
  m->data = in->bytes + *at;
  uint64_t count = m->rows * m->columns; /* below 2^62 */
  if (count > (in->size - *at) / mat_bytes[digit])
    return false;
  *at += (size_t)count * mat_bytes[digit];
  return true;
}

static double mat_entry(const matrix *m, uint64_t row, uint64_t column)
{
  const unsigned char *at = m->data + (size_t)(row + column * m->rows) * mat_bytes[m->type];
  double real;
  float single;
  int32_t whole;
  int16_t half;
  uint16_t positive;
  switch (m->type) {
  case 0:
    memcpy(&real, at, sizeof real);
    return real;
  case 1:
    memcpy(&single, at, sizeof single);
    return (double)single;
  case 2:
    memcpy(&whole, at, sizeof whole);
    return whole;
  case 3:
    memcpy(&half, at, sizeof half);
    return half;
  case 4:
    memcpy(&positive, at, sizeof positive);
    return positive;
  default:
    return *at;
  }
}

/* Text of a column, or (transposed) of a row, without the blanks at its end. */
static const char *mat_text(dae__arena *arena, const matrix *m, uint64_t i, bool row)
{
  size_t length = (size_t)(row ? m->columns : m->rows);
  char *text = DAE__ALLOC(arena, char, length + 1);
  for (size_t k = 0; text && k < length; k++)
    text[k] = (char)mat_entry(m, row ? i : k, row ? k : i);
  while (text && length > 0 && (text[length - 1] == ' ' || text[length - 1] == 0))
    text[--length] = 0;
  return text;
}

static dae_status mat_read(const dae__results_input *in, dae_error *err)
{
  static const char *const wanted[] = {"Aclass",   "name",   "description",
                                       "dataInfo", "data_1", "data_2"};
  matrix m[6], extra;
  const char **names;
  double *values;
  size_t at = 0;
  for (int i = 0; i < 6; i++)
    if (!mat_next(in, &at, &m[i]) || strcmp(m[i].name, wanted[i]) != 0)
      return dae__results_refuse(in, "a trajectory in MATLAB format 4 (Aclass, name, ...)", err);
  const matrix *name = &m[1], *info = &m[3], *data = &m[5];
  const char *layout = m[0].rows == 4 ? mat_text(in->arena, &m[0], 3, true) : "";
  if (!layout || strcmp(layout, "binTrans") != 0 || info->rows != 4 ||
      info->columns != name->columns)
    return dae__results_refuse(in, "a trajectory in the layout binTrans", err);
  DAE__TRY(dae__results_room(in, (long)name->columns, (long)data->columns, &names, &values, err));
  for (uint64_t j = 0; j < name->columns; j++) {
    const matrix *from = mat_entry(info, 0, j) == 1 ? &m[4] : data;
    double place = mat_entry(info, 1, j), row = fabs(place) - 1;
    if (!(row >= 0 && row < (double)from->rows) || from->columns == 0)
      return dae__results_refuse(in, "a trajectory whose dataInfo fits its data", err);
    for (uint64_t i = 0; i < data->columns; i++)
      values[j * data->columns + i] =
          (place < 0 ? -1 : 1) * mat_entry(from, (uint64_t)row, from == data ? i : 0);
    names[j] = mat_text(in->arena, name, j, false);
  }
  while (mat_next(in, &at, &extra))
    if (strcmp(extra.name, "provenance") == 0 && extra.rows == 1)
      in->out->provenance = mat_text(in->arena, &extra, 0, true);
  return dae__arena_status(in->arena, err);
}

const dae__results_format dae__format_mat = {
    .suffix = {".mat"}, .name = "MAT", .write = mat_write, .read = mat_read};
