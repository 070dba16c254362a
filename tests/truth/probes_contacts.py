"""Probes of impacts, contacts that hold, and constraints that switch, with closed forms."""
import math

from probe import Probe, probe

G = 9.81


@probe
def ball_to_rest():
    return Probe(f"""coord y = 1
kinetic y'^2/2
potential {G}*y
contact floor: y >= 0 restitution 0.8
simulate to 6""", ends={"y": 0, "der(y)": 0, "lambda(floor)": G, "state(floor)": 1})


@probe
def ball_bounces():  # fourth bounce at t1 (1 + 2 e + 2 e^2 + 2 e^3)
    e, t1, end = 0.8, math.sqrt(2 / G), 2.5
    t, v = t1, G * t1
    for _ in range(4):
        last, v = t, e * v
        t += 2 * v / G
    h = end - last
    return Probe(f"""coord y = 1
kinetic y'^2/2
potential {G}*y
impact floor: y restitution {e}
simulate to {end}""", {"floor": 4}, {"y": v * h - G * h * h / 2, "der(y)": v - G * h}, amplification=5)


@probe
def ladder():  # leaves the wall where sin th = 2/3 sin th0; then its middle keeps its velocity along the floor
    L, th0 = 2.0, 1.2
    speed = L / 3 * math.sin(th0) * math.sqrt(G * math.sin(th0) / L)
    return Probe(f"""param L = {L}, th0 = {th0}
coord x = L/2*cos(th0), y = L/2*sin(th0), th = th0
kinetic (x'^2 + y'^2)/2 + L^2/12*th'^2/2
potential {G}*y
contact floor: y >= L/2*sin(th)
contact wall: x >= L/2*cos(th)
simulate to 0.7""", {"wall": 1}, {"der(x)": speed, "state(wall)": 0, "state(floor)": 1}, amplification=3)


@probe
def rocking_block():  # on a smooth floor: th' falls by 1 - 2 b^2/(J/m + b^2) where the other corner closes
    b, h, th0 = 0.2, 0.6, 0.15
    J = (b * b + h * h) / 3
    fall = h * math.cos(th0) + b * math.sin(th0) - h
    before = -math.sqrt(2 * G * fall / (b * b + J))
    return Probe(f"""param b = {b}, h = {h}, th0 = {th0}
coord x = 0, y = h*cos(th0) + b*sin(th0), th = th0
discrete w = 0, n = 0
let left = y - h*cos(th) - b*sin(th), right = y - h*cos(th) + b*sin(th)
kinetic (x'^2 + y'^2)/2 + {J!r}*th'^2/2
potential {G}*y
contact L: left >= 0
contact R: right >= 0 {{ w = if(n == 0, th', w); n = 1 }}
simulate to 0.25""", ends={"w": before * (1 - 2 * b * b / (J + b * b))}, amplification=3)


@probe
def three_balls_together():  # simultaneous: two of them touch
    return Probe("""coord a = -1 rate 1, b = 0, c = 0.1
kinetic (a'^2 + b'^2 + c'^2)/2
impact ab: b - a - 0.1 restitution 1
impact bc: c - b - 0.1 restitution 1
simulate to 2""", {"ab": 1}, {"der(a)": -1 / 3, "der(b)": 2 / 3, "der(c)": 2 / 3})


@probe
def three_balls_in_turn():
    return Probe("""coord a = -1 rate 1, b = 0, c = 0.1 + 1e-6
kinetic (a'^2 + b'^2 + c'^2)/2
impact ab: b - a - 0.1 restitution 1
impact bc: c - b - 0.1 restitution 1
simulate to 2""", {"ab": 1, "bc": 1}, {"der(a)": 0, "der(b)": 0, "der(c)": 1})


@probe
def moving_wall():
    return Probe("""coord x = 1
kinetic x'^2/2
impact wall: x - (t - 1) restitution 0.5
simulate to 4""", {"wall": 1}, {"x": 4, "der(x)": 1.5})


