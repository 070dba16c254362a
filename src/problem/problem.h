/* Functions shared by the four forms of a problem: status of callbacks, validation. */
#ifndef DAEDAL_PROBLEM_PROBLEM_H
#define DAEDAL_PROBLEM_PROBLEM_H

#include <daedal/problem.h>

/* Status for the return value `code` of a user's callback: 0 success, > 0 the point is refused
 * (DAE_ERROR_RECOVERABLE), < 0 failure (DAE_ERROR_CALLBACK). why: error that the callback itself
 * reported; NULL or without a status: none. */
dae_status dae__callback_status(const dae_error *why, int code, const char *callback, double t,
                                dae_error *err);

/* text = names[i], or letter[i + 1] without one; returns text. */
const char *dae__name_or_number(const char *const *names, const char *letter, int i, char *text,
                                size_t size);

/* scale_i, i < n: absolute tolerance of entry i of the state vector relative to that of the
 * options, atol; 1 where the problem gives none, and behind the state vector. */
void dae__problem_atol_scale(const dae_problem *p, double atol, int n, double *scale);

/* Return value of a callback for a status, the inverse of dae__callback_status. */
int dae__callback_code(dae_status status);

/* A part as a problem of its own. */
dae_problem dae__problem_of_part(const dae_part *part);
/* Number of entries of the state vector of part i, or of joint i - parts. */
int dae__coupled_element_size(const dae_coupled *c, int i);

/* Validation of a coupled problem and its parts; see dae_problem_validate. */
dae_status dae__coupled_validate(const dae_coupled *p, dae_error *err);

#endif
