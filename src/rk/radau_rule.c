#include "rk/radau.h"
#include "spark/curve.h"
#include "spark/eigen.h"
#include "spark/lobatto.h"

/* Parts of what the first stage adds to the others that count as error of algebraic variables. With
 * them rows between the steps of the transistor amplifier are off by 0.3 to 8 tolerances, without
 * by 10 to 9000, for the same number of evaluations; of order s - 1, it would steer 3 stages. */
#define ROUGH 0.1
#define ROUGH_OF_3 0.03

dae__radau_rule dae__radau_rule_create(int stages)
{
  dae__radau_rule rule = {.c = dae__collocation_create(stages, true), .s = stages};
  dae__rule nodes = dae__rule_radau(stages);
  dae__small A = dae__collocation(&nodes, stages, nodes.c);
  dae__eigen e = dae__eigen_of(&A);
  rule.pairs = e.blocks - 1;
  rule.mu = (double)creall(e.mu[0]);
  for (int i = 0; i < stages; i++) {
    rule.T[i] = (double)creall(e.T[i * e.blocks]);
    rule.Ti[i] = (double)creall(e.Ti[i]);
  }
  for (int p = 0; p < rule.pairs; p++) {
    rule.zmu[p] = (double complex)e.mu[p + 1];
    for (int i = 0; i < stages; i++) {
      rule.zT[p][i] = (double complex)e.T[i * e.blocks + p + 1];
      rule.zTi[p][i] = (double complex)e.Ti[(p + 1) * stages + i];
    }
  }
  dae__collocation_values(&rule.c, 0, rule.start);
  for (int j = 0; j < stages; j++) {
    double others = j > 0 ? dae__lagrange_weight(stages - 1, rule.c.c + 1, j - 1, 0) : 0;
    rule.rough[j] = (stages > 3 ? ROUGH : ROUGH_OF_3) * (rule.start[j] - others);
  }
  rule.finer = dae__radau_finer(stages);
  return rule;
}
