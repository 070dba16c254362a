#!/usr/bin/env python3
"""End values of the models in models/, by means that share no code with daedal: closed forms, or
integration of the motion in other coordinates. Run by hand after a model was changed; the tests read
models/NAME.json only. Needs numpy, scipy (special functions, DOP853 for cross-checks) and mpmath.

    references.py [NAME ...]     write models/NAME.json; without names all

Integrations are by extrapolation of the modified midpoint rule (Gragg, Bulirsch, Stoer) in extended precision
(80 bits), twice with different steps: the difference gives "_digits". DOP853 at 1e-13 confirms them to 1e-8.
"_amplification" is the largest relative change of an end value over a relative change of a start value (of 1e-7, by
the reference itself), stated where the motion amplifies errors however small the steps are: orbits, long runs.
"_held" models are reported apart: nothing is tuned on them.
"""
import json
import math
import pathlib
import sys

import mpmath
import numpy as np
import scipy.integrate
import scipy.linalg

L = np.longdouble
G = L("9.81")
sin, cos, sqrt, exp = np.sin, np.cos, np.sqrt, np.exp
MODELS = pathlib.Path(__file__).resolve().parent / "models"
HELD = set("""index1_pair index2_circle slow_pair trojan linkage top_60 turntable hoop mirror yoke dumbbell coulomb square
planet arm towed""".split())
REFERENCES = {}


def reference(name):
    def add(function):
        REFERENCES[name] = function
        return function
    return add


# ---- integration in extended precision ----

def midpoint(f, t, y, H, n):
    """Modified midpoint rule: n steps over H."""
    h = H / n
    a, b = y, y + h * f(t, y)
    for i in range(1, n):
        a, b = b, a + 2 * h * f(t + i * h, b)
    return (a + b + h * f(t + H, b)) / 2


def extrapolate(f, y, to, steps, order=10):
    """y at `to` from y at 0 by `steps` steps, extrapolated from 2, 4, ... 2 order midpoint steps."""
    y, H = np.array(y, dtype=L), L(to) / steps
    for i in range(steps):
        table = []
        for j in range(order):
            row = [midpoint(f, i * H, y, H, 2 * (j + 1))]
            for k in range(1, j + 1):
                ratio = (L(j + 1) / L(j + 1 - k))**2
                row.append(row[k - 1] + (row[k - 1] - table[j - 1][k - 1]) / (ratio - 1))
            table.append(row)
        y = table[-1][-1]
    return y


