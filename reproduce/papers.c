/* The papers there are. A further one joins with its file and a line here. */
#include "reproduce.h"
#include "yp96.h"

const rep_paper rep_papers[] = {
    {"yp96", "Yen and Petzold 1996, Newton iterations for oscillatory mechanisms [YP96]",
     yp96_notes, yp96_run},
    {0},
};
