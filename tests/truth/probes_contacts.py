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
