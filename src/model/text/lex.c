/* The lexer: a table of character classes, one function for each kind of token. */
#include "model/text/lex.h"
#include "core/number.h"
#include <string.h>

const char *const dae__token_texts[DAE__TOKEN_COUNT] = {
#define DAE__TOKEN_TEXT(lex_name, words) [DAE__TOKEN_##lex_name] = words,
    DAE__TOKEN_LIST(DAE__TOKEN_TEXT)
#undef DAE__TOKEN_TEXT
};

dae__lexer dae__lexer_create(dae__load *l, int file)
{
  dae__lexer x = {.l = l, .file = &l->files.item[file], .line = 1, .last = DAE__TOKEN_NEWLINE};
  if (x.file->length >= 3 && !memcmp(x.file->text, "\xEF\xBB\xBF", 3))
    x.at = 3; /* skips a byte order mark */
  return x;
}

/* ---- classes of characters ---- */

enum { D = 1, L = 2 }; /* classes: D digits; L letters, _ and bytes above 127 */
#define L16 L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L
/* clang-format off */
static const unsigned char class_of[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /*   ! ... / */
    D, D, D, D, D, D, D, D, D, D, 0, 0, 0, 0, 0, 0, /* 0 ... ? */
    0, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, /* @ ... O */
    L, L, L, L, L, L, L, L, L, L, L, 0, 0, 0, 0, L, /* P ... _ */
    0, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, /* ` ... o */
    L, L, L, L, L, L, L, L, L, L, L, 0, 0, 0, 0, 0, /* p ... ~ */
    L16, L16, L16, L16, L16, L16, L16, L16};
/* clang-format on */

static bool lex_is_digit(char c)
{
  return class_of[(unsigned char)c] == D;
}

static char lex_peek(const dae__lexer *x, int ahead)
{
  int at = x->at + ahead;
  return at < x->file->length ? x->file->text[at] : 0;
}

/* ---- newlines ---- */

/* Tests that a newline ends a statement: not inside brackets, nor after a token that needs more. */
static bool lex_ends_statement(const dae__lexer *x)
{
  switch (x->last) {
  case DAE__TOKEN_COMMA:
  case DAE__TOKEN_ASSIGN:
  case DAE__TOKEN_COLON:
  case DAE__TOKEN_OPEN_BLOCK:
  case DAE__TOKEN_RANGE:
  case DAE__TOKEN_DOT:
  case DAE__TOKEN_NEWLINE:
  case DAE__TOKEN_SEMICOLON:
    return false;
  default:
    return x->depth == 0 && x->last < DAE__TOKEN_POWER;
  }
}

/* Skips white space and comments; returns true at a newline that ends a statement. */
static bool lex_skip(dae__lexer *x)
{
  const char *text = x->file->text; /* zero-terminated, without other zero bytes */
  int at = x->at;
  for (; (unsigned char)text[at] <= '#'; at++) { /* characters above # start a token */
    if (text[at] == '#') {
      const char *end = memchr(text + at, '\n', (size_t)(x->file->length - at));
      at = (end ? (int)(end - text) : x->file->length) - 1;
    } else if (text[at] == '\n' && !lex_ends_statement(x)) {
      x->line++;
    } else if (text[at] != ' ' && text[at] != '\t' && text[at] != '\r') {
      break;
    }
  }
  x->at = at;
  return text[at] == '\n';
}

/* ---- brackets ---- */

/* Counts open brackets. Inside { } newlines end statements again: the bracket depth outside of a {
 * is saved until its }. */
static void lex_track_brackets(dae__lexer *x, const dae__token *token)
{
  switch (token->kind) {
  case DAE__TOKEN_OPEN:
  case DAE__TOKEN_OPEN_INDEX:
    x->depth++;
    break;
  case DAE__TOKEN_CLOSE:
  case DAE__TOKEN_CLOSE_INDEX:
    x->depth -= x->depth > 0;
    break;
  case DAE__TOKEN_OPEN_BLOCK:
    if (x->outer.count >= x->l->limits.max_depth) {
      dae__load_fail(x->l, token->place, "blocks are nested more than %d deep",
                     x->l->limits.max_depth);
    } else {
      *DAE__PUSH(x->l->scratch, &x->outer) = x->depth;
      if (dae__load_ok(x->l))
        x->depth = 0;
    }
    break;
  case DAE__TOKEN_CLOSE_BLOCK:
    x->depth = x->outer.count > 0 ? x->outer.item[--x->outer.count] : 0;
    break;
  default:
    break;
  }
}

/* ---- tokens ---- */

static void lex_digits(dae__lexer *x)
{
  while (lex_is_digit(lex_peek(x, 0)))
    x->at++;
}

/* Reads a number: 1, 1.5, .5, 1., 1e-3, but not the dots of 1..N. */
static void lex_number(dae__lexer *x, dae__token *token)
{
  char text[64];
  lex_digits(x);
  if (lex_peek(x, 0) == '.' && lex_peek(x, 1) != '.') {
    x->at++;
    lex_digits(x);
  }
  char e = lex_peek(x, 0), sign = lex_peek(x, 1);
  bool signed_power = (sign == '+' || sign == '-') && lex_is_digit(lex_peek(x, 2));
  if ((e == 'e' || e == 'E') && (lex_is_digit(sign) || signed_power)) {
    x->at += signed_power ? 2 : 1;
    lex_digits(x);
  }
  token->kind = DAE__TOKEN_NUMBER;
  token->length = x->at - (token->place - x->file->first);
  if (token->length >= (int)sizeof text) {
    dae__load_fail(x->l, token->place, "number with more than %d characters", (int)sizeof text - 1);
    return;
  }
  memcpy(text, x->file->text + x->at - token->length, (size_t)token->length);
  text[token->length] = 0;
  if (!dae__parse_double(text, &token->value))
    dae__load_fail(x->l, token->place, "the number %s overflows double precision", text);
  else if (class_of[(unsigned char)lex_peek(x, 0)] == L)
    dae__load_fail(x->l, x->file->first + x->at,
                   "a name directly after a number: write * between factors");
}

