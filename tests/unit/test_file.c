/* Files that are whole or not there: parts, positions, locks, links, and limits of the disk. */
#define _XOPEN_SOURCE 700
#include <daedal/file.h>

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

static int enter(void **state)
{
  (void)state;
  snprintf(folder, sizeof folder, "file_XXXXXX");
  return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
  (void)state;
  char remove[100];
  snprintf(remove, sizeof remove, "rm -rf '%s'", folder);
  return chdir("..") == 0 && system(remove) == 0 ? 0 : -1;
}

static void put(const char *path, const char *text)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static void check_text(const char *path, const char *expected)
{
  char text[4096] = "";
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  assert_string_equal(text, expected);
}

static bool is_there(const char *path)
{
  struct stat status;
  return lstat(path, &status) == 0;
}

static dae_file *create(const char *path)
{
  dae_file *file;
  dae_error err;
  if (dae_file_create(path, NULL, &file, &err) < 0)
    fail_msg("%s", err.text);
  return file;
}

static void record(dae_file *file, const char *text)
{
  dae_file_put(file, text);
  assert_int_equal(dae_file_end_record(file, NULL), DAE_OK);
}

static void commit(dae_file *file, long expected)
{
  long records;
  dae_error err;
  if (dae_file_commit(file, &records, &err) < 0)
    fail_msg("%s", err.text);
  assert_int_equal(records, expected);
}

static void refuses(const char *path, const char *because)
{
  dae_file *file;
  dae_error err;
  assert_int_equal(dae_file_create(path, NULL, &file, &err), DAE_ERROR_FILE);
  assert_null(file);
  if (!strstr(err.text, because))
    fail_msg("%s", err.text);
}

static void test_an_older_file_stays_until_the_new_one_is_whole(void **state)
{
  (void)state;
  put("a", "old");
  assert_int_equal(chmod("a", 0640), 0);
  dae_file *file = create("a");
  assert_string_equal(dae_file_part(file), "a.part");
  record(file, "one\n");
  check_text("a", "old");
  record(file, "two\n");
  assert_int_equal(dae_file_sync(file, NULL, NULL), DAE_OK);
  check_text("a", "old");
  check_text("a.part", "one\ntwo\n");
  commit(file, 2);
  check_text("a", "one\ntwo\n");
  assert_false(is_there("a.part"));
  struct stat status;
  assert_int_equal(stat("a", &status), 0);
  assert_int_equal(status.st_mode & 0777, 0640);

  file = create("a");
  record(file, "three\n");
  dae_file_discard(file);
  check_text("a", "one\ntwo\n");
  assert_false(is_there("a.part"));
}

static void test_whole_records_alone_reach_the_disk(void **state)
{
  (void)state;
  dae_file *file = create("a");
  record(file, "one\n");
  dae_file_put(file, "tw");
  assert_int_equal(dae_file_sync(file, NULL, NULL), DAE_OK);
  check_text("a.part", "one\n");
  record(file, "o\n");
  commit(file, 2);
  check_text("a", "one\ntwo\n");
}

/* Records of all lengths, some longer than any buffer. */
static void test_files_are_cut_back_and_continued_to_the_bit(void **state)
{
  (void)state;
  enum { RECORDS = 400, LONG = 200000 };
  static char text[LONG + 2];
  memset(text, 'x', LONG);
  dae_file_position at = {0};
  dae_error err;
  for (int run = 0; run < 3; run++) {
    /* 0: undisturbed; 1: another process continues the part; 2: it continues the whole file */
    const char *path = run == 0 ? "whole" : "other";
    dae_file *file = create(path);
    for (int i = 0; i < RECORDS; i++) {
      size_t length = i % 97 == 0 ? LONG : (size_t)(i * 7 % 301);
      if (i == RECORDS / 2 && run > 0) {
        assert_int_equal(dae_file_sync(file, &at, NULL), DAE_OK);
        assert_int_equal(at.records, i);
        record(file, "lost\n");
        if (run == 1) /* the handle of a killed process: its part stays */
          assert_int_equal(link("other.part", "kept"), 0);
        run == 1 ? dae_file_discard(file) : commit(file, i + 1);
        if (run == 1)
          assert_int_equal(rename("kept", "other.part"), 0);
        if (dae_file_continue(path, &at, NULL, &file, &err) < 0)
          fail_msg("%s", err.text);
      }
      text[length] = '\n';
      dae_file_write(file, text, length + 1);
      text[length] = 'x';
      assert_int_equal(dae_file_end_record(file, NULL), DAE_OK);
    }
    commit(file, RECORDS);
    if (run > 0)
      assert_int_equal(system("cmp -s whole other"), 0);
  }
  put("other", "something else");
  dae_file *file;
  assert_int_equal(dae_file_continue("other", &at, NULL, &file, &err), DAE_ERROR_FILE);
  assert_non_null(strstr(err.text, "cannot be continued"));
  check_text("other", "something else");
}