def disk(spin, mu, e):
    """A disk with mass 1, radius 0.1 and a spin falls on a rough floor from a height of 1."""
    r, v = 0.1, math.sqrt(2 * G)
    J, sliding, p = r * r / 2, r * spin, (1 + e) * v
    s = max(-mu * p, min(mu * p, -sliding / (1 + r * r / J)))
    end, t = 0.6, v / G
    return Probe(f"""param r = {r}
coord x = 0, y = 1 + r, phi = 0 rate {spin}
kinetic (x'^2 + y'^2)/2 + r^2/2*phi'^2/2
potential {G}*y
impact floor: y - r restitution {e} friction {mu} along x + r*phi
simulate to {end}""", {"floor": 1}, {"der(x)": s, "x": s * (end - t), "der(phi)": spin + r * s / J}, amplification=5)


@probe
def disk_sticks():
    return disk(20, 0.4, 0.7)


@probe
def disk_slides():
    return disk(-300, 0.2, 0.7)


@probe
def pendulum_against_wall():  # at rest at its lowest point, where nothing presses it against the wall
    return Probe(f"""coord x = 0.6, y = -0.8
kinetic (x'^2 + y'^2)/2
potential {G}*y
constraint rod: x^2 + y^2 = 1
contact wall: x >= 0
simulate to 3""", ends={"x": 0, "y": -1, "der(x)": 0})


@probe
def pushed_and_pulled():  # x'' = -sin t presses up to t = pi
    end = 5.0
    return Probe(f"""coord x = 0
kinetic x'^2/2
force x = -sin(t)
contact wall: x >= 0
simulate to {end}""", ends={"x": math.sin(end) + end - math.pi, "der(x)": math.cos(end) + 1}, amplification=3)


@probe
def latch():  # two masses couple at t = 1, and part at t = 2 by a kick of the first one
    return Probe("""coord a = 0 rate 2, b = 0
discrete on = 0
kinetic (a'^2 + 3*b'^2)/2
constraint hold when on == 1: a - b = 2
event couple: at 1 { on = 1 }
event part: at 2 { on = 0 }
event kick: at 2.5 { a' = 1 }
simulate to 3""", {"couple": 1, "part": 1, "kick": 1}, {"a": 2 + 0.5 * 1.5 + 0.5, "b": 1.0, "der(a)": 1, "der(b)": 0.5})


@probe
def latch_at_a_distance():
    return Probe("""coord a = 0 rate 2, b = 0
discrete on = 0
kinetic (a'^2 + 3*b'^2)/2
constraint hold when on == 1: a - b = -50
event couple: at 1 { on = 1 }
simulate to 3""", refused="closes at a distance")


@probe
def beam_on_three_supports():  # redundant: one of the three supports may carry nothing
    return Probe(f"""coord y = 0.1, th = 0
kinetic y'^2/2 + th'^2/6
potential {G}*y
contact left: y - sin(th) >= 0
contact middle: y >= 0
contact right: y + sin(th) >= 0
simulate to 1""", ends={"y": 0, "th": 0, "der(y)": 0, "der(th)": 0})


@probe
def stack_of_ten():
    n = 10
    ends = {f"lambda(c[{i}])": G * (n - i) for i in range(1, n)}
    return Probe(f"""param N = {n}
coord y[i in 1..N] = i + 0.01*i
kinetic sum(i in 1..N, y[i]'^2)/2
potential {G}*sum(i in 1..N, y[i])
contact ground: y[1] >= 1
for i in 1..N-1 {{ contact c[i]: y[i+1] - y[i] >= 1 }}
simulate to 1""", ends={"lambda(ground)": G * n, "y[10]": n, **ends})


