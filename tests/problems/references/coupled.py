#!/usr/bin/env python3
"""Values of the coupled example models, to 20 digits.

Each model is integrated as one differential equation at 30 digits, by Taylor series: algebraic
variables are solved for, and mechanical systems with joints A z'' + D' lambda = r, D z'' = d give
    [A D'; D 0] (z'', lambda) = (r, d).
nonlinear_joint is integrated a second time in minimal coordinates. Nothing here shares a line with
the library. Run with the names of models, or without for all. Needs python3-mpmath.
"""
import sys
from mpmath import mp, mpf, matrix, lu_solve, odefun, sin, cos, exp

mp.dps = 30
G0 = mpf("9.81")


def show(name, **parts):
    print(name)
    for key, values in parts.items():
        print("  %-6s %s" % (key, "  ".join(mp.nstr(v, 20, min_fixed=-3) for v in values)))


def saddle(A, D, r, d):
    n, m = len(r), len(d)
    S, b = matrix(n + m, n + m), matrix(n + m, 1)
    for i in range(n):
        b[i] = r[i]
        for j in range(n):
            S[i, j] = A[i][j]
    for k in range(m):
        b[n + k] = d[k]
        for j in range(n):
            S[n + k, j] = S[j, n + k] = D[k][j]
    z = lu_solve(S, b)
    return list(z[:n]), list(z[n:])


def three_circuits():
    C = [[0, .7, .3], [-.3, 0, -.9], [-.9, .5, 0]]
    G = matrix([[mpf(i == j) - mpf(str(C[i][j])) for j in range(3)] for i in range(3)])

    def z_of(y):
        return list(lu_solve(G, matrix(y)))

    def rate(t, y):
        z = z_of(y)
        return [-(i + 1) * y[i] + z[(i + 1) % 3] / 2 + (sin(t) if i == 0 else 0) for i in range(3)]

    y = odefun(rate, 0, [mpf(1), mpf(0), mpf(-1) / 2])
    for t in 1, 4:
        show("three_circuits, t = %d" % t, y=y(t), z=z_of(y(t)))


def diode():
    def voltage(y):  # 0 = 2 (y1 - z) - (exp(10 z) - 1)/1000 - (z - y2)
        def g(z):
            return 2 * (y[0] - z) - (exp(10 * z) - 1) / 1000 - (z - y[1])

        z = (2 * y[0] + y[1]) / 3
        for _ in range(100):
            step = g(z) / (3 + exp(10 * z) / 100)
            z += step
            if abs(step) < mpf(10)**(-mp.dps + 3):
                break
        return z

    def rate(t, y):
        z = voltage(y)
        return [2 * sin(t) - y[0] - 2 * (y[0] - z), 2 * (z - y[1] - y[1] / 10)]

    y = odefun(rate, 0, [mpf(0), mpf(0)])(10)
    z = voltage(y)
    show("diode", y=y, z=[2 * (y[0] - z), z])


def pendula():
    m1, l1, m2, l2 = mpf(1), mpf(1), mpf(3), mpf("1.5")

    def solve(s):
        th, ph, a, b = s
        r = (l1 * sin(th) - 2 - l2 * sin(ph), l2 * cos(ph) - l1 * cos(th))
        re1, re2 = l1 * (r[0] * cos(th) + r[1] * sin(th)), l2 * (r[0] * cos(ph) + r[1] * sin(ph))
        rn1, rn2 = l1 * (r[1] * cos(th) - r[0] * sin(th)), l2 * (r[1] * cos(ph) - r[0] * sin(ph))
        v = (l1 * cos(th) * a - l2 * cos(ph) * b, l1 * sin(th) * a - l2 * sin(ph) * b)
        return saddle([[m1 * l1**2, 0], [0, m2 * l2**2]], [[re1, -re2]],
                      [-m1 * G0 * l1 * sin(th), -m2 * G0 * l2 * sin(ph)],
                      [-(v[0]**2 + v[1]**2) - rn1 * a**2 + rn2 * b**2])

    start = [mpf("0.6"), mpf("0.2"), mpf(0), mpf(0)]
    acc, lam = solve(start)
    show("pendula, t = 0", acc=acc, lam=lam)
    s = odefun(lambda t, s: s[2:] + solve(s)[0], 0, start)(2)
    acc, lam = solve(s)
    show("pendula", angles=s[:2], rates=s[2:], acc=acc, lam=lam)


