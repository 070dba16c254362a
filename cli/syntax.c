/* Tables of the commands and their options, with the texts of the help. */
#include "syntax.h"

#include <stddef.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const cli_option run_options[] = {
    {"method", "NAME", CLI_TEXT, "Integration",
     "method, or auto: by the kind of problem (default auto)"},
    {"conserve", NULL, CLI_FLAG, NULL,
     "auto selects spark-gauss: symplectic, for long runs with --step"},
    {"to", "T", CLI_NUMBER, NULL, "end time (default: that of simulate)"},
    {"rtol", "R", CLI_METHOD, NULL, "relative tolerance (default 1e-6)"},
    {"atol", "A", CLI_METHOD, NULL, "absolute tolerance (default rtol/100)"},
    {"step", "H", CLI_METHOD, NULL, "fixed step size (default: variable steps)"},
    {"order", "K", CLI_METHOD, NULL, "largest order; with a fixed step, and for lie, the order"},
    {"stages", "S", CLI_METHOD, NULL, "stages of a Runge-Kutta method"},
    {"damp", NULL, CLI_SWITCH, NULL,
     "the smooth motion: removes fast oscillations (auto selects radau)"},
    {"damp-time", "T", CLI_METHOD, NULL,
     "with --damp: motion faster than T is fast (default: 1/30 of the run)"},
    {"window", "W", CLI_METHOD, NULL, "fixed window of a dynamic iteration"},
    {"sweep", "A,C,B", CLI_TEXT, NULL, "order of the systems in a sweep (default: the best)"},
    {"verify", NULL, CLI_FLAG, NULL, "compare a dynamic iteration with the assembled system"},
    {"check-error", NULL, CLI_FLAG, NULL,
     "compare with a second run at a tenth of the tolerance, column by column"},
    {"strict", NULL, CLI_FLAG, NULL, "exit code 8 if the verdict of the summary is red"},
    {"set", "a=3", CLI_TEXT, "Model", "another value of a param; may be repeated"},
    {"set-from", "FILE", CLI_TEXT, NULL, "values of params, lines NAME = EXPRESSION"},
    {"input", "FILE.csv", CLI_TEXT, NULL, "data of inputs: a column t, and one for each input"},
    {"jit", NULL, CLI_FLAG, NULL, "compile the equations by the C compiler of the system"},
    {"every", "DT", CLI_NUMBER, "Results", "interval of rows (default 0: a row at every step)"},
    {"out", "FILE", CLI_TEXT, NULL,
     "results by suffix: .csv .mat .npz .h5; may be repeated (default: the model's name + .csv); - "
     "is "
     "the standard output"},
    {"report", "[FILE.html]", CLI_PAGE, NULL,
     "page with animation and plots (default: the model's name + .html)"},
    {"json", "FILE", CLI_TEXT, NULL, "closing summary as JSON"},
    {"checkpoint", "FILE", CLI_TEXT, NULL,
     "save the run along the way; `daedal resume FILE` continues it"},
    {"checkpoint-every", "60s", CLI_TEXT, NULL,
     "wall time between two checkpoints: 500ms, 60s, 5min, 2h (default 60s)"},
    {"quiet", NULL, CLI_FLAG, "Messages", "print only errors; files are written"},
    {"verbose", NULL, CLI_FLAG, NULL, "also print sizes, load time and a line for each step"},
    {"help", NULL, CLI_FLAG, NULL, "this text"},
};

static const cli_option resume_options[] = {
    {"quiet", NULL, CLI_FLAG, "Messages", "print only errors; files are written"},
    {"help", NULL, CLI_FLAG, NULL, "this text"},
};

static const cli_option check_options[] = {
    {"set", "a=3", CLI_TEXT, "Options", "another value of a param; may be repeated"},
    {"set-from", "FILE", CLI_TEXT, NULL, "values of params, lines NAME = EXPRESSION"},
    {"input", "FILE.csv", CLI_TEXT, NULL, "data of inputs: a column t, and one for each input"},
    {"help", NULL, CLI_FLAG, NULL, "this text"},
};

