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
    {"jit", NULL, CLI_FLAG, NULL, "compile its equations by the C compiler of the system"},
    {"every", "DT", CLI_NUMBER, "Results", "rows this far apart (default 0: one at every step)"},
    {"out", "FILE", CLI_TEXT, NULL, "results as CSV (default: the model's name + .csv)"},
    {"report", "[FILE.html]", CLI_PAGE, NULL, "a page with pictures (default: the model's name)"},
    {"json", "FILE", CLI_TEXT, NULL, "write the closing account for machines, too"},
    {"quiet", NULL, CLI_FLAG, "What is printed", "errors only; files are written all the same"},
    {"verbose", NULL, CLI_FLAG, NULL, "also sizes, load time and a line for each step"},
    {"help", NULL, CLI_FLAG, NULL, "this text"},
};

static const cli_option check_options[] = {
    {"set", "a=3", CLI_TEXT, "Options", "give a param another value; may be repeated"},
    {"help", NULL, CLI_FLAG, NULL, "this text"},
};

static const cli_option plot_options[] = {
    {"svg", "FILE", CLI_TEXT, "Where it goes", "draw it into a file, not in the terminal"},
    {"width", "N", CLI_NUMBER, NULL, "characters of the terminal, or pixels (default: all; 800)"},
    {"height", "N", CLI_NUMBER, NULL, "lines of the terminal, or pixels (default: all; 450)"},
    {"ascii", NULL, CLI_FLAG, NULL, "without characters beyond ASCII"},
    {"over", "NAME", CLI_TEXT, "What it shows", "the horizontal axis (default: the first column)"},
    {"from", "A", CLI_NUMBER, NULL, "only rows from here on, by the horizontal axis"},
    {"to", "B", CLI_NUMBER, NULL, "only rows up to here"},
    {"log", NULL, CLI_FLAG, NULL, "a logarithmic vertical axis"},
    {"log-x", NULL, CLI_FLAG, NULL, "a logarithmic horizontal axis"},
    {"equal", NULL, CLI_FLAG, NULL, "a unit is as long on both axes"},
    {"title", "TEXT", CLI_TEXT, NULL, "a line above it"},
    {"names", NULL, CLI_FLAG, "Other", "only list the columns of the file, one a line"},
    {"help", NULL, CLI_FLAG, NULL, "this text"},
};

static const cli_option compare_options[] = {
    {"methods", "A,B,C", CLI_TEXT, "What is compared",
     "these methods (default: all that take the model)"},
    {"rtol", "A..B", CLI_TEXT, NULL,
     "tolerances by decades, or a list: 1e-4,1e-8 (default 1e-3..1e-10)"},
    {"to", "T", CLI_NUMBER, NULL, "end time (default: that of simulate)"},
    {"set", "a=3", CLI_TEXT, NULL, "give a param another value; may be repeated"},
    {"jit", NULL, CLI_FLAG, NULL, "compile the equations of the model, as run does"},
    {"seconds", "S", CLI_NUMBER, NULL,
     "give a method up where a run takes more CPU time (default 2)"},
    {"report", "[FILE.html]", CLI_PAGE, "Results",
     "a page with plots (default: the model's name + _compared.html)"},
    {"out", "FILE", CLI_TEXT, NULL, "all runs as CSV"},
    {"json", "FILE", CLI_TEXT, NULL, "the comparison for machines"},
    {"quiet", NULL, CLI_FLAG, "What is printed", "errors only; files are written all the same"},
    {"help", NULL, CLI_FLAG, NULL, "this text"},
};

