/** @file
 * Option tables: one description of a method's options for validation, command line and
 * documentation. An option struct is plain data returned by value from a defaults function; its
 * table has the offset and the admissible values of each field. */
#ifndef DAEDAL_OPTIONS_H
#define DAEDAL_OPTIONS_H

#include <daedal/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Type of a field. */
typedef enum dae_option_type {
  DAE_OPTION_DOUBLE, /**< a double */
  DAE_OPTION_INT,    /**< an int */
  DAE_OPTION_BOOL,   /**< stored as bool; text forms on/off, true/false, yes/no, 1/0 */
  DAE_OPTION_CHOICE  /**< stored as int: the index of the word in choices */
} dae_option_type;

/** One field of an option struct. */
typedef struct dae_option {
  const char *name;     /**< name in the option struct and, with - for _, on the command line */
  dae_option_type type; /**< type of the field */
  size_t offset;        /**< offset of the field in the option struct */
  double min;           /**< smallest admissible value; ignored for bool and choice */
  double max;           /**< largest admissible value; ignored for bool and choice */
  const char *const *choices; /**< words of a choice, NULL-terminated */
  const char *help;           /**< description in one line */
} dae_option;

/** All fields of an option struct that a method uses. */
typedef struct dae_option_table {
  const char *owner;         /**< name of the method in messages */
  const dae_option *options; /**< options in the order of the documentation */
  int count;                 /**< number of options */
} dae_option_table;

/** Refuses, with its name, the first field of opts that is out of range or not finite. */
dae_status dae_options_validate(const dae_option_table *table, const void *opts, dae_error *err);

/** Sets one field from text. An unknown name is refused with the nearest known one; '-' and '_'
 * in names are the same. */
dae_status dae_options_set(const dae_option_table *table, void *opts, const char *name,
                           const char *value, dae_error *err);

/** Writes the current value of option i as text, as dae_options_set reads it. */
void dae_options_get(const dae_option_table *table, const void *opts, int i, char *text,
                     size_t size);

/** Suggestion for a mistyped word: the nearest of the words name(list, 0 ... count - 1), the first
 * of several; NULL if none is near. Upper and lower case, and - and _, are the same. */
const char *dae_suggest(const char *word, int count, const char *(*name)(const void *list, int i),
                        const void *list);

#ifdef __cplusplus
}
#endif
#endif
