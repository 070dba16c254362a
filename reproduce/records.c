/* The recorded verdicts on the papers, against which every full reproduction is compared. They are
 * results: a change of the code or of the rule that changes one needs a reason. */
#include "records.h"

const rep_record e07_records[] = {
    {"Table 1", REP_REPRODUCED, 10},
    {"Theorem 3.1", REP_REPRODUCED, 0},
    {"Remark 3.2", REP_REPRODUCED, 0},
    {"Theorem 3.4", REP_REPRODUCED, 0},
    {"Remark 3.6", REP_REPRODUCED, 0},
    {"Example 3.7, rate alpha^2", REP_REPRODUCED, 1},
    {"Example 3.7, substitution", REP_REFUTED, 0},
    {"Lemma 2.1", REP_REPRODUCED, 0},
    {0},
};

const rep_record j09_records[] = {
    {"Section 2, constraints at t1", REP_REPRODUCED, 0},
    {0},
};

const rep_record l13_records[] = {
    {"Figure 1(a, b)", REP_REPRODUCED, 0},
    {"Figure 1(c)", REP_REPRODUCED, 0},
    {"Figure 2(a)", REP_REPRODUCED, 0},
    {"Figure 2(b)", REP_REPRODUCED, 0},
    {"Figure 3(a)", REP_REPRODUCED, 0},
    {"Figure 3(b)", REP_REFUTED, 0},
    {"Figure 4(a)", REP_REPRODUCED, 0},
    {"Figure 4(b)", REP_REPRODUCED, 0},
    {"Equation (48)", REP_REPRODUCED, 0},
    {"Figure 2(c)", REP_DATA_MISSING, 0},
    {"Figure 3(c)", REP_DATA_MISSING, 0},
    {"Figure 4(c)", REP_DATA_MISSING, 0},
    {"Figure 1, other schemes", REP_DATA_MISSING, 0},
    {0},
};

const rep_record whm11_records[] = {
    {"Section 5, iterations", REP_ORDER_ONLY, 0},
    {"Table 1", REP_ORDER_ONLY, 0},
    {"Equation (54)", REP_REPRODUCED, 25},
    {"Equation (54), gamma", REP_REPRODUCED, 2},
    {"Equation (53)", REP_REPRODUCED, 0},
    {"Section 6, (55) and (56)", REP_REFUTED, 0},
    {"Table 2-a", REP_REPRODUCED, 5},
    {"Table 2-b", REP_REPRODUCED, 25},
    {"Table 3-a", REP_ORDER_ONLY, 0},
    {"Table 3-b", REP_REPRODUCED, 25},
    {"Table 4", REP_REPRODUCED, 25},
    {"Section 5, Euler/trapezoid", REP_REFUTED, 0},
    {0},
};

const rep_record yp96_records[] = {
    {"Table 5.1", REP_REFUTED, 0},
    {"Table 5.2", REP_REPRODUCED, 25},
    {"Figure 5.1", REP_REPRODUCED, 0},
    {"Figure 5.3", REP_REPRODUCED, 0},
    {"Table 5.3", REP_DATA_MISSING, 0},
    {"Table 5.4, GGL and GGL*", REP_DATA_MISSING, 0},
    {"Table 5.4, CS and CM", REP_ORDER_ONLY, 0},
    {"Figure 5.6", REP_REPRODUCED, 0},
    {"Theorem 3.1", REP_REPRODUCED, 0},
    {"Section 3.1, CM for (2.12)", REP_REFUTED, 0},
    {"Theorem 4.1", REP_REPRODUCED, 0},
    {"Theorem 4.1, converse", REP_REPRODUCED, 0},
    {"Theorem 4.2, CS", REP_REFUTED, 0},
    {"Theorem 4.2, CM", REP_REFUTED, 0},
    {"Theorem 4.2, comparison", REP_REPRODUCED, 0},
    {"Remark 3.1", REP_REFUTED, 0},
    {"Equation (2.13)", REP_REPRODUCED, 0},
    {"Algorithm 2.1", REP_REFUTED, 0},
    {"Algorithm 3.1", REP_REFUTED, 0},
    {"Figure 5.4", REP_DATA_MISSING, 0},
    {0},
};
