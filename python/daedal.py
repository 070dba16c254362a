"""Python interface of daedal, by ctypes, in one file.

    import daedal
    r = daedal.run("pendulum.dae", to=10, rtol=1e-8)        # a model file
    r["x"], r["der(x)"], r["lambda(rod)"], r.summary["energy_change"], print(r.text)

    rod = daedal.Mechanical(M=[[1, 0], [0, 1]], f=lambda t, q, v: [0, -9.81],
                            g=lambda t, q: q[0]**2 + q[1]**2 - 1)
    r = rod.run({"q": [1, 0]}, to=10)                       # a problem by callbacks

    s = daedal.solve_ivp(fun, (0, 10), y0)                  # the interface of SciPy

Results and the arguments of callbacks are numpy arrays if numpy is installed, otherwise array.array
and lists. The file mirrors the structs of the C headers, so that the library must have the same
version; tests/python compares the mirror with the headers. An object belongs to one thread at a
time.
"""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import functools
import itertools
import json as _json
import math
import os
import re
import signal
import sys
import sysconfig
import threading
import warnings
import weakref
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ctypes import addressof, byref, c_char_p, c_double, c_int, c_void_p
from typing import Any, NamedTuple

try:
    import numpy
except ImportError:
    numpy = None

__all__ = ["DenseOutput", "Error", "Event", "Integrator", "Mechanical", "Method", "Model", "Option",
           "Refuse", "Result", "SemiExplicit", "Simulation", "Solution", "check", "methods", "run", "solve_ivp",
           "version"]
version = "0.2.0"  # of include/daedal/version.h

# ---- the C interface ----

# Structs of the headers, member by member; function pointers are void *.
_STRUCTS = """
dae_error { int status; double t, h; int line, column; char file[128], source[160]; int caret;
  char equation[64], text[512]; }
dae_pattern { int rows, cols; void *start, *row; }
dae_option { char *name; int type; size_t offset; double min, max; void *choices; char *help; }
dae_option_table { char *owner; void *options; int count; }
dae_method { char *name, *summary, *reference, *family; void *options; size_t options_size;
  void *defaults; bool iterates, fixed_step; void *caution, *accepts, *create; }
dae_stats { long steps, rejected_by_error, rejected_by_convergence, rejected_by_callback,
  evaluations, jacobians, factorisations, iterations, projections, decoupled, full, switches, sweeps,
  inner_steps, restarts, rates_0_01, rates_0_1, rates_0_5, rates_1; }
dae_limits { long steps, rejected, iterations, failed; }
dae_view { double t, t_previous, h_next; int order; char *method; int size, pieces; }
dae_mechanical_at { double t; void *q, *v, *u, *w, *in; }
dae_mechanical { char *name; int nq, ng, nk, nu, nw, nin; void *user, *q_names, *u_names, *w_names,
  *in_names, *g_names, *k_names, *groups, *switched, *M, *f, *p, *F, *p_rate, *s, *c, *g, *k, *B, *G, *g_t, *K,
  *gamma, *kappa, *J, *J_in, *Ms_qv, *Gts_q, *gdot_q, *k_q, *Kts_qv, *Bts_qv, *M_pattern, *G_pattern, *K_pattern,
  *J_pattern, *J_in_pattern, *Ms_pattern, *Gts_pattern, *k_q_pattern, *Kts_pattern, *B_pattern, *Bts_pattern, *eval, *energy,
  *energy_rate, *accelerate; bool constant_mass, time_free_g, conservative; }
dae_semi_explicit_at { double t; void *x, *y, *in; }
dae_semi_explicit { char *name; int nx, ny, nin, index; void *user, *x_names, *y_names, *in_names,
  *f_names, *F_names, *f, *F, *M, *J, *J_in, *F_t, *Ms_x, *M_pattern, *J_pattern, *J_in_pattern,
  *Ms_pattern; bool constant_mass, time_free; }
dae_part { char *name; void *mechanical, *semi_explicit; }
dae_coupled { char *name; int parts, wires, joints; void *part, *wire, *joint, *offset; }
dae_held { int count; void *value, *names; }
dae_problem { void *mechanical, *semi_explicit, *momentum, *coupled, *input, *input_user, *why,
  *atol; dae_held held; }
dae_start { double t; void *y, *fixed, *given, *held; double to; }
dae_diagnosis { int index, dof, constraints, rank; char text[1024]; }
dae_event { char *name; int direction; bool stop; void *user, *value, *rate, *sample, *action; bool states_only; void *sets; int set_count, kind; void *next; bool passive, bends; void *contact; int rubs; void *group; int member; }
dae_wave_options { double rtol, atol, window, max_window; int nodes, max_sweeps, sweeps, update,
  splitting; double theta, omega; int depth; bool picard, lagged; double linear; bool reorder;
  int begin, stop, interpolation; bool project; int workers; void *children, *terms, *order, *watch,
  *guess, *user; }
dae_contraction { double gauss_seidel, best, jacobi, margin, on_first, on_second, first_growth,
  second_growth, observed; int most_sweeps, last_sweeps; double last_observed, last_predicted;
  long windows, sweeps; char order[256], loop[256]; }
dae_damping { int kind; double scale, cut, amount, period[2], kept, distance; char name[64];
  long restarts; double frequency[2], exchange, drift, drift_size; char drift_name[64]; }
dae_difference { double tolerances, absolute, t; char name[64]; }
dae_verification { char *method; long rows; dae_difference most[6]; char message[256]; }
dae_error_check { char *method; double rtol, step; long rows; dae_difference most;
  char columns[4096], message[256], other_events[160]; }
dae_native { long instructions, interpreted; bool cached; double seconds; }
dae_native_options { char *compiler, *cache; size_t cache_bytes; double seconds; long instructions; void *proceed,
  *proceed_user; }
dae_summary { int status; char message[512]; char *problem, *method; double rtol, atol, step,
  t_start, t_end; int order; dae_stats stats; dae_diagnosis diagnosis; long rows, events, switchings;
  double seconds, position_drift, velocity_drift, energy_start, energy_change, energy_balance,
  energy_error, energy_tolerance, energy_supplied, oscillations, phase_error; bool damped; dae_damping damping; double energy_removed_at_start, energy_removed_at_events; char *caution; bool energy_has_potential; int moved, moved_given;
  char moves[2048], files[512]; int systems; dae_contraction contraction;
  dae_verification verification; dae_native native; dae_error_check check;
  char limits[512], iteration_limits[512]; int trust; char reasons[1024]; long near_misses; char event_list[2048]; int unwatched; long action_moved; char action_moves[1024]; char *inputs, *units, *provenance; char options[2048]; double energy_lost; char impact_list[1024]; }
dae_row { int columns; void *values, *y; double position_drift, velocity_drift; }
dae_sink { void *self, *open, *row; double fill; void *step, *close, *free, *save_size, *save, *load; }
dae_run_plan { dae_problem problem; dae_start start; void *method, *options; double to, every;
  void *times; long time_count; void *events; int event_count; void *stops; void *stops_user; bool stops_held; int unwatched; char *inputs, *units, *provenance; void *columns;
  int column_count, outputs; void *output_names, *output, *output_user, *sinks; int sink_count;
  bool verify, check_error, unmeasured; dae_native native; void *progress, *progress_user; }
dae_report_options { void *plan, *model, *drawing; char *command, *why; size_t max_bytes; }
dae_model_input { char *name; int count; void *t, *value, *function; int derivatives; void *user, *instants; int instant_count; }
dae_model_options { void *set; int set_count; size_t max_bytes; int max_depth; long max_work,
  max_nodes; void *inputs; int input_count; void *input_files; int input_file_count;
  void *set_files; int set_file_count; }
dae_model_counts { int systems, coordinates, states, algebraic, discretes, holonomic, nonholonomic,
  joints, outputs, events, guards; long nodes, instructions; }
dae_model_setting { char *system, *name, *text; double value; int place; }
"""

_FUNCTIONS = """
char *dae_version(void);  size_t dae_struct_size(char *);  char *dae_status_name(int);
size_t dae_error_text(void *, void *, size_t);
size_t dae_summary_text(void *, void *, size_t);  size_t dae_summary_json(void *, void *, size_t);
int dae_options_set(void *, void *, char *, char *, void *);
void dae_options_get(void *, void *, int, void *, size_t);
int dae_problem_size(void *);  int dae_problem_variable(void *, int, void *, size_t);
int dae_consistent_start(void *, void *, void *, void *, void *, void *, void *);
void *dae_method_at(int);  void *dae_method_find(char *, void *);
int dae_method_check(void *, void *, void *, void *, void *, void *);
void *dae_model_choose_at(void *, double, void *, size_t, void *);
void *dae_method_choose_at(void *, double, void *, size_t, void *);
int dae_integrator_step(void *, double, void *);  dae_view dae_integrator_view(void *);
int dae_integrator_interpolate(void *, double, void *, void *, void *);
dae_stats dae_integrator_stats(void *);  dae_limits dae_integrator_limits(void *, int);  void dae_integrator_free(void *);
dae_model_options dae_model_defaults(void);
int dae_model_load(char *, void *, void *, void *, void *);
int dae_model_parse(char *, char *, size_t, void *, void *, void *, void *);
dae_native_options dae_native_defaults(void);  int dae_model_compile(void *, void *, void *);
void dae_model_free(void *);  char *dae_model_name(void *);  char *dae_model_title(void *);
dae_model_counts dae_model_count(void *);  int dae_model_settings(void *, void *);
void dae_model_plan(void *, void *);
int dae_model_children(void *, double, double, void *, void *, void *);
void dae_model_children_free(void *, void *);
int dae_model_fail(void *, int, char *, void *);  void dae_model_locate(void *, void *);
int dae_run(void *, void *, void *, void *);
int dae_simulation_create(void *, void *, void *, void *);
int dae_simulation_advance(void *, double, void *);  int dae_simulation_step(void *, void *);
double dae_simulation_time(void *);  int dae_simulation_state(void *, void *, void *);
int dae_simulation_columns(void *, void *);  int dae_simulation_row(void *, void *, void *);
size_t dae_simulation_save_size(void *);  int dae_simulation_save(void *, void *, size_t, void *);
int dae_simulation_load(void *, void *, size_t, void *);
int dae_simulation_finish(void *, void *, void *);  void dae_simulation_free(void *);
int dae_report_sink(char *, void *, void *, void *, void *);
int dae_results_sink(char *, void *, void *, void *);
"""