def integrate(f, y, to, steps):
    """End value and digits: two step sizes, and DOP853 as a witness."""
    g = lambda t, z: np.array(f(t, z), dtype=L)
    a, b = extrapolate(g, y, to, steps), extrapolate(g, y, to, steps * 3 // 2 + 1)
    other = scipy.integrate.solve_ivp(lambda t, z: np.array(f(t, z), dtype=float), (0, float(to)),
                                      np.array(y, dtype=float), method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    scale = 1 + abs(b)
    witness = float(max(abs(b - other) / scale))
    assert witness < 1e-8, f"DOP853 differs by {witness:g}"
    return b, min(15, math.floor(-math.log10(float(max(abs(a - b) / scale)) + 1e-19)))


def amplification(end, start):
    """Largest relative change of end(start) over a relative change of one entry of start."""
    base, most = np.array(end(start), dtype=L), 0
    for i in range(len(start)):
        moved = [L(v) for v in start]
        moved[i] += L("1e-7") * (1 + abs(moved[i]))
        most = max(most, float(max(abs(np.array(end(moved), dtype=L) - base) / (1 + abs(base))) / L("1e-7")))
    return float("%.2g" % most)


def result(to, values, note, digits=15, amplify=None):
    out = {"t": float(to)}
    out.update((k, float(v)) for k, v in values.items())
    out["_note"] = note
    out["_digits"] = digits
    if amplify and amplify > 10:
        out["_amplification"] = amplify
    return out


def by_integration(names, f, start, to, steps, note, show=None, amplify=False):
    """Result of an integration; show maps the end state to the values named."""
    show = show or (lambda y: y)
    y, digits = integrate(f, start, to, steps)
    factor = amplification(lambda s: show(extrapolate(lambda t, z: np.array(f(t, z), dtype=L), s, to, steps)),
                           start) if amplify else None
    return result(to, dict(zip(names, show(y))), note + "; midpoint extrapolation in 80 bits", digits, factor)


# ---- index 1 and 2: manufactured ----

@reference("index1_cubic")
def _():
    t = L(8)
    a = 2 * t + sin(2 * t) / 2  # integral of 2 + cos(2 t)
    return result(t, {"x": cos(a), "y": sin(a), "w": 2 + cos(2 * t)}, "manufactured")


@reference("index1_pair")
def _():
    t = L(6)
    # x' = -x + 2 (cos t - sin t): x = 2 cos t; y' = -3 y - 3 cos 2t + 2 sin 2t: y = -cos 2t
    return result(t, {"x": 2 * cos(t), "y": -cos(2 * t), "a": 1 + t / 4, "b": exp(-t / 2) * sin(3 * t)}, "manufactured")


@reference("index2_stiff")
def _():
    t = L(5)
    return result(t, {"u1": sin(t), "u2": cos(2 * t), "u3": 1 / (1 + t), "p": 2 + sin(5 * t)}, "manufactured")


@reference("index2_circle")
def _():
    t = L(4)
    return result(t, {"u1": 2 * cos(t), "u2": L("1.5") * sin(t) + L("0.2"), "u3": exp(-t) * cos(4 * t), "p": -L("0.5") - cos(t) / 4},
                  "manufactured")


# ---- kinetics and circuits ----

@reference("kinetics_chain")
def _():
    k, c, t = mpmath.mpf(10)**4, mpmath.mpf("0.01"), mpmath.mpf(30)
    e = mpmath.exp
    b = k / (k - 1) * (e(-t) - e(-k * t))
    x = k / (k - 1) * ((e(-c * t) - e(-t)) / (1 - c) - (e(-c * t) - e(-k * t)) / (k - c))
    return result(t, {"a": e(-k * t), "b": b, "c": x}, "closed form")


@reference("enzyme")
def _():
    def f(t, y):
        s, c, p = y
        bind = 1000 * (L("0.05") - c) * s - 200 * c
        return [-bind, bind - 5 * c, 5 * c]
    return by_integration("scp", f, [1, 0, 0], 10, 4000, "steps of the fast binding")


@reference("slow_pair")
def _():
    return result(3, {"x": exp(L(-6)), "y": exp(L(-3))}, "closed form (Kaps)")


@reference("clipper")
def _():
    def node(t, u):  # voltage a: (sin 3t - a)/R = (a - u)/0.05 + 2 Is sinh(a/U)
        a = u
        for _ in range(200):
            F = (sin(3 * L(t)) - a) * 10 - (a - u) * 20 - L("2e-4") * np.sinh(a * 20)
            step = F / (30 + L("4e-3") * np.cosh(a * 20))
            a += np.clip(step, L("-0.1"), L("0.1"))
            if abs(step) < L("1e-18"):
                break
        return a
    f = lambda t, y: [(node(t, L(y[0])) - L(y[0])) * 20 - y[0]]
    y, digits = integrate(f, [0], 6, 500)
    a = node(L(6), y[0])
    return result(6, {"u": y[0], "ua": a, "i": (a - y[0]) * 20}, "node solved by Newton; midpoint extrapolation in 80 bits", digits)


def linear(A, b, y0, t):
    """y at t of y' = A y + b, by eigenvectors in 50 digits."""
    mpmath.mp.dps = 50
    n = len(y0)
    B = mpmath.matrix(n + 1, n + 1)
    for i in range(n):
        for j in range(n):
            B[i, j] = mpmath.mpf(A[i][j])
        B[i, n] = mpmath.mpf(b[i])
    y = mpmath.expm(B * t) * mpmath.matrix(list(y0) + [1])
    return [y[i] for i in range(n)]


@reference("filter")
def _():
    # j = (1 - u)/2 through the capacitor: j = v/5 + i + 0.01 v', u' = v' + 1000 j
    dv = [-50, -20, 0, -100]
    A = [[dv[0] - 500, dv[1], dv[2], dv[3]], dv, [0, 0, -mpmath.mpf(1) / 6, mpmath.mpf(10) / 3], [0, 2.5, -2.5, 0]]
    y = linear(A, [50 + 500, 50, 0, 0], [0, 0, 0, 0], 5)
    return result(5, dict(zip(["u", "v", "w", "i"], y)), "matrix exponential")


# ---- orbits ----

def kepler(mu, a, e, t):
    """Position and velocity at t after the pericentre on the x axis."""
    n = mpmath.sqrt(mu / a**3)
    E = mpmath.findroot(lambda E: E - e * mpmath.sin(E) - n * t, n * t + e * mpmath.sin(n * t))
    rate, b = n / (1 - e * mpmath.cos(E)), a * mpmath.sqrt(1 - e * e)
    return [a * (mpmath.cos(E) - e), b * mpmath.sin(E), -a * mpmath.sin(E) * rate, b * mpmath.cos(E) * rate]


def orbit(mu):
    def f(t, y):
        r3 = (y[0]**2 + y[1]**2)**L("1.5")
        return [y[2], y[3], -mu * y[0] / r3, -mu * y[1] / r3]
    return f


ORBIT = ["x", "y", "der(x)", "der(y)"]


@reference("ellipse")
def _():
    t = 5 * mpmath.pi
    end = lambda s: extrapolate(lambda t, z: np.array(orbit(1)(t, z)), s, L(5) * L(math.pi), 100)
    return result(t, dict(zip(ORBIT, kepler(mpmath.mpf(1), mpmath.mpf(1), mpmath.mpf("0.6"), t))), "closed form (Kepler equation)",
                  15, amplification(end, [L("0.4"), 0, 0, 2]))


@reference("planet")
def _():
    mu, a, e = mpmath.mpf("1.327e20"), mpmath.mpf("1.5e11"), mpmath.mpf("0.3")
    t, v = mpmath.mpf("4e7"), mpmath.sqrt(mu / a * (1 + e) / (1 - e))
    end = lambda s: extrapolate(lambda t, z: np.array(orbit(L("1.327e20"))(t, z)), s, L("4e7"), 60)
    return result(t, dict(zip(ORBIT, kepler(mu, a, e, t))), "closed form (Kepler equation)", 15,
                  amplification(end, [L("1.05e11"), 0, 0, L(float(v))]))


@reference("eight")
def _():
    a, b, c, d = map(L, ("0.97000436", "0.24308753", "0.93240737", "0.86473146"))

    def f(t, z):
        x, y = z[0:3], z[3:6]
        ax, ay = [0] * 3, [0] * 3
        for i in range(3):
            for j in range(3):
                if i != j:
                    r3 = ((x[i] - x[j])**2 + (y[i] - y[j])**2)**L("1.5")
                    ax[i] += (x[j] - x[i]) / r3
                    ay[i] += (y[j] - y[i]) / r3
        return [*z[6:9], *z[9:12], *ax, *ay]
    start = [a, -a, 0, -b, b, 0, c / 2, c / 2, -c, d / 2, d / 2, -d]
    names = [w % i for w in ("x[%d]", "y[%d]", "der(x[%d])", "der(y[%d])") for i in (1, 2, 3)]
    return by_integration(names, f, start, 6, 60, "Newton's equations", amplify=True)


@reference("trojan")
def _():
    m = L("0.001")

    def f(t, z):  # inertial frame: both primaries turn at rate 1
        x, y, u, v = z
        c, s = cos(L(t)), sin(L(t))
        x1, y1, x2, y2 = -m * c, -m * s, (1 - m) * c, (1 - m) * s
        r1, r2 = ((x - x1)**2 + (y - y1)**2)**L("1.5"), ((x - x2)**2 + (y - y2)**2)**L("1.5")
        return [u, v, -(1 - m) * (x - x1) / r1 - m * (x - x2) / r2, -(1 - m) * (y - y1) / r1 - m * (y - y2) / r2]

    def show(z):
        x, y, u, v = z
        c, s = cos(L(30)), sin(L(30))
        X, Y = c * x + s * y, c * y - s * x
        return [X, Y, c * u + s * v + Y, c * v - s * u - X]
    x, y = L("0.52"), L("0.85")
    return by_integration(ORBIT, f, [x, y, L("0.01") - y, L("-0.02") + x], 30, 100, "in the inertial frame", show, True)


# ---- constrained mechanics in the plane ----

@reference("double")
def _():
    def f(t, y):  # angles from the downward vertical, M theta'' = r
        a, b, u, v = y
        m, l = L("0.5"), L("0.7")
        s, c = sin(a - b), cos(a - b)
        M11, M12, M22 = 1 + m, m * l * c, m * l * l
        r1, r2 = -m * l * s * v * v - (1 + m) * G * sin(a), m * l * s * u * u - m * l * G * sin(b)
        d = M11 * M22 - M12 * M12
        return [u, v, (M22 * r1 - M12 * r2) / d, (M11 * r2 - M12 * r1) / d]

    def show(y):
        a, b, u, v = y
        l = L("0.7")
        return [sin(a), -cos(a), sin(a) + l * sin(b), -cos(a) - l * cos(b), cos(a) * u, sin(a) * u, cos(a) * u + l * cos(b) * v,
                sin(a) * u + l * sin(b) * v]
    return by_integration(["x1", "y1", "x2", "y2", "der(x1)", "der(y1)", "der(x2)", "der(y2)"], f, [L("0.9"), L("0.4"), 0, 0], 5, 150,
                          "in angles", show)


def linkage_rocker(a, x, y):
    """Pin (x, y) of the rocker at the crank angle a by Newton from a guess, with its derivatives by a."""
    b2 = (L("1.5") - cos(L("0.8")))**2 + (L("1.2") - sin(L("0.8")))**2
    c, s = cos(a), sin(a)
    for _ in range(60):
        r = np.array([(x - c)**2 + (y - s)**2 - b2, (x - 2)**2 + y**2 - L("1.69")]) / 2
        k = (x - c) * y - (y - s) * (x - 2)
        dx, dy = (r[0] * y - r[1] * (y - s)) / k, ((x - c) * r[1] - (x - 2) * r[0]) / k
        x, y = x - dx, y - dy
        if abs(dx) + abs(dy) < L("1e-18"):
            break
    k = (x - c) * y - (y - s) * (x - 2)
    solve = lambda p, q: ((p * y - q * (y - s)) / k, ((x - c) * q - (x - 2) * p) / k)
    X, Y = solve((x - c) * -s + (y - s) * c, L(0))
    XX, YY = solve((x - c) * -c + (y - s) * -s - (X + s)**2 - (Y - c)**2, -X * X - Y * Y)
    return x, y, X, Y, XX, YY


@reference("linkage")
def _():
    m = L("0.8")

    def f(t, z):  # the pin follows by its derivative and is solved from there
        a, u, x, y = z
        px, py, X, Y, XX, YY = linkage_rocker(L(a), L(x), L(y))
        I, half = 1 + m * (X * X + Y * Y), m * (X * XX + Y * YY)
        return [u, -(half * u * u + G * (cos(L(a)) + m * Y)) / I, X * u, Y * u]

    def show(z):
        a, u, x, y = z
        x, y, X, Y, _, _ = linkage_rocker(a, x, y)
        return [cos(a), sin(a), x, y, -sin(a) * u, cos(a) * u, X * u, Y * u]
    return by_integration(["x1", "y1", "x2", "y2", "der(x1)", "der(y1)", "der(x2)", "der(y2)"], f,
                          [L("-0.8"), 0, L("1.5"), L("-1.2")], 4, 200, "in the crank angle", show)


def bead(g):
    return lambda t, y: [y[1], -(y[0] * y[1]**2 + g * y[0]) / (1 + y[0]**2)]


@reference("parabola")
def _():
    return by_integration(["x", "y", "der(x)", "der(y)"], bead(G), [L("1.5"), 0], 8, 150, "in x alone",
                          lambda y: [y[0], y[0]**2 / 2, y[1], y[0] * y[1]])


@reference("valley")
def _():
    # x = 1e6 X, t = 1e9 T: X'' has g = 9.81e-12 1e18/1e6 = 9.81
    out = by_integration(["x", "y", "der(x)", "der(y)"], bead(G), [L("1.5"), 0], 8, 150, "in x alone, scaled",
                         lambda y: [y[0] * 10**6, y[0]**2 / 2 * 10**6, y[1] / 1000, y[0] * y[1] / 1000])
    return {**out, "t": 8e9}


# ---- bodies in space ----

def cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def parameters_rate(p, u):
    """Rates of Euler parameters from the angular velocity in the body frame."""
    return np.array([-p[1] * u[0] - p[2] * u[1] - p[3] * u[2], p[0] * u[0] + p[2] * u[2] - p[3] * u[1],
                     p[0] * u[1] + p[3] * u[0] - p[1] * u[2], p[0] * u[2] + p[1] * u[1] - p[2] * u[0]]) / 2


PARAMETERS = ["p0", "p1", "p2", "p3", "der(p0)", "der(p1)", "der(p2)", "der(p3)"]


def body(J, mgl):
    """Euler's equations for u, the vertical c in the body frame, and the parameters that follow."""
    J = np.array([L(v) for v in J])

    def f(t, z):
        u, c, p = z[0:3], z[3:6], z[6:10]
        torque = mgl * np.array([c[1], -c[0], 0 * c[0]])
        return np.concatenate([(cross(J * u, u) + torque) / J, cross(c, u), parameters_rate(p, u)])
    return f


def show_parameters(z):
    p = z[6:10] / sqrt(sum(z[6:10]**2))
    return [*p, *parameters_rate(p, z[0:3])]


def top(spin, to, steps):
    a = L("0.3")
    start = [L("0.5"), 0, spin, 0, sin(2 * a), cos(2 * a), cos(a), sin(a), 0, 0]
    f = body(["0.8", "0.8", "0.3"], 4)
    return by_integration(PARAMETERS, f, start, to, steps, "Euler's equations with the vertical in the body frame", show_parameters)


for spin, to, steps in (5, 2, 60), (20, 2, 120), (60, 1, 150), (150, 1, 300):
    REFERENCES["top_%d" % spin] = lambda spin=spin, to=to, steps=steps: top(spin, to, steps)


@reference("body")
def _():
    return by_integration(PARAMETERS, body(["1", "2", "3.5"], 0), [L("0.3"), 2, L("0.2"), 0, 0, 1, 1, 0, 0, 0], 6, 100,
                          "Euler's equations", show_parameters)


def rotate(p, w):
    """R w: from the body frame to space."""
    q, s = p[1:4], p[0]
    return w + 2 * cross(q, cross(q, w) + s * w)


@reference("disk")
def _():
    a, m, al = L("0.5"), L(2), L("1.2")
    A, C = m * a * a / 4, m * a * a / 2
    vertical = np.array([L(0), L(0), L(1)])

    def geometry(z):
        w, n = z[0:3], z[3:6]
        h = sqrt(1 - n[2]**2)
        r = a * (vertical - n[2] * n) / h
        dn = cross(w, n)
        dh = -n[2] * dn[2] / h
        dr = a * (-dn[2] * n - n[2] * dn) / h - r * dh / h
        return w, n, r, dr

    def f(t, z):  # momentum balance about the contact, in space: w, axis n, centre, parameters
        z = np.array(z, dtype=L)
        w, n, r, dr = geometry(z)
        I = A * np.eye(3, dtype=L) + (C - A) * np.outer(n, n)
        right = -cross(w, I @ w) - m * cross(r, cross(w, dr)) - m * G * cross(r, vertical)
        K = I + m * (r @ r * np.eye(3, dtype=L) - np.outer(r, r))
        k = [cross(K[:, 1], K[:, 2]), cross(K[:, 2], K[:, 0]), cross(K[:, 0], K[:, 1])]
        dw = np.array([v @ right for v in k]) / (K[:, 0] @ k[0])
        p = z[9:13]
        u = rotate(np.array([p[0], -p[1], -p[2], -p[3]]), w)
        return np.concatenate([dw, cross(w, n), cross(w, r), parameters_rate(p, u)])

    def show(z):
        w, n, r, _ = geometry(z)
        return [*z[6:9], *cross(w, r), *z[9:13] / sqrt(sum(z[9:13]**2))]
    p = np.array([cos(al / 2), sin(al / 2), L(0), L(0)])
    w = rotate(p, np.array([L("0.4"), L("0.5"), L(7)]))
    n = rotate(p, vertical)
    return by_integration(["x", "y", "z", "der(x)", "der(y)", "der(z)", "p0", "p1", "p2", "p3"], f,
                          [*w, *n, 0, 0, a * sin(al), *p], 3, 100, "momentum about the contact point, axis of the disk as a vector", show)


@reference("turntable")
def _():
    a, W, v0, x0, w3 = L("0.3"), L(4), L("0.7"), L("0.5"), L(2)
    k = 2 * W / 7  # the velocity turns at this rate

    def plane(t):
        return x0 + v0 / k * sin(k * t), v0 / k * (1 - cos(k * t)), v0 * cos(k * t), v0 * sin(k * t)

    def f(t, p):  # the angular velocity in space is known
        x, y, u, v = plane(L(t))
        w = np.array([(W * x - v) / a, (u + W * y) / a, w3])
        p = np.array(p, dtype=L)
        return parameters_rate(p, rotate(np.array([p[0], -p[1], -p[2], -p[3]]), w))
    p, digits = integrate(f, [1, 0, 0, 0], 5, 150)
    x, y, u, v = plane(L(5))
    p /= sqrt(sum(p**2))
    return result(5, {"x": x, "y": y, "der(x)": u, "der(y)": v, **dict(zip(["p0", "p1", "p2", "p3"], p))},
                  "closed form; attitude from the closed angular velocity by midpoint extrapolation", digits)


@reference("gears")
def _():
    R, r, m, J, k, v = L("1.5"), L("0.5"), L(2), L("0.3"), L("1.2"), L(6)
    w = sqrt(k * (R / r)**2 / (m * R * R + J * (R / r)**2))
    a, u = v / R / w * sin(w * 10), v / R * cos(w * 10)
    return result(10, {"x": R * cos(a), "y": R * sin(a), "phi": R / r * a, "der(x)": -R * sin(a) * u, "der(y)": R * cos(a) * u,
                       "der(phi)": R / r * u}, "closed form")


@reference("hoop")
def _():
    W = L(5)

    def show(z):
        a, u, p = z[0], z[1], W * 5
        return [sin(a) * cos(p), sin(a) * sin(p), -cos(a), cos(a) * u * cos(p) - W * sin(a) * sin(p),
                cos(a) * u * sin(p) + W * sin(a) * cos(p), sin(a) * u]
    return by_integration(["x", "y", "z", "der(x)", "der(y)", "der(z)"], lambda t, z: [z[1], W * W * sin(z[0]) * cos(z[0]) - G * sin(z[0])],
                          [L("0.8"), 0], 5, 100, "in the angle", show)


# ---- gyroscopic forces without constraints ----

@reference("magnet")
def _():
    b, e, t = mpmath.mpf(20), mpmath.mpf(8), mpmath.mpf(5)
    w0 = mpmath.mpc(1, "0.5")  # w = x' + i y': w' = -i b w + e
    drift = e / (mpmath.j * b)
    w = drift + (w0 - drift) * mpmath.exp(-mpmath.j * b * t)
    z = drift * t + (w0 - drift) * (mpmath.exp(-mpmath.j * b * t) - 1) / (-mpmath.j * b)
    a = mpmath.mpf("0.8")
    return result(t, {"x": z.real, "y": z.imag, "z": mpmath.mpf("0.3") * t + a * t * t / 2, "der(x)": w.real, "der(y)": w.imag,
                      "der(z)": mpmath.mpf("0.3") + a * t}, "closed form")


@reference("mirror")
def _():
    # cylinder coordinates: r, z and the conserved canonical angular momentum
    b, r0, v0 = L(10), L("0.3"), L("1.5")
    psi = lambda r, z: b * (1 + z * z) * r * r / 2  # flux
    P = r0 * v0 + psi(r0, L(0))

    def f(t, y):
        r, z, u, w, a = y
        spin = (P - psi(r, z)) / (r * r)
        pull = lambda dpsi: spin * dpsi
        return [u, w, r * spin**2 + pull(b * (1 + z * z) * r), pull(b * z * r * r), spin]

    def show(y):
        r, z, u, w, a = y
        s = (P - psi(r, z)) / (r * r)
        return [r * cos(a), r * sin(a), z, u * cos(a) - r * s * sin(a), u * sin(a) + r * s * cos(a), w]
    return by_integration(["x", "y", "z", "der(x)", "der(y)", "der(z)"], f, [r0, 0, 0, 1, 0], 3, 150, "cylinder coordinates, conserved momentum",
                          show)


@reference("foucault")
def _():
    W, k, t = mpmath.mpf("1.3"), mpmath.mpf(9), mpmath.mpf(10)
    n = mpmath.sqrt(W * W + k)  # z = exp(-i W t) (A exp(i n t) + B exp(-i n t))
    v = mpmath.mpc(0, "0.4") + mpmath.j * W
    A, B = (1 + v / (mpmath.j * n)) / 2, (1 - v / (mpmath.j * n)) / 2
    e = lambda w: mpmath.exp(mpmath.j * w * t)
    z = A * e(n - W) + B * e(-n - W)
    w = mpmath.j * (n - W) * A * e(n - W) - mpmath.j * (n + W) * B * e(-n - W)
    return result(t, {"x": z.real, "y": z.imag, "der(x)": w.real, "der(y)": w.imag}, "closed form")


# ---- driven mechanisms ----

@reference("swing")
def _():
    A, w = L("0.3"), L(7)

    def show(y):
        p, dp = A * sin(w * 3), A * w * cos(w * 3)
        return [p + sin(y[0]), -cos(y[0]), dp + cos(y[0]) * y[1], sin(y[0]) * y[1]]
    return by_integration(ORBIT, lambda t, y: [y[1], -G * sin(y[0]) + A * w * w * sin(w * L(t)) * cos(y[0])], [L("0.5"), 0], 3, 80,
                          "in the angle", show)


@reference("yoke")
def _():
    a = lambda t: 2 * t + sin(t) / 2
    da = lambda t: 2 + cos(t) / 2

    def f(t, z):
        t = L(t)
        X, dX = cos(a(t)), -sin(a(t)) * da(t)
        return [z[1], (-30 * (z[0] - X - L("0.5")) - L("0.2") * (z[1] - dX)) * 2]
    z, digits = integrate(f, [L("1.6"), 0], 6, 150)
    t = L(6)
    X, dX = cos(a(t)), -sin(a(t)) * da(t)
    return result(6, {"x": X, "y": sin(a(t)), "X": X, "z": z[0], "der(x)": dX, "der(X)": dX, "der(z)": z[1]},
                  "kinematics in closed form; oscillator by midpoint extrapolation", digits)


# ---- stiff springs ----

@reference("spring")
def _():
    def f(t, y):  # r - 1, angle, rates
        r = 1 + y[0]
        return [y[2], y[3], r * y[3]**2 + G * cos(y[1]) - 10**6 * y[0], (-G * sin(y[1]) - 2 * y[2] * y[3]) / r]

    def show(y):
        r, a = 1 + y[0], y[1]
        return [r * sin(a), -r * cos(a), y[2] * sin(a) + r * cos(a) * y[3], -y[2] * cos(a) + r * sin(a) * y[3]]
    return by_integration(ORBIT, f, [0, 1, 0, 0], 1, 800, "polar coordinates", show)


@reference("dumbbell")
def _():
    # relative motion: r'' = r a'^2 - 2e5 (r - 1), r^2 a' = 3; the centre falls
    def f(t, y):
        r = 1 + y[0]
        return [y[2], 3 / r**2, 9 / r**3 - 2 * 10**5 * y[0]]

    def show(y):
        d, a, u = y
        r, t = 1 + d, L(1)
        w = 3 / r**2
        dx, dy = r * cos(a) / 2, r * sin(a) / 2
        ux, uy = (u * cos(a) - r * sin(a) * w) / 2, (u * sin(a) + r * cos(a) * w) / 2
        cx, cy, vy = t, 2 * t - G * t * t / 2, 2 - G * t
        return [cx + dx, cy + dy, cx - dx, cy - dy, 1 + ux, vy + uy, 1 - ux, vy - uy]
    return by_integration(["x1", "y1", "x2", "y2", "der(x1)", "der(y1)", "der(x2)", "der(y2)"], f, [0, 0, 0], 1, 400,
                          "polar coordinates about the centre of mass", show)


# ---- forces that jump or bend: pieces ----

def pieces(x, v, to, region, advance, crossing):
    """Motion through regions: advance(region, t, x, v) in closed form, crossing(region, t, x, v): whether the region is left.
    The time of leaving is bisected on a fine grid."""
    t, left, grid = mpmath.mpf(0), mpmath.mpf(to), mpmath.mpf(1) / 500
    here = region(x, v)
    while left > 0:
        a = mpmath.mpf(0)
        while a < left and not crossing(here, *advance(here, a + grid, x, v)):
            a += grid
        if a >= left:
            return advance(here, left, x, v)
        lo, hi = a, a + grid
        for _ in range(150):
            mid = (lo + hi) / 2
            lo, hi = (lo, mid) if crossing(here, *advance(here, mid, x, v)) else (mid, hi)
        if hi >= left:
            return advance(here, left, x, v)
        x, v = advance(here, hi, x, v)
        left -= hi
        here = region(x, v)
    return x, v


def harmonic(w2, d, c):
    """Advance of x'' = c - w2 x - d x'."""
    w2, d, c = mpmath.mpf(w2), mpmath.mpf(d), mpmath.mpf(c)

    def advance(t, x, v):
        if w2 == 0:
            return x + v * t + c * t * t / 2, v + c * t
        m, n = c / w2, mpmath.sqrt(w2 - d * d / 4)
        a, b = x - m, (v + d / 2 * (x - m)) / n
        e, s, k = mpmath.exp(-d / 2 * t), mpmath.sin(n * t), mpmath.cos(n * t)
        return m + e * (a * k + b * s), e * ((n * b - d / 2 * a) * k - (n * a + d / 2 * b) * s)
    return advance


def piecewise(x, v, to, number, laws):
    """number(x, v): region; laws: one advance per region."""
    mpmath.mp.dps = 40
    x, v = pieces(mpmath.mpf(x), mpmath.mpf(v), to, number, lambda r, t, x, v: laws[r](t, x, v), lambda r, x, v: number(x, v) != r)
    return result(to, {"x": x, "der(x)": v}, "closed form in pieces")


@reference("levels")
def _():
    return piecewise(0, 1, 10, lambda x, v: 0 if x < -0.5 else 1 if x < mpmath.mpf("0.4") else 2,
                     [harmonic(0, 0, 3), harmonic(0, 0, "0.2"), harmonic(0, 0, -2)])


@reference("clearance")
def _():
    c = mpmath.mpf("0.2")
    return piecewise(0, 1, 10, lambda x, v: 0 if x > c else 1 if x < -c else 2,
                     [harmonic(50, 0, 10), harmonic(50, 0, -10), harmonic(0, 0, 0)])


@reference("coulomb")
def _():
    return piecewise(3, 0, 6, lambda x, v: 0 if v > 0 else 1, [harmonic(4, 0, "-0.3"), harmonic(4, 0, "0.3")])


@reference("damper")
def _():
    return piecewise(1, 1, 6, lambda x, v: 0 if v > 0 else 1, [harmonic(9, 2, 0), harmonic(9, 0, 0)])


@reference("square")
def _():
    mpmath.mp.dps = 40
    x, v, t, sign = mpmath.mpf("0.5"), mpmath.mpf(0), mpmath.mpf(0), 1
    while t < 10:
        h = min(mpmath.pi / 3, 10 - t)
        x, v = harmonic(1, 0, sign)(h, x, v)
        t, sign = t + h, -sign
    return result(10, {"x": x, "der(x)": v}, "closed form in pieces")


# ---- other units ----

def pendulum(k, t, amplitude):
    """Angle from the downward vertical and its rate of theta'' = -k sin theta, from rest at the amplitude."""
    w, m = mpmath.sqrt(k), mpmath.sin(amplitude / 2)**2
    u = mpmath.ellipk(m) - w * t
    sn, cn, dn = (mpmath.ellipfun(f, u, m=m) for f in ("sn", "cn", "dn"))
    s = mpmath.sqrt(m)
    return 2 * mpmath.asin(s * sn), -2 * s * w * cn


def show_pendulum(a, u):
    return {"x": mpmath.sin(a), "y": -mpmath.cos(a), "der(x)": mpmath.cos(a) * u, "der(y)": mpmath.sin(a) * u}


@reference("nano")
def _():
    mpmath.mp.dps = 40
    return result(mpmath.mpf("3e-9"), show_pendulum(*pendulum(mpmath.mpf("4e18"), mpmath.mpf("3e-9"), mpmath.pi / 2)),
                  "Jacobi elliptic functions")


@reference("tank")
def _():
    # u'' + R/L u' + u/(L C) = 0
    mpmath.mp.dps = 40
    u, du = harmonic(10**18, "1e8", 0)(mpmath.mpf("1e-8"), mpmath.mpf(1), mpmath.mpf(0))
    return result(1e-8, {"u": u, "i": -du / 10**9}, "closed form")


@reference("growth")
def _():
    x = 1 / (1 + 99 * exp(L(-8)))
    return result(8e9, {"x": x, "q": x * (1 - x)}, "closed form (logistic)")


# ---- massless coordinates, no degree of freedom ----

@reference("press")
def _():
    def slider(a):
        r = sqrt(9 - sin(a)**2)
        X, d = cos(a) + r, -sin(a) - sin(a) * cos(a) / r
        dd = -cos(a) - (cos(2 * a) + (sin(a) * cos(a) / r)**2) / r
        return X, d, dd
    m = L("0.6")

    def f(t, y):
        a, u = y
        X, d, dd = slider(a)
        return [u, -(m * d * dd * u * u + G * cos(a) + 4 * (X - 3) * d) / (1 + m * d * d)]

    def show(y):
        a, u = y
        X, d, _ = slider(a)
        b = np.arcsin(sin(a) / 3)
        return [a, b, cos(a), sin(a), X, u, cos(a) * u / (3 * cos(b)), -sin(a) * u, cos(a) * u, d * u]
    return by_integration(["a", "b", "x", "y", "X", "der(a)", "der(b)", "der(x)", "der(y)", "der(X)"], f, [L("0.3"), 2], 4, 120,
                          "in the crank angle", show)


@reference("arm")
def _():
    def elbow(t):
        x, y = 1 + mpmath.mpf("0.3") * mpmath.cos(t), mpmath.mpf("0.4") * mpmath.sin(2 * t)
        d2 = x * x + y * y
        h = mpmath.sqrt(1 / d2 - mpmath.mpf(1) / 4)
        return x / 2 - y * h, y / 2 + x * h
    mpmath.mp.dps = 30
    t = mpmath.mpf(5)
    x, y = elbow(t)
    return result(5, {"x1": x, "y1": y, "x2": 1 + mpmath.mpf("0.3") * mpmath.cos(t), "y2": mpmath.mpf("0.4") * mpmath.sin(2 * t),
                      "der(x1)": mpmath.diff(lambda s: elbow(s)[0], t), "der(y1)": mpmath.diff(lambda s: elbow(s)[1], t)}, "closed form")


# ---- coupled systems ----

@reference("circuits")
def _():
    # z_A = 2 u + z_B/2, z_B = v + w - 0.7 z_A
    mpmath.mp.dps = 40
    f = mpmath.mpf
    za = [2 / f("1.35"), f("0.5") / f("1.35"), f("0.5") / f("1.35")]
    zb = [-f("0.7") * za[0], 1 - f("0.7") * za[1], 1 - f("0.7") * za[2]]
    k = f("0.4")
    # cos t and sin t as states
    A = [[-1 + k * zb[0], k * zb[1], k * zb[2], 1, 0], [0, 0, 1, 0, 0], [za[0], -4 + za[1], -f("0.5") + za[2], 0, 0],
         [0, 0, 0, 0, -1], [0, 0, 0, 1, 0]]
    y = linear(A, [0] * 5, [1, -1, 0, 1, 0], 6)
    dot = lambda r: sum(a * b for a, b in zip(r, y))
    return result(6, {"A.u": y[0], "B.v": y[1], "B.w": y[2], "A.z": dot(za), "B.z": dot(zb)}, "matrix exponential")


@reference("trucks")
def _():
    # a, b = c, d with masses 2, 1.6, 2; sin 2t and cos 2t as states
    mpmath.mp.dps = 40
    f = mpmath.mpf
    A = [[0] * 8 for _ in range(8)]
    A[0][3] = A[1][4] = A[2][5] = 1
    A[3][0], A[3][1], A[3][3] = f(-8) / 2, f(6) / 2, -f("0.3") / 2
    A[4][0], A[4][1], A[4][2] = 6 / f("1.6"), -14 / f("1.6"), 8 / f("1.6")
    A[5][1], A[5][2], A[5][6] = f(8) / 2, f(-8) / 2, f(1) / 2
    A[6][7], A[7][6] = 2, -2
    b = [0, 0, 0, f(-3) / 2, (3 - 8) / f("1.6"), f(8) / 2, 0, 0]
    y = linear(A, b, [0, 1, f("2.5"), 0, 0, 0, 0, 1], 6)
    return result(6, {"A.a": y[0], "A.b": y[1], "B.c": y[1], "B.d": y[2], "der(A.a)": y[3], "der(A.b)": y[4], "der(B.d)": y[5]},
                  "matrix exponential")


@reference("towed")
def _():
    m = L("0.3")

    def f(t, y):
        a, u = y
        return [u, -(-m * sin(a) * cos(a) * u * u + G * sin(a) + 2 * sin(a) * cos(a)) / (1 + m * cos(a)**2)]

    def show(y):
        a, u = y
        return [sin(a), -cos(a), sin(a), cos(a) * u, sin(a) * u, cos(a) * u]
    return by_integration(["A.x", "A.y", "B.s", "der(A.x)", "der(A.y)", "der(B.s)"], f, [L("1.1"), 0], 4, 100, "in the angle", show)


# ---- long runs ----

@reference("circle")
def _():
    # a relative change d of the speed turns the end by 400 pi d
    return result(400 * math.pi, {"x": 1, "y": 0, "der(x)": 0, "der(y)": 1}, "closed form", 15, float("%.2g" % (800 * math.pi)))


@reference("clock")
def _():
    mpmath.mp.dps = 40
    end = lambda a: list(show_pendulum(*pendulum(mpmath.mpf("9.81"), mpmath.mpf(120), a)).values())
    a, d = mpmath.mpf("1.5"), mpmath.mpf("1e-7")
    base, moved = end(a), end(a + d)
    factor = max(abs(x - y) / (1 + abs(x)) for x, y in zip(base, moved)) / d
    return result(120, dict(zip(["x", "y", "der(x)", "der(y)"], base)), "Jacobi elliptic functions", 15, float("%.2g" % factor))


def main():
    for name in sys.argv[1:] or sorted(REFERENCES):
        mpmath.mp.dps = 30
        values = REFERENCES[name]()
        assert values["_digits"] >= 11, f"{name}: {values['_digits']} digits"
        if name in HELD:
            values["_held"] = True
        (MODELS / (name + ".json")).write_text(json.dumps(values, indent=1) + "\n")
        print("%-16s %2d digits%s" % (name, values["_digits"],
                                      ", amplification %g" % values["_amplification"] if "_amplification" in values else ""),
              flush=True)


main()