static const cli_option plot_options[] = {
    {"svg", "FILE", CLI_TEXT, "Output", "plot into an SVG file instead of the terminal"},
    {"width", "N", CLI_NUMBER, NULL, "width in characters, or pixels (default: terminal; 800)"},
    {"height", "N", CLI_NUMBER, NULL, "height in lines, or pixels (default: terminal; 450)"},
    {"ascii", NULL, CLI_FLAG, NULL, "only ASCII characters"},
    {"over", "NAME", CLI_TEXT, "Contents", "column of the horizontal axis (default: the first)"},
    {"from", "A", CLI_NUMBER, NULL, "lower limit of the horizontal axis"},
    {"to", "B", CLI_NUMBER, NULL, "upper limit of the horizontal axis"},
    {"log", NULL, CLI_FLAG, NULL, "logarithmic vertical axis"},
    {"log-x", NULL, CLI_FLAG, NULL, "logarithmic horizontal axis"},
    {"equal", NULL, CLI_FLAG, NULL, "equal scale on both axes"},
    {"title", "TEXT", CLI_TEXT, NULL, "title above the plot"},
    {"names", NULL, CLI_FLAG, "Other", "only list the columns of the file, one per line"},
    {"help", NULL, CLI_FLAG, NULL, "this text"},
};

static const cli_option compare_options[] = {
    {"methods", "A,B,C", CLI_TEXT, "Runs",
     "methods to compare (default: all that apply to the model)"},
    {"rtol", "A..B", CLI_TEXT, NULL,
     "tolerances by decades, or a list: 1e-4,1e-8 (default 1e-3..1e-10)"},
    {"to", "T", CLI_NUMBER, NULL, "end time (default: that of simulate)"},
    {"set", "a=3", CLI_TEXT, NULL, "another value of a param; may be repeated"},
    {"set-from", "FILE", CLI_TEXT, NULL, "values of params, lines NAME = EXPRESSION"},
    {"input", "FILE.csv", CLI_TEXT, NULL, "data of inputs: a column t, and one for each input"},
    {"jit", NULL, CLI_FLAG, NULL, "compile the equations of the model, as run does"},
    {"seconds", "S", CLI_NUMBER, NULL, "limit of the CPU time of a run (default 2)"},
    {"report", "[FILE.html]", CLI_PAGE, "Results",
     "page with plots (default: the model's name + _compared.html)"},
    {"out", "FILE", CLI_TEXT, NULL, "all runs as CSV"},
    {"json", "FILE", CLI_TEXT, NULL, "the comparison as JSON"},
    {"quiet", NULL, CLI_FLAG, "Messages", "print only errors; files are written"},
    {"help", NULL, CLI_FLAG, NULL, "this text"},
};

static const cli_option reproduce_options[] = {
    {"out", "DIR", CLI_TEXT, "Options",
     "folder of the files, created if missing (default reproduced)"},
    {"report", "[FILE.html]", CLI_PAGE, NULL,
     "all tables and figures on one page (default: report.html in the folder)"},
    {"json", "FILE", CLI_TEXT, NULL, "the verdicts as JSON"},
    {"quick", NULL, CLI_FLAG, NULL, "shorten long runs to seconds, without verdicts on them"},
    {"iteration", "NAME", CLI_TEXT, NULL,
     "yp96: only whole motions by one iteration (newton, 2.1,\n2.1-cheap, 2.1-printed, 3.1), "
     "without a verdict"},
    {"names", NULL, CLI_FLAG, NULL, "without a paper: list the names, one per line"},
    {"quiet", NULL, CLI_FLAG, NULL, "print only errors; files are written"},
    {"help", NULL, CLI_FLAG, NULL, "this text"},
};

static const cli_option methods_options[] = {
    {"names", NULL, CLI_FLAG, "Options", "only names of methods, or of options, one per line"},
    {"help", NULL, CLI_FLAG, NULL, "this text"},
};

static const cli_option new_options[] = {
    {"from", "FILE.urdf", CLI_TEXT, "Import", "the model of a robot from its URDF file"},
    {"floating", NULL, CLI_FLAG, NULL, "the first link of the robot moves freely"},
    {"help", NULL, CLI_FLAG, "Other", "this text"},
};

