/* Emission of tapes as C source.
 *
 * An instruction becomes a line: its expression in tape_code.h, shared with the interpreter, with
 * the registers replaced by names. The value of instruction i is x<i>, inputs have the name of
 * their class and index (q0, v3), constants stay in r.
 *
 * A short tape is one function, which loads its inputs and sets its zeros. A long one is split into
 * functions, since compile time grows faster than the length of a function; values that a later
 * function reads are written to their register, and the caller has loaded the inputs. */
#include "model/bind/bind.h"
#include "model/native/native.h"
#include "model/tape/tape_code.h"
#include <stdarg.h>

/* Least number of instructions in each function of a tape beyond DAE__NATIVE_WHOLE. gcc 12 takes
 * 0.2 ms for an instruction; of a tape of 9000, functions of 100 run 10 % faster than those of 400
 * to 1500, and take the compiler less. */
#define SPLIT_INSTRUCTIONS 100
/* Largest number of zeroed entries of a group that are set one by one instead of in a loop; chosen,
 * not measured. */
#define MAX_SINGLE_ZEROS 256

/* ---- source text ---- */

static void emit_put_bytes(dae__source *s, const char *bytes, size_t count)
{
  if (s->failed || count > (size_t)(INT_MAX - s->length)) {
    s->failed = true;
    return;
  }
  if ((size_t)(s->room - s->length) < count) {
    void *larger =
        dae__array_grow(&s->env, s->text, &s->room, s->length, s->length + (int)count, 1);
    s->failed = !larger;
    if (!larger)
      return;
    s->text = larger;
  }
  memcpy(s->text + s->length, bytes, count);
  s->length += (int)count;
}

void dae__put(dae__source *s, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  for (; *format; format += 2) {
    size_t plain = strcspn(format, "%");
    emit_put_bytes(s, format, plain);
    format += plain;
    if (!*format)
      break;
    char digits[16];
    size_t at = sizeof digits;
    if (format[1] == 's') {
      const char *text = va_arg(arguments, const char *);
      emit_put_bytes(s, text, strlen(text));
      continue;
    }
    int number = va_arg(arguments, int);
    do
      digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    emit_put_bytes(s, digits + at, sizeof digits - at);
  }
  va_end(arguments);
}

/* ---- instructions ---- */

typedef struct form {
  const char *expression; /* expression with R(0), R(1), ... and last */
  int reads;
  bool out; /* the result is an output */
} form;