@probe
def systems_collide():
    return Probe("""system A {
  coord x = 0 rate 1
  kinetic x'^2/2
}
system B {
  coord x = 1
  kinetic 3*x'^2/2
}
impact hit: B.x - A.x restitution 1
simulate to 2""", {"hit": 1}, {"A.x": 0.5, "B.x": 1.5, "der(A.x)": -0.5, "der(B.x)": 0.5})


# ---- friction ----


@probe
def incline():  # up against gravity and friction, then down
    a, mu, v, end = 0.5, 0.3, 2.0, 2.0
    up, down = G * (math.sin(a) + mu * math.cos(a)), G * (math.sin(a) - mu * math.cos(a))
    t = end - v / up
    return Probe(f"""coord x = 0 rate {-v}, y = 0
kinetic (x'^2 + y'^2)/2
potential {-G * math.sin(a)!r}*x + {G * math.cos(a)!r}*y
contact floor: y >= 0 friction {mu} along x
simulate to {end}""", ends={"x": -v * v / up / 2 + down * t * t / 2, "der(x)": down * t, "state(floor)": 1})


@probe
def incline_holds():  # steep enough to slide, but not from rest
    a, mu, rest = 0.5, 0.5, 0.6
    return Probe(f"""coord x = 0 rate -1, y = 0
kinetic (x'^2 + y'^2)/2
potential {-G * math.sin(a)!r}*x + {G * math.cos(a)!r}*y
contact floor: y >= 0 friction {mu} static {rest} along x
simulate to 2""", ends={"x": -0.5 / (G * (math.sin(a) + mu * math.cos(a))), "der(x)": 0,
                        "psi(floor)": G * math.sin(a), "state(floor)": 2})


@probe
def belt():  # sticks and slips with the period 2 d/v + 2 (pi - atan(w d/v))/w
    m, k, v, mu, rest = 1.0, 4.0, 0.5, 0.2, 0.4
    w, d = math.sqrt(k / m), (rest - mu) * m * G / k
    period = 2 * d / v + 2 * (math.pi - math.atan(w * d / v)) / w
    first = rest * m * G / k / v  # at rest on the belt from the start on
    end = first + 3 * period - 0.1
    return Probe(f"""coord x = 0 rate {v}, y = 0
kinetic {m}*(x'^2 + y'^2)/2
potential {m * G}*y + {k}*x^2/2
contact belt: y >= 0 friction {mu} static {rest} along x - {v}*t
simulate to {end!r}""", ends={"x": rest * m * G / k - 0.1 * v, "der(x)": v, "state(belt)": 2}, amplification=5)


@probe
def backspin():  # slides until it rolls
    m, r, mu, v, w, end = 2.0, 0.5, 0.2, 3.0, -4.0, 2.0
    t = (v - r * w) / (3 * mu * G)
    last = v - mu * G * t
    return Probe(f"""coord x = 0 rate {v}, y = {r}, phi = 0 rate {w}
kinetic {m}*(x'^2 + y'^2)/2 + {m * r * r / 4}*phi'^2
potential {m * G}*y
contact floor: y >= {r} friction {mu} along x - {r}*phi
simulate to {end}""", ends={"x": v * t - mu * G * t * t / 2 + last * (end - t), "der(x)": last,
                            "der(phi)": last / r, "state(floor)": 2})


@probe
def table_on_two_feet():  # statically indeterminate friction: both feet break loose together
    mu, end = 0.3, 5.0
    start = mu * G
    return Probe(f"""param b = 0.5, h = 0.2
coord x = 0, y = h, phi = 0
kinetic (x'^2 + y'^2)/2 + 0.1*phi'^2/2
potential {G}*y
force x = t
contact left: y - h*cos(phi) - b*sin(phi) >= 0 friction {mu} along x - b*cos(phi) + h*sin(phi)
contact right: y - h*cos(phi) + b*sin(phi) >= 0 friction {mu} along x + b*cos(phi) + h*sin(phi)
simulate to {end}""", ends={"x": (end - start) ** 3 / 6, "der(x)": (end - start) ** 2 / 2, "phi": 0,
                            "state(left)": 1, "state(right)": 1})