static void lex_name(dae__lexer *x, dae__token *token)
{
  const char *text = x->file->text;
  int from = x->at, to = from;
  while (class_of[(unsigned char)text[to]])
    to++;
  x->at = to;
  token->kind = DAE__TOKEN_NAME;
  token->length = to - from;
  if (text[from] == '_')
    dae__load_fail(x->l, token->place, "a name must start with a letter");
  else if (token->length > 255)
    dae__load_fail(x->l, token->place, "name with more than 255 characters");
}

static void lex_string(dae__lexer *x, dae__token *token)
{
  int from = ++x->at;
  while (x->at < x->file->length && lex_peek(x, 0) != '"' && lex_peek(x, 0) != '\n')
    x->at++;
  token->kind = DAE__TOKEN_STRING;
  token->length = x->at - from;
  if (lex_peek(x, 0) == '"')
    x->at++;
  else
    dae__load_fail(x->l, token->place, "unterminated string: a \" is missing at its end");
}

/* Tokens of one and of two characters, by their first character. */
static const struct {
  unsigned char alone, longer;
} signs[128] = {
    ['('] = {DAE__TOKEN_OPEN, 0},
    [')'] = {DAE__TOKEN_CLOSE, 0},
    ['['] = {DAE__TOKEN_OPEN_INDEX, 0},
    [']'] = {DAE__TOKEN_CLOSE_INDEX, 0},
    ['{'] = {DAE__TOKEN_OPEN_BLOCK, 0},
    ['}'] = {DAE__TOKEN_CLOSE_BLOCK, 0},
    [','] = {DAE__TOKEN_COMMA, 0},
    [':'] = {DAE__TOKEN_COLON, 0},
    [';'] = {DAE__TOKEN_SEMICOLON, 0},
    ['\''] = {DAE__TOKEN_RATE, 0},
    ['^'] = {DAE__TOKEN_POWER, 0},
    ['+'] = {DAE__TOKEN_PLUS, 0},
    ['-'] = {DAE__TOKEN_MINUS, 0},
    ['*'] = {DAE__TOKEN_TIMES, 0},
    ['/'] = {DAE__TOKEN_DIVIDE, 0},
    ['.'] = {DAE__TOKEN_DOT, DAE__TOKEN_RANGE},
    ['='] = {DAE__TOKEN_ASSIGN, DAE__TOKEN_EQUAL},
    ['<'] = {DAE__TOKEN_LESS, DAE__TOKEN_LESS_EQUAL},
    ['>'] = {DAE__TOKEN_MORE, DAE__TOKEN_MORE_EQUAL},
    ['!'] = {DAE__TOKEN_NOT, DAE__TOKEN_NOT_EQUAL},
    ['&'] = {0, DAE__TOKEN_AND},
    ['|'] = {0, DAE__TOKEN_OR},
};

static void lex_sign(dae__lexer *x, dae__token *token)
{
  char c = lex_peek(x, 0); /* an ASCII character, since bytes above 127 are letters */
  int alone = signs[(int)c].alone, longer = signs[(int)c].longer;
  bool both = longer && dae__token_texts[longer][1] == lex_peek(x, 1);
  token->kind = (dae__token_kind)(both ? longer : alone);
  token->length = both ? 2 : 1;
  x->at += token->length;
  if (token->kind != 0)
    return;
  if (c == '&' || c == '|')
    dae__load_fail(x->l, token->place, "a single %c is not an operator: write %c%c", c, c, c);
  else if (c == '%')
    dae__load_fail(x->l, token->place,
                   "unexpected character %%; the remainder of a division is mod(a, b)");
  else if ((unsigned char)c < ' ' || c == 127)
    dae__load_fail(x->l, token->place, "unexpected control character (code %d)", (unsigned char)c);
  else
    dae__load_fail(x->l, token->place, "unexpected character %c", c);
}

void dae__lexer_next(dae__lexer *x, dae__token *token)
{
  int before = x->at;
  bool line_ends = lex_skip(x);
  char c = x->file->text[x->at];
  *token = (dae__token){.kind = DAE__TOKEN_END,
                        .place = x->file->first + x->at,
                        .text = x->file->text + x->at,
                        .line = x->line};
  token->spaced = x->at > before;
  if (x->l->status || x->at >= x->file->length) {
    token->kind = DAE__TOKEN_END;
  } else if (line_ends) {
    token->kind = DAE__TOKEN_NEWLINE;
    x->at++;
    x->line++;
  } else if (class_of[(unsigned char)c] == L) {
    lex_name(x, token);
  } else if (lex_is_digit(c) || (c == '.' && lex_is_digit(lex_peek(x, 1)))) {
    lex_number(x, token);
  } else if (c == '"') {
    lex_string(x, token);
  } else {
    lex_sign(x, token);
  }
  if (x->l->status)
    token->kind = DAE__TOKEN_END;
  lex_track_brackets(x, token);
  x->last = token->kind;
}