def two_chains():
    mass = [1, 2, 4, 2, 3, 1]
    K = [[6, -3, 0, 0, 0, 0], [-3, 6, -3, 0, 0, 0], [0, -3, 3, 0, 0, 0],
         [0, 0, 0, 3, -2, 0], [0, 0, 0, -2, 4, -2], [0, 0, 0, 0, -2, 5]]
    A = [[mass[i] if i == j else 0 for j in range(6)] for i in range(6)]
    D = [[1, 0, 0, -1, 0, 0], [0, 0, 1, 0, 0, -1]]

    def solve(t, q):
        load = [sin(t), 0, 1, 0, cos(2 * t), 0]
        return saddle(A, D, [load[i] - sum(K[i][j] * q[j] for j in range(6)) for i in range(6)],
                      [0, 0])

    q0 = [mpf(1) / 10, mpf(0), mpf(-1) / 5, mpf(1) / 10, mpf(3) / 10, mpf(-1) / 5]
    v0 = [mpf(0), mpf(1) / 2] + [mpf(0)] * 4
    s = odefun(lambda t, s: s[6:] + solve(t, s[:6])[0], 0, q0 + v0)(5)
    show("two_chains", q=s[:6], v=s[6:], lam=solve(mpf(5), s[:6])[1])


def driven(t, q, v):
    """A and r of moving_joint and nonlinear_joint; q = (x, y1, y2)."""
    x, y1, y2 = q
    tenth = mpf(1) / 10
    A = [[1 + t / 5, 0, 0], [0, 3 * tenth * (2 + cos(t) / 2), 3 * tenth / 2],
         [0, 3 * tenth / 2, 3 * tenth]]
    return A, [cos(t) - 2 * x - 2 * tenth * v[0], 1 - 3 * y1 + y2,
               sin(2 * t) + y1 - (2 + sin(t)) * y2]


def moving_joint():
    def solve(t, s):
        q, v = s[:3], s[3:]
        A, r = driven(t, q, v)
        g, dg, ddg = mpf(3) / 2 + sin(t) / 2, cos(t) / 2, -sin(t) / 2
        return saddle(A, [[1, -g, 0]], r, [2 * dg * v[1] + ddg * q[1]])

    start = [mpf(v) / 100 for v in (60, 40, -20, 35, 10, 0)]
    s = odefun(lambda t, s: s[3:] + solve(t, s)[0], 0, start)(6)
    show("moving_joint", q=s[:3], v=s[3:], lam=solve(mpf(6), s)[1])


def nonlinear_joint():
    a = mpf(1) / 5

    def slope(y1):
        return 1 + 3 * a * y1**2

    def solve(t, s):
        q, v = s[:3], s[3:]
        A, r = driven(t, q, v)
        return saddle(A, [[1, -slope(q[1]), 0]], r, [6 * a * q[1] * v[1]**2])

    def minimal(t, s):  # s = (y1, y2, y1', y2'); x = y1 + a y1^3
        y, v, c = s[:2], s[2:], slope(s[0])
        A, r = driven(t, [y[0] + a * y[0]**3] + y, [c * v[0]] + v)
        S = matrix([[A[1][1] + c * c * A[0][0], A[1][2]], [A[2][1], A[2][2]]])
        b = matrix([r[1] + c * (r[0] - A[0][0] * 6 * a * y[0] * v[0]**2), r[2]])
        return v + list(lu_solve(S, b))

    y0, v0 = [mpf(2) / 5, mpf(-1) / 5], [mpf(1) / 10, mpf(0)]
    start = [y0[0] + a * y0[0]**3] + y0 + [slope(y0[0]) * v0[0]] + v0
    s = odefun(lambda t, s: s[3:] + solve(t, s)[0], 0, start)(6)
    show("nonlinear_joint", q=s[:3], v=s[3:], lam=solve(mpf(6), s)[1])
    m = odefun(minimal, 0, y0 + v0)(6)
    show("  in minimal coordinates", y=m[:2], v=m[2:])


for model in three_circuits, diode, pendula, two_chains, moving_joint, nonlinear_joint:
    if len(sys.argv) < 2 or model.__name__ in sys.argv[1:]:
        model()
