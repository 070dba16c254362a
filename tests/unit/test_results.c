/* Result files in binary formats: what is written is read back to the last bit, damaged files are
 * refused, and rows are not lost where the file cannot be made. */
#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const paths[] = {"test_results.tmp.mat", "test_results.tmp.npz",
                                    "test_results.tmp.h5"};
enum { COLUMNS = 5 };
static const char *const names[COLUMNS] = {"t", "der(x)", "A.y[1]", "l\xc3\xa4nge", "lambda(rod)"};

static double value(long row, int column)
{
  static const double special[] = {0, -0.0, INFINITY, -INFINITY, 5e-324, 1.7976931348623157e308};
  if (column == 0)
    return 0.1 * (double)row;
  return row < 6 ? special[row]
                 : sin((double)(row * COLUMNS + column)) * pow(10, (int)(row % 600) - 300);
}

/* false: no HDF5 in this build */
static bool open_sink(const char *path, dae_sink *sink)
{
  dae_error err;
  dae_status status = dae_results_sink(path, NULL, sink, &err);
  if (status == DAE_ERROR_UNSUPPORTED && strstr(path, ".h5"))
    return false;
  assert_int_equal(status, DAE_OK);
  return true;
}

static void write_rows(const char *path, dae_sink *sink, long from, long to)
{
  dae_error err;
  double row[COLUMNS];
  (void)path;
  for (long i = from; i < to; i++) {
    for (int j = 0; j < COLUMNS; j++)
      row[j] = value(i, j);
    assert_int_equal(sink->row(sink->self, &(dae_row){.columns = COLUMNS, .values = row}, &err), 0);
  }
}

static dae_summary summary_of(void)
{
  dae_summary s = {.problem = "test", .method = "gauss", .units = "der(x)\tm/s\n"};
  s.provenance = "model\tp.dae\t0123\n";
  return s;
}

static bool write_file(const char *path, long rows)
{
  dae_sink sink;
  dae_error err;
  dae_summary s = summary_of();
  if (!open_sink(path, &sink))
    return false;
  assert_int_equal(sink.open(sink.self, COLUMNS, names, &err), DAE_OK);
  write_rows(path, &sink, 0, rows);
  if (sink.close(sink.self, &s, &err) < 0)
    fail_msg("%s", err.text);
  assert_string_equal(s.files, path);
  sink.free(sink.self);
  char left[64];
  snprintf(left, sizeof left, "%s.rows", path);
  assert_int_equal(access(left, F_OK), -1);
  snprintf(left, sizeof left, "%s.rows.part", path);
  assert_int_equal(access(left, F_OK), -1);
  return true;
}

static void check_file(const char *path, long rows)
{
  dae_results *r;
  dae_error err;
  if (dae_results_read(path, NULL, &r, &err) < 0)
    fail_msg("%s", err.text);
  assert_int_equal(r->columns, COLUMNS);
  assert_int_equal(r->rows, rows);
  for (int j = 0; j < COLUMNS; j++) {
    assert_string_equal(r->names[j], names[j]);
    for (long i = 0; i < rows; i++) {
      double expected = value(i, j);
      assert_memory_equal(&r->values[j * rows + i], &expected, sizeof expected);
    }
  }
  assert_non_null(r->provenance);
  assert_non_null(strstr(r->provenance, "\"p.dae\": \"0123\""));
  assert_non_null(strstr(r->provenance, dae_version()));
  dae_results_free(r);
}

static void test_rows_come_back_to_the_last_bit(void **state)
{
  (void)state;
  static const long rows[] = {1, 2, 1000, 60000};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 4; i++)
      if (write_file(paths[k], rows[i]))
        check_file(paths[k], rows[i]);
}

static unsigned char *read_bytes(const char *path, size_t *size)
{
  struct stat is;
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fstat(fileno(file), &is), 0);
  unsigned char *bytes = malloc((size_t)is.st_size);
  assert_non_null(bytes);
  *size = fread(bytes, 1, (size_t)is.st_size, file);
  assert_int_equal(*size, (size_t)is.st_size);
  fclose(file);
  return bytes;
}

