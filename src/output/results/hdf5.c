/* HDF5 by libhdf5, which is loaded when a file of this format is asked for: one dataset per column,
 * and the provenance as an attribute of the root group. The library writes a file of its own, which
 * is then copied behind the writer of all files. */
#include "output/results/format.h"

#include "core/env.h"
#include "core/error.h"

#define H5_USE_110_API /* also with later versions of the library */
#include <dlfcn.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* H5F_ACC_TRUNC and H5F_ACC_RDONLY, which the header makes calls of the library */
enum { HDF5_TRUNCATE = 2, HDF5_READ = 0 };

/* X(function): those of the library that are used */
#define HDF5_FUNCTIONS(X)                                                                          \
  X(H5open)                                                                                        \
  X(H5Eset_auto2)                                                                                  \
  X(H5Fcreate)                                                                                     \
  X(H5Fopen)                                                                                       \
  X(H5Fclose)                                                                                      \
  X(H5Screate)                                                                                     \
  X(H5Screate_simple)                                                                              \
  X(H5Sselect_hyperslab)                                                                           \
  X(H5Sget_simple_extent_dims)                                                                     \
  X(H5Sget_simple_extent_ndims)                                                                    \
  X(H5Sclose)                                                                                      \
  X(H5Dcreate2)                                                                                    \
  X(H5Dopen2)                                                                                      \
  X(H5Dget_space)                                                                                  \
  X(H5Dget_type)                                                                                   \
  X(H5Dwrite)                                                                                      \
  X(H5Dread)                                                                                       \
  X(H5Dclose)                                                                                      \
  X(H5Tcopy)                                                                                       \
  X(H5Tset_size)                                                                                   \
  X(H5Tset_cset)                                                                                   \
  X(H5Tget_class)                                                                                  \
  X(H5Tget_size)                                                                                   \
  X(H5Tis_variable_str)                                                                            \
  X(H5Tclose)                                                                                      \
  X(H5Acreate2)                                                                                    \
  X(H5Aexists)                                                                                     \
  X(H5Aopen)                                                                                       \
  X(H5Aget_type)                                                                                   \
  X(H5Aread)                                                                                       \
  X(H5Awrite)                                                                                      \
  X(H5Aclose)                                                                                      \
  X(H5Pcreate)                                                                                     \
  X(H5Pset_link_creation_order)                                                                    \
  X(H5Pget_link_creation_order)                                                                    \
  X(H5Pclose)                                                                                      \
  X(H5Gget_create_plist)                                                                           \
  X(H5Gopen2)                                                                                      \
  X(H5Gclose)                                                                                      \
  X(H5Literate)

#define HDF5_NAME(name) #name /* of the function that a macro of the header may stand for */

typedef struct hdf5 {
  void *library;
#define HDF5_MEMBER(name) __typeof__(&(name)) name;
  HDF5_FUNCTIONS(HDF5_MEMBER)
#undef HDF5_MEMBER
  hid_t real, text, file_class, link_class; /* types and classes of property lists */
} hdf5;

/* Loads the library; it stays loaded, since it has handlers of its own at the end of the process.
 */
static dae_status hdf5_load(hdf5 *h, const char *path, dae_error *err)
{
  *h = (hdf5){.library = dlopen(DAE_WITH_HDF5, RTLD_NOW | RTLD_LOCAL)};
  bool whole = h->library != NULL;
#define HDF5_FIND(name)                                                                            \
  if (whole)                                                                                       \
    whole = (*(void **)&h->name = dlsym(h->library, HDF5_NAME(name))) != NULL;
  HDF5_FUNCTIONS(HDF5_FIND)
#undef HDF5_FIND
  whole = whole && h->H5open() >= 0;
  const hid_t *real = whole ? dlsym(h->library, "H5T_NATIVE_DOUBLE_g") : NULL;
  const hid_t *text = whole ? dlsym(h->library, "H5T_C_S1_g") : NULL;
  const hid_t *file = whole ? dlsym(h->library, "H5P_CLS_FILE_CREATE_ID_g") : NULL;
  if (!real || !text || !file)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, path,
                     "%s: HDF5 files need %s: install libhdf5, or write .mat or .npz", path,
                     DAE_WITH_HDF5);
  h->real = *real;
  h->text = *text;
  h->file_class = *file;
  h->H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* errors are told by ourselves */
  return DAE_OK;
}

static dae_status hdf5_check(const char *path, dae_error *err)
{
  hdf5 h;
  return hdf5_load(&h, path, err);
}

/* ---- writing ---- */

