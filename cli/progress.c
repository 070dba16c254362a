/* Progress line on a terminal, redrawn at most ten times a second and erased at the end:
 *
 *    42%  t = 4.21  [===========>                ]  1 min 5 s left
 *
 * with a label in place of the time t, if given. The remaining time follows from the smoothed share
 * of the time span covered per second. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define REDRAW 0.1    /* seconds between redraws */
#define SMOOTHING 0.2 /* weight of the newest rate */
#define LONGEST 256

double cli_wall_time(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

cli_progress cli_progress_start(double from, double to, bool wanted)
{
  cli_progress p = {.shown = wanted && isatty(STDERR_FILENO), .from = from, .to = to};
  p.started = p.drawn = cli_wall_time();
  return p;
}

static int progress_terminal_width(void)
{
  struct winsize size;
  int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
  return width > 0 ? width : CLI_WIDTH;
}

/* remaining time: "8 s left", "1 min 5 s left", "2 h 3 min left" */
static void progress_time_text(double seconds, char *text, size_t size)
{
  if (!(seconds < 360000.0)) {
    snprintf(text, size, "more than 100 h left");
    return;
  }
  long s = lround(ceil(seconds));
  if (s < 60)
    snprintf(text, size, "%ld s left", s);
  else if (s < 3600)
    snprintf(text, size, "%ld min %ld s left", s / 60, s % 60);
  else
    snprintf(text, size, "%ld h %ld min left", s / 3600, s % 3600 / 60);
}

/* exponential smoothing of the rate */
static void progress_update_rate(cli_progress *p, double share, double now)
{
  double recent = (share - p->share) / (now - p->drawn);
  bool first = p->drawn == p->started;
  p->rate = first ? recent : (1 - SMOOTHING) * p->rate + SMOOTHING * recent;
}

/* bar "[=====>     ]" of the given width, empty below 12 columns */
static void progress_bar_text(double share, int width, char *text)
{
  text[0] = '\0';
  if (width < 12)
    return;
  int inner = width - 2 < 40 ? width - 2 : 40, full = (int)(share * inner);
  text[0] = '[';
  memset(text + 1, ' ', (size_t)inner);
  memset(text + 1, '=', (size_t)full);
  if (full < inner)
    text[1 + full] = '>';
  memcpy(text + 1 + inner, "]  ", 4);
}

void cli_progress_erase(cli_progress *p)
{
  if (p->length == 0)
    return;
  fprintf(stderr, "\r%*s\r", p->length, "");
  fflush(stderr);
  p->length = 0;
}

static void progress_redraw(cli_progress *p, double t)
{
  char left[64], at[64], head[80], bar[64], line[LONGEST];
  progress_time_text((1 - p->share) / p->rate, left, sizeof left);
  if (p->label[0])
    snprintf(at, sizeof at, "%-24s", p->label);
  else
    snprintf(at, sizeof at, "t = %-10.6g", t);
  snprintf(head, sizeof head, "%3d%%  %s  ", (int)(100 * p->share), at);
  int room = progress_terminal_width() - 1;
  progress_bar_text(p->share, room - (int)(strlen(head) + strlen(left)) - 2, bar);
  int length = snprintf(line, sizeof line, "%s%s%s", head, bar, left);
  length = length < room ? length : room;
  int blanks = p->length > length ? p->length - length : 0;
  fprintf(stderr, "\r%.*s%*s", length, line, blanks, "");
  fflush(stderr);
  p->length = length;
}

void cli_progress_draw(cli_progress *p, double t)
{
  if (!p->shown)
    return;
  double now = cli_wall_time(), share = (t - p->from) / (p->to - p->from);
  if (now - p->drawn < REDRAW)
    return;
  share = fmin(fmax(share, 0), 1);
  progress_update_rate(p, share, now);
  p->share = share;
  p->drawn = now;
  progress_redraw(p, t);
}
