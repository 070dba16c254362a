/* The files of page/ and of uPlot, embedded by the build. */
#include "output/page/page.h"

#include "page_files.inc"

#define FILE_OF(name)                                                                              \
  {                                                                                                \
    name##_bytes, sizeof name##_bytes - 1                                                          \
  } /* without the 0 at the end */

const dae__page_file dae__page_css = FILE_OF(page_css);
const dae__page_file dae__page_script = FILE_OF(page_script);
const dae__page_file dae__uplot_css = FILE_OF(uplot_css);
const dae__page_file dae__uplot_script = FILE_OF(uplot_script);
const dae__page_file dae__uplot_licence = FILE_OF(uplot_licence);