# Function pointers in structs, with their types.
_POINTERS = """
int dae_mechanical.energy(void *, void *, void *, void *);
double dae_model_input.function(void *, double, int);
int dae_event.value(void *, double, void *, void *);
int dae_event.action(void *, double, void *, void *);
int dae_event.next(void *, double, double, void *, void *);
int dae_run_plan.output(void *, double, void *, void *);
bool dae_run_plan.progress(void *, double);  bool dae_native_options.proceed(void *);
int dae_sink.open(void *, int, void *, void *);  int dae_sink.row(void *, void *, void *);
void dae_sink.free(void *);  size_t dae_sink.save_size(void *);
int dae_sink.save(void *, void *, void *);
int dae_sink.load(void *, int, void *, void *, size_t, void *);  void dae_method.defaults(void *);
int dae_method.accepts(void *, void *);
int dae_method.create(void *, void *, void *, void *, void *, void *);
"""

_END, _OPTION, _UNSUPPORTED, _RECOVERABLE, _NATIVE = 1, -3, -5, -9, -16  # of dae_status
_ALGEBRAIC = 3  # of dae_variable_kind
_types: dict[str, Any] = {"int": c_int, "long": ctypes.c_long, "double": c_double, "void": None,
                          "bool": ctypes.c_bool, "size_t": ctypes.c_size_t, "char": ctypes.c_char}


def _type(base: str, star: str) -> Any:
    return _types[base] if not star else c_char_p if base == "char" else c_void_p


def _prototypes(text: str) -> dict[str, tuple[Any, list[Any]]]:
    """name -> type of the result, types of the arguments"""
    return {name: (_type(base, star), [_type(*argument) for argument
                                       in re.findall(r"(\w+) ?(\*?)", items) if items != "void"])
            for base, star, name, items in re.findall(r"(\w+) (\*?)([\w.]+)\((.*?)\);", text)}


class _Struct(ctypes.Structure):
    """Struct that holds references to the objects its pointers point to."""

    def put(self, **members: Any) -> Any:
        for name, value in members.items():
            self.__dict__.setdefault("kept", {})[name] = value
            if isinstance(value, (ctypes.Array, ctypes.Structure)) and self.kinds[name] is c_void_p:
                value = addressof(value)
            elif isinstance(value, ctypes._CFuncPtr):
                value = ctypes.cast(value, c_void_p).value
            setattr(self, name, value)
        return self


class _s:
    """The structs by name: _s.dae_error."""


for _name, _body in re.findall(r"(\w+) \{(.*?)\}", _STRUCTS, re.S):
    _fields = [(_field, _type(_base, _star) * int(_size) if _size else _type(_base, _star))
               for _base, _items in re.findall(r"(\w+) ([^;]+);", _body)
               for _star, _field, _size in re.findall(r"(\*?)(\w+)(?:\[(\d+)\])?", _items)]
    _types[_name] = type(_name, (_Struct,), {"_fields_": _fields, "kinds": dict(_fields)})
    setattr(_s, _name, _types[_name])
_pointers = {_name: ctypes.CFUNCTYPE(_result, *_arguments)
             for _name, (_result, _arguments) in _prototypes(_POINTERS).items()}


def _candidates() -> Iterator[str]:
    """Paths of the library, by descending preference."""
    here = os.path.dirname(os.path.abspath(__file__))
    prefix = os.path.join(here, "..", "..", "..")  # of PREFIX/share/daedal/python
    folders = [here, os.path.join(here, "..", "build", "release"),
               os.path.join(prefix, "lib", sysconfig.get_config_var("MULTIARCH") or ""),
               os.path.join(prefix, "lib64"), os.path.join(prefix, "lib")]
    names = ["libdaedal.so." + version.rpartition(".")[0], "libdaedal.so"]
    if sys.platform == "darwin":
        names = ["libdaedal.dylib"]
    yield from filter(os.path.exists, (os.path.join(f, name) for f in folders for name in names))
    yield from names  # by the loader
    yield from filter(None, [ctypes.util.find_library("daedal")])


def _open() -> ctypes.CDLL:
    named = os.environ.get("DAEDAL_LIBRARY")
    library, failures = None, []
    for path in [named] if named else _candidates():
        try:
            library = ctypes.CDLL(path)
            break
        except OSError as failure:
            failures.append(str(failure))
    if library is None:
        raise ImportError("the library of daedal cannot be loaded; set the environment variable "
                          "DAEDAL_LIBRARY to its path. " + "; ".join(failures))
    library.dae_version.restype = c_char_p
    found = library.dae_version().decode()
    if found != version:
        raise ImportError(f"daedal.py has version {version}, the library {library._name} has "
                          f"version {found}: the versions must be the same")
    try:
        for name, (result, arguments) in _prototypes(_FUNCTIONS).items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        differs = next((name for name, struct in vars(_s).items() if name.startswith("dae_")
                        and library.dae_struct_size(name.encode()) != ctypes.sizeof(struct)), None)
    except AttributeError as missing:
        differs = str(missing)
    if differs:
        raise ImportError(f"the library {library._name} does not match this daedal.py: {differs}")
    return library


_lib = _open()


def _str(text: bytes | None) -> str:
    return (text or b"").decode(errors="replace")


def _text(function: Callable, struct: Any) -> str:
    """Text of a function that returns the length needed, as snprintf does."""
    buffer = ctypes.create_string_buffer(function(byref(struct), None, 0) + 1)
    function(byref(struct), buffer, len(buffer))
    return _str(buffer.value)


def _dict(struct: Any) -> dict[str, Any]:
    return {name: getattr(struct, name) for name, _ in struct._fields_}


def _stats(struct: Any) -> dict[str, Any]:
    """With the deprecated name of an entry, for one version."""
    return dict(_dict(struct), richer=struct.decoupled)


def _bytes(text: Any) -> bytes:
    """A text or path for C, where a zero character would end it: refused."""
    encoded = os.fsencode(text)
    if b"\0" in encoded:
        raise ValueError(f"a zero character in {text!r}")
    return encoded


def _names(names: Iterable[str]) -> Any:
    words = [_bytes(name) for name in names]
    return (c_char_p * (len(words) + 1))(*words)


# ---- errors ----


class Error(Exception):
    """Failure in the library. str() is the message of the command, with the place in the model if
    there is one.

    status    name of the status, "DAE_ERROR_STEP"
    text      failure, likely cause, remedy
    t, h      time and step size, NaN: none
    file, line, column, source     place in a model; "" and 0: none
    equation  name of the equation, constraint, variable or option
    result    rows of the run so far, or None
    """

    def __init__(self, record: Any) -> None:
        super().__init__(_text(_lib.dae_error_text, record))
        self.status = _str(_lib.dae_status_name(record.status))
        self.t, self.h, self.line, self.column = record.t, record.h, record.line, record.column
        self.text, self.equation = _str(record.text), _str(record.equation)
        self.file, self.source = _str(record.file), _str(record.source)
        self.result: Result | None = None


class Refuse(Exception):
    """Raised by a callback that is not defined at a point: the step is repeated with a smaller
    size."""


def _call(function: Callable, *arguments: Any) -> int:
    """Calls a function whose last argument is an error record."""
    record = _s.dae_error()
    status = function(*arguments, byref(record))
    if status < 0:
        raise Error(record)
    return status


class _Guard:
    """Stores an exception of a callback, or Ctrl-C, until the library returns; further callbacks
    fail until then."""

    def __init__(self) -> None:
        self.failure: BaseException | None = None
        self.why = _s.dae_error()  # reason of a refusal, part of the library's message
        self._handler: Any = None

    def __enter__(self) -> None:
        self.failure = None
        if (threading.current_thread() is threading.main_thread()
                and signal.getsignal(signal.SIGINT) is signal.default_int_handler):
            self._handler = signal.signal(signal.SIGINT, self._interrupt)

    def __exit__(self, *_: object) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
            self._handler = None

    def _interrupt(self, *_: object) -> None:
        if self.failure is not None:  # second interrupt
            raise KeyboardInterrupt
        self.failure = KeyboardInterrupt()

    def pointer(self, kind: Any, function: Callable, name: str = "", failed: Any = -1,
                always: bool = False) -> Any:
        """C function that calls a Python function, with 0 for the result None. always: also after a
        failure."""

        def call(*arguments: Any) -> Any:
            if self.failure is not None and not always:
                return failed
            try:
                result = function(*arguments)
                return 0 if result is None else result
            except Refuse as refusal:
                self.why.status = _RECOVERABLE if refusal.args else 0
                self.why.equation, self.why.text = name.encode()[:63], str(refusal).encode()[:511]
                return 1
            except BaseException as failure:
                self.failure = failure
                return failed

        return kind(call)

    def check(self, status: int, record: Any, result: Result | None = None) -> int:
        """Raises the stored exception of a callback, or the library's error."""
        failure, self.failure = self.failure, None
        if failure is None and status < 0:
            failure = Error(record)
        if failure is None:
            return status
        try:
            with contextlib.suppress(AttributeError):  # exceptions with slots
                failure.result = result
            raise failure
        finally:
            del failure  # breaks the reference cycle with this frame


