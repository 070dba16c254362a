/* The stage system: its memory, and its evaluation. */
#include "onestep/spark/stages.h"
#include "core/error.h"
#include "core/vec.h"
#include "onestep/spark/decoupled.h"
#include "onestep/spark/full.h"

/* ---- creation ---- */

static dae__stage_values spark_stages_keep_values(dae__arena *arena, size_t s, size_t nt,
                                                  const dae__face *face)
{
  return (dae__stage_values){.Y = DAE__STATE(arena, double, (s + 2) * (size_t)face->ny),
                             .Z = DAE__STATE(arena, double, (s + 2) * (size_t)face->nz),
                             .L = DAE__STATE(arena, double, nt *(size_t)face->ng),
                             .Psi = DAE__STATE(arena, double, s *(size_t)face->nk)};
}

dae_status dae__stages_create(dae__arena *arena, const dae_spark_tableau *tableau,
                              const dae__spark_transform *transform, const dae__face *face,
                              dae__stages *out, dae_error *err)
{
  size_t s = (size_t)tableau->s, ny = (size_t)face->ny, nz = (size_t)face->nz;
  size_t ng = (size_t)face->ng, nk = (size_t)face->nk;
  dae__stages *st = out;
  *st = (dae__stages){.tableau = tableau,
                      .transform = transform,
                      .face = *face,
                      .s = tableau->s,
                      .nt = tableau->nt,
                      .env = dae__arena_env(arena)};
  st->memory = DAE__STATE(arena, dae__stages_memory, 1);
  st->last = spark_stages_keep_values(arena, s, (size_t)tableau->nt, face);
  st->half = spark_stages_keep_values(arena, s, (size_t)tableau->nt, face);
  st->now = spark_stages_keep_values(arena, s, (size_t)tableau->nt, face);
  const struct {
    double **values;
    size_t count;
  } all[] = {{&st->V, s * ny},        {&st->p0, nz},           {&st->p, (s + 1) * nz},
             {&st->f, s * nz},        {&st->r, (s + 1) * nz},  {&st->g, (s + 1) * ng},
             {&st->k, (s + 1) * nk},  {&st->Yt, ny},           {&st->R5, (s + 1) * nz},
             {&st->R6, (s + 1) * ng}, {&st->R7, (s + 1) * nk}, {&st->x, (s + 1) * (nz + ng + nk)},
             {&st->node, s + 2},      {&st->moved, s * ny},    {&st->D, s * (nz + ng + nk + ny)}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    *all[i].values = DAE__ALLOC(arena, double, all[i].count);
  st->xi = DAE__ALLOC(arena, double complex, nz + ng + nk + ny);
  st->at = DAE__ALLOC(arena, int, s + 2);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae__stages_prepare(st);
  return transform ? DAE_OK : dae__full_create(arena, tableau, &st->face, &st->full, err);
}

void dae__stages_free(dae__stages *st)
{
  dae__full_free(st->full);
  dae__arena_free(st->full_arena);
}

dae_status dae__stages_reload(dae__stages *st)
{
  const dae__face *c = &st->face;
  const dae__stages_memory *m = st->memory;
  dae_status status = m->factored ? c->matrices->reload(c->self) : DAE_OK;
  if (!status && m->blocks)
    status = dae__decoupled_reload(c->richer);
  if (!status && m->whole && !st->transform) /* else it forgets from step to step */
    status = dae__full_reload(st->full);
  return status;
}

/* ---- evaluation ---- */

dae__face_at dae__stages_at(const dae__stages *st, int i)
{
  return (dae__face_at){.t = st->t + (i <= st->s ? st->tableau->c[i - 1] : 1) * st->h,
                        .y = dae__stage_vector(st->now.Y, i, st->face.ny),
                        .z = dae__stage_vector(st->now.Z, i, st->face.nz)};
}

dae_status dae__stages_v(dae__stages *st, dae_error *err)
{
  int ny = st->face.ny;
  dae_status status = DAE_OK;
  for (int j = 1; j <= st->s && !status; j++) {
    dae__face_at at = dae__stages_at(st, j);
    status = st->face.table->v(st->face.self, &at, dae__stage_vector(st->V, j - 1, ny), err);
  }
  return status;
}

dae_status dae__stages_refresh(dae__stages *st, const double *weight, double *change,
                               dae_error *err)
{
  const dae_spark_tableau *T = st->tableau;
  int s = st->s, ny = st->face.ny;
  dae_status status = dae__stages_v(st, err);
  for (int i = 1; i <= s + 1 && !status; i++) {
    const double *a = i <= s ? T->A + (i - 1) * s : T->b;
    double *Y = dae__stage_vector(st->now.Y, i, ny);
    for (int n = 0; n < ny; n++) {
      double sum = 0;
      for (int j = 0; j < s; j++)
        sum += a[j] * st->V[j * ny + n];
      double next = st->now.Y[n] + st->h * sum;
      if (change)
        *change = fmax(*change, fabs(next - Y[n]) / weight[n]);
      if (i <= s)
        st->moved[(i - 1) * ny + n] = next - Y[n];
      Y[n] = next;
    }
  }
  return status;
}

/* tilde point i: from v, or in the full iteration from Y */
static void spark_stages_find_tilde(dae__stages *st, int i)
{
  int s = st->s, ny = st->face.ny;
  if (st->way == DAE__STAGES_FULL) {
    dae__full_tilde(st->full, st, i, st->Yt);
    return;
  }
  dae__copy(ny, st->now.Y, st->Yt);
  for (int j = 0; j < s; j++)
    dae__axpy(ny, st->h * st->tableau->Ab[i * s + j], dae__stage_vector(st->V, j, ny), st->Yt);
}

/* r and g at the tilde nodes */
static dae_status spark_stages_evaluate_tilde(dae__stages *st, dae_error *err)
{
  const dae_spark_tableau *T = st->tableau;
  const dae__face *c = &st->face;
  dae_status status = DAE_OK;
  for (int i = 0; i < st->nt && !status; i++) {
    dae__face_at at = {.t = st->t + T->ct[i] * st->h, .y = st->Yt};
    spark_stages_find_tilde(st, i);
    status =
        c->table->rg(c->self, &at, dae__stage_vector(st->now.L, i, c->ng),
                     dae__stage_vector(st->r, i, c->nz), dae__stage_vector(st->g, i, c->ng), err);
  }
  return status;
}

/* p, f and k at the stages and at the end; g[0], which nobody asks for, becomes gdot there */
static dae_status spark_stages_evaluate_stages(dae__stages *st, dae_error *err)
{
  const dae__face *c = &st->face;
  dae_status status = DAE_OK;
  for (int i = 1; i <= st->s + 1 && !status; i++) {
    dae__face_at at = dae__stages_at(st, i);
    status = c->table->p(c->self, &at, dae__stage_vector(st->p, i - 1, c->nz), err);
    if (!status && i <= st->s)
      status = c->table->f(c->self, &at, dae__stage_vector(st->now.Psi, i - 1, c->nk),
                           dae__stage_vector(st->f, i - 1, c->nz), err);
    if (!status && c->nk > 0)
      status = c->table->k(c->self, &at, dae__stage_vector(st->k, i - 1, c->nk), err);
    if (!status && i > st->s && c->ng > 0)
      status = c->table->gdot(c->self, &at, st->g, err);
  }
  return status;
}

dae_status dae__stages_evaluate(dae__stages *st, dae_error *err)
{
  dae_status status = spark_stages_evaluate_tilde(st, err);
  return status ? status : spark_stages_evaluate_stages(st, err);
}

void dae__stages_residual5(const dae__stages *st, int i, double *R)
{
  const dae_spark_tableau *T = st->tableau;
  int s = st->s, nz = st->face.nz;
  const double *ah = i < s ? T->Ah + i * s : T->bh, *at = i < s ? T->At + i * st->nt : T->bt;
  for (int n = 0; n < nz; n++)
    R[n] = st->p[i * nz + n] - st->p0[n];
  for (int j = 0; j < s; j++)
    dae__axpy(nz, -st->h * ah[j], dae__stage_vector(st->f, j, nz), R);
  for (int j = 0; j < st->nt; j++)
    dae__axpy(nz, -st->h * at[j], dae__stage_vector(st->r, j, nz), R);
}

static void spark_stages_copy_values(const dae__stages *st, const dae__stage_values *from,
                                     const dae__stage_values *to)
{
  const dae__face *c = &st->face;
  dae__copy((st->s + 2) * c->ny, from->Y, to->Y);
  dae__copy((st->s + 2) * c->nz, from->Z, to->Z);
  dae__copy(st->nt * c->ng, from->L, to->L);
  dae__copy(st->s * c->nk, from->Psi, to->Psi);
}

void dae__stages_halve(dae__stages *st)
{
  spark_stages_copy_values(st, &st->now, &st->half);
  st->halfway = true;
}

void dae__stages_unhalve(dae__stages *st)
{
  st->halfway = false;
}

void dae__stages_accept(dae__stages *st)
{
  spark_stages_copy_values(st, &st->now, &st->last);
  st->memory->h = st->h;
  st->memory->steps[st->way]++;
  st->memory->trusted -= st->memory->trusted > 0;
}