static uint32_t number_at(const unsigned char *at, int bytes)
{
  uint32_t value = 0;
  for (int i = 0; i < bytes; i++)
    value |= (uint32_t)at[i] << (8 * i);
  return value;
}

/* CRC-32 bit by bit, as APPNOTE.TXT of zip has it */
static uint32_t crc_of(const unsigned char *at, size_t count)
{
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < count; i++) {
    crc ^= at[i];
    for (int k = 0; k < 8; k++)
      crc = crc & 1 ? (crc >> 1) ^ 0xedb88320u : crc >> 1;
  }
  return ~crc;
}

/* The checksums by which other programs, as numpy and unzip, tell that an entry is whole: in the
 * header before it and in the directory, with rows enough that it is written in several pieces. */
static void test_checksums_of_npz_are_those_of_zip(void **state)
{
  (void)state;
  static const long rows[] = {1, 60000};
  for (int k = 0; k < 2; k++) {
    size_t size, at = 0, data;
    assert_true(write_file(paths[1], rows[k]));
    unsigned char *bytes = read_bytes(paths[1], &size);
    size_t directory = number_at(bytes + size - 6, 4);
    for (int i = 0; i < COLUMNS + 1; i++) { /* the last one is the provenance */
      const unsigned char *local = bytes + at, *central = bytes + directory;
      assert_int_equal(number_at(local, 4), 0x04034b50);
      assert_int_equal(number_at(central, 4), 0x02014b50);
      assert_int_equal(number_at(central + 42, 4), at);
      data = at + 30 + number_at(local + 26, 2) + number_at(local + 28, 2);
      size_t length = number_at(local + 18, 4);
      uint32_t crc = crc_of(bytes + data, length);
      assert_int_equal(number_at(local + 14, 4), crc);
      assert_int_equal(number_at(central + 16, 4), crc);
      at = data + length;
      directory += 46 + number_at(central + 28, 2) + number_at(central + 30, 2);
    }
    assert_int_equal(number_at(bytes + at, 4), 0x02014b50);
    free(bytes);
  }
}

/* data_1 of the layout binTrans holds the first and the last time; other programs take the span of
 * the run from there. */
static void test_a_mat_file_has_the_span_of_its_run(void **state)
{
  (void)state;
  static const long rows[] = {1, 2, 1000};
  static const char head[] = "data_1";
  for (int k = 0; k < 3; k++) {
    size_t size, at = 0;
    double span[2];
    assert_true(write_file(paths[0], rows[k]));
    unsigned char *bytes = read_bytes(paths[0], &size);
    while (at + sizeof head + sizeof span < size && memcmp(bytes + at, head, sizeof head) != 0)
      at++;
    assert_memory_equal(bytes + at, head, sizeof head);
    memcpy(span, bytes + at + sizeof head, sizeof span);
    assert_true(span[0] == value(0, 0) && span[1] == value(rows[k] - 1, 0));
    free(bytes);
  }
}

/* a run that goes back to a saved place, in the same sink and in another one */
static void test_saved_places_are_returned_to(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    dae_sink sink;
    dae_error err;
    dae_summary s = summary_of();
    char place[256];
    if (!open_sink(paths[k], &sink))
      continue;
    assert_true(sink.save_size(sink.self) <= sizeof place);
    assert_int_equal(sink.open(sink.self, COLUMNS, names, &err), DAE_OK);
    write_rows(paths[k], &sink, 0, 100);
    assert_int_equal(sink.save(sink.self, place, &err), DAE_OK);
    write_rows(paths[k], &sink, 7, 90);
    assert_int_equal(sink.load(sink.self, COLUMNS, names, place, sink.save_size(sink.self), &err),
                     DAE_OK);
    write_rows(paths[k], &sink, 100, 150);
    assert_int_equal(sink.close(sink.self, &s, &err), DAE_OK);
    sink.free(sink.self);
    check_file(paths[k], 150);
    assert_true(open_sink(paths[k], &sink));
    assert_true(sink.load(sink.self, COLUMNS, names, place, 3, &err) < 0);
    sink.free(sink.self);
  }
}

