/* Handling of SIGINT, SIGTERM and SIGHUP. */
#define _XOPEN_SOURCE 700 /* for setitimer */
#include "cli.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Seconds within which two signals count as one: timeout(1) sends its signal to the process and to
 * the process group. */
#define SAME_REQUEST 0.1

/* Seconds that a step has to end by itself. */
#define GRACE 0.05
/* Microseconds after which a command that has nothing to keep ends by itself, if the library has
 * not seen the request: a single factorisation may take longer. */
#define PATIENCE 500000

static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t keeping; /* results are completed after a request */
static struct timespec first;         /* time of the first signal, written only by the handler */

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
#define CAUGHT (sizeof caught / sizeof *caught)

/* Seconds since the first signal. */
static double interrupt_age(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - first.tv_sec) + 1e-9 * (double)(now.tv_nsec - first.tv_nsec);
}

static void interrupt_on_signal(int signal_number)
{
  if (!interrupted) {
    clock_gettime(CLOCK_MONOTONIC, &first);
    interrupted = 1;
    if (!keeping)
      setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = PATIENCE}}, NULL);
    return;
  }
  if (interrupt_age() < SAME_REQUEST)
    return;
  signal(signal_number, SIG_DFL); /* second request: end at once */
  raise(signal_number);
}

static void interrupt_on_alarm(int signal_number)
{
  static const char text[] = "daedal: error: interrupted\n";
  (void)signal_number;
  if (keeping) /* the request was seen, what is left to do has an end */
    return;
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  _exit(CLI_INTERRUPTED);
}

void cli_interrupt_keep(void)
{
  keeping = 1;
}

void cli_interrupt_end(void)
{
  fflush(NULL);
  if (!keeping)
    _exit(CLI_INTERRUPTED);
}

void cli_interrupt_catch(void)
{
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = interrupt_on_alarm}, NULL);
  struct sigaction action = {.sa_handler = interrupt_on_signal, .sa_flags = SA_RESTART}, before;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < CAUGHT; i++)
    sigaddset(&action.sa_mask, caught[i]); /* one handler at a time */
  for (size_t i = 0; i < CAUGHT; i++)
    if (sigaction(caught[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(caught[i], &action, NULL);
}

/* A run ends after its step, with a checkpoint if there are any, unless the step takes longer. */
static bool interrupt_stop(void *user)
{
  (void)user;
  return interrupted && (!keeping || interrupt_age() > GRACE);
}

const dae_env *cli_env(void)
{
  static const dae_env env = {.stop = interrupt_stop};
  return &env;
}

bool cli_interrupted(void)
{
  return interrupted != 0;
}
