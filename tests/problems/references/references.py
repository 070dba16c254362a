#!/usr/bin/env python3
"""End values of the test problems, to 20 digits.

Each problem is integrated in minimal coordinates (or has a closed form), at 30 digits, by Taylor
series; nothing here shares a line with the library. Multipliers follow from the saddle system
    [M G' K'; G 0 0; K 0 0] (v', lambda, psi) = (f, -gamma, -kappa)
at the end state, or from a closed form. Run with the names of problems, or without for all (about
six minutes). Needs python3-mpmath.
"""
import sys
from mpmath import (mp, mpf, matrix, lu_solve, odefun, sin, cos, sqrt, asin, sinh, cosh, asinh, pi,
                    ellipk, ellipf, ellipfun, exp, floor)

mp.dps = 30
G0 = mpf("9.81")


def show(name, **parts):
    print(name)
    for key, values in parts.items():
        print("  %-6s %s" % (key, "  ".join(mp.nstr(v, 20, min_fixed=-3) for v in values)))


def saddle(M, f, rows, gamma):
    """Accelerations and multipliers of all constraint rows."""
    n, m = len(f), len(rows)
    A, b = matrix(n + m, n + m), matrix(n + m, 1)
    for i in range(n):
        b[i] = f[i]
        for j in range(n):
            A[i, j] = M[i][j]
    for r in range(m):
        b[n + r] = -gamma[r]
        for j in range(n):
            A[n + r, j] = A[j, n + r] = rows[r][j]
    z = lu_solve(A, b)
    return [z[i] for i in range(n)], [z[n + r] for r in range(m)]


def identity(n, m=1):
    return [[mpf(m) if i == j else mpf(0) for j in range(n)] for i in range(n)]


def swing(t, g, k):
    """Angle from the downward vertical, and its rate, of a unit pendulum released at rest from
    the angle 2 asin(k): sin(theta/2) = k sn(K + w t)."""
    w, m = sqrt(g), k * k
    z = ellipk(m) + w * t
    sn, cn = ellipfun("sn", z, m=m), ellipfun("cn", z, m=m)
    return 2 * asin(k * sn), 2 * k * w * cn


def pendulum2():
    th, om = swing(mpf(2), G0, sqrt(mpf(1) / 2))
    x, y = sin(th), -cos(th)
    show("pendulum2", q=[x, y], v=[om * cos(th), om * sin(th)], lam=[om**2 - G0 * y])


def pendulum_light():
    th, om = swing(mpf(2), mpf(1), sqrt(mpf(1) / 2))
    x, y = sin(th), -cos(th)
    show("pendulum_light", q=[x, y], v=[om * cos(th), om * sin(th)], lam=[om**2 - y])


def track():
    t = mpf("1.5")
    s, c = sin(t * t), cos(t * t)
    show("track", q=[s, c], v=[2 * t * c, -2 * t * s], lam=[4 * t * t])


def bead():
    a = mpf("0.3")

    def r_of(phi):
        return 1 + a * cos(phi)

    def rate(t, s):  # (r'^2 + r^2) phi'' + r'(r'' + r) phi'^2 + V_phi = 0, ' by phi
        phi, om = s
        r, r1, r2 = r_of(phi), -a * sin(phi), -a * cos(phi)
        V1 = G0 * (r1 * sin(phi) + r * cos(phi))
        return [om, -(r1 * (r2 + r) * om**2 + V1) / (r1**2 + r**2)]

    phi, om = odefun(rate, 0, [mpf(0), mpf(0)])(mpf(2))
    r, rd = r_of(phi), -a * sin(phi) * om
    f = [r * om**2 - G0 * sin(phi), -2 * r * rd * om - G0 * r * cos(phi)]
    _, lam = saddle([[mpf(1), mpf(0)], [mpf(0), r * r]], f, [[mpf(1), a * sin(phi)]],
                    [a * cos(phi) * om**2])
    show("bead", q=[r, phi], v=[rd, om], lam=lam)


def spring():
    k, l0 = mpf(10000), mpf("0.4")

    def force(x, y):
        dx, dy = x, y + mpf("0.5")
        l = sqrt(dx**2 + dy**2)
        c = -k * (l - l0) / l
        return [c * dx, c * dy - 1]

    def rate(t, s):
        th, om = s
        x, y = sin(th), -cos(th)
        f = force(x, y)
        return [om, f[0] * cos(th) + f[1] * sin(th)]

    x0, y0 = mpf("0.04471"), mpf("-0.999")
    x0, y0 = x0 / sqrt(x0**2 + y0**2), y0 / sqrt(x0**2 + y0**2)
    th, om = odefun(rate, 0, [asin(x0), mpf(0)])(mpf("0.5"))
    x, y = sin(th), -cos(th)
    f = force(x, y)
    show("spring", start=[x0, y0], q=[x, y], v=[om * cos(th), om * sin(th)],
         lam=[om**2 + x * f[0] + y * f[1]])