# ---- arrays ----


def _vector(values: Sequence[float]) -> Any:
    """Array type of callback arguments."""
    return [float(v) for v in values] if numpy is None else numpy.array(values, dtype=float)


def _array(values: Sequence[float]) -> Any:
    """Array type of results."""
    return array("d", values) if numpy is None else numpy.array(values, dtype=float)


def _doubles(values: Iterable[float]) -> Any:
    numbers = [float(v) for v in values]
    return (c_double * max(len(numbers), 1))(*numbers)


def _read(address: int, count: int) -> Any:
    """Copy of count numbers."""
    memory = (c_double * count).from_address(address)
    return memory[:] if numpy is None else numpy.frombuffer(bytearray(memory))


def _write(address: int, values: Any) -> None:
    memory = (c_double * len(values)).from_address(address)
    if numpy is None:
        memory[:] = values
    else:
        numpy.frombuffer(memory)[:] = values


def _shape(value: Any) -> tuple[int, ...]:
    if numpy is not None:
        return numpy.shape(value)
    return (len(value), *_shape(value[0] if len(value) else 0)) if hasattr(value, "__len__") else ()


def _full(matrix: Any) -> Any:
    """Dense array of a SciPy sparse matrix; other matrices unchanged."""
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix


def _flat(value: Any, rows: int, columns: int | None, entries: list | None, what: str) -> Any:
    """Values of a vector, or the entries of a matrix (None: all) by columns."""
    value = _full(value) if numpy is None else numpy.asarray(_full(value), dtype=float)
    shape, count = _shape(value), rows * (columns or 1)
    if columns is not None and shape == (rows, columns):
        if numpy is not None and entries is None:
            return value.T.ravel()
        if entries is None:
            entries = [(i, j) for j in range(columns) for i in range(rows)]
        return [value[i][j] for i, j in entries]
    if shape == (count if entries is None else len(entries),) \
            and (columns is None or entries is not None or 1 in (rows, columns)):
        return value
    if shape == () and count == 1:
        return [float(value)]
    wanted = f"{rows} x {columns}" if columns is not None else str(rows)
    raise ValueError(f"{what} returns {' x '.join(map(str, shape)) or 'one'}, expected: {wanted}")


def _columns(data: bytearray, width: int) -> list[Any]:
    """Columns of a table stored by rows."""
    if numpy is not None:
        return list(numpy.ascontiguousarray(numpy.frombuffer(data).reshape(-1, width).T))
    numbers = array("d", bytes(data))
    return [numbers[i::width] for i in range(width)]


# ---- methods ----


class Option(NamedTuple):
    """An option of a method, as in run(..., NAME=value)."""
    name: str
    default: float | int | bool | str
    range: tuple | None  # smallest and largest value, or words
    help: str


class Method(NamedTuple):
    """A method; summary: problem class and order; reference: key in docs/references.bib."""
    name: str
    summary: str
    reference: str | None
    options: dict[str, Option]


@functools.lru_cache(maxsize=None)
def _methods() -> dict[str, Any]:
    addresses = itertools.takewhile(bool, map(_lib.dae_method_at, itertools.count()))
    return {_str(m.name): m for m in map(_s.dae_method.from_address, addresses)}


@functools.lru_cache(maxsize=None)
def _options(method: str) -> dict[str, Any]:
    table = _s.dae_option_table.from_address(_methods()[method].options)
    return {_str(o.name): o for o in (_s.dae_option * table.count).from_address(table.options)}


def _describe(choice: _Choice, i: int, option: Any) -> Option:
    buffer = ctypes.create_string_buffer(64)
    _lib.dae_options_get(choice.method.options, choice.options, i, buffer, len(buffer))
    read: Any = (float, int, lambda word: word == "on", str)[option.type]
    limits: Any = (read(option.min), read(option.max)) if option.type < 2 else None
    if option.choices:
        words = ctypes.cast(option.choices, ctypes.POINTER(c_char_p))
        limits = tuple(map(_str, itertools.takewhile(bool, (words[k] for k in itertools.count()))))
    return Option(_str(option.name), read(_str(buffer.value)), limits, _str(option.help))


def methods() -> list[Method]:
    """All methods, with their options."""
    return [Method(name, _str(m.summary), m.reference and _str(m.reference),
                   {key: _describe(_Choice(name), i, option)
                    for i, (key, option) in enumerate(_options(name).items())})
            for name, m in _methods().items()]


