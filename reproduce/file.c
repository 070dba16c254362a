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
  rep__drawing *drawing; /* plot of the file, NULL: none */
  bool begun;            /* the current record has a field */
  char path[512];
};

dae_status rep_folder_make(const char *folder, dae_error *err)
{
  struct stat status;
  *err = dae_error_none();
  if (mkdir(folder, 0777) == 0)
    return DAE_OK;
  int why = errno;
  bool there = why == EEXIST && stat(folder, &status) == 0;
  if (there && S_ISDIR(status.st_mode))
    return DAE_OK;
  if (there)
    snprintf(err->text, sizeof err->text, "%.200s is not a folder", folder);
  else
    snprintf(err->text, sizeof err->text, "the folder %.200s could not be created: %s", folder,
             strerror(why));
  return err->status = DAE_ERROR_FILE;
}

static void fail(rep_file *file, const char *what)
{
  rep__fail(file->report, DAE_ERROR_FILE, "%.300s could not be %s: %s", file->path, what,
            strerror(errno));
}

rep_file *rep_file_open(rep_report *report, const char *name, const char *header,
                        const rep_figure *figure)
{
  if (!rep_good(report))
    return NULL;
  rep_file *file = calloc(1, sizeof *file);
  if (!file) {
    rep__fail(report, DAE_ERROR_MEMORY, "out of memory for a file");
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
  if (figure && figure->item)
    rep__evidence_curves(report, figure->item);
  if (figure && report->settings->page)
    file->drawing = rep__drawing_begin(report, figure, header);
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
  if (file->drawing)
    rep__drawing_text(file->drawing, text);
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
  if (file->drawing)
    rep__drawing_number(file->drawing, value);
  if (!isnan(value))
    fprintf(file->file, "%.17g", value);
}

void rep_file_record(rep_file *file)
{
  if (!file)
    return;
  fputs("\r\n", file->file);
  file->begun = false;
  if (file->drawing)
    rep__drawing_record(file->drawing);
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
  rep__drawing_end(file->drawing);
  free(file);
}