@probe
def ladder_with_friction():  # below the angle of friction it does not move
    L, mu = 2.0, 0.4
    th = math.atan((1 - mu * mu) / (2 * mu)) + 0.05  # held with friction at wall and floor
    return Probe(f"""param L = {L}, th0 = {th!r}
coord x = L/2*cos(th0), y = L/2*sin(th0), th = th0
kinetic (x'^2 + y'^2)/2 + L^2/12*th'^2/2
potential {G}*y
contact floor: y >= L/2*sin(th) friction {mu} along x + L/2*cos(th)
contact wall: x >= L/2*cos(th) friction {mu} along y + L/2*sin(th)
simulate to 1""", ends={"th": th, "der(th)": 0})


@probe
def ladder_slides():  # with friction at both ends: the reduced equation by the classical rule
    L, mu, th, w = 2.0, 0.2, 0.9, 0.0
    J, end, steps = L * L / 12, 0.4, 20000

    def acceleration(th, w):
        # x = L/2 cos th, y = L/2 sin th; N: floor, W: wall; friction mu N to the wall, mu W upwards
        s, c = math.sin(th), math.cos(th)
        # x'' = -L/2 (s a + c w^2) = W - mu N;  y'' = L/2 (c a - s w^2) = N + mu W - G
        # J a = L/2 (W s - N c) + L/2 (mu W c + mu N s), all linear in (a, N, W)
        A = [[L / 2 * s, -mu, 1], [L / 2 * c, -1, -mu], [J, L / 2 * (c - mu * s), -L / 2 * (s + mu * c)]]
        b = [-L / 2 * c * w * w, L / 2 * s * w * w - G, 0]
        for k in range(3):
            p = max(range(k, 3), key=lambda i: abs(A[i][k]))
            A[k], A[p], b[k], b[p] = A[p], A[k], b[p], b[k]
            for i in range(k + 1, 3):
                f = A[i][k] / A[k][k]
                b[i] -= f * b[k]
                for j in range(k, 3):
                    A[i][j] -= f * A[k][j]
        z = [0, 0, 0]
        for k in (2, 1, 0):
            z[k] = (b[k] - sum(A[k][j] * z[j] for j in range(k + 1, 3))) / A[k][k]
        return z[0]

    h = end / steps
    for _ in range(steps):
        k1 = (w, acceleration(th, w))
        k2 = (w + h / 2 * k1[1], acceleration(th + h / 2 * k1[0], w + h / 2 * k1[1]))
        k3 = (w + h / 2 * k2[1], acceleration(th + h / 2 * k2[0], w + h / 2 * k2[1]))
        k4 = (w + h * k3[1], acceleration(th + h * k3[0], w + h * k3[1]))
        th += h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
        w += h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
    return Probe(f"""param L = {L}
coord x = L/2*cos(0.9), y = L/2*sin(0.9), th = 0.9
kinetic (x'^2 + y'^2)/2 + L^2/12*th'^2/2
potential {G}*y
contact floor: y >= L/2*sin(th) friction {mu} along x + L/2*cos(th)
contact wall: x >= L/2*cos(th) friction {mu} along y + L/2*sin(th)
simulate to {end}""", ends={"th": th, "der(th)": w, "state(wall)": 1, "state(floor)": 1})