static const cli_option plain_options[] = {
    {"help", NULL, CLI_FLAG, "Options", "this text"},
};

static const char run_text[] =
    "Makes the start of the model consistent, integrates it, writes the results and\n"
    "prints a closing summary: steps and work, largest constraint residuals, change\n"
    "of the energy, names of the files.\n"
    "\n"
    "Options of the method (`daedal methods NAME`) are given by name: --error-test q,\n"
    "--project off; a switch without a value is on: --stability. The command\n"
    "line overrides `simulate` of the model, which overrides the defaults. --to 5 and\n"
    "--to=5 are equivalent.\n"
    "An interrupt (Ctrl-C, SIGTERM, SIGHUP) ends loading or the run at once; the\n"
    "results so far are kept.\n"
    "Results are written to NAME.part, which takes its name when it is whole: an\n"
    "older file stays until then. With --checkpoint a run that was interrupted or\n"
    "killed is continued by `daedal resume`, with the same results to the last bit.\n"
    "\n"
    "With --jit the equations are translated to C, compiled (CC, or cc) and loaded,\n"
    "with bit-identical results. The code is stored in DAEDAL_CACHE, or in\n"
    "~/.cache/daedal, and reused by later runs, also with other params. If no code\n"
    "can be compiled, the reason is printed and the model is interpreted.\n";

static const char run_examples[] =
    "  daedal run pendulum.dae\n"
    "  daedal run pendulum.dae --to 100 --rtol 1e-10 --every 0.01\n"
    "  daedal run pendulum.dae --report pendulum.html\n"
    "  daedal run pendulum.dae --set L=2 --out long.csv --json long.json\n"
    "  daedal run pendulum.dae --out pendulum.mat --out pendulum.npz\n"
    "  daedal run measured_motor.dae --input voltage.csv\n"
    "  daedal run pendulum.dae --conserve --step 0.02 --to 1e4 --every 10\n"
    "  daedal run pendulum.dae --method bdf-ggl --order 3 --error-test q\n"
    "  daedal run pendulum.dae --jit --to 100 --rtol 1e-10\n"
    "  daedal run pendulum.dae --quiet --out - | head\n";

static const char resume_text[] =
    "Continues a run with --checkpoint that was interrupted or killed, from its last\n"
    "checkpoint. The result file is cut back to it, and all results and the data of\n"
    "the report are those of an undisturbed run, to the last bit; only the time in\n"
    "the summary is the sum of both. Files, options and further checkpoints are those\n"
    "of the run. The checkpoint before the last one is FILE.old.\n"
    "The checkpoint of a model that has changed, or of another version or build of\n"
    "daedal, is refused (exit code 2), and one that is damaged, too (7).\n";

static const char resume_examples[] =
    "  daedal run pendulum.dae --checkpoint night.ckpt || daedal resume night.ckpt\n";

static const char check_text[] =
    "Analyses a model without a run: sizes, index, degrees of freedom, redundant\n"
    "constraints, consistency of the start and the values to be changed, applicable\n"
    "methods and the reasons against the others. Writes no files.\n";

static const char check_examples[] = "  daedal check pendulum.dae\n"
                                     "  daedal check chain.dae --set N=1000\n";

static const char plot_text[] =
    "Plots columns of a result file (.mat, .npz, .h5), or of a CSV file with their\n"
    "names in the first line; - is the standard input. The default is the first six\n"
    "columns. * and ? in a COLUMN match any text and any character (quote them):\n"
    "'lambda*' for all multipliers.\n"
    "Empty fields, nan, inf, and values that are not positive on a logarithmic axis\n"
    "are gaps in a curve.\n"
    "\n"
    "Curves are drawn in braille dots, or in ASCII if the locale (LC_ALL, LC_CTYPE,\n"
    "LANG) is set without UTF-8; in colours on terminals, unless NO_COLOR is set.\n";

static const char plot_examples[] = "  daedal plot pendulum.csv\n"
                                    "  daedal plot pendulum.csv x y --to 5\n"
                                    "  daedal plot pendulum.csv y --over x --equal\n"
                                    "  daedal plot pendulum.csv 'der*' --svg rates.svg\n"
                                    "  daedal run pendulum.dae --quiet --out - | "
                                    "daedal plot - energy\n";