static void test_a_part_has_one_writer(void **state)
{
  (void)state;
  dae_file *file = create("a");
  record(file, "one\n");
  refuses("a", "a.part is being written by another run");
  commit(file, 1);
  check_text("a", "one\n");
  commit(create("a"), 0);
}

static void test_links_and_pipes_planted_as_parts_are_refused(void **state)
{
  (void)state;
  put("victim", "precious");
  assert_int_equal(symlink("victim", "a.part"), 0);
  refuses("a", "a could not be created");
  check_text("victim", "precious");
  assert_int_equal(mkfifo("b.part", 0666), 0);
  refuses("b", "b could not be created");
}

static void test_links_stay_and_their_files_are_replaced(void **state)
{
  (void)state;
  struct stat status;
  assert_int_equal(mkdir("there", 0777), 0);
  put("there/a", "old");
  assert_int_equal(symlink("there/a", "a"), 0);
  dae_file *file = create("a");
  record(file, "new");
  check_text("a", "old");
  commit(file, 1);
  check_text("there/a", "new");
  assert_int_equal(lstat("a", &status), 0);
  assert_true(S_ISLNK(status.st_mode));
}

static void test_targets_that_are_no_regular_files_are_written_directly(void **state)
{
  (void)state;
  dae_file_position at;
  dae_file *file = create("/dev/null");
  record(file, "one\n");
  assert_int_equal(dae_file_sync(file, &at, NULL), DAE_OK);
  assert_int_equal(dae_file_cut(file, &at, NULL), DAE_OK);
  commit(file, 1);
  assert_false(is_there("/dev/null.part"));
  file = create("/dev/full");
  dae_error err;
  record(file, "one\n");
  assert_int_equal(dae_file_commit(file, NULL, &err), DAE_ERROR_FILE);
  assert_non_null(strstr(err.text, "No space left on device"));
  refuses(".", "Is a directory");
  refuses("no/such/folder", "No such file or directory");
}

/* A full disk: what was there stays, whole records are kept and counted. */
static void test_a_full_disk_keeps_whole_records_and_says_so(void **state)
{
  (void)state;
  struct rlimit before, small;
  dae_error err;
  put("a", "old");
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 100000;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  dae_file *file = create("a");
  dae_status status = DAE_OK;
  long records = 0;
  for (int i = 0; i < 20000 && status >= 0; i++) {
    dae_file_put(file, "123456789\n");
    status = dae_file_end_record(file, &err);
  }
  assert_int_equal(status, DAE_ERROR_FILE);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_int_equal(dae_file_commit(file, &records, &err), DAE_ERROR_FILE);
  struct stat part;
  char said[80];
  assert_int_equal(stat("a.part", &part), 0);
  assert_true(records > 1000);
  assert_int_equal(part.st_size, 10 * records);
  snprintf(said, sizeof said, "; a.part has the first %ld lines; a is as it was before", records);
  assert_non_null(strstr(err.text, said));
  check_text("a", "old");
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_an_older_file_stays_until_the_new_one_is_whole),
      IN_FOLDER(test_whole_records_alone_reach_the_disk),
      IN_FOLDER(test_files_are_cut_back_and_continued_to_the_bit),
      IN_FOLDER(test_a_part_has_one_writer),
      IN_FOLDER(test_links_and_pipes_planted_as_parts_are_refused),
      IN_FOLDER(test_links_stay_and_their_files_are_replaced),
      IN_FOLDER(test_targets_that_are_no_regular_files_are_written_directly),
      IN_FOLDER(test_a_full_disk_keeps_whole_records_and_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
