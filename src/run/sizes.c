/* Sizes of public structs, for bindings that mirror them. */
#include <daedal/daedal.h>
#include <string.h>

#define STRUCTS(X)                                                                                 \
  X(dae_adapter)                                                                                   \
  X(dae_adapter_table)                                                                             \
  X(dae_bdf_options)                                                                               \
  X(dae_camera)                                                                                    \
  X(dae_checkpoint)                                                                                \
  X(dae_column)                                                                                    \
  X(dae_compare_plan)                                                                              \
  X(dae_compare_run)                                                                               \
  X(dae_comparison)                                                                                \
  X(dae_contraction)                                                                               \
  X(dae_coupled)                                                                                   \
  X(dae_curve)                                                                                     \
  X(dae_damping)                                                                                   \
  X(dae_diagnosis)                                                                                 \
  X(dae_difference)                                                                                \
  X(dae_drawing)                                                                                   \
  X(dae_env)                                                                                       \
  X(dae_error)                                                                                     \
  X(dae_error_check)                                                                               \
  X(dae_contact_law)                                                                               \
  X(dae_contact)                                                                                   \
  X(dae_event)                                                                                     \
  X(dae_event_group)                                                                               \
  X(dae_file_position)                                                                             \
  X(dae_held)                                                                                      \
  X(dae_joint)                                                                                     \
  X(dae_lie_options)                                                                               \
  X(dae_limiting)                                                                                  \
  X(dae_limits)                                                                                    \
  X(dae_link)                                                                                      \
  X(dae_mechanical)                                                                                \
  X(dae_mechanical_at)                                                                             \
  X(dae_mechanical_motion)                                                                         \
  X(dae_mechanical_wanted)                                                                         \
  X(dae_method)                                                                                    \
  X(dae_model_counts)                                                                              \
  X(dae_model_event)                                                                               \
  X(dae_model_input)                                                                               \
  X(dae_model_options)                                                                             \
  X(dae_model_setting)                                                                             \
  X(dae_momentum)                                                                                  \
  X(dae_momentum_at)                                                                               \
  X(dae_native)                                                                                    \
  X(dae_native_options)                                                                            \
  X(dae_onestep_method)                                                                            \
  X(dae_option)                                                                                    \
  X(dae_option_table)                                                                              \
  X(dae_page_data)                                                                                 \
  X(dae_part)                                                                                      \
  X(dae_pattern)                                                                                   \
  X(dae_plot)                                                                                      \
  X(dae_plot_terminal)                                                                             \
  X(dae_point)                                                                                     \
  X(dae_port)                                                                                      \
  X(dae_problem)                                                                                   \
  X(dae_reference)                                                                                 \
  X(dae_report_options)                                                                            \
  X(dae_results)                                                                                   \
  X(dae_rk_options)                                                                                \
  X(dae_row)                                                                                       \
  X(dae_run_plan)                                                                                  \
  X(dae_semi_explicit)                                                                             \
  X(dae_semi_explicit_at)                                                                          \
  X(dae_shape)                                                                                     \
  X(dae_sink)                                                                                      \
  X(dae_spark_options)                                                                             \
  X(dae_spark_tableau)                                                                             \
  X(dae_sparsity)                                                                                  \
  X(dae_start)                                                                                     \
  X(dae_stats)                                                                                     \
  X(dae_step)                                                                                      \
  X(dae_step_options)                                                                              \
  X(dae_step_record)                                                                               \
  X(dae_stepper_table)                                                                             \
  X(dae_subsystem)                                                                                 \
  X(dae_summary)                                                                                   \
  X(dae_urdf_options)                                                                              \
  X(dae_verification)                                                                              \
  X(dae_view)                                                                                      \
  X(dae_wave_child)                                                                                \
  X(dae_wave_options)                                                                              \
  X(dae_wave_sweep)                                                                                \
  X(dae_wave_terms)                                                                                \
  X(dae_waveform)                                                                                  \
  X(dae_wire)

size_t dae_struct_size(const char *name)
{
  static const struct {
    const char *name;
    size_t size;
  } structs[] = {
#define ENTRY(type) {#type, sizeof(type)},
      STRUCTS(ENTRY)
#undef ENTRY
  };
  for (size_t i = 0; name && i < sizeof structs / sizeof *structs; i++)
    if (strcmp(structs[i].name, name) == 0)
      return structs[i].size;
  return 0;
}
