/* HDF5 in a build without it. */
#include "core/error.h"
#include "output/results/format.h"

static dae_status hdf5_off(const char *path, dae_error *err)
{
  return dae__fail(err, DAE_ERROR_UNSUPPORTED, path,
                   "%s: this build has no HDF5 (DAEDAL_WITH_HDF5): write .mat or .npz", path);
}

static dae_status hdf5_off_write(const dae__results_source *s, dae_file *file, dae_error *err)
{
  (void)file;
  return hdf5_off(s->path, err);
}

static dae_status hdf5_off_read(const dae__results_input *in, dae_error *err)
{
  return hdf5_off(in->path, err);
}

const dae__results_format dae__format_hdf5 = {.suffix = {".h5", ".hdf5"},
                                              .name = "HDF5",
                                              .reads_itself = true,
                                              .check = hdf5_off,
                                              .write = hdf5_off_write,
                                              .read = hdf5_off_read};