def curvilinear():
    th, om = swing(mpf(2), mpf(1), sqrt(mpf(1) / 2))
    X, Y, Xd, Yd = sin(th), -cos(th), om * cos(th), om * sin(th)
    c = mpf("0.3")
    show("curvilinear", q=[X - c * Y**2, Y], v=[Xd - 2 * c * Y * Yd, Yd], lam=[om**2 - Y])


def knife():
    G, w, t = mpf(1), mpf("1.3"), mpf(2)
    x, y = G / (2 * w**2) * sin(w * t)**2, G / (2 * w**2) * (w * t - sin(2 * w * t) / 2)
    xd, yd = G / (2 * w) * sin(2 * w * t), G / (2 * w) * (1 - cos(2 * w * t))
    show("knife", q=[x, y, w * t], v=[xd, yd, w], psi=[2 * G * sin(w * t)])
    c, s = cos(y), sin(y)
    show("cylinder_skate", q=[c, x, s, w * t], v=[-s * yd, xd, c * yd, w], lam=[yd**2],
         psi=[2 * G * sin(w * t)])


def sleigh():
    m, J, a = mpf(1), mpf("0.5"), mpf("0.4")

    def rate(t, s):  # u along the blade: m u' = m a om^2, (J + m a^2) om' = -m a u om
        x, y, phi, u, om = s
        return [u * cos(phi) - a * om * sin(phi), u * sin(phi) + a * om * cos(phi), om,
                a * om**2, -m * a * u * om / (J + m * a**2)]

    x, y, phi, u, om = odefun(rate, 0, [a, mpf(0), mpf(0), mpf("0.2"), mpf(1)])(mpf(2))
    v = [u * cos(phi) - a * om * sin(phi), u * sin(phi) + a * om * cos(phi), om]
    K = [-sin(phi), cos(phi), -a]
    _, psi = saddle([[m, 0, 0], [0, m, 0], [0, 0, J]], [mpf(0)] * 3, [K],
                    [(-v[0] * cos(phi) - v[1] * sin(phi)) * om])
    show("sleigh", q=[x, y, phi], v=v, psi=psi)


def slider_crank():
    l1, l2, m1, m2, m3 = mpf("0.5"), mpf("1.25"), mpf(1), mpf(2), mpf(3)
    J1, J2 = m1 * l1**2 / 3, m2 * l2**2 / 12

    def position(a):  # crank angle -> crank angle, rod centre, rod angle, slider
        b = -asin(l1 * sin(a) / l2)
        return [a, l1 * cos(a) + l2 * cos(b) / 2, l1 * sin(a) + l2 * sin(b) / 2, b,
                l1 * cos(a) + l2 * cos(b)]

    def derivatives(a):  # first and second derivative of the position by the crank angle
        b = -asin(l1 * sin(a) / l2)
        b1 = -l1 * cos(a) / (l2 * cos(b))
        b2 = (l1 * sin(a) + l2 * sin(b) * b1**2) / (l2 * cos(b))
        d = [mpf(1), -l1 * sin(a) - l2 * sin(b) * b1 / 2, l1 * cos(a) + l2 * cos(b) * b1 / 2, b1,
             -l1 * sin(a) - l2 * sin(b) * b1]
        e = [mpf(0), -l1 * cos(a) - l2 * (cos(b) * b1**2 + sin(b) * b2) / 2,
             -l1 * sin(a) + l2 * (-sin(b) * b1**2 + cos(b) * b2) / 2, b2,
             -l1 * cos(a) - l2 * (cos(b) * b1**2 + sin(b) * b2)]
        return d, e

    mass = [J1, m2, m2, J2, m3]

    def force(a):
        return [-m1 * G0 * l1 * cos(a) / 2, mpf(0), -m2 * G0, mpf(0), mpf(0)]

    def rate(t, s):
        a, om = s
        d, e = derivatives(a)
        inertia = sum(m * di**2 for m, di in zip(mass, d))
        bias = sum(m * di * ei for m, di, ei in zip(mass, d, e)) * om**2
        return [om, (sum(di * fi for di, fi in zip(d, force(a))) - bias) / inertia]

    a, om = odefun(rate, 0, [mpf(0), mpf(4)])(mpf(2))
    q = position(a)
    v = [di * om for di in derivatives(a)[0]]
    b, bd = q[3], v[3]
    rows = [[l1 * sin(a), mpf(1), mpf(0), l2 * sin(b) / 2, mpf(0)],
            [-l1 * cos(a), mpf(0), mpf(1), -l2 * cos(b) / 2, mpf(0)],
            [mpf(0), mpf(1), mpf(0), -l2 * sin(b) / 2, mpf(-1)],
            [mpf(0), mpf(0), mpf(1), l2 * cos(b) / 2, mpf(0)]]
    gamma = [l1 * cos(a) * om**2 + l2 * cos(b) * bd**2 / 2,
             l1 * sin(a) * om**2 + l2 * sin(b) * bd**2 / 2, -l2 * cos(b) * bd**2 / 2,
             -l2 * sin(b) * bd**2 / 2]
    M = [[mass[i] if i == j else mpf(0) for j in range(5)] for i in range(5)]
    acc, lam = saddle(M, force(a), rows, gamma)
    check = rate(0, [a, om])[1] - acc[0]
    show("slider_crank", q=q, v=v, lam=lam, check=[check])


