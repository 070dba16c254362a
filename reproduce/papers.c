/* The table of papers. A new paper needs its file and a line in this table. */
#include "e07.h"
#include "j09.h"
#include "l13.h"
#include "records.h"
#include "reproduce.h"
#include "whm11.h"
#include "yp96.h"

const rep_paper rep_papers[] = {
    {"e07", "Ebert 2007, convergence of dynamic iteration for coupled DAEs [E07]", e07_notes,
     e07_run, e07_records},
    {"j09", "Jay 2009, modified Newton iterations for SPARK methods [J09]", j09_notes, j09_run,
     j09_records},
    {"l13", "Liu 2013, an implicit GL(n, R) Lie-group method [L13]", l13_notes, l13_run,
     l13_records},
    {"whm11", "Wang, Hou and Modnak 2011, iteration of structures with a joint [WHM11]",
     whm11_notes, whm11_run, whm11_records},
    {"yp96", "Yen and Petzold 1996, Newton iterations for oscillatory mechanisms [YP96]",
     yp96_notes, yp96_run, yp96_records},
    {0},
};