class _Choice:
    """A method and its options."""

    def __init__(self, name: str, why: str = "") -> None:
        self.name, self.why, self.method = name, why, _methods()[name]
        self.options = (c_double * (self.method.options_size // 8 + 1))()
        _pointers["dae_method.defaults"](self.method.defaults)(self.options)
        self.wave = _s.dae_wave_options.from_buffer(self.options) if self.method.iterates else None

    def set(self, name: str, value: Any) -> None:
        text = ("off", "on")[value] if isinstance(value, bool) else \
            value if isinstance(value, str) else repr(float(value)).removesuffix(".0")
        table = _s.dae_option_table.from_buffer_copy(
            _s.dae_option_table.from_address(self.method.options))
        table.owner = self.name.encode()  # name of the method, not of its family, in messages
        _call(_lib.dae_options_set, byref(table), self.options, _bytes(name), _bytes(text))


# ---- systems ----


class _System:
    """A problem and its start, in a plan that is copied for every run."""

    def __init__(self, plan: Any, guard: _Guard, model: Any = None) -> None:
        self.plan, self.guard, self.model = plan, guard, model
        self.problem, self.size = byref(plan.problem), _lib.dae_problem_size(byref(plan.problem))
        self.declared, self.atol = plan.problem.atol, None  # atol of the model, and of this run
        at = c_void_p()
        count = _lib.dae_model_settings(model, byref(at)) if model else 0
        self.settings = list((_s.dae_model_setting * count).from_address(at.value)) if count else []

    def names(self) -> list[str]:
        """Names of the entries of the state vector."""
        buffer, names = ctypes.create_string_buffer(256), []
        for i in range(self.size):
            _lib.dae_problem_variable(self.problem, i, buffer, len(buffer))
            names.append(_str(buffer.value))
        return names

    def call(self, function: Callable, *arguments: Any) -> int:
        """Calls a library function that may call Python callbacks."""
        record = _s.dae_error()
        with self.guard:
            status = function(*arguments, byref(record))
        if status < 0:
            self.locate(record, ())
        return self.guard.check(status, record)

    # settings of the model

    def setting(self, name: str) -> Any:
        return next((s for s in self.settings if not s.system and _str(s.name) == name), None)

    @contextlib.contextmanager
    def located_at(self, setting: Any) -> Iterator[None]:
        """Turns an error caused by a setting into an error at its place in the model."""
        try:
            yield
        except Error as error:
            if setting is None:
                raise
            record = _s.dae_error()
            _lib.dae_model_fail(self.model, setting.place, error.text.encode(), byref(record))
            raise Error(record) from None

    def locate(self, record: Any, asked: Sequence[str]) -> None:
        """Adds the place in the model to the error of a run."""
        name, text = _str(record.equation), record.text
        if record.status in (_UNSUPPORTED, _OPTION) and name not in asked:
            by_method = record.status == _UNSUPPORTED and "method" not in asked
            setting = self.setting(name) or (self.setting("method") if by_method else None)
            if setting:
                _lib.dae_model_fail(self.model, setting.place, text, byref(record))
        if self.model:
            _lib.dae_model_locate(self.model, byref(record))

    # method and options: arguments override the model, which overrides the defaults

    def accept(self, method: str) -> None:
        """Raises an error if the method does not apply to the problem."""
        if accepts := _methods()[method].accepts:
            _call(_pointers["dae_method.accepts"](accepts), self.problem)

    def refusal(self, method: str) -> str | None:
        """Reason why a run by the method would not begin, or None."""
        record, at = _s.dae_error(), _lib.dae_method_find(_bytes(method), None)
        with self.guard:
            status = _lib.dae_method_check(at, self.problem, byref(self.plan.start), None, None,
                                           byref(record))
        return _str(record.text) if status < 0 else None

    def automatic(self, wanted: Iterable[str], rtol: Any = None) -> _Choice:
        """Method of `auto` for a tolerance (None: that of the model, or the default), or the first
        applicable method that has all wanted options."""
        why, record, wanted = ctypes.create_string_buffer(256), _s.dae_error(), set(wanted)
        choose = _lib.dae_model_choose_at if self.model else _lib.dae_method_choose_at
        rtol = float(rtol) if isinstance(rtol, (int, float)) else 0.0
        address = choose(self.model or self.problem, rtol, why, len(why), byref(record))
        if not address:
            raise Error(record)
        name = _str(_s.dae_method.from_address(address).name)
        if wanted <= set(_options(name)):
            return _Choice(name, _str(why.value))
        known = sorted(_methods().items(), key=lambda item: item[0] != "radau")  # radau first
        fitting = (other for other, m in known if wanted <= set(_options(other))
                   and not m.caution and self.refusal(other) is None)
        return _Choice(next(fitting, name), "it has the given options")

    def by_name(self, name: str) -> _Choice:
        record = _s.dae_error()
        if not _lib.dae_method_find(_bytes(name), byref(record)):
            raise Error(record)
        self.accept(name)
        return _Choice(name)

    def tolerances(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Sets the absolute tolerances of the variables to those of a dict by names or an array of
        the state vector, or else to those of the model; returns the other options."""
        atol = options.get("atol")
        self.plan.problem.atol = self.declared
        if isinstance(atol, str) or not (isinstance(atol, Mapping) or _shape(atol)):
            return options
        values, names = [0.0] * self.size, self.names()
        if self.declared:
            values = list(_read(self.declared, self.size))
        if isinstance(atol, Mapping):
            if unknown := [name for name in atol if name not in names]:
                raise ValueError(f"atol: {unknown[0]!r} is not one of {', '.join(names)}")
            for name, value in atol.items():
                values[names.index(name)] = value
        elif len(atol) != self.size:
            raise ValueError(f"atol has {len(atol)} values, expected: {self.size}, for "
                             + ", ".join(names))
        else:
            values = atol
        self.atol = _doubles(values)
        self.plan.problem.atol = addressof(self.atol)
        return {name: value for name, value in options.items() if name != "atol"}

    def choose(self, method: str | None, options: Mapping[str, Any], sweep: Any = None,
               verify: bool = False) -> _Choice:
        options = self.tolerances(options)
        said = {_str(s.name).replace("-", "_"): s for s in self.settings if not s.system}
        named = None if method else said.get("method")
        said = {name: s for name, s in said.items()
                if name not in options and name not in ("to", "from", "every", "method")}
        wanted = method or (_str(named.text) if named else "auto")
        if wanted == "auto" and self.plan.problem.coupled and (sweep or verify):
            wanted = "gauss-seidel"
        with self.located_at(named):
            choice = (self.automatic([*options, *said], options.get("rtol")) if wanted == "auto"
                      else self.by_name(wanted))
        for name, s in said.items():
            if method and name not in _options(choice.name):
                self.note(f"`{name}` of simulate", choice)
                continue
            with self.located_at(s):
                choice.set(name, _str(s.text) if math.isnan(s.value) else s.value)
        for name, value in options.items():
            choice.set(name, value)
        if choice.wave is not None:
            self.couple(choice, sweep)
        elif sweep is not None:
            raise ValueError(f"sweep: {choice.name} does not iterate between systems")
        of_systems = [s for s in self.settings if s.system and choice.wave is None]
        least = min([s.value for s in of_systems if s.name == b"rtol"], default=math.inf)
        place = list(_options(choice.name)).index("rtol") if "rtol" in _options(choice.name) else -1
        if place >= 0 and "rtol" not in options:
            rtol = _describe(choice, place, _options(choice.name)["rtol"]).default
            choice.set("rtol", min(rtol, least))
        for s in [s for s in of_systems if s.name not in (b"rtol", b"atol")][:1]:
            self.note(f"`{_str(s.name)}` of system {_str(s.system)}", choice)
        return choice

    def note(self, what: str, choice: _Choice) -> None:
        warnings.warn(f"{what} is not an option of {choice.name}: ignored", stacklevel=5)

    def couple(self, choice: _Choice, sweep: Sequence[str] | None) -> None:
        """Order of the systems, and their solvers by the settings of the model."""
        if sweep is not None:
            coupled = _s.dae_coupled.from_address(self.plan.problem.coupled)
            parts = (_s.dae_part * coupled.parts).from_address(coupled.part)
            names = [_str(part.name) or _str(coupled.name) for part in parts]
            if sorted(sweep) != sorted(names):
                raise ValueError(f"sweep: expected an order of all systems: {', '.join(names)}")
            choice.wave.put(order=(c_int * len(names))(*map(names.index, sweep)))
        children = c_void_p()
        _call(_lib.dae_model_children, self.model, choice.wave.rtol, choice.wave.atol, None,
              byref(children))
        choice.wave.children = children
        weakref.finalize(choice, _lib.dae_model_children_free, children, None)


# ---- runs ----


class Result(dict):
    """Rows of a run: a dict of arrays by the names of the columns, "t" first.

    names     names of the columns
    summary   closing summary as a dict: status, method, drift, energy, statistics
    text      closing summary as text, as printed by the command
    """

    def __init__(self, names: list[str], data: bytearray, summary: Any) -> None:
        super().__init__(zip(names, _columns(data, len(names)) if names else ()))
        self.names = names
        self.summary: dict[str, Any] = _json.loads(_text(_lib.dae_summary_json, summary))
        self.text = _text(_lib.dae_summary_text, summary)

    def __repr__(self) -> str:
        return f"<daedal.Result: {len(self.get('t', ()))} rows of {', '.join(self.names)}>"


def _rows(guard: _Guard, names: list[str], data: bytearray) -> Any:
    """Sink that stores names and rows."""

    def opened(_: Any, columns: int, at: int, record: Any) -> None:
        names.extend(map(_str, (c_char_p * columns).from_address(at)))

    def row(_: Any, at: int, record: Any) -> None:
        row = _s.dae_row.from_address(at)
        data.extend(ctypes.string_at(row.values, 8 * row.columns))

    def save(_: Any, buffer: int, record: Any) -> None:
        ctypes.memmove(buffer, bytes(data), len(data))

    def load(_: Any, columns: int, at: int, buffer: int, size: int, record: Any) -> None:
        if not names:
            opened(_, columns, at, record)
        data[:] = ctypes.string_at(buffer, size)

    functions = {"open": opened, "row": row, "save_size": lambda _: len(data), "save": save,
                 "load": load}
    return _s.dae_sink().put(**{name: guard.pointer(_pointers["dae_sink." + name], f, always=True)
                                for name, f in functions.items()})


def _report(path: Any, system: _System, plan: Any, why: str, command: str | None,
            stack: contextlib.ExitStack) -> Any:
    """Sink that writes the report of a run."""
    sink = _s.dae_sink()
    sink.options = _s.dae_report_options().put(
        plan=addressof(plan), model=system.model, why=why.encode() or None,
        command=command and _bytes(command))
    _call(_lib.dae_report_sink, _bytes(path), byref(sink.options), None, byref(sink))
    stack.callback(_pointers["dae_sink.free"](sink.free), sink.self)
    return sink


def _paths(given: Any) -> list[Any]:
    return [given] if isinstance(given, (str, bytes, os.PathLike)) else list(given or ())


def _results(path: Any, stack: contextlib.ExitStack) -> Any:
    """Sink that writes the rows to a file, in the format of its suffix."""
    sink = _s.dae_sink()
    _call(_lib.dae_results_sink, _bytes(path), None, byref(sink))
    stack.callback(_pointers["dae_sink.free"](sink.free), sink.self)
    return sink


def _plan(system: _System, to: float | None, choice: _Choice, every: float | None,
          times: Sequence[float] | None, progress: Callable[[float], Any] | None,
          **members: Any) -> Any:
    """Plan of a run, without sinks."""
    if to is None and not system.setting("to"):
        raise ValueError("the model has no end time: give to=T")
    plan = _s.dae_run_plan.from_buffer_copy(system.plan)
    plan.put(method=choice.method, options=choice.options, to=plan.to if to is None else to,
             every=plan.every if every is None else every, **members,
             progress=system.guard.pointer(_pointers["dae_run_plan.progress"], lambda _, t:
                                           progress is None or progress(t) is not False,
                                           failed=False))
    if times is not None:
        plan.put(times=_doubles(times), time_count=len(times))
    return plan


def _run(system: _System, to: float | None, *, method: str | None = None,
         every: float | None = None, times: Sequence[float] | None = None,
         sweep: Sequence[str] | None = None, verify: bool = False, check_error: bool = False,
         report: Any = None, out: Any = (), command: str | None = None,
         progress: Callable[[float], Any] | None = None, **options: Any) -> Result:
    choice, guard = system.choose(method, options, sweep, verify), system.guard
    plan = _plan(system, to, choice, every, times, progress, verify=verify,
                 check_error=check_error)
    names, data, summary, record = [], bytearray(), _s.dae_summary(), _s.dae_error()
    with contextlib.ExitStack() as stack:
        sinks = [_rows(guard, names, data)]
        sinks += [_results(path, stack) for path in _paths(out)]
        if report is not None:
            sinks.append(_report(report, system, plan, choice.why, command, stack))
        plan.put(sinks=(_s.dae_sink * len(sinks))(*sinks), sink_count=len(sinks))
        with guard:
            status = _lib.dae_run(byref(plan), None, byref(summary), byref(record))
    if status < 0:
        system.locate(record, [*options, *(["method"] if method else [])])
    result = Result(names, data, summary)
    guard.check(status, record, result)
    return result


def _check(system: _System) -> dict[str, Any]:
    start, find = system.plan.start, _s.dae_diagnosis()
    y = (c_double * max(system.size, 1))()
    system.call(_lib.dae_consistent_start, system.problem, byref(start), None, y, None, byref(find))
    given, names, choice = _read(start.y, system.size), system.names(), system.automatic(())
    guesses = {names[i] for i in range(system.size)  # algebraic variables and multipliers
               if _lib.dae_problem_variable(system.problem, i, None, 0) >= _ALGEBRAIC}
    return {**_dict(find), "text": _str(find.text), "start": dict(zip(names, y)),
            "moved": {name: (a, b) for name, a, b in zip(names, given, y)
                      if name not in guesses and abs(b - a) > 1e-12 * (1 + abs(a))},
            "methods": {name: system.refusal(name) for name in _methods()},
            "auto": choice.name, "why": choice.why}


def _compile(model: Any) -> None:
    """Compiles a model to native code, or warns."""
    guard, options, record = _Guard(), _lib.dae_native_defaults(), _s.dae_error()
    options.put(proceed=guard.pointer(_pointers["dae_native_options.proceed"], lambda _: True,
                                      failed=False))
    with guard:
        status = _lib.dae_model_compile(model, byref(options), byref(record))
    if guard.failure is None and status in (_NATIVE, _UNSUPPORTED):
        warnings.warn(f"jit: {_str(record.text)}; the model is interpreted", stacklevel=4)
    else:
        guard.check(status, record)


def _files(given: Any) -> list[Any]:
    """One file name, or several, or None."""
    return [] if given is None else [given] if isinstance(given, (str, os.PathLike)) else list(given)


def _input_function(functions: Sequence[Callable], guard: _Guard) -> Any:
    """C function for an input and its derivatives."""

    def value(_: Any, t: float, order: int) -> float:
        try:
            return float(functions[order](t))
        except Refuse:
            return math.nan

    return guard.pointer(_pointers["dae_model_input.function"], value, failed=math.nan)


def _inputs(given: Mapping[str, Any], guard: _Guard) -> list[Any]:
    """Data of inputs: functions of t, or times and values."""
    inputs = []
    for name, data in given.items():
        one = _s.dae_model_input().put(name=_bytes(name))
        functions = (data,) if callable(data) else tuple(data)
        if functions and callable(functions[0]) and not callable(functions[-1]):
            one.put(instants=_doubles(functions[-1]), instant_count=len(functions[-1]))
            functions = functions[:-1]
        if functions and all(callable(f) for f in functions):
            one.put(function=_input_function(functions, guard), derivatives=len(functions) - 1)
        elif len(functions) != 2 or len(functions[0]) != len(functions[1]):
            raise ValueError(f"the input {name} needs times and values, as many of each; or a function, "
                             "or a tuple of it, its derivatives, and a list of its instants")
        else:
            one.put(t=_doubles(functions[0]), value=_doubles(functions[1]), count=len(functions[0]))
        inputs.append(one)
    return inputs


class Model:
    """A model from a file or a text. jit: compile its equations by the C compiler of the system; if
    that fails, the model is interpreted, with a warning.

    set        other values of its params, {"L": 2, "A.k": "2*pi"}
    set_from   a file of them, lines NAME = EXPRESSION, or several
    input      data of its inputs: a CSV file with a column t, or several; or {"u": (times, values),
               "v": function of t}; a function with derivatives is a tuple (f, df, ddf), with
               jumps or bends at known instants (f, [1.5, 2])

    name, title    name and title in the model statement
    settings       settings of the simulate statement; those of a system as "A.rtol"
    counts         numbers of coordinates, states, constraints, ...
    """

    def __init__(self, path: Any = None, *, text: str | None = None, name: str = "model.dae",
                 set: Mapping[str, Any] | None = None, set_from: Any = None, input: Any = None,
                 jit: bool = False) -> None:
        if (path is None) == (text is None):
            raise TypeError("a model needs either a file or text=...")
        self._path, self._set, self._jit = path, dict(set or {}), jit
        self._said = {"set_from": set_from, "input": input}
        model, options = c_void_p(), _lib.dae_model_defaults()
        params = [f"{param}={value}" for param, value in self._set.items()]
        guard = _Guard()
        given = _inputs(input, guard) if isinstance(input, Mapping) else []
        files = [] if isinstance(input, Mapping) else [os.fspath(f) for f in _files(input)]
        sources = [os.fspath(f) for f in _files(set_from)]
        options.put(set=_names(params), set_count=len(params), set_files=_names(sources),
                    set_file_count=len(sources), input_files=_names(files), input_file_count=len(files),
                    inputs=(_s.dae_model_input * max(len(given), 1))(*given), input_count=len(given))
        if text is None:
            _call(_lib.dae_model_load, _bytes(path), byref(options), None, byref(model))
        else:
            data = text.encode()
            _call(_lib.dae_model_parse, _bytes(name), data, len(data), byref(options), None,
                  byref(model))
        weakref.finalize(self, _lib.dae_model_free, model)
        if jit:
            _compile(model)
        plan = _s.dae_run_plan()
        _lib.dae_model_plan(model, byref(plan))
        self._of_its_own = _System(plan, guard, model)
        self._given = given  # functions that the model calls
        self.name, self.title = _str(_lib.dae_model_name(model)), _str(_lib.dae_model_title(model))
        self.counts: dict[str, int] = _dict(_lib.dae_model_count(model))
        self.settings = {(_str(s.system) + "." if s.system else "") + _str(s.name):
                         _str(s.text) if math.isnan(s.value) else s.value
                         for s in self._of_its_own.settings}

    def _system(self, start: Any, t0: float, fixed: Iterable[str]) -> _System:
        if start is not None:
            raise TypeError("the start of a model is part of it; set={...} changes its params")
        return self._of_its_own

    def run(self, to: float | None = None, **options: Any) -> Result:
        """Runs the model, with the arguments of daedal.run."""
        report, command = options.get("report"), None
        if self._path is not None:
            if report and os.path.exists(report) and os.path.samefile(report, self._path):
                raise ValueError("the report would overwrite the model")
            said = {"to": to, "set": self._set or None, **self._said, "jit": self._jit or None, **options, "report": None, "progress": None}
            command = "daedal.run(" + ", ".join([repr(os.fspath(self._path)), *(
                f"{key}={value!r}" for key, value in said.items() if value is not None)]) + ")"
        return _run(self._of_its_own, to, command=command, **options)

    def check(self) -> dict[str, Any]:
        """Analyses the model, with the result of daedal.check."""
        found = _check(self._of_its_own)
        if self.counts["coordinates"] == 0:  # discrete variables are states with rate zero
            found["dof"] -= self.counts["discretes"]
        return found

    def __repr__(self) -> str:
        return f"<daedal.Model {self.name}: {self.title}>"


def run(path: Any = None, to: float | None = None, *, text: str | None = None,
        set: Mapping[str, Any] | None = None, set_from: Any = None, input: Any = None,
        jit: bool = False, **options: Any) -> Result:
    """Runs a model from a file or a text.

    to        end time; default: that of the model
    set       other values of params: {"L": 2}
    set_from  a file of them, lines NAME = EXPRESSION, or several
    input     data of inputs: a CSV file, or several, or a dict, as in Model
    jit       compile the equations by the C compiler of the system
    method    a name of methods(), or "auto"
    rtol, atol, step, order, ...     options of the method. atol may be a dict of absolute
              tolerances by names of variables, {"x": 1e-12, "der(x)": 1e-9}, or an array of those
              of the whole state vector, where 0 stands for the default, rtol/100
    every     interval of the rows in time, 0: a row at every step
    times     output times, with rows also at the start and at the end
    out       name of a result file by suffix, .csv, .mat, .npz or .h5, or several
    report    name of an HTML file with summary, animation, plots and data
    progress  function called with t after every step; False ends the run
    verify    compare a dynamic iteration with a run of the assembled system
    check_error   compare with a second run at a tenth of the tolerances: summary["check_error"]
    sweep     order of the systems of a coupled model: ["A", "C", "B"]
    """
    return Model(path, text=text, set=set, set_from=set_from, input=input, jit=jit).run(to, **options)


def check(path: Any = None, *, text: str | None = None,
          set: Mapping[str, Any] | None = None, set_from: Any = None,
          input: Any = None) -> dict[str, Any]:
    """Analyses a model without a run:

    index, dof, constraints, rank, text     diagnosis
    start      consistent start: name -> value
    moved      changed start values: name -> (given, consistent)
    methods    name -> None, or the reason against the method
    auto, why  method selected by `auto`, and the reason
    """
    return Model(path, text=text, set=set, set_from=set_from, input=input).check()


# ---- problems by callbacks ----


class Event(NamedTuple):
    """An event: zero of a function along a motion, or instants known in advance.

    value(t, ...)   function of the blocks of the state vector that the problem has, in their order:
                    q, v, u, w, lambda, psi; or x, y. None with `every` or `next`
    direction       +1: rising only, -1: falling only, 0: both
    stop            the run ends at the event
    action(t, ...)  returns new values: a tuple q, v (and u if the problem has extra states), or x.
                    The state is then made consistent. None: no change
    every           period: instants t0 + k*every, k = 1, 2, ... Steps end there exactly
    next(t)         the first instant after t, at first asked just before the start; None: there is
                    none
    """
    value: Callable | None = None
    direction: int = 0
    stop: bool = False
    action: Callable | None = None
    name: str | None = None
    every: float | None = None
    next: Callable | None = None

    def _instants(self, t0: float) -> Callable | None:
        """Function of t for the next instant in a run from t0; None: a zero of value."""
        if sum(given is not None for given in (self.value, self.every, self.next)) != 1:
            raise ValueError("an event needs one of value, every, next")
        if self.every is None:
            return self.next
        period = float(self.every)
        if not 0 < period < math.inf:
            raise ValueError(f"the period {period:g} of an event is not positive")

        def on_grid(t: float) -> float:
            k = max(math.floor((t - t0) / period), 1)
            return next((at for i in range(k, k + 3) if (at := t0 + i * period) > t), math.inf)
        return on_grid


class _Form:
    """A problem form: its struct, the blocks of its state vector, its callbacks."""
    _STRUCT = _MEMBER = ""
    _PARTS: dict[str, str] = {}  # block of the state vector -> letter of its size
    _MOVING: Sequence[str] = ()  # blocks set by actions
    _OTHERS: Sequence[str] = ()  # members other than sizes and callbacks
    # name -> blocks of its arguments; blocks of the rows, and of the columns of a matrix; block of
    # the vector to contract with, which is the last argument
    _CALLBACKS: dict[str, tuple[str, ...]] = {}
    # names of patterns that differ from the name of the matrix
    _PATTERNS = {"gdot_q": "G", "Ms_qv": "Ms", "Ms_x": "Ms", "Gts_q": "Gts", "Kts_qv": "Kts",
                 "Bts_qv": "Bts"}

    def __init__(self, *, name: str = "problem", events: Sequence[Event] = (),
                 outputs: Mapping[str, Callable] | None = None, **given: Any) -> None:
        known = {*self._CALLBACKS, *self._OTHERS, *(f"n{c}" for c in self._PARTS.values())}
        if unknown := sorted(set(given) - known):
            raise TypeError(f"{type(self).__name__} has no {unknown[0]!r}; it has "
                            + ", ".join(sorted(known)))
        self.name, self.events, self.outputs = name, list(events), dict(outputs or {})
        self._given = {key: value for key, value in given.items() if value is not None}

    def run(self, start: Any, to: float, *, t0: float = 0.0, fixed: Iterable[str] = (),
            **options: Any) -> Result:
        """Runs the problem, with the further arguments of daedal.run.

        start     a dict of blocks of the state vector, {"q": [1, 0], "v": [0, 1]}, or the first
                  block alone; missing values are zero
        t0        start time
        fixed     names of start values that the consistent start must not change
        """
        return _run(self._system(start, t0, fixed), to, **options)

    def check(self, start: Any, *, t0: float = 0.0, fixed: Iterable[str] = ()) -> dict[str, Any]:
        """Analyses the problem, with the result of daedal.check."""
        return _check(self._system(start, t0, fixed))

    def _system(self, start: Any, t0: float, fixed: Iterable[str]) -> _System:
        start = start if isinstance(start, Mapping) else {next(iter(self._PARTS)): start}
        start = {part: _vector(values) for part, values in start.items()}
        n, guard = self._measure(start, t0), _Guard()
        y = _doubles(itertools.chain(*(start.get(part, [0.0] * n[part]) for part in self._PARTS)))
        problem = _s.dae_problem().put(**{self._MEMBER: self._fill(n, guard)}, why=guard.why)
        plan = _s.dae_run_plan().put(problem=problem, start=_s.dae_start().put(t=t0, y=y))
        self._watch(plan, n, guard)
        system = _System(plan, guard)
        held = (ctypes.c_bool * max(system.size, 1))()
        for name in fixed:
            if name not in system.names():
                raise ValueError(f"fixed: {name!r} is not one of {', '.join(system.names())}")
            held[system.names().index(name)] = True
        plan.put(start=_s.dae_start().put(t=t0, y=y, fixed=held))
        return system

    def _measure(self, start: Mapping[str, Any], t0: float) -> dict[str, int]:
        """Sizes by block and by letter: as given, or from names, the start, a call."""
        if unknown := sorted(set(start) - set(self._PARTS)):
            raise ValueError(f"start has no {unknown[0]!r}, only {', '.join(self._PARTS)}")
        n: dict[str, int] = {}
        for part, letter in self._PARTS.items():
            names, function = self._given.get(f"{letter}_names"), self._given.get(letter)
            size = self._given.get(f"n{letter}", n.get(letter))
            if size is None and names is not None:
                size = len(names)
            elif size is None and part in start:
                size = len(start[part])
            elif size is None and function and letter in self._CALLBACKS:  # of a constraint
                point = [start.get(p, _vector([0.0] * n["q"])) for p in self._CALLBACKS[letter][0]]
                size = math.prod(_shape(function(t0, *point)))
            n[part] = n[letter] = size or 0
            if part in start and len(start[part]) != n[part]:
                raise ValueError(f"{part} has {len(start[part])} start values, expected: {n[part]}")
        return n

    def _fill(self, n: Mapping[str, int], guard: _Guard) -> Any:
        struct = getattr(_s, self._STRUCT)(name=_bytes(self.name))
        struct.put(**{f"n{letter}": n[letter] for letter in self._PARTS.values()})
        entries = {key[:-8]: self._pattern(key[:-8], _full(value), n, struct)
                   for key, value in self._given.items() if key.endswith("_pattern")}
        for key, value in self._given.items():
            if key in self._CALLBACKS:
                struct.put(**{key: self._callback(key, value, n, entries, guard)})
            elif key == "energy":
                struct.put(energy=self._energy(value, n, guard))
            elif not key.endswith("_pattern"):
                struct.put(**{key: _names(value) if key.endswith("_names") else value})
        if not callable(self._given.get("M", callable)):
            struct.constant_mass = True
        return struct

    def _pattern(self, name: str, matrix: Any, n: Mapping[str, int], struct: Any) -> list:
        """Sets the pattern of a matrix in struct; returns its entries (row, column) in order."""
        owner = next(key for key in self._CALLBACKS if self._PATTERNS.get(key, key) == name)
        rows, columns = (sum(n[part] for part in parts) for parts in self._CALLBACKS[owner][1:3])
        if _shape(matrix) != (rows, columns):
            raise ValueError(f"{name}_pattern is not {rows} x {columns}")
        entries = [(i, j) for j in range(columns) for i in range(rows) if matrix[i][j]]
        column = [j for _, j in entries]
        ends = [bisect_left(column, j) for j in range(columns + 1)]
        pattern = _s.dae_pattern(rows, columns).put(
            start=(c_int * len(ends))(*ends), row=(c_int * len(entries))(*(i for i, _ in entries)))
        struct.put(**{f"{name}_pattern": pattern})
        return entries

    def _callback(self, name: str, function: Any, n: Mapping[str, int],
                  patterns: Mapping[str, list], guard: _Guard) -> Any:
        """C function for a Python function or a constant matrix."""
        parts, over, *more = self._CALLBACKS[name]
        rows, columns = sum(n[p] for p in over), sum(n[p] for p in more[0]) if more else None
        contracted = sum(n[p] for p in more[1]) if len(more) > 1 else None
        if rows == 0:
            raise ValueError(f"{name} is given, but has no rows in this problem")
        at_type, parts = getattr(_s, self._STRUCT + "_at"), [p for p in parts if n[p]]
        entries = patterns.get(self._PATTERNS.get(name, name))
        if name in ("Gts_q", "k_q", "Kts_qv") and entries is None and name[0].upper() in patterns:
            raise ValueError(f"{name} needs its own pattern beside {name[0].upper()}_pattern")
        constant = None if callable(function) else _flat(function, rows, columns, entries, name)

        def call(_: Any, address: int, *rest: int) -> None:
            if constant is not None:
                return _write(rest[-1], constant)
            at = at_type.from_address(address)
            arguments = [_read(getattr(at, p), n[p]) for p in parts]
            if contracted is not None:
                arguments.append(_read(rest[0], contracted))
            _write(rest[-1], _flat(function(at.t, *arguments), rows, columns, entries, name))

        return guard.pointer(ctypes.CFUNCTYPE(c_int, *[c_void_p] * (3 + (contracted is not None))),
                             call, name)

    def _energy(self, function: Callable, n: Mapping[str, int], guard: _Guard) -> Any:
        def call(_: Any, address: int, T: int, V: int) -> None:
            at = _s.dae_mechanical_at.from_address(address)
            kinetic, potential = function(
                at.t, *(_read(getattr(at, p), n[p]) for p in "qvuw" if n[p]))
            _write(T, [kinetic])
            _write(V, [potential])

        return guard.pointer(_pointers["dae_mechanical.energy"], call, "energy")

    def _watch(self, plan: Any, n: Mapping[str, int], guard: _Guard) -> None:
        """Sets events and outputs, which are functions of the whole state vector."""
        there = [part for part in self._PARTS if n[part]]
        offset = dict(zip(there, itertools.accumulate((8 * n[part] for part in there), initial=0)))
        moving = [part for part in self._MOVING if n[part]]

        def parts(y: int) -> list[Any]:
            return [_read(y + offset[part], n[part]) for part in there]

        def act(action: Callable, t: float, before: int, after: int) -> None:
            values = action(t, *parts(before))
            values = values if len(moving) > 1 else [values]
            if len(values) != len(moving):
                raise ValueError(f"action returns {len(values)} blocks, expected: "
                                 f"{', '.join(moving)}")
            for part, new in zip(moving, values):
                _write(after + offset[part], _flat(new, n[part], None, None, f"action ({part})"))

        def ahead(instants: Callable, t: float, end: float, out: int) -> None:
            found = instants(t)
            _write(out, [math.inf if found is None or found > end else float(found)])

        def event(e: Event) -> Any:
            instants = e._instants(plan.start.t)
            return _s.dae_event(name=e.name and _bytes(e.name)).put(
                direction=e.direction, stop=bool(e.stop),
                value=e.value and guard.pointer(_pointers["dae_event.value"], lambda _, t, y, out:
                                                _write(out, [float(e.value(t, *parts(y)))])),
                next=instants and guard.pointer(_pointers["dae_event.next"],
                                                lambda _, t, end, y, out:
                                                ahead(instants, t, end, out)),
                action=e.action and guard.pointer(_pointers["dae_event.action"],
                                                  lambda _, *at: act(e.action, *at)))

        events, functions = list(map(event, self.events)), list(self.outputs.values())
        plan.kept["each"] = events
        plan.put(events=(_s.dae_event * len(events))(*events), event_count=len(events),
                 outputs=len(functions),
                 output_names=_names(self.outputs),
                 output=guard.pointer(_pointers["dae_run_plan.output"], lambda _, t, y, out:
                                      _write(out, [float(f(t, *parts(y))) for f in functions])))


class Mechanical(_Form):
    """A mechanical problem by callbacks:

        M(t,q,v) v' + G' lambda + K' psi = f(t,q,v,u,w)    G = dg/dq, K = dk/dv
        0  = g(t,q)                                        holonomic constraints
        0  = k(t,q,v)                                      nonholonomic constraints
        u' = s(t,q,v,u,w)                                  extra states
        0  = c(t,q,v,u,w)                                  algebraic variables w

    or by momenta p(t,q,v) and F instead of M and f. Required are M and f, and those of g, k, s, c
    that the problem has. Functions get these arguments, u and w only if the problem has them, and
    return sequences; a matrix by rows, a vector of one entry also as a number. M may be a constant
    matrix. Derivatives are optional, missing ones are formed by differences: G(t,q), g_t(t,q), K,
    gamma, kappa, p_rate, k_q, gdot_q(t,q,v), J(t,q,v,u,w) = d(f,s,c)/d(q,v,u,w), Ms_qv(t,q,v,s),
    Gts_q(t,q,s), Kts_qv(t,q,v,s), Bts_qv(t,q,v,s), as in include/daedal/mechanical.h. energy(t,q,v,u,w) returns T
    and V.

    B(t,q,v)               directions of the constraint forces, B'(lambda, psi), in place of [G; K]
    nq, ng, nk, nu, nw     sizes that do not follow from names, the start, g and k
    q_names, u_names, w_names, g_names, k_names     names in columns and messages
    constant_mass, time_free_g     M is constant, g does not depend on t
    conservative           v.p - T + V is constant: gauss and auto keep it so
    M_pattern, G_pattern, K_pattern, J_pattern, Ms_pattern, Gts_pattern, k_q_pattern, Kts_pattern,
    B_pattern, Bts_pattern
               sparsity, by matrices with the same nonzero entries: fewer evaluations for
               differences, sparse factorisations
    events     a list of Event
    outputs    {"name": function}: additional columns; functions of the arguments of Event.value
    """
    _STRUCT, _MEMBER = "dae_mechanical", "mechanical"
    _PARTS = {"q": "q", "v": "q", "u": "u", "w": "w", "lambda": "g", "psi": "k"}
    _MOVING = ("q", "v", "u")
    _OTHERS = ("q_names", "u_names", "w_names", "g_names", "k_names", "energy", "constant_mass",
               "time_free_g", "conservative", "M_pattern", "G_pattern", "K_pattern", "J_pattern",
               "Ms_pattern", "Gts_pattern", "k_q_pattern", "Kts_pattern", "B_pattern",
               "Bts_pattern")
    _CALLBACKS = {
        "M": ("qv", "q", "q"), "f": ("qvuw", "q"), "p": ("qv", "q"), "F": ("qvuw", "q"),
        "p_rate": ("qv", "q"), "s": ("qvuw", "u"), "c": ("qvuw", "w"), "g": ("q", "g"),
        "k": ("qv", "k"), "G": ("q", "g", "q"), "g_t": ("q", "g"), "K": ("qv", "k", "q"),
        "gamma": ("qv", "g"), "kappa": ("qv", "k"), "J": ("qvuw", "quw", "qvuw"),
        "Ms_qv": ("qv", "q", "qv", "q"), "Gts_q": ("q", "q", "q", "g"), "gdot_q": ("qv", "g", "q"),
        "k_q": ("qv", "k", "q"), "Kts_qv": ("qv", "q", "qv", "k"),
        "B": ("qv", "gk", "q"), "Bts_qv": ("qv", "q", "qv", "gk")}


class SemiExplicit(_Form):
    """Differential equations with algebraic variables y: M(t,x) x' = f(t,x,y), 0 = F(t,x,y).

    Required are f, and F if there are y. M is the identity by default, and may be singular.
    Functions get y only if the problem has them. J(t,x,y) = d(f,F)/d(x,y), F_t(t,x,y) and
    Ms_x(t,x,s), as in include/daedal/semi_explicit.h, are formed by differences if missing.

    nx, ny, x_names, y_names, constant_mass, M_pattern, J_pattern, Ms_pattern, events, outputs
                         as in Mechanical
    time_free            no function depends on t
    f_names, F_names     names of equations in messages
    index                1 to 3, 0: determined at the start
    """
    _STRUCT, _MEMBER = "dae_semi_explicit", "semi_explicit"
    _PARTS = {"x": "x", "y": "y"}
    _MOVING = ("x",)
    _OTHERS = ("x_names", "y_names", "f_names", "F_names", "constant_mass", "time_free", "index",
               "M_pattern", "J_pattern", "Ms_pattern")
    _CALLBACKS = {"f": ("xy", "x"), "F": ("xy", "y"), "M": ("x", "x", "x"), "J": ("xy", "xy", "xy"),
                  "F_t": ("xy", "y"), "Ms_x": ("x", "x", "x", "x")}


# ---- single steps ----


class Integrator:
    """Single steps of a method on a problem (with a start, see Mechanical.run) or a model, without
    events and outputs.

    names             names of the entries of the state vector
    t, t_previous     end and start of the last step
    h_next, order     size of the next step, order of the last step
    y                 state vector at t
    stats             statistics, as in a summary
    """

    def __init__(self, problem: Model | Mechanical | SemiExplicit, start: Any = None, *,
                 t0: float = 0.0, fixed: Iterable[str] = (), method: str | None = None,
                 **options: Any) -> None:
        self._problem, self._system = problem, problem._system(start, t0, fixed)
        self._choice, self._it = self._system.choose(method, options), c_void_p()
        self.names = self._system.names()
        self._system.call(_pointers["dae_method.create"](self._choice.method.create),
                          self._system.problem, byref(self._system.plan.start),
                          self._choice.options, None, byref(self._it))
        weakref.finalize(self, _lib.dae_integrator_free, self._it)

    t = property(lambda self: _lib.dae_integrator_view(self._it).t)
    t_previous = property(lambda self: _lib.dae_integrator_view(self._it).t_previous)
    h_next = property(lambda self: _lib.dae_integrator_view(self._it).h_next)
    order = property(lambda self: _lib.dae_integrator_view(self._it).order)
    y = property(lambda self: self.interpolate(self.t))
    stats = property(lambda self: _stats(_lib.dae_integrator_stats(self._it)))

    @property
    def limits(self) -> dict[str, dict[str, int]]:
        """How often each variable limited steps and iterations, without variables that never did."""
        counts = {name: _dict(_lib.dae_integrator_limits(self._it, i)) for i, name in enumerate(self.names)}
        return {name: count for name, count in counts.items() if any(count.values())}

    def step(self, stop: float) -> bool:
        """Takes one accepted step that does not pass stop; returns whether it ends there."""
        return self._system.call(_lib.dae_integrator_step, self._it, stop) == _END

    def interpolate(self, t: float, rates: bool = False) -> Any:
        """Dense output: state vector at t within the last step; with rates also its derivative."""
        y, dy = ((c_double * max(self._system.size, 1))() for _ in range(2))
        self._system.call(_lib.dae_integrator_interpolate, self._it, t, y, dy if rates else None)
        return (_vector(y), _vector(dy)) if rates else _vector(y)


class Simulation:
    """A run in steps, of a model or a problem (with a start, see Mechanical.run): with events, rows
    and summary. Where it is advanced to, read and saved has no influence on its steps.

    names     names of the columns
    t         time that the run has reached
    y         state vector there, followed by the held values
    row       values of the columns there: {"t": 0.1, "x": 1.2}
    done      whether the end or a terminal event is reached

    Options are those of daedal.run, without report, verify and check_error. A model belongs to one
    simulation at a time.
    """

    def __init__(self, problem: Model | Mechanical | SemiExplicit, to: float | None = None, *,
                 start: Any = None, t0: float = 0.0, fixed: Iterable[str] = (),
                 method: str | None = None, every: float | None = None,
                 times: Sequence[float] | None = None, sweep: Sequence[str] | None = None,
                 progress: Callable[[float], Any] | None = None, **options: Any) -> None:
        self._problem, self._system = problem, problem._system(start, t0, fixed)
        self._choice, self._run = self._system.choose(method, options, sweep), c_void_p()
        self._plan = _plan(self._system, to, self._choice, every, times, progress)
        self._names: list[str] = []
        self._data, self.done = bytearray(), False
        sink = _rows(self._system.guard, self._names, self._data)
        self._plan.put(sinks=(_s.dae_sink * 1)(sink), sink_count=1)
        self._sink = sink
        self._system.call(_lib.dae_simulation_create, byref(self._plan), None, byref(self._run))
        self._free = weakref.finalize(self, _lib.dae_simulation_free, self._run)
        at = c_void_p()
        count = _lib.dae_simulation_columns(self._run, byref(at))
        self.names = list(map(_str, (c_char_p * count).from_address(at.value)))

    t = property(lambda self: _lib.dae_simulation_time(self._open()))

    def _open(self) -> Any:
        if not self._free.alive:
            raise ValueError("the simulation is finished")
        return self._run

    def advance(self, t: float) -> bool:
        """Advances to t, at most to the end; returns whether the run is done."""
        status = self._system.call(_lib.dae_simulation_advance, self._open(), t)
        self.done = status > 0
        return self.done

    def step(self) -> bool:
        """Takes one step with its events; returns whether the run is done."""
        self.done = self._system.call(_lib.dae_simulation_step, self._open()) > 0
        return self.done

    @property
    def y(self) -> Any:
        y = (c_double * max(self._system.size + self._plan.problem.held.count, 1))()
        self._system.call(_lib.dae_simulation_state, self._open(), y)
        return _vector(y)

    @property
    def row(self) -> dict[str, float]:
        row = _s.dae_row()
        self._system.call(_lib.dae_simulation_row, self._open(), byref(row))
        return dict(zip(self.names, (c_double * row.columns).from_address(row.values)))

    def save(self) -> bytes:
        """The whole run so far, with its rows: a simulation of the same model and options, also in
        another process, goes on from it to the same bits."""
        size = _lib.dae_simulation_save_size(self._open())
        buffer = ctypes.create_string_buffer(size)
        self._system.call(_lib.dae_simulation_save, self._run, buffer, size)
        return buffer.raw

    def load(self, saved: bytes) -> None:
        """Goes to a saved state, back or forward."""
        buffer = ctypes.create_string_buffer(bytes(saved), len(saved))
        self._system.call(_lib.dae_simulation_load, self._open(), buffer, len(saved))
        self.done = False

    def finish(self) -> Result:
        """Ends the run where it is; returns its rows and its summary."""
        summary, record = _s.dae_summary(), _s.dae_error()
        with self._system.guard:
            status = _lib.dae_simulation_finish(self._open(), byref(summary), byref(record))
        self._free()
        result = Result(self.names, self._data, summary)
        if status < 0:
            self._system.locate(record, ())
        self._system.guard.check(status, record, result)
        return result


# ---- solve_ivp ----


class Solution(dict):
    """Result of solve_ivp: t, y (a row for each variable), t_events, y_events, sol, nfev, njev,
    nlu, status, message, success; also as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class DenseOutput:
    """The solution as a function of t, a number or a sequence. Stored are values of the method's
    interpolant at Chebyshev points of every step, as many as its degree requires: the dense output
    is reproduced up to round-off."""

    def __init__(self, n: int, sign: float) -> None:
        self._n, self._sign, self._ends, self._pieces = n, sign, [], []

    def add(self, it: Integrator) -> None:
        a, b, last = it.t_previous, it.t, it.order + 3
        nodes = [(a + b) / 2 - (b - a) / 2 * math.cos(math.pi * k / last) for k in range(last + 1)]
        nodes[0], nodes[-1] = a, b
        self._ends.append(b)
        self._pieces.append((nodes, [it.interpolate(t)[:self._n] for t in nodes]))

    def _at(self, t: float) -> Any:
        nodes, states = self._pieces[min(bisect_left(self._ends, t), len(self._ends) - 1)]
        if t in nodes:
            return states[nodes.index(t)]
        # barycentric formula
        weights = [(-1) ** k / (t - node) for k, node in enumerate(nodes)]
        weights[0], weights[-1] = weights[0] / 2, weights[-1] / 2
        total = sum(weights)
        return _vector([sum(w * y[i] for w, y in zip(weights, states)) / total
                        for i in range(self._n)])

    def __call__(self, t: Any) -> Any:
        if _shape(t) == ():
            return self._at(self._sign * t)
        return _by_variable([self._at(self._sign * x) for x in t], self._n)


def _by_variable(states: Sequence[Any], n: int) -> Any:
    if numpy is not None:
        return numpy.array(states, dtype=float).reshape(-1, n).T
    return [array("d", (y[i] for y in states)) for i in range(n)]


def _root(f: Callable[[float], float], a: float, fa: float, b: float, fb: float) -> float:
    """Zero between a and b to round-off: false position (Illinois), every third step bisected."""
    for k in itertools.count():
        if fb == 0 or abs(b - a) <= 4 * sys.float_info.epsilon * max(abs(a), abs(b)):
            return b
        c = (a + b) / 2 if k % 3 == 2 else b - fb * (b - a) / (fb - fa)
        fc = f(c)
        a, fa = (b, fb) if fc * fb <= 0 else (a, fa / 2)
        b, fb = c, fc


_SCIPY = {"RK45": ("explicit", {"order": 5}), "DOP853": ("explicit", {"order": 8}),
          "Radau": ("radau", {}), "BDF": ("bdf", {}), "LSODA": ("switching", {})}
_GIVEN_UP = {"DAE_ERROR_STEP", "DAE_ERROR_SINGULAR", "DAE_ERROR_RECOVERABLE"}


class _Watch:
    """An event of solve_ivp: sign changes of its value, located in four intervals of every step. A
    zero at the start is not a sign change."""

    def __init__(self, event: Callable, value: Callable[[float], float], t: float) -> None:
        self.direction = getattr(event, "direction", 0)
        self.limit = int(getattr(event, "terminal", False))
        self.times: list[float] = []
        self.states: list[Any] = []
        self.of, self.t, self.value = value, t, value(t)
        self.side = (self.value > 0) - (self.value < 0)

    def crossings(self, a: float, b: float) -> Iterator[float]:
        for t in (a + (b - a) / 4, (a + b) / 2, b - (b - a) / 4, b):
            value, side = self.of(t), self.side
            if not math.isfinite(value):
                raise ValueError(f"the value of an event is {value}")
            crossed = side * value < 0 or (value == 0 and self.value != 0)
            if crossed and side and self.direction * side <= 0:
                yield _root(self.of, self.t, self.value, t, value)
            self.t, self.value = t, value
            self.side = (value > 0) - (value < 0) or (-side if crossed else side)


def _problem(fun: Callable, back: bool, na: int, jac: Any, jac_sparsity: Any, mass: Any,
             algebraic: Any) -> SemiExplicit:
    """Problem of solve_ivp, by functions of (t, y); of -t for a backward span."""
    sign = -1.0 if back else 1.0

    def whole(x: Any, *y: Any) -> Any:
        return x if not na else x + y[0] if numpy is None else numpy.concatenate((x, *y))

    def rates(t: float, *parts: Any) -> Any:
        r = fun(sign * t, whole(*parts))
        return [-v for v in r] if back else r

    def slopes(t: float, *parts: Any) -> Any:
        rows = _full(jac(sign * t, whole(*parts)) if callable(jac) else jac)
        return [[-v for v in row] if i < len(rows) - na else row
                for i, row in enumerate(rows)] if back else rows

    return SemiExplicit(
        f=rates, F=(lambda t, *parts: algebraic(sign * t, whole(*parts))) if na else None,
        M=(lambda t, x: mass(sign * t, x)) if callable(mass) else mass,
        J=None if jac is None else slopes, J_pattern=jac_sparsity)


def _integrate(it: Integrator, end: float, n: int, grid: list[float] | None, watches: list[_Watch],
               dense: DenseOutput | None) -> tuple[list[float], list[Any], int, str]:
    """Integrates to the end or a terminal event; returns times, states, status, message."""
    times, states = ([], []) if grid is not None and grid[:1] != [it.t] else ([it.t], [it.y[:n]])
    done = 1 if times and grid is not None else 0
    while it.t < end:
        try:
            it.step(end)
        except Error as error:
            if error.status not in _GIVEN_UP:
                raise
            return times, states, -1, str(error)
        stop, terminal = it.t, False
        if dense:
            dense.add(it)
        for t, watch in sorted(((t, w) for w in watches for t in w.crossings(it.t_previous, it.t)),
                               key=lambda found: found[0]):
            if t > stop:
                break
            watch.times.append(t)
            watch.states.append(it.interpolate(t)[:n])
            if len(watch.times) == watch.limit:
                stop, terminal = t, True
        while grid is not None and done < len(grid) and grid[done] <= stop:
            times.append(grid[done])
            states.append(it.interpolate(grid[done])[:n])
            done += 1
        if grid is None:
            times.append(stop)
            states.append(it.interpolate(stop)[:n])
        if terminal:
            return times, states, 1, "a terminal event ended the run"
    return times, states, 0, "the end of t_span is reached"


def solve_ivp(fun: Callable, t_span: Sequence[float], y0: Sequence[float], method: str = "auto",
              t_eval: Sequence[float] | None = None, dense_output: bool = False, events: Any = None,
              vectorized: bool = False, args: Sequence[Any] | None = None, *, jac: Any = None,
              jac_sparsity: Any = None, mass: Any = None, algebraic: Callable | None = None,
              rtol: float = 1e-3, atol: Any = 1e-6, **options: Any) -> Solution:
    """Solves y' = fun(t, y) with the interface of scipy.integrate.solve_ivp, by methods of daedal
    (SciPy's names RK45, DOP853, Radau, BDF, LSODA select similar methods). Additional arguments:

    mass         M(t, y) y' = fun(t, y): a matrix or a function; it may be singular
    algebraic    0 = algebraic(t, y), for the last variables of y, of the same number; fun returns
                 the rates of the other variables. The index is 1 or 2

    atol may be an array, of one tolerance for each variable. Options (first_step, max_step, ...) are
    those of the method.
    """
    t0, end = (float(t) for t in t_span)
    back, y0 = end < t0, _vector(y0)
    sign, n, calls = -1.0 if back else 1.0, len(y0), itertools.count()
    grid = None if t_eval is None else [sign * float(t) for t in t_eval]
    if grid and not (sign * t0 <= grid[0] and grid[-1] <= sign * end
                     and all(a < b for a, b in zip(grid, grid[1:]))):
        raise ValueError("t_eval is not sorted, or not within t_span")
    if vectorized and numpy is None:
        raise ValueError("vectorized functions need numpy")

    def bound(function: Any) -> Any:
        return (lambda t, y: function(t, y, *(args or ()))) if callable(function) else function

    def rates(t: float, y: Any) -> Any:
        next(calls)
        return fun(t, y[:, None], *(args or ()))[:, 0] if vectorized else fun(t, y, *(args or ()))

    na = math.prod(_shape(algebraic(t0, y0, *(args or ())))) if algebraic else 0
    problem = _problem(rates, back, na, bound(jac), jac_sparsity, bound(mass), bound(algebraic))
    name, preset = _SCIPY.get(method, (method, {}))
    given = {key: 0 if value == math.inf else value for key, value in options.items()
             if value is not None}
    it = Integrator(problem, {"x": y0[:n - na], "y": y0[n - na:]}, t0=sign * t0,
                    method=name, rtol=rtol, atol=atol, **{**preset, **given})
    watches = [_Watch(e, lambda t, e=bound(e): float(e(sign * t, it.interpolate(t)[:n])), it.t)
               for e in ([events] if callable(events) else events or ())]
    dense = DenseOutput(n, sign) if dense_output else None
    times, states, status, message = _integrate(it, sign * end, n, grid, watches, dense)
    stats = it.stats
    return Solution(
        t=_array([sign * t for t in times]), y=_by_variable(states, n), sol=dense,
        t_events=[_array([sign * t for t in w.times]) for w in watches] if events else None,
        y_events=[w.states if numpy is None else numpy.array(w.states) for w in watches]
        if events else None,
        nfev=next(calls), njev=stats["jacobians"], nlu=stats["factorisations"], status=status,
        message=message, success=status >= 0)