static void test_an_old_file_stays_until_the_new_one_is_whole(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    dae_sink sink;
    dae_error err;
    if (!write_file(paths[k], 10))
      continue;
    assert_true(open_sink(paths[k], &sink));
    assert_int_equal(sink.open(sink.self, COLUMNS, names, &err), DAE_OK);
    write_rows(paths[k], &sink, 0, 20);
    check_file(paths[k], 10);
    sink.free(sink.self);
    check_file(paths[k], 10);
  }
}

static dae_status read_damaged(const char *path, const unsigned char *bytes, size_t size)
{
  char damaged[64];
  dae_results *r;
  dae_error err;
  snprintf(damaged, sizeof damaged, "damaged_%s", path);
  FILE *file = fopen(damaged, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
  dae_status status = dae_results_read(damaged, NULL, &r, &err);
  if (status >= 0)
    dae_results_free(r);
  else
    assert_non_null(strstr(err.text, damaged));
  remove(damaged);
  return status;
}

/* Every shorter file is refused; every byte of the headers takes wrong values, with which the file
 * is refused or read, within its bounds. HDF5 is its library's matter, which reads files slowly. */
static void test_damaged_files_are_refused_or_read_within_bounds(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    size_t size;
    assert_true(write_file(paths[k], 3));
    unsigned char *bytes = read_bytes(paths[k], &size);
    unsigned random = 1;
    /* what follows data_2 in a MAT file is not needed */
    for (size_t cut = 0; cut < size; cut += 1 + cut / 16)
      if (read_damaged(paths[k], bytes, cut) >= 0)
        assert_true(k == 0 && cut > size / 3);
    for (size_t i = 0; i < size; i += 3) {
      unsigned char before = bytes[i];
      random = random * 1664525u + 1013904223u;
      bytes[i] = i % 2 ? (unsigned char)(random >> 24) : 0xff;
      read_damaged(paths[k], bytes, size);
      bytes[i] = before;
    }
    assert_true(read_damaged(paths[k], bytes, size) >= 0);
    free(bytes);
  }
}

static void test_other_names_are_csv(void **state)
{
  (void)state;
  dae_sink sink;
  dae_error err;
  dae_results *r;
  assert_true(dae_results_is_binary("a.MAT") && dae_results_is_binary("b/c.hdf5"));
  assert_false(dae_results_is_binary("a.mat.csv") || dae_results_is_binary("mat"));
  assert_int_equal(dae_results_sink("test_results.tmp.txt", NULL, &sink, &err), DAE_OK);
  assert_int_equal(sink.open(sink.self, COLUMNS, names, &err), DAE_OK);
  write_rows(NULL, &sink, 0, 2);
  dae_summary s = summary_of();
  assert_int_equal(sink.close(sink.self, &s, &err), DAE_OK);
  sink.free(sink.self);
  size_t size;
  unsigned char *bytes = read_bytes("test_results.tmp.txt", &size);
  assert_memory_equal(bytes, "t,der(x),", 9);
  free(bytes);
  assert_int_equal(dae_results_read("test_results.tmp.txt", NULL, &r, &err), DAE_ERROR_UNSUPPORTED);
}

static int clean(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++)
    remove(paths[k]);
  remove("test_results.tmp.txt");
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_come_back_to_the_last_bit),
      cmocka_unit_test(test_checksums_of_npz_are_those_of_zip),
      cmocka_unit_test(test_a_mat_file_has_the_span_of_its_run),
      cmocka_unit_test(test_saved_places_are_returned_to),
      cmocka_unit_test(test_an_old_file_stays_until_the_new_one_is_whole),
      cmocka_unit_test(test_damaged_files_are_refused_or_read_within_bounds),
      cmocka_unit_test(test_other_names_are_csv),
  };
  return cmocka_run_group_tests(tests, NULL, clean);
}
