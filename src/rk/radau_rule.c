#include "rk/radau.h"
#include "spark/eigen.h"
#include "spark/lobatto.h"

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
  rule.finer = dae__radau_finer(stages);
  return rule;
}
