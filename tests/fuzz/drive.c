/* Feeds the target with the files of a folder and with mutants of them: bytes changed, taken out or
 * doubled, words exchanged, pieces of one file in another, other numbers. The mutants are the same
 * in every run: their number is what is asked for, not their time.
 *
 *   fuzz_model FOLDER [COUNT [FIRST]]
 *
 * A mutant that crashes is named by its number; FOLDER 1 NUMBER shows it and feeds it again. */
#include "fuzz_model.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 256, LARGEST = 16384, COUNT = 20000 };

typedef struct bytes {
  uint8_t *data;
  size_t size;
} bytes;

static bytes corpus[MOST_FILES];
static size_t files;

/* ---- numbers that are the same everywhere ---- */

static uint64_t state;

static uint64_t draw(void) /* splitmix64 */
{
  uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static size_t below(size_t limit)
{
  return limit > 0 ? (size_t)(draw() % limit) : 0;
}

/* ---- the corpus ---- */

static int by_name(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_file(const char *path, bytes *out)
{
  FILE *in = fopen(path, "rb");
  out->data = in ? malloc(LARGEST) : NULL;
  if (!out->data) {
    if (in)
      fclose(in);
    return -1;
  }
  out->size = fread(out->data, 1, LARGEST, in);
  fclose(in);
  return 0;
}

/* all files of a folder, in the order of their names: that of the folder is not always the same */
static int read_corpus(const char *folder)
{
  char *names[MOST_FILES], path[1024];
  size_t count = 0;
  DIR *all = opendir(folder);
  if (!all)
    return -1;
  for (struct dirent *e; count < MOST_FILES && (e = readdir(all));)
    if (e->d_name[0] != '.' && (names[count] = strdup(e->d_name)))
      count++;
  closedir(all);
  qsort(names, count, sizeof *names, by_name);
  for (size_t i = 0; i < count; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    files += read_file(path, &corpus[files]) == 0;
    free(names[i]);
  }
  return files > 0 ? 0 : -1;
}

/* ---- mutations ---- */

/* replaces [from, from + length) of the text by a piece */
static void replace(bytes *text, size_t from, size_t length, const uint8_t *piece, size_t size)
{
  uint8_t copy[LARGEST];
  if (size > LARGEST || text->size - length + size > LARGEST)
    return;
  memcpy(copy, piece, size); /* it may stand in the text itself */
  memmove(text->data + from + size, text->data + from + length, text->size - from - length);
  memcpy(text->data + from, copy, size);
  text->size += size - length;
}

/* a piece of a text: up to `most` bytes, or the word or sign at a place */
static void pick(const bytes *text, size_t most, size_t *from, size_t *length)
{
  *from = below(text->size);
  *length = 1 + below(most);
  if (*length > text->size - *from)
    *length = text->size - *from;
}

static int is_word(uint8_t c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c > 127;
}

static void pick_token(const bytes *text, size_t *from, size_t *length)
{
  *from = below(text->size);
  *length = text->size > 0;
  if (text->size == 0 || !is_word(text->data[*from]))
    return;
  while (*from > 0 && is_word(text->data[*from - 1]))
    --*from;
  while (*from + *length < text->size && is_word(text->data[*from + *length]))
    ++*length;
}

static void change_byte(bytes *text)
{
  if (text->size > 0)
    text->data[below(text->size)] ^= (uint8_t)(1u << below(8));
}

static void take_out(bytes *text)
{
  size_t from, length;
  pick(text, 12, &from, &length);
  replace(text, from, length, text->data, 0);
}

static void repeat(bytes *text)
{
  size_t from, length;
  pick(text, 60, &from, &length);
  replace(text, from, 0, text->data + from, length);
}

/* a token of the same kind in another place: a name, a number, a sign */
static void pick_like(const bytes *text, uint8_t sample, size_t *from, size_t *length)
{
  for (int i = 0; i < 12; i++) {
    pick_token(text, from, length);
    uint8_t c = *length > 0 ? text->data[*from] : 0;
    int digit = c >= '0' && c <= '9', wanted = sample >= '0' && sample <= '9';
    if (c > ' ' && is_word(c) == is_word(sample) && digit == wanted)
      return;
  }
}

static void exchange_tokens(bytes *text)
{
  size_t from, length, other, size;
  pick_token(text, &from, &length);
  pick_like(text, length > 0 ? text->data[from] : 0, &other, &size);
  replace(text, from, length, text->data + other, size);
}

/* a line of a text, with its end */
static void pick_line(const bytes *text, size_t *from, size_t *length)
{
  *from = below(text->size);
  *length = 0;
  while (*from > 0 && text->data[*from - 1] != '\n')
    --*from;
  while (*from + *length < text->size && text->data[*from + *length] != '\n')
    ++*length;
  *length += *from + *length < text->size;
}

/* a line of this file or another one, before another line or in its place */
static void foreign_line(bytes *text)
{
  const bytes *other = below(2) ? &corpus[below(files)] : text;
  size_t from, length, at, size;
  pick_line(other, &from, &length);
  pick_line(text, &at, &size);
  replace(text, at, below(2) ? size : 0, other->data + from, length);
}

static void splice(bytes *text)
{
  const bytes *other = &corpus[below(files)];
  size_t from, length;
  pick(other, 120, &from, &length);
  replace(text, below(text->size + 1), 0, other->data + from, length);
}

static void foreign_token(bytes *text)
{
  const bytes *other = &corpus[below(files)];
  size_t from, length, at, size;
  pick_token(text, &at, &size);
  pick_like(other, size > 0 ? text->data[at] : 0, &from, &length);
  replace(text, at, size, other->data + from, length);
}

/* another number, or a sign of the language, for a token */
static void hard_token(bytes *text)
{
  static const char *const hard[] = {"0",
                                     "-1",
                                     "1e308",
                                     "1e-320",
                                     "999999999",
                                     "2147483648",
                                     "1.",
                                     "1..2",
                                     "(",
                                     ")",
                                     "[",
                                     "]",
                                     "{",
                                     "}",
                                     "'",
                                     "''",
                                     "^",
                                     "^-",
                                     "..",
                                     ".",
                                     "=",
                                     "==",
                                     ";",
                                     "\n",
                                     "\"",
                                     "#",
                                     ",",
                                     ":",
                                     "\0",
                                     "\xFF",
                                     "&&",
                                     "!",
                                     "t",
                                     "pi",
                                     "i",
                                     "j",
                                     "x'",
                                     "lambda(",
                                     "psi(",
                                     "sum(i in 1..",
                                     "0/0",
                                     "1/0",
                                     "log(-1)",
                                     "if(",
                                     "for i in 1..3 {",
                                     "system S[k in 1..2] {",
                                     "rate",
                                     "fixed",
                                     "alg ",
                                     "state ",
                                     "coord ",
                                     "let ",
                                     "param ",
                                     "output ",
                                     "kinetic",
                                     "potential",
                                     "event e: ",
                                     "joint ",
                                     "constraint ",
                                     "import \"x\"",
                                     "simulate to 1"};
  const char *word = hard[below(sizeof hard / sizeof *hard)];
  size_t from, length;
  pick_token(text, &from, &length);
  replace(text, from, below(2) ? length : 0, (const uint8_t *)word, word[0] ? strlen(word) : 1);
}

static void mutate(bytes *text)
{
  static void (*const ways[])(bytes *) = {
      change_byte,     take_out,     repeat,     exchange_tokens, foreign_line, splice,
      exchange_tokens, foreign_line, hard_token, foreign_token,   foreign_line};
  for (size_t i = 1 + below(3); i > 0; i--)
    ways[below(sizeof ways / sizeof *ways)](text);
}

/* ---- the run ---- */

static long current = -1; /* the mutant at hand; -1: a file of the corpus */

/* the sanitizers ask for these: what they find ends in SIGABRT, so that the mutant can be named */
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *__asan_default_options(void)
{
  return "abort_on_error=1";
}

const char *__ubsan_default_options(void)
{
  return "abort_on_error=1";
}

static void name_current(int signal_number)
{
  (void)signal_number;
  if (current >= 0)
    fprintf(stderr, "fuzz_model: this was mutant %ld\n", current);
  else
    fprintf(stderr, "fuzz_model: this was a file of the corpus\n");
}

/* exactly as long as the input, so that reading beyond it is seen */
static void feed(const bytes *text)
{
  uint8_t *data = malloc(text->size > 0 ? text->size : 1);
  if (!data)
    abort();
  memcpy(data, text->data, text->size);
  LLVMFuzzerTestOneInput(data, text->size);
  free(data);
}

static void feed_mutant(unsigned long number, int shown)
{
  static uint8_t memory[LARGEST];
  state = number * 0x2545F4914F6CDD1Du;
  const bytes *seed = &corpus[below(files)];
  bytes text = {memory, seed->size};
  memcpy(memory, seed->data, seed->size);
  mutate(&text);
  if (shown)
    fwrite(text.data, 1, text.size, stdout);
  fflush(stdout);
  current = (long)number;
  feed(&text);
}

int main(int argc, char **argv)
{
  unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : COUNT;
  unsigned long first = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
  if (argc < 2 || read_corpus(argv[1])) {
    fprintf(stderr, "fuzz_model: FOLDER [COUNT [FIRST]]: a folder with models is needed\n");
    return 2;
  }
  signal(SIGABRT, name_current);
  for (size_t i = 0; i < files; i++)
    feed(&corpus[i]);
  for (unsigned long i = first; i < first + count; i++)
    feed_mutant(i, count == 1);
  printf("fuzz_model: %zu files and %lu mutants\n", files, count);
  for (size_t i = 0; i < files; i++)
    free(corpus[i].data);
  return 0;
}