static const form forms[DAE__TAPE_END] = {
#define FUNCTION(name, reads, expression) [DAE__OP_##name] = {#expression, reads, false},
    DAE__FUNCTION_LIST(FUNCTION)
#undef FUNCTION
        [DAE__OP_POWI] = {NULL, 1, false},
    [DAE__OP_INTERVAL] = {"curve_interval", 1, false},
    [DAE__OP_KNOT] = {"curve_knot", 1, false},
    [DAE__OP_CURVE] = {"curve_value", 2, false},
#define ARITHMETIC(name, reads, expression)                                                        \
  [DAE__TAPE_##name] = {#expression, reads, false},                                                \
  [DAE__TAPE_##name##_OUT] = {#expression, reads, true},
    DAE__TAPE_ARITHMETIC(ARITHMETIC)
#undef ARITHMETIC
        [DAE__TAPE_STORE] = {"R(0)", 1, true},
    [DAE__TAPE_STORE_L] = {"last", 0, true},
};

typedef struct instruction {
  form form;
  int to, index; /* target: register, or group and index of an output */
  const int *read;
  int op, word;    /* operator, and its word or 0 */
  const int *next; /* first word of the next instruction */
} instruction;

static instruction emit_decode(const int *p)
{
  instruction i = {.form = forms[*p], .to = p[1], .op = *p};
  i.index = i.form.out ? p[2] : 0;
  i.read = p + (i.form.out ? 3 : 2);
  i.next = i.read + i.form.reads;
  if (dae__op_has_word(*p))
    i.word = *i.next++;
  return i;
}

/* ---- names and expressions of instructions ---- */

typedef struct emitter {
  dae__source *s;
  const dae__tape *tape;
  int number;
  bool whole;
  int inputs;
  dae__tape_input *input; /* by register of an input: its class and index */
  int *holds;             /* by register: number of the value in it; -1: an input or a constant */
  int *last_read;         /* by value: last instruction that reads it */
  int first, end;         /* range [first, end) of instructions in the current function */
} emitter;

static const char *const letters[DAE__CLASSES] = {"t", "q", "v", "u", "w", "e", "s", "d"};

static void emit_put_operand(const emitter *e, int reg)
{
  int value = e->holds[reg];
  if (value >= e->first)
    dae__put(e->s, "x%d", value);
  else if (value < 0 && reg < e->inputs && e->whole)
    dae__put(e->s, "%s%d", letters[e->input[reg].class], e->input[reg].index);
  else
    dae__put(e->s, "r[%d]", reg);
}

/* Emits a whole power by repeated squaring, in the order of dae__whole_power: the product of the
 * squares x<n>_<k>, the operand to the power 2^k, over the bits k of the power. */
static void emit_put_power(const emitter *e, const instruction *i, int n)
{
  unsigned power = i->word < 0 ? 0u - (unsigned)i->word : (unsigned)i->word;
  const char *times = i->word < 0 ? "1 / (" : "";
  dae__put(e->s, "  double x%d_0 = ", n);
  emit_put_operand(e, i->read[0]);
  for (int k = 1; power >> k; k++)
    dae__put(e->s, ", x%d_%d = x%d_%d * x%d_%d", n, k, n, k - 1, n, k - 1);
  dae__put(e->s, ";\n  double x%d = ", n);
  for (int k = 0; power >> k; k++) {
    if (!(power >> k & 1))
      continue;
    dae__put(e->s, "%sx%d_%d", times, n, k);
    times = " * ";
  }
  dae__put(e->s, "%s", i->word < 0 ? ")" : "");
}

/* Emits a function of a curve. An interval is kept in its register, from which the next search
 * begins. */
static void emit_put_curve(const emitter *e, const instruction *i, int n)
{
  bool value = i->op == DAE__OP_CURVE, interval = i->op == DAE__OP_INTERVAL;
  dae__put(e->s, "  double x%d = ", n);
  if (interval)
    dae__put(e->s, "r[%d] = ", i->to);
  dae__put(e->s, "dae__%s(curves[%d], ", i->form.expression,
           value ? i->word / DAE__CURVE_ORDERS : i->word);
  for (int k = 0; k < i->form.reads; k++) {
    dae__put(e->s, "%s", k > 0 ? ", " : "");
    emit_put_operand(e, i->read[k]);
  }
  if (value)
    dae__put(e->s, ", %d", i->word % DAE__CURVE_ORDERS);
  if (interval)
    dae__put(e->s, ", r[%d]", i->to);
  dae__put(e->s, ")");
}

/* Emits instruction n: its expression, with names in place of R(0), R(1), ... and last, or a power;
 * and the store of its value in an output, or in a register that a later function reads. */
static void emit_put_instruction(const emitter *e, const instruction *i, int n)
{
  const char *c = dae__op_has_word(i->op) ? NULL : i->form.expression;
  if (c)
    dae__put(e->s, "  double x%d = ", n);
  else if (i->op == DAE__OP_POWI)
    emit_put_power(e, i, n);
  else
    emit_put_curve(e, i, n);
  while (c && *c) {
    size_t length = 4; /* of R(0), and of last */
    if (c[0] == 'R' && c[1] == '(')
      emit_put_operand(e, i->read[c[2] - '0']);
    else if (strncmp(c, "last", 4) == 0)
      dae__put(e->s, "x%d", n - 1);
    else
      emit_put_bytes(e->s, c, length = 1 + strcspn(c + 1, "Rl"));
    c += length;
  }
  if (i->form.out)
    dae__put(e->s, "; out%d[%d] = x%d", i->to, i->index, n);
  else if (!e->whole && e->last_read[n] >= e->end)
    dae__put(e->s, "; r[%d] = x%d", i->to, n);
  dae__put(e->s, ";\n");
}

/* ---- bodies of functions ---- */

#define PARAMETERS                                                                                 \
  "(const double *const *, double *const *, double *restrict, const dae__curve *const *)"
#define SIGNATURE                                                                                  \
  "(const double *const *in, double *const *out, double *restrict r,\n"                            \
  "                  const dae__curve *const *curves)\n{\n"

static void emit_put_zeros(const emitter *e, int group, int count)
{
  bool written[MAX_SINGLE_ZEROS] = {false};
  if (count > MAX_SINGLE_ZEROS) {
    dae__put(e->s, "  for (int i = 0; i < %d; i++)\n    out%d[i] = 0;\n", count, group);
    return;
  }
  for (const int *p = e->tape->code; *p != DAE__TAPE_END;) {
    instruction i = emit_decode(p);
    if (i.form.out && i.to == group && i.index < count)
      written[i.index] = true;
    p = i.next;
  }
  for (int k = 0; k < count; k++)
    if (!written[k])
      dae__put(e->s, "  out%d[%d] = 0;\n", group, k);
}

/* Emits the instructions [first, end), whose code starts at p, and the end of the function; returns
 * the start of the next instruction. */
static const int *emit_put_body(emitter *e, const int *p)
{
  for (int n = e->first; n < e->end; n++) {
    instruction i = emit_decode(p);
    emit_put_instruction(e, &i, n);
    if (!i.form.out)
      e->holds[i.to] = n;
    p = i.next;
  }
  dae__put(e->s, "}\n");
  return p;
}

static void emit_put_whole(emitter *e)
{
  e->end = e->tape->length;
  dae__put(e->s, "static void tape%d" SIGNATURE, e->number);
  for (int i = 0; i < e->inputs; i++) {
    dae__tape_input from = e->input[i];
    dae__put(e->s, "  double %s%d = in[%d][%d];\n", letters[from.class], from.index, from.class,
             from.index);
  }
  for (int i = 0; i < e->tape->groups; i++)
    dae__put(e->s, "  double *out%d = out[%d];\n", i, i);
  for (int i = 0; i < e->tape->zeroed; i++)
    emit_put_zeros(e, e->tape->zeros[i].group, e->tape->zeros[i].count);
  emit_put_body(e, e->tape->code);
}

static void emit_put_split(emitter *e)
{
  int functions = 0, n = 0;
  for (const int *p = e->tape->code; *p != DAE__TAPE_END; n++) { /* last reads of all values */
    instruction i = emit_decode(p);
    for (int k = 0; k < i.form.reads; k++)
      if (e->holds[i.read[k]] >= 0)
        e->last_read[e->holds[i.read[k]]] = n;
    if (!i.form.out)
      e->holds[i.to] = n;
    p = i.next;
  }
  for (int i = 0; i < e->tape->registers; i++)
    e->holds[i] = -1;
  for (const int *p = e->tape->code; *p != DAE__TAPE_END; functions++) {
    e->first = e->end;
    /* A function ends before an instruction that does not read the previous result. */
    for (const int *q = p; *q != DAE__TAPE_END; e->end++) {
      instruction i = emit_decode(q);
      bool uses_last = i.form.expression && strstr(i.form.expression, "last") != NULL;
      if (e->end >= e->first + SPLIT_INSTRUCTIONS && !uses_last)
        break;
      q = i.next;
    }
    dae__put(e->s, "static void tape%d_%d" SIGNATURE, e->number, functions);
    for (int i = 0; i < e->tape->groups; i++)
      dae__put(e->s, "  double *out%d = out[%d];\n", i, i);
    p = emit_put_body(e, p);
    dae__put(e->s, "\n");
  }
  dae__put(e->s, "static void tape%d" SIGNATURE, e->number);
  for (int i = 0; i < functions; i++)
    dae__put(e->s, "  tape%d_%d(in, out, r, curves);\n", e->number, i);
  dae__put(e->s, "}\n");
}

/* ---- functions of a tape ---- */

static void emit_put_tape(dae__source *s, const dae__tape_note *note, int number)
{
  const dae__tape *tape = note->tape;
  emitter e = {.s = s, .tape = tape, .number = number, .whole = tape->length <= DAE__NATIVE_WHOLE};
  for (int i = 0; i < tape->loads; i++)
    e.inputs += tape->load[i].count;
  const size_t bytes[] = {(size_t)e.inputs * sizeof *e.input,
                          (size_t)tape->registers * sizeof *e.holds,
                          (size_t)tape->length * sizeof *e.last_read};
  void *memory[] = {NULL, NULL, NULL};
  for (int i = 0; i < 3; i++) {
    memory[i] = s->env.allocate(s->env.user, bytes[i] > 0 ? bytes[i] : 1);
    s->failed = s->failed || !memory[i];
  }
  e.input = memory[0];
  e.holds = memory[1];
  e.last_read = memory[2];
  if (!s->failed) {
    for (int i = 0, n = 0; i < tape->loads; i++)
      for (int j = 0; j < tape->load[i].count; j++)
        e.input[n++] = (dae__tape_input){tape->load[i].class, tape->load[i].first + j};
    for (int i = 0; i < tape->registers; i++)
      e.holds[i] = -1;
    for (int i = 0; i < tape->length; i++)
      e.last_read[i] = -1;
    dae__put(s, "\n/* %s: %s */\n", note->system, note->what);
    if (e.whole)
      emit_put_whole(&e);
    else
      emit_put_split(&e);
  }
  for (int i = 0; i < 3; i++)
    if (memory[i])
      s->env.release(s->env.user, memory[i]);
}

/* ---- the source file ---- */

#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...) TEXT_OF(__VA_ARGS__)

/* Emits the functions of curves, the text of those of the interpreter; their type alone if no tape
 * calls them. */
static void emit_put_curves(dae__source *s, const dae__tape_note *notes, int count)
{
  bool called = false;
  for (int i = 0; i < count && !called; i++)
    if (notes[i].native)
      for (const int *p = notes[i].tape->code; *p != DAE__TAPE_END && !called;) {
        instruction next = emit_decode(p);
        called = dae__op_has_word(next.op) && next.op != DAE__OP_POWI;
        p = next.next;
      }
  dae__put(s, "%s\n", called ? TEXT(DAE__CURVE_TYPE) : "typedef struct dae__curve dae__curve;");
  if (called)
    dae__put(s, "%s\n%s\n", TEXT(DAE__CURVE_VALUE), TEXT(DAE__CURVE_INTERVAL));
}

void dae__native_emit(dae__source *s, const char *model, const dae__tape_note *notes, int count)
{
  static const char *const unary[] = {"sin",  "cos",   "tan",  "asin",  "acos",
                                      "atan", "sinh",  "cosh", "tanh",  "exp",
                                      "log",  "log10", "fabs", "floor", "sqrt"};
  static const char *const binary[] = {"pow", "atan2", "hypot", "nextafter"};
  dae__put(
      s,
      "/* The equations of the model %s, written by daedal.\n"
      " * Inputs: t time, q coordinates, v their rates, u states, w algebraic variables,\n"
      " * e inputs of a system, s a vector or rates; of outputs, events and drawings q is the\n"
      " * whole state vector. r holds constants, and values passed between functions.\n"
      " * Outputs: the quantity itself; of several quantities of a mechanical system, those of\n"
      " * M f s c g gdot G gamma k K kappa in this order. */\n",
      model);
  for (size_t i = 0; i < sizeof unary / sizeof *unary; i++)
    dae__put(s, "double %s(double);\n", unary[i]);
  for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
    dae__put(s, "double %s(double, double);\n", binary[i]);
  emit_put_curves(s, notes, count);
  for (int i = 0; i < count && !s->failed; i++)
    if (notes[i].native)
      emit_put_tape(s, &notes[i], i);
  dae__put(s, "\nvoid (*const " DAE__NATIVE_TABLE "[])" PARAMETERS " = {");
  for (int i = 0; i < count; i++) {
    dae__put(s, "%s", i % 8 == 0 ? "\n    " : " ");
    if (notes[i].native)
      dae__put(s, "tape%d,", i);
    else
      dae__put(s, "0,");
  }
  dae__put(s, "\n    0};\n");
}