@probe
def bead_on_rough_wire():  # by the multiplier in forces, along y = x^2/2
    mu, end, steps, x, v = 0.3, 0.6, 20000, -1.0, 1.0
    h = end / steps

    def acceleration(x, v):
        return -(x * v * v + x * G + mu * (G + v * v)) / (1 + x * x)

    for _ in range(steps):
        k1 = (v, acceleration(x, v))
        k2 = (v + h / 2 * k1[1], acceleration(x + h / 2 * k1[0], v + h / 2 * k1[1]))
        k3 = (v + h / 2 * k2[1], acceleration(x + h / 2 * k2[0], v + h / 2 * k2[1]))
        k4 = (v + h * k3[1], acceleration(x + h * k3[0], v + h * k3[1]))
        x += h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
        v += h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
    return Probe(f"""coord x = -1 rate 1, y = 0.5
kinetic (x'^2 + y'^2)/2
potential {G}*y
constraint wire: y = x^2/2
force x = -{mu}*abs(lambda(wire))*sign(x')
force y = -{mu}*abs(lambda(wire))*sign(x')*x
simulate to {end}""", ends={"x": x, "der(x)": v, "lambda(wire)": -(G + v * v) / (1 + x * x)}, amplification=3)


@probe
def drive_along_a_path():  # acts: a motor on b holds a at a = sin t through their spring-free link a = 2 b
    return Probe("""coord a = 0 rate 1, b = 0 rate 0.5
kinetic (a'^2 + 3*b'^2)/2
constraint link: a = 2*b
constraint path: a = sin(t) acts (b: 1)
simulate to 3""", ends={"a": math.sin(3), "b": math.sin(3) / 2, "lambda(path)": 3.5 * math.sin(3),
                        "lambda(link)": math.sin(3)})


@probe
def stacked_blocks():  # the lower one is pulled: both at rest, both move, the upper one is left behind
    end, first, second = 6.0, 0.1 * 3 * G / 3, (0.1 * 3 * G + 3 * 0.3 * G) / 3
    d, e = second - first, end - second
    a = (3 * second - 0.6 * G) / 2
    return Probe(f"""coord x1 = 0, y1 = 0, x2 = 0, y2 = 1
kinetic x1'^2 + y1'^2 + (x2'^2 + y2'^2)/2
potential {G}*(2*y1 + y2)
force x1 = 3*t
contact floor: y1 >= 0 friction 0.1 along x1
contact top: y2 - y1 >= 1 friction 0.3 along x2 - x1
simulate to {end}""", ends={"x1": d ** 3 / 6 + d * d / 2 * e + a * e * e / 2 + e ** 3 / 4,
                            "x2": d ** 3 / 6 + d * d / 2 * e + 0.15 * G * e * e,
                            "der(x1)": d * d / 2 + a * e + 0.75 * e * e, "der(x2)": d * d / 2 + 0.3 * G * e})


@probe
def three_feet():  # one of three normal forces and two of three frictions are not determined
    mu, end = 0.3, 5.0
    return Probe(f"""param b = 0.5, h = 0.2
coord x = 0, y = h, f = 0
kinetic (x'^2 + y'^2)/2 + 0.1*f'^2/2
potential {G}*y
force x = t
contact left: y - h*cos(f) - b*sin(f) >= 0 friction {mu} along x - b*cos(f) + h*sin(f)
contact mid: y - h*cos(f) >= 0 friction {mu} along x + h*sin(f)
contact right: y - h*cos(f) + b*sin(f) >= 0 friction {mu} along x + b*cos(f) + h*sin(f)
simulate to {end}""", ends={"x": (end - mu * G) ** 3 / 6, "f": 0})


@probe
def lands_and_stops():  # thrown flat onto a rough floor: the impact takes mu times its speed, sliding the rest
    mu, v0, h = 0.2, 6.0, 1.0
    land = math.sqrt(2 * h / G)
    v = v0 - mu * G * land
    return Probe(f"""coord x = 0 rate {v0}, y = {h}
kinetic (x'^2 + y'^2)/2
potential {G}*y
contact floor: y >= 0 friction {mu} along x
simulate to {land + v / (mu * G) + 1}""", ends={"x": v0 * land + v * v / (2 * mu * G), "der(x)": 0,
                                                  "state(floor)": 2}, amplification=3)
