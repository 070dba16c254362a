#include "cli.h"

#include <signal.h>

static volatile sig_atomic_t interrupted;

static const int caught[] = {SIGINT, SIGTERM};
#define CAUGHT (sizeof caught / sizeof *caught)

static void on_signal(int signal_number)
{
  (void)signal_number;
  interrupted = 1;
  for (size_t i = 0; i < CAUGHT; i++)
    signal(caught[i], SIG_DFL); /* whoever asks again does not want to wait */
}

void cli_interrupt_catch(void)
{
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < CAUGHT; i++)
    if (sigaction(caught[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(caught[i], &action, NULL);
}

bool cli_interrupted(void)
{
  return interrupted != 0;
}