typedef struct hdf5_output {
  hdf5 h;
  const dae__results_source *source;
  hid_t file, data, space;
} hdf5_output;

static dae_status hdf5_fail(const hdf5_output *o, dae_error *err)
{
  return dae__fail(err, DAE_ERROR_FILE, o->source->path,
                   "%s could not be written by the HDF5 library", o->source->path);
}

/* A text as an attribute of an object. */
static bool hdf5_write_text(const hdf5 *h, hid_t object, const char *name, const char *text)
{
  hid_t type = h->H5Tcopy(h->text), space = h->H5Screate(H5S_SCALAR), attribute = -1;
  bool good = type >= 0 && space >= 0 && h->H5Tset_size(type, strlen(text) + 1) >= 0 &&
              h->H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
  if (good)
    attribute = h->H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  good = attribute >= 0 && h->H5Awrite(attribute, type, text) >= 0;
  if (attribute >= 0)
    h->H5Aclose(attribute);
  if (space >= 0)
    h->H5Sclose(space);
  if (type >= 0)
    h->H5Tclose(type);
  return good;
}

static dae_status hdf5_write_part(void *user, int column, long first, long count,
                                  const double *values, dae_error *err)
{
  hdf5_output *o = user;
  const hdf5 *h = &o->h;
  const char *unit = o->source->units[column];
  hsize_t rows = (hsize_t)o->source->rows, from = (hsize_t)first, part = (hsize_t)count;
  if (first == 0) {
    o->space = h->H5Screate_simple(1, &rows, NULL);
    o->data = h->H5Dcreate2(o->file, o->source->names[column], h->real, o->space, H5P_DEFAULT,
                            H5P_DEFAULT, H5P_DEFAULT);
    if (o->data < 0 || (*unit && !hdf5_write_text(h, o->data, "unit", unit)))
      return hdf5_fail(o, err);
  }
  hid_t memory = h->H5Screate_simple(1, &part, NULL);
  bool good = memory >= 0 &&
              h->H5Sselect_hyperslab(o->space, H5S_SELECT_SET, &from, NULL, &part, NULL) >= 0 &&
              h->H5Dwrite(o->data, h->real, memory, o->space, H5P_DEFAULT, values) >= 0;
  h->H5Sclose(memory);
  if (first + count == o->source->rows) {
    good = h->H5Dclose(o->data) >= 0 && good;
    h->H5Sclose(o->space);
    o->data = o->space = -1;
  }
  return good ? DAE_OK : hdf5_fail(o, err);
}