static const char compare_text[] =
    "Runs a model by all applicable methods, over a range of tolerances (methods with\n"
    "fixed steps over a range of step sizes), and prints digits, steps, evaluations,\n"
    "factorisations and CPU time of each run; then the time to reach 4, 6 and 8\n"
    "digits, and the recommended method for the rtol of the model (1e-6 by default,\n"
    "or a single --rtol).\n"
    "Errors are differences from a reference, one of the two runs by methods of\n"
    "different families that agree best; their agreement is printed.\n"
    "An interrupt (Ctrl-C) ends the comparison; the results so far are printed.\n";

static const char compare_examples[] =
    "  daedal compare pendulum.dae --to 2\n"
    "  daedal compare pendulum.dae --methods bdf-ggl,radau,spark-gauss --rtol 1e-6\n"
    "  daedal compare pendulum.dae --rtol 1e-4,1e-8 --report --json pendulum.json\n";

static const char reproduce_text[] =
    "Computes the tables and figures of a paper (or of all: `all`) and prints the\n"
    "published values beside the computed ones, with the reason for differences. It\n"
    "ends with a verdict on every table, figure and theorem, derived from the values:\n"
    "reproduced (within x %), order only, mechanism only, data missing, refuted. If a\n"
    "verdict differs from the recorded one the exit code is 6, at the end of all\n"
    "computations. Values that differ from earlier ones of our own are listed as\n"
    "regressions. Tables, verdicts and the data of figures are written as CSV.\n"
    "Some runs are long: j09 takes about a minute, with --quick a second. Without a\n"
    "paper the command lists the papers.\n";

static const char reproduce_examples[] = "  daedal reproduce\n"
                                         "  daedal reproduce yp96\n"
                                         "  daedal reproduce yp96 --iteration 2.1-printed\n"
                                         "  daedal reproduce all --out results --report\n";

static const char methods_text[] =
    "Lists the methods with the problems they apply to and the key of their paper;\n"
    "with a name, the options of that method.\n";

static const char methods_examples[] = "  daedal methods\n"
                                       "  daedal methods bdf-ggl\n";

static const char new_text[] =
    "Writes NAME.dae, a small model with explanatory comments, or the model of a\n"
    "robot. An existing file is not overwritten.\n"
    "\n"
    "Links of a URDF file become bodies, its joints joints, dampings forces, mimic\n"
    "joints constraints, meshes (STL, OBJ) the boxes around them. The first link is\n"
    "the ground, unless --floating is given. What is left out or assumed is printed\n"
    "with its line, and listed in the model.\n";

static const char new_examples[] = "  daedal new pendulum && daedal run pendulum.dae\n"
                                   "  daedal new arm --from arm.urdf\n";

static const cli_syntax syntaxes[] = {
    {.command = "run",
     .operand = "FILE",
     .needs_operand = true,
     .summary = "integrate a model; results as CSV and a summary",
     .text = run_text,
     .examples = run_examples,
     .options = run_options,
     .count = COUNT(run_options),
     .takes_method_options = true},
    {.command = "resume",
     .operand = "FILE",
     .needs_operand = true,
     .summary = "continue a run from its last checkpoint",
     .text = resume_text,
     .examples = resume_examples,
     .options = resume_options,
     .count = COUNT(resume_options)},
    {.command = "check",
     .operand = "FILE",
     .needs_operand = true,
     .summary = "analyse a model and list the applicable methods",
     .text = check_text,
     .examples = check_examples,
     .options = check_options,
     .count = COUNT(check_options)},
    {.command = "compare",
     .operand = "FILE",
     .needs_operand = true,
     .summary = "compare methods over tolerances: error, work, recommendation",
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
     .summary = "compute tables and figures of papers beside published values",
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
     .summary = "write a commented starter model, or that of a robot",
     .text = new_text,
     .examples = new_examples,
     .options = new_options,
     .count = COUNT(new_options)},
    {.command = "help",
     .operand = "[COMMAND]",
     .summary = "print this text, or the help of a command",
     .text = "Prints the help of a command.\n",
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
