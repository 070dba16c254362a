/* Files of a reproduction: comma-separated values by RFC 4180, one folder for all of them. */
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct rep_file {
  rep_report *report;
  FILE *file;
  bool begun; /* the record has a field */
  char path[512];
};

void rep__folder_make(rep_report *report)
{
  const char *folder = report->settings->folder;
  struct stat status;
  if (mkdir(folder, 0777) == 0)
    return;
  int why = errno;
  if (why != EEXIST || stat(folder, &status) != 0)
    rep__fail(report, DAE_ERROR_FILE, "the folder %.200s could not be made: %s", folder,
              strerror(why));
  else if (!S_ISDIR(status.st_mode))
    rep__fail(report, DAE_ERROR_FILE, "%.200s is no folder", folder);
}

static void fail(rep_file *file, const char *what)
{
  rep__fail(file->report, DAE_ERROR_FILE, "%.300s could not be %s: %s", file->path, what,
            strerror(errno));
}

rep_file *rep_file_open(rep_report *report, const char *name, const char *header)
{
  if (!rep_good(report))
    return NULL;
  rep_file *file = calloc(1, sizeof *file);
  if (!file) {
    rep__fail(report, DAE_ERROR_MEMORY, "no memory for a file");
    return NULL;
  }
  file->report = report;
  int length = snprintf(file->path, sizeof file->path, "%s/%s-%s.csv", report->settings->folder,
                        report->paper->key, name);
  errno = ENAMETOOLONG;
  if (length < (int)sizeof file->path)
    file->file = fopen(file->path, "wb");
  if (!file->file) {
    fail(file, "created");
    free(file);
    return NULL;
  }
  fprintf(file->file, "%s\r\n", header);
  return file;
}

static void begin_field(rep_file *file)
{
  if (file->begun)
    fputc(',', file->file);
  file->begun = true;
}

void rep_file_text(rep_file *file, const char *text)
{
  if (!file)
    return;
  begin_field(file);
  if (!strpbrk(text, ",\"\r\n")) {
    fputs(text, file->file);
    return;
  }
  fputc('"', file->file);
  for (const char *c = text; *c; c++) {
    if (*c == '"')
      fputc('"', file->file);
    fputc(*c, file->file);
  }
  fputc('"', file->file);
}

void rep_file_number(rep_file *file, double value)
{
  if (!file)
    return;
  begin_field(file);
  if (!isnan(value))
    fprintf(file->file, "%.17g", value);
}

void rep_file_record(rep_file *file)
{
  if (!file)
    return;
  fputs("\r\n", file->file);
  file->begun = false;
  if (ferror(file->file))
    fail(file, "written");
}

void rep_file_close(rep_file *file)
{
  if (!file)
    return;
  bool failed = ferror(file->file) != 0;
  errno = 0;
  failed = fclose(file->file) != 0 || failed;
  if (failed)
    fail(file, "written");
  free(file);
}
