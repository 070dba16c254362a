/** @file
 * Option tables: one description of a method's options that serves validation, the command line
 * and the manual alike. An option struct is plain data returned by value from a defaults function;
 * its table says where each field lives and what it accepts. */
#ifndef DAEDAL_OPTIONS_H
#define DAEDAL_OPTIONS_H

#include <daedal/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a field is stored. */
typedef enum dae_option_type {
  DAE_OPTION_DOUBLE, /**< a double */
  DAE_OPTION_INT,    /**< an int */
  DAE_OPTION_BOOL,   /**< stored as bool; text forms on/off, true/false, yes/no, 1/0 */
  DAE_OPTION_CHOICE  /**< stored as int: the index of the word in choices */
} dae_option_type;

/** One field of an option struct. */
typedef struct dae_option {
  const char *name;     /**< as in the option struct and, with - for _, on the command line */
  dae_option_type type; /**< how it is stored */
  size_t offset;        /**< of the field in the option struct */
  double min; /**< of the accepted range, which includes its ends; ignored for bool and choice */
  double max; /**< of the accepted range */
  const char *const *choices; /**< words of a choice, NULL-terminated */
  const char *help;           /**< one line */
} dae_option;

/** All fields of an option struct that a method knows. */
typedef struct dae_option_table {
  const char *owner;         /**< the method's name, for messages */
  const dae_option *options; /**< in the order they are listed */
  int count;                 /**< of the options */
} dae_option_table;

/** Refuses the first field of opts that is out of range or not finite, naming it. */
dae_status dae_options_validate(const dae_option_table *table, const void *opts, dae_error *err);

/** Sets one field from text. An unknown name is refused with the nearest known one; '-' and '_'
 * in names are the same. */
dae_status dae_options_set(const dae_option_table *table, void *opts, const char *name,
                           const char *value, dae_error *err);

/** Writes the current value of option i as text, as dae_options_set reads it. */
void dae_options_get(const dae_option_table *table, const void *opts, int i, char *text,
                     size_t size);

/** Did you mean ...? The nearest of the words name(list, 0 ... count - 1), the first of several;
 * NULL if none is near enough to be meant. Upper and lower case, and - and _, are the same. */
const char *dae_suggest(const char *word, int count, const char *(*name)(const void *list, int i),
                        const void *list);

#ifdef __cplusplus
}
#endif
#endif