/* Writes the file of the library's own. */
static dae_status hdf5_make(hdf5_output *o, const char *path, dae_error *err)
{
  const hdf5 *h = &o->h;
  hid_t order = h->H5Pcreate(h->file_class); /* columns are listed in the order of the run */
  h->H5Pset_link_creation_order(order, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  o->file = h->H5Fcreate(path, HDF5_TRUNCATE, order, H5P_DEFAULT);
  h->H5Pclose(order);
  if (o->file < 0)
    return hdf5_fail(o, err);
  dae_status status = dae__spool_columns(o->source->spool, hdf5_write_part, o, err);
  if (!status && !hdf5_write_text(h, o->file, "provenance", o->source->provenance))
    status = hdf5_fail(o, err);
  if (o->data >= 0)
    h->H5Dclose(o->data);
  if (o->space >= 0)
    h->H5Sclose(o->space);
  if (h->H5Fclose(o->file) < 0 && !status)
    status = hdf5_fail(o, err);
  return status;
}

static dae_status hdf5_copy(const char *from, dae_file *to, const dae_env *env, dae_error *err)
{
  enum { BYTES = 1 << 20 };
  char *block = env->allocate(env->user, BYTES);
  int fd = open(from, O_RDONLY | O_CLOEXEC);
  dae_status status = !block   ? dae__out_of_memory(err)
                      : fd < 0 ? dae__fail_file(err, from, "read")
                               : DAE_OK;
  ssize_t count = 0;
  while (!status && (count = read(fd, block, BYTES)) > 0) {
    dae_file_write(to, block, (size_t)count);
    status = dae_file_end_record(to, err);
  }
  if (!status && count < 0)
    status = dae__fail_file(err, from, "read");
  if (fd >= 0)
    close(fd);
  env->release(env->user, block);
  return status;
}

static dae_status hdf5_write(const dae__results_source *s, dae_file *file, dae_error *err)
{
  hdf5_output o = {.source = s, .data = -1, .space = -1};
  const dae_env *env = s->spool->env;
  const char *part = dae_file_part(s->spool->file);
  size_t size = strlen(part) + 8;
  DAE__TRY(hdf5_load(&o.h, s->path, err));
  char *path = env->allocate(env->user, size);
  if (!path)
    return dae__out_of_memory(err);
  snprintf(path, size, "%s.hdf5", part);
  dae_status status = hdf5_make(&o, path, err);
  if (!status)
    status = hdf5_copy(path, file, env, err);
  remove(path);
  env->release(env->user, path);
  return status;
}

/* ---- reading ---- */

typedef struct hdf5_input {
  hdf5 h;
  const dae__results_input *in;
  long columns, rows;
  bool equal;        /* all columns have as many rows */
  const char **name; /* NULL: columns are counted */
  double *values;
} hdf5_input;

/* Takes a dataset of floating-point numbers in one dimension as a column. */
static herr_t hdf5_take(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
  hdf5_input *i = user;
  const hdf5 *h = &i->h;
  (void)info;
  hid_t data = h->H5Dopen2(group, name, H5P_DEFAULT);
  if (data < 0)
    return 0;
  hid_t space = h->H5Dget_space(data), type = h->H5Dget_type(data);
  hsize_t rows = 0;
  bool column = h->H5Tget_class(type) == H5T_FLOAT && h->H5Sget_simple_extent_ndims(space) == 1 &&
                h->H5Sget_simple_extent_dims(space, &rows, NULL) == 1;
  if (column) {
    i->equal = i->equal && (i->columns == 0 || (long)rows == i->rows);
    i->rows = (long)rows;
    if (i->name && i->equal) {
      size_t length = strlen(name) + 1;
      char *copy = DAE__ALLOC(i->in->arena, char, length);
      if (copy)
        memcpy(copy, name, length);
      i->name[i->columns] = copy;
      i->equal = h->H5Dread(data, h->real, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                            i->values + i->columns * i->rows) >= 0;
    }
    i->columns++;
  }
  h->H5Tclose(type);
  h->H5Sclose(space);
  h->H5Dclose(data);
  return 0;
}

static void hdf5_read_provenance(const hdf5 *h, hid_t file, const dae__results_input *in)
{
  if (h->H5Aexists(file, "provenance") <= 0)
    return;
  hid_t attribute = h->H5Aopen(file, "provenance", H5P_DEFAULT);
  hid_t type = h->H5Aget_type(attribute);
  if (h->H5Tget_class(type) == H5T_STRING && h->H5Tis_variable_str(type) == 0) {
    char *text = DAE__ALLOC(in->arena, char, h->H5Tget_size(type) + 1);
    if (text && h->H5Aread(attribute, type, text) >= 0)
      in->out->provenance = text;
  }
  h->H5Tclose(type);
  h->H5Aclose(attribute);
}

static void hdf5_list(hdf5_input *i, hid_t file)
{
  hid_t root = i->h.H5Gopen2(file, "/", H5P_DEFAULT), list = i->h.H5Gget_create_plist(root);
  unsigned flags = 0;
  i->h.H5Pget_link_creation_order(list, &flags);
  i->columns = 0;
  i->h.H5Literate(root, flags & H5P_CRT_ORDER_INDEXED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME,
                  H5_ITER_INC, NULL, hdf5_take, i);
  i->h.H5Pclose(list);
  i->h.H5Gclose(root);
}

static dae_status hdf5_read(const dae__results_input *in, dae_error *err)
{
  hdf5_input i = {.in = in, .equal = true};
  const char **names;
  DAE__TRY(hdf5_load(&i.h, in->path, err));
  hid_t file = i.h.H5Fopen(in->path, HDF5_READ, H5P_DEFAULT);
  if (file < 0)
    return dae__results_refuse(in, "an HDF5 file", err);
  hdf5_list(&i, file);
  dae_status status =
      i.equal ? dae__results_room(in, i.columns, i.rows, &names, &i.values, err) : DAE_OK;
  if (!status && i.equal) {
    i.name = names;
    hdf5_list(&i, file);
    hdf5_read_provenance(&i.h, file, in);
  }
  i.h.H5Fclose(file);
  if (!status && !i.equal)
    return dae__results_refuse(in, "a file of columns of equal length", err);
  return status ? status : dae__arena_status(in->arena, err);
}

const dae__results_format dae__format_hdf5 = {.suffix = {".h5", ".hdf5"},
                                              .name = "HDF5",
                                              .reads_itself = true,
                                              .check = hdf5_check,
                                              .write = hdf5_write,
                                              .read = hdf5_read};