def parallel_bars():
    m = mpf(2)
    k = sqrt(mpf("0.1"))  # cos(theta0) = 0.8
    th, om = swing(mpf(3), G0, k)
    x, y = sin(th), -cos(th)
    show("parallel_bars", q=[x, y, mpf(0)], v=[om * cos(th), om * sin(th), mpf(0)],
         lam=[m * (om**2 - G0 * y) / 3] * 3)


def cubic(b, a):
    """The real root of w + a w^3 = b."""
    return 2 / sqrt(3 * a) * sinh(asinh(3 * b * sqrt(3 * a) / 2) / 3)


def motor():
    lag, a, drive, back = mpf("0.2"), mpf("0.2"), mpf(6), mpf("0.5")

    def w_of(t, om):
        return cubic(drive * cos(2 * t) - back * om, a)

    def rate(t, s):
        th, om, u = s
        return [om, u - G0 * sin(th), (w_of(t, om) - u) / lag]

    T = mpf(2)
    th, om, u = odefun(rate, 0, [mpf(0), mpf(0), mpf(0)])(T)
    w = w_of(T, om)
    x, y = sin(th), -cos(th)
    show("motor", w0=[w_of(0, mpf(0))], q=[x, y], v=[om * cos(th), om * sin(th)], u=[u], w=[w],
         lam=[(om**2 - G0 * y) / 2], check=[w + a * w**3 - drive * cos(2 * T) + back * om])


def structures():
    t = mpf(3)
    a, b = sqrt(mpf(7) / 15), 1 / sqrt(mpf(2))
    c1, s1, c2, s2, r = cosh(a * t), a * sinh(a * t), cosh(b * t), sinh(b * t), sqrt(mpf(2))
    d2 = b * s2  # derivative of c2
    e = s2 + t * b * c2  # derivative of t s2
    show("structures", x=[64 * c1 - 63 * c2 + 5 * r / 4 * t * s2 - 1, -16 * c1 + 20 * c2 - 4],
         xdot=[64 * s1 - 63 * d2 + 5 * r / 4 * e, -16 * s1 + 20 * d2],
         y=[-8 * c1 + 10 * c2 - 2, -56 * c1 + 58 * c2 - 5 * r / 4 * t * s2 - 2],
         ydot=[-8 * s1 + 10 * d2, -56 * s1 + 58 * d2 - 5 * r / 4 * e],
         lam=[mpf(368) / 15 * c1 - 24 * c2 + 5 * r / 8 * t * s2 - 2])


def bouncing_ball():
    e, t = mpf("0.8"), mpf("1.5")
    land, speed = sqrt(2 / G0), e * sqrt(2 * G0)
    hits = 1
    while land + 2 * speed / G0 < t:
        land, speed, hits = land + 2 * speed / G0, speed * e, hits + 1
    s = t - land
    show("bouncing_ball", q=[t, speed * s - G0 * s**2 / 2], v=[mpf(1), speed - G0 * s],
         events=[mpf(hits)])


def wall():
    """Released horizontally, thrown back elastically at x = -1/2: periodic, symmetric in time
    about every hit."""
    k, T = sqrt(mpf(1) / 2), mpf(4)
    t1 = (ellipk(k * k) + ellipf(asin(sin(pi / 12) / k), k * k)) / sqrt(G0)
    periods = floor(T / (2 * t1))
    s = T - 2 * t1 * periods
    hits = periods + (1 if s > t1 else 0)
    th, om = swing(2 * t1 - s if s > t1 else s, G0, k)
    om = -om if s > t1 else om
    show("pendulum_wall", t1=[t1], q=[sin(th), -cos(th)], v=[om * cos(th), om * sin(th)],
         lam=[(om**2 + G0 * cos(th)) / 2], events=[hits])


def hessenberg2():
    t = mpf(1)
    show("hessenberg2", x=[exp(t), exp(-2 * t)], y=[exp(2 * t)])


ALL = [pendulum2, pendulum_light, track, bead, spring, curvilinear, knife, sleigh, slider_crank,
       parallel_bars, motor, structures, bouncing_ball, wall, hessenberg2]
for problem in ALL:
    if len(sys.argv) < 2 or problem.__name__ in sys.argv[1:]:
        problem()
