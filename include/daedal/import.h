/** @file
 * Import of robots: URDF files as models in text, <https://wiki.ros.org/urdf/XML>.
 *
 *     char *text;
 *     dae_urdf_options options = {.model = "arm"};
 *     status = dae_urdf_import("arm.urdf", &options, NULL, &text, &err);
 *     ...
 *     dae_urdf_free(text, NULL);
 *
 * Links become bodies, those that fixed joints connect one body; a root link is the ground unless
 * it floats. Revolute, continuous, prismatic and planar joints become joints, damping forces, mimic
 * joints constraints. Meshes become their bounding boxes (STL, OBJ). What is left out or assumed is
 * reported, with its line, and listed in a comment of the text. */
#ifndef DAEDAL_IMPORT_H
#define DAEDAL_IMPORT_H

#include <daedal/env.h>
#include <daedal/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Options of an import. */
typedef struct dae_urdf_options {
  const char *model; /**< name of the model; NULL: robot */
  bool floating;     /**< the root link moves freely instead of being the ground */
  /** called for everything that is left out or assumed; NULL: not called */
  void (*report)(void *user, const char *message);
  void *user; /**< argument of report */
} dae_urdf_options;

/** Reads a URDF file and writes the text of a model; options may be NULL. A file that is not
 * well-formed or no URDF is DAE_ERROR_MODEL, with line and column. DAE_ERROR_UNSUPPORTED: the
 * library was built without expat. The text is released by dae_urdf_free with the same env. */
dae_status dae_urdf_import(const char *path, const dae_urdf_options *options, const dae_env *env,
                           char **text, dae_error *err);
/** Frees a text of dae_urdf_import; NULL is allowed. */
void dae_urdf_free(char *text, const dae_env *env);

#ifdef __cplusplus
}
#endif
#endif
