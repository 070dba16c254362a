#include "syntax.h"

#include <stddef.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const cli_option run_options[] = {
    {"method", "NAME", CLI_TEXT, "How to integrate",
     "method, or auto: by the kind of problem (default auto)"},
    {"conserve", NULL, CLI_FLAG, NULL,
     "auto by spark-gauss: symplectic, for long runs with --step"},
    {"to", "T", CLI_NUMBER, NULL, "end time (default: that of simulate)"},
    {"rtol", "R", CLI_METHOD, NULL, "relative tolerance (default 1e-6)"},
    {"atol", "A", CLI_METHOD, NULL, "absolute tolerance (default 1e-8)"},
    {"step", "H", CLI_METHOD, NULL, "fixed step size (default: variable steps)"},
    {"order", "K", CLI_METHOD, NULL, "largest order; with a fixed step, and of lie, the order"},
    {"stages", "S", CLI_METHOD, NULL, "stages of a Runge-Kutta method"},
    {"window", "W", CLI_METHOD, NULL, "fixed window of an iteration between coupled systems"},
    {"sweep", "A,C,B", CLI_TEXT, NULL, "order of the systems in it (default: the best one)"},
    {"verify", NULL, CLI_FLAG, NULL, "also run coupled systems as one, and compare the results"},
    {"set", "a=3", CLI_TEXT, "The model", "give a param another value; may be repeated"},
    {"every", "DT", CLI_NUMBER, "Results", "rows this far apart (default 0: one at every step)"},
    {"out", "FILE", CLI_TEXT, NULL, "results as CSV (default: the model's name + .csv)"},
    {"json", "FILE", CLI_TEXT, NULL, "write the closing account for machines, too"},
    {"quiet", NULL, CLI_FLAG, "What is printed", "errors only; files are written all the same"},
    {"verbose", NULL, CLI_FLAG, NULL, "also sizes, load time and a line for each step"},
    {"help", NULL, CLI_FLAG, NULL, "this text"},
};

static const cli_option check_options[] = {
    {"set", "a=3", CLI_TEXT, "Options", "give a param another value; may be repeated"},
    {"help", NULL, CLI_FLAG, NULL, "this text"},
};

static const cli_option reproduce_options[] = {
    {"out", "DIR", CLI_TEXT, "Options",
     "folder of the files, made if missing (default reproduced)"},
    {"quick", NULL, CLI_FLAG, NULL, "cut long runs short: seconds, but less is checked"},
    {"names", NULL, CLI_FLAG, NULL, "without a paper: plain names, one a line"},
    {"quiet", NULL, CLI_FLAG, NULL, "errors only; files are written all the same"},
    {"help", NULL, CLI_FLAG, NULL, "this text"},
};

static const cli_option methods_options[] = {
    {"names", NULL, CLI_FLAG, "Options", "plain names, one a line: of methods, or of options"},
    {"help", NULL, CLI_FLAG, NULL, "this text"},
};

static const cli_option plain_options[] = {
    {"help", NULL, CLI_FLAG, "Options", "this text"},
};

static const char run_text[] =
    "Makes the start of the model consistent, integrates it, writes the results\n"
    "and ends with an account: steps and work, how far the rows are off the\n"
    "constraints, what became of the energy, where the results are.\n"
    "\n"
    "Options of the chosen method (`daedal methods NAME`) are given by name:\n"
    "--error-test q, --project off; a switch may stand alone: --damp. The command\n"
    "line overrides `simulate` of the model, which overrides the defaults. Both\n"
    "--to 5 and --to=5 are understood.\n"
    "Interrupted (Ctrl-C), the run ends in order and keeps the results so far.\n";

static const char run_examples[] =
    "  daedal run pendulum.dae\n"
    "  daedal run pendulum.dae --to 100 --rtol 1e-10 --every 0.01\n"
    "  daedal run pendulum.dae --set L=2 --out long.csv --json long.json\n"
    "  daedal run pendulum.dae --conserve --step 0.02 --to 1e4 --every 10\n"
    "  daedal run pendulum.dae --method bdf-ggl --order 3 --error-test q\n"
    "  daedal run pendulum.dae --quiet --out /dev/stdout | head\n";

static const char check_text[] =
    "Says what a model is before it is run: sizes, index, degrees of freedom,\n"
    "constraints and which of them are redundant, whether the start is consistent\n"
    "and what would be moved, which methods apply and why the others do not.\n"
    "Integrates nothing and writes nothing.\n";

static const char check_examples[] = "  daedal check pendulum.dae\n"
                                     "  daedal check chain.dae --set N=1000\n";

static const char reproduce_text[] =
    "Computes the tables and figures of a paper (or of all: `all`) and prints the\n"
    "paper's values beside ours, with the reason where they differ. Our values are\n"
    "checked against those of a prototype of the corrected equations, whatever the\n"
    "paper says: a value that is off ends the command with exit code 6, after all\n"
    "others were computed. Tables and the data of figures are written as CSV.\n"
    "Some runs are long: in full j09 takes about a minute, with --quick a second.\n"
    "Without a paper it lists the papers there are.\n";

static const char reproduce_examples[] = "  daedal reproduce\n"
                                         "  daedal reproduce yp96\n"
                                         "  daedal reproduce all --out results --quiet\n";

static const char methods_text[] =
    "Lists the methods with the problems they take and the key of their paper;\n"
    "with a name, the options of that method.\n";

static const char methods_examples[] = "  daedal methods\n"
                                       "  daedal methods bdf-ggl\n";

static const char new_text[] = "Writes NAME.dae, a small model whose comments explain each line.\n"
                               "A file that is there already is left alone.\n";

static const char new_examples[] = "  daedal new pendulum && daedal run pendulum.dae\n";

static const cli_syntax syntaxes[] = {
    {"run", "FILE", true, "integrate a model; results as CSV and an account", run_text,
     run_examples, run_options, COUNT(run_options), true},
    {"check", "FILE", true, "say what a model is and which methods apply", check_text,
     check_examples, check_options, COUNT(check_options), false},
    {"reproduce", "[PAPER]", false, "tables and figures of papers, their values beside ours",
     reproduce_text, reproduce_examples, reproduce_options, COUNT(reproduce_options), false},
    {"methods", "[NAME]", false, "list the methods, or the options of one", methods_text,
     methods_examples, methods_options, COUNT(methods_options), false},
    {"new", "NAME", true, "write a commented starter model", new_text, new_examples, plain_options,
     COUNT(plain_options), false},
    {"help", "[COMMAND]", false, "this text, or that of a command", "Shows what a command does.\n",
     "  daedal help run\n", plain_options, COUNT(plain_options), false},
};

const cli_syntax *cli_syntax_at(int i)
{
  return i >= 0 && i < COUNT(syntaxes) ? &syntaxes[i] : NULL;
}

const cli_syntax *cli_syntax_find(const char *command)
{
  for (int i = 0; i < COUNT(syntaxes); i++)
    if (strcmp(syntaxes[i].command, command) == 0)
      return &syntaxes[i];
  return NULL;
}

const cli_option *cli_syntax_option(const cli_syntax *syntax, const char *name)
{
  for (int i = 0; i < syntax->count; i++)
    if (strcmp(syntax->options[i].name, name) == 0)
      return &syntax->options[i];
  return NULL;
}
