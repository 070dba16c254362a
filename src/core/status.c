#include <daedal/status.h>
#include <math.h>

const char *dae_status_name(dae_status status)
{
  switch (status) {
#define NAME(name, value, text)                                                                    \
  case name:                                                                                       \
    return #name;
    DAE_STATUS_LIST(NAME)
#undef NAME
  }
  return "unknown status";
}

const char *dae_status_text(dae_status status)
{
  switch (status) {
#define TEXT(name, value, text)                                                                    \
  case name:                                                                                       \
    return text;
    DAE_STATUS_LIST(TEXT)
#undef TEXT
  }
  return "this status is not known to the library";
}

dae_error dae_error_none(void)
{
  return (dae_error){.status = DAE_OK, .t = NAN, .h = NAN};
}