static const cli_option reproduce_options[] = {
    {"out", "DIR", CLI_TEXT, "Options",
     "folder of the files, made if missing (default reproduced)"},
    {"report", "[FILE.html]", CLI_PAGE, NULL,
     "all tables and figures on one page (default: report.html in the folder)"},
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
    "Interrupted (Ctrl-C), the run ends in order and keeps the results so far.\n"
    "\n"
    "With --jit the equations are written out as C, compiled (CC, or cc) and loaded,\n"
    "with the same results to the last bit. It is kept in DAEDAL_CACHE, or in\n"
    "~/.cache/daedal, and found there by later runs, with other params too. Where it\n"
    "cannot be had the reason is told and the model interpreted, as without --jit.\n";

static const char run_examples[] =
    "  daedal run pendulum.dae\n"
    "  daedal run pendulum.dae --to 100 --rtol 1e-10 --every 0.01\n"
    "  daedal run pendulum.dae --report pendulum.html\n"
    "  daedal run pendulum.dae --set L=2 --out long.csv --json long.json\n"
    "  daedal run pendulum.dae --conserve --step 0.02 --to 1e4 --every 10\n"
    "  daedal run pendulum.dae --method bdf-ggl --order 3 --error-test q\n"
    "  daedal run pendulum.dae --jit --to 100 --rtol 1e-10\n"
    "  daedal run pendulum.dae --quiet --out /dev/stdout | head\n";

static const char check_text[] =
    "Says what a model is before it is run: sizes, index, degrees of freedom,\n"
    "constraints and which of them are redundant, whether the start is consistent\n"
    "and what would be moved, which methods apply and why the others do not.\n"
    "Integrates nothing and writes nothing.\n";

static const char check_examples[] = "  daedal check pendulum.dae\n"
                                     "  daedal check chain.dae --set N=1000\n";

static const char plot_text[] =
    "Plots columns of a CSV file that has their names in its first line: results of\n"
    "a run, or a table of others; - is the standard input. Without columns it shows\n"
    "the first six there are. * and ? in a COLUMN stand for any text and any\n"
    "character (quote them): 'lambda*' for all multipliers.\n"
    "Empty fields, nan and inf are gaps in the curve, and so is what is not positive\n"
    "on a logarithmic axis.\n"
    "\n"
    "Curves are drawn in braille dots, or with plain characters where the locale\n"
    "(LC_ALL, LC_CTYPE, LANG) is set and is not one of UTF-8; coloured on terminals,\n"
    "unless NO_COLOR is set.\n";

static const char plot_examples[] = "  daedal plot pendulum.csv\n"
                                    "  daedal plot pendulum.csv x y --to 5\n"
                                    "  daedal plot pendulum.csv y --over x --equal\n"
                                    "  daedal plot pendulum.csv 'der*' --svg rates.svg\n"
                                    "  daedal run pendulum.dae --quiet --out /dev/stdout | "
                                    "daedal plot - energy\n";

static const char compare_text[] =
    "Runs a model by all methods that take it, over tolerances (those with fixed\n"
    "steps over step sizes), and shows for each run the digits it reached, its\n"
    "steps, evaluations, factorisations and CPU time; then the time that 4, 6 and 8\n"
    "digits take, and the method to recommend for the rtol of the model (1e-6 where\n"
    "it has none, or a single --rtol).\n"
    "Errors are differences from a reference, one of the two runs by methods of\n"
    "different kinds that agree best; how well they do is said with it.\n"
    "Interrupted (Ctrl-C), it ends in order and shows what it has.\n";

static const char compare_examples[] =
    "  daedal compare pendulum.dae --to 2\n"
    "  daedal compare pendulum.dae --methods bdf-ggl,radau,spark-gauss --rtol 1e-6\n"
    "  daedal compare pendulum.dae --rtol 1e-4,1e-8 --report --json pendulum.json\n";

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
                                         "  daedal reproduce all --out results --report\n";

static const char methods_text[] =
    "Lists the methods with the problems they take and the key of their paper;\n"
    "with a name, the options of that method.\n";

static const char methods_examples[] = "  daedal methods\n"
                                       "  daedal methods bdf-ggl\n";

static const char new_text[] = "Writes NAME.dae, a small model whose comments explain each line.\n"
                               "A file that is there already is left alone.\n";

static const char new_examples[] = "  daedal new pendulum && daedal run pendulum.dae\n";

static const cli_syntax syntaxes[] = {
    {.command = "run",
     .operand = "FILE",
     .needs_operand = true,
     .summary = "integrate a model; results as CSV and an account",
     .text = run_text,
     .examples = run_examples,
     .options = run_options,
     .count = COUNT(run_options),
     .takes_method_options = true},
    {.command = "check",
     .operand = "FILE",
     .needs_operand = true,
     .summary = "say what a model is and which methods apply",
     .text = check_text,
     .examples = check_examples,
     .options = check_options,
     .count = COUNT(check_options)},
    {.command = "compare",
     .operand = "FILE",
     .needs_operand = true,
     .summary = "all methods over tolerances: error, work, a recommendation",
     .text = compare_text,
     .examples = compare_examples,
     .options = compare_options,
     .count = COUNT(compare_options)},
    {.command = "plot",
     .operand = "FILE",
     .needs_operand = true,
     .others = "COLUMN",
     .summary = "plot results in the terminal or as SVG",
     .text = plot_text,
     .examples = plot_examples,
     .options = plot_options,
     .count = COUNT(plot_options)},
    {.command = "reproduce",
     .operand = "[PAPER]",
     .summary = "tables and figures of papers, their values beside ours",
     .text = reproduce_text,
     .examples = reproduce_examples,
     .options = reproduce_options,
     .count = COUNT(reproduce_options)},
    {.command = "methods",
     .operand = "[NAME]",
     .summary = "list the methods, or the options of one",
     .text = methods_text,
     .examples = methods_examples,
     .options = methods_options,
     .count = COUNT(methods_options)},
    {.command = "new",
     .operand = "NAME",
     .needs_operand = true,
     .summary = "write a commented starter model",
     .text = new_text,
     .examples = new_examples,
     .options = plain_options,
     .count = COUNT(plain_options)},
    {.command = "help",
     .operand = "[COMMAND]",
     .summary = "this text, or that of a command",
     .text = "Shows what a command does.\n",
     .examples = "  daedal help run\n",
     .options = plain_options,
     .count = COUNT(plain_options)},
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
