/* The recorded verdicts on the papers. */
#ifndef DAEDAL_REPRODUCE_RECORDS_H
#define DAEDAL_REPRODUCE_RECORDS_H

#include "reproduce.h"

extern const rep_record e07_records[];
extern const rep_record j09_records[];
extern const rep_record l13_records[];
extern const rep_record whm11_records[];
extern const rep_record yp96_records[];

#endif
