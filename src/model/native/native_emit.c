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

/* Largest number of instructions of a tape in one function, and least number in each function of a
 * longer tape. gcc 12 takes 0.2 ms for an instruction in functions of 50 to 100 instructions, and
 * 0.4 ms in functions of 400; functions of 100 instructions run as fast as longer ones. */
#define WHOLE_MAX_INSTRUCTIONS 300
#define SPLIT_INSTRUCTIONS 100
/* Largest number of zeroed entries of a group that are set one by one instead of in a loop; chosen,
 * not measured. */
#define MAX_SINGLE_ZEROS 256

bool dae__native_whole(const dae__tape *tape)
{
  return dae__tape_length(tape) <= WHOLE_MAX_INSTRUCTIONS;
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
  int power;       /* whole power of POWI, else 0 */
  const int *next; /* first word of the next instruction */
} instruction;

static instruction emit_decode(const int *p)
{
  instruction i = {.form = forms[*p], .to = p[1]};
  i.index = i.form.out ? p[2] : 0;
  i.read = p + (i.form.out ? 3 : 2);
  i.next = i.read + i.form.reads;
  if (*p == DAE__OP_POWI)
    i.power = *i.next++;
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

static const char *const letters[DAE__CLASSES] = {"t", "q", "v", "u", "w", "e", "s"};

static void emit_put_input(const emitter *e, dae__tape_input from)
{
  dae__put_numbered(e->s, letters[from.class], from.index, "");
}

static void emit_put_operand(const emitter *e, int reg)
{
  int value = e->holds[reg];
  if (value >= e->first)
    dae__put_numbered(e->s, "x", value, "");
  else if (value < 0 && reg < e->inputs && e->whole)
    emit_put_input(e, e->input[reg]);
  else
    dae__put_numbered(e->s, "r[", reg, "]");
}

/* Emits the expression of instruction n, with names in place of R(0), R(1), ... and last. */
static void emit_put_expression(const emitter *e, const instruction *i, int n)
{
  for (const char *c = i->form.expression; *c; c++) {
    if (c[0] == 'R' && c[1] == '(') {
      emit_put_operand(e, i->read[c[2] - '0']);
      c += 3;
    } else if (strncmp(c, "last", 4) == 0) {
      dae__put_numbered(e->s, "x", n - 1, "");
      c += 3;
    } else {
      dae__put_bytes(e->s, c, 1);
    }
  }
}

/* Emits a whole power by repeated squaring, in the order of dae__whole_power: the product of the
 * squares x<n>_<k>, the operand to the power 2^k, over the bits k of the power. */
static void emit_put_power(const emitter *e, const instruction *i, int n)
{
  unsigned power = i->power < 0 ? 0u - (unsigned)i->power : (unsigned)i->power;
  const char *times = i->power < 0 ? "1 / (" : "";
  dae__put_numbered(e->s, "  double x", n, "_0 = ");
  emit_put_operand(e, i->read[0]);
  for (int k = 1; power >> k; k++) {
    dae__put_numbered(e->s, ", x", n, "_");
    dae__put_numbered(e->s, "", k, " = x");
    dae__put_numbered(e->s, "", n, "_");
    dae__put_numbered(e->s, "", k - 1, " * x");
    dae__put_numbered(e->s, "", n, "_");
    dae__put_number(e->s, k - 1);
  }
  dae__put_numbered(e->s, ";\n  double x", n, " = ");
  for (int k = 0; power >> k; k++) {
    if (!(power >> k & 1))
      continue;
    dae__put(e->s, times);
    dae__put_numbered(e->s, "x", n, "_");
    dae__put_number(e->s, k);
    times = " * ";
  }
  dae__put(e->s, i->power < 0 ? ")" : "");
}

static void emit_put_instruction(const emitter *e, const instruction *i, int n)
{
  if (i->form.expression) {
    dae__put_numbered(e->s, "  double x", n, " = ");
    emit_put_expression(e, i, n);
  } else {
    emit_put_power(e, i, n);
  }
  dae__put(e->s, ";");
  if (i->form.out) {
    dae__put_numbered(e->s, " out", i->to, "[");
    dae__put_numbered(e->s, "", i->index, "] = x");
    dae__put_numbered(e->s, "", n, ";");
  } else if (!e->whole && e->last_read[n] >= e->end) { /* a value that a later function reads */
    dae__put_numbered(e->s, " r[", i->to, "] = x");
    dae__put_numbered(e->s, "", n, ";");
  }
  dae__put(e->s, "\n");
}

/* ---- bodies of functions ---- */

static void emit_put_zeros(const emitter *e, int group, int count)
{
  bool written[MAX_SINGLE_ZEROS] = {false};
  if (count > MAX_SINGLE_ZEROS) {
    dae__put_numbered(e->s, "  for (int i = 0; i < ", count, "; i++)\n");
    dae__put_numbered(e->s, "    out", group, "[i] = 0;\n");
    return;
  }
  for (const int *p = e->tape->code; *p != DAE__TAPE_END;) {
    instruction i = emit_decode(p);
    if (i.form.out && i.to == group && i.index < count)
      written[i.index] = true;
    p = i.next;
  }
  for (int k = 0; k < count; k++)
    if (!written[k]) {
      dae__put_numbered(e->s, "  out", group, "[");
      dae__put_numbered(e->s, "", k, "] = 0;\n");
    }
}

static void emit_put_pointers(const emitter *e)
{
  for (int group = 0; group < e->tape->groups; group++) {
    dae__put_numbered(e->s, "  double *out", group, " = ");
    dae__put_numbered(e->s, "out[", group, "];\n");
  }
}

/* Emits the instructions [first, end), whose code starts at p; returns the start of the next. */
static const int *emit_put_body(emitter *e, const int *p)
{
  for (int n = e->first; n < e->end; n++) {
    instruction i = emit_decode(p);
    emit_put_instruction(e, &i, n);
    if (!i.form.out)
      e->holds[i.to] = n;
    p = i.next;
  }
  return p;
}

static void emit_put_head(const emitter *e, const char *before, int number)
{
  dae__put_numbered(e->s, before, e->number, "");
  if (number >= 0)
    dae__put_numbered(e->s, "_", number, "");
  dae__put(e->s, "(const double *const *in, double *const *out, double *restrict r)");
}

static void emit_put_whole(emitter *e)
{
  e->end = dae__tape_length(e->tape);
  emit_put_head(e, "static void tape", -1);
  dae__put(e->s, "\n{\n");
  for (int i = 0; i < e->inputs; i++) {
    dae__tape_input from = e->input[i];
    dae__put(e->s, "  double ");
    emit_put_input(e, from);
    dae__put_numbered(e->s, " = in[", from.class, "][");
    dae__put_numbered(e->s, "", from.index, "];\n");
  }
  emit_put_pointers(e);
  for (int i = 0; i < e->tape->zeroed; i++)
    emit_put_zeros(e, e->tape->zeros[i].group, e->tape->zeros[i].count);
  emit_put_body(e, e->tape->code);
  dae__put(e->s, "}\n");
}

static void emit_find_last_reads(emitter *e)
{
  int n = 0;
  for (const int *p = e->tape->code; *p != DAE__TAPE_END; n++) {
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
}

static void emit_put_split(emitter *e)
{
  int functions = 0;
  emit_find_last_reads(e);
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
    emit_put_head(e, "static void tape", functions);
    dae__put(e->s, "\n{\n");
    emit_put_pointers(e);
    p = emit_put_body(e, p);
    dae__put(e->s, "}\n\n");
  }
  emit_put_head(e, "static void tape", -1);
  dae__put(e->s, "\n{\n");
  for (int i = 0; i < functions; i++) {
    dae__put_numbered(e->s, "  tape", e->number, "_");
    dae__put_numbered(e->s, "", i, "(in, out, r);\n");
  }
  dae__put(e->s, "}\n");
}

/* ---- functions of a tape ---- */

static void *emit_scratch(dae__source *s, int count, size_t size)
{
  void *memory = s->env.allocate(s->env.user, (size_t)(count > 0 ? count : 1) * size);
  s->failed = s->failed || !memory;
  return memory;
}

void dae__native_emit(dae__source *s, const dae__tape_note *note, int number)
{
  const dae__tape *tape = note->tape;
  emitter e = {.s = s, .tape = tape, .number = number, .whole = dae__native_whole(tape)};
  for (int i = 0; i < tape->loads; i++)
    e.inputs += tape->load[i].count;
  e.input = emit_scratch(s, e.inputs, sizeof *e.input);
  e.holds = emit_scratch(s, tape->registers, sizeof *e.holds);
  e.last_read = emit_scratch(s, tape->length, sizeof *e.last_read);
  if (!s->failed) {
    for (int i = 0, n = 0; i < tape->loads; i++)
      for (int j = 0; j < tape->load[i].count; j++)
        e.input[n++] = (dae__tape_input){tape->load[i].class, tape->load[i].first + j};
    for (int i = 0; i < tape->registers; i++)
      e.holds[i] = -1;
    for (int i = 0; i < tape->length; i++)
      e.last_read[i] = -1;
    dae__put(s, "\n/* ");
    dae__put(s, note->system);
    dae__put(s, ": ");
    dae__put(s, note->what);
    dae__put(s, " */\n");
    if (e.whole)
      emit_put_whole(&e);
    else
      emit_put_split(&e);
  }
  void *memory[] = {e.input, e.holds, e.last_read};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
    if (memory[i])
      s->env.release(s->env.user, memory[i]);
}

/* ---- declarations and table of the source file ---- */

void dae__native_emit_head(dae__source *s, const char *model)
{
  static const char *const unary[] = {"sin",  "cos",   "tan",  "asin",  "acos",
                                      "atan", "sinh",  "cosh", "tanh",  "exp",
                                      "log",  "log10", "fabs", "floor", "sqrt"};
  static const char *const binary[] = {"pow", "atan2", "hypot"};
  dae__put(s, "/* The equations of the model ");
  dae__put(s, model);
  dae__put(
      s, ", written by daedal.\n"
         " * Inputs: t time, q coordinates, v their rates, u states, w algebraic variables,\n"
         " * e inputs of a system, s a vector or rates; of outputs, events and drawings q is the\n"
         " * whole state vector. r holds constants, and values passed between functions.\n"
         " * Outputs: the quantity itself; of several quantities of a mechanical system, those of\n"
         " * M f s c g gdot G gamma k K kappa in this order. */\n");
  for (size_t i = 0; i < sizeof unary / sizeof *unary; i++) {
    dae__put(s, "double ");
    dae__put(s, unary[i]);
    dae__put(s, "(double);\n");
  }
  for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
    dae__put(s, "double ");
    dae__put(s, binary[i]);
    dae__put(s, "(double, double);\n");
  }
}

void dae__native_emit_table(dae__source *s, int count)
{
  dae__put(s, "\nvoid (*const " DAE__NATIVE_TABLE
              "[])(const double *const *, double *const *, double *) = {");
  for (int i = 0; i < count; i++) {
    dae__put(s, i % 8 == 0 ? "\n    " : " ");
    dae__put_numbered(s, "tape", i, ",");
  }
  dae__put(s, "\n    0};\n");
}
