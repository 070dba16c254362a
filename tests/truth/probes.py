#!/usr/bin/env python3
"""Events, clocks and branches with exact answers: models in text whose counts and end values are known in closed form,
by every method that applies.

    probes.py --daedal CMD                    all probes, all methods, rtol 1e-3, 1e-6, 1e-9
    probes.py --daedal CMD --short            one tolerance for each method, in turn
    probes.py --daedal CMD --only NAME ...    some probes
    probes.py --daedal CMD --methods M ...    some methods

A run is right where the counts are exact and the error of every end value, |y - ref|/(1 + |ref|), is within WITHIN rtol times the
amplification of the probe. Without the right count the run must report near misses, and only in a probe that allows
them. A probe with `refused` must end with exit code 4 and that text. Methods with fixed steps are held to the counts and to the
errors of their order. Standard library only."""
import argparse
import collections
import concurrent.futures
import csv
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from probe import PROBES, Probe, bisect, probe
import probes_combined  # pylint: disable=unused-import  # noqa: F401: its probes
import probes_contacts  # pylint: disable=unused-import  # noqa: F401: its probes

WITHIN = 30
TOLERANCES = ["1e-3", "1e-6", "1e-9"]
FIXED = ["euler", "heun", "rk4", "trapezoid", "radau-iia"]
SYSTEMS = ["gauss-seidel", "jacobi", "joint"]


# ---- clocks ----

@probe
def every_thousand():
    return Probe("""state x = 0
discrete n = 0, m = 0
x' = 1
event tick: every 0.1 { n = n + 1 }
event half: x - 50.05 rising { m = n }
simulate to 100""", {"tick": 1000, "half": 1}, {"n": 1000, "m": 500, "x": 100}, step=0.03, error=1e-9)


@probe
def sampled_cart():
    T, k, d, end = 0.1, 2.0, 1.5, 10.05
    x, v, n = 1.0, 0.0, 0
    while n * T < end - 1e-9:
        u, h = -k * x - d * v, min(T, end - n * T)
        x, v, n = x + h * v + h * h * u / 2, v + h * u, n + 1
    return Probe(f"""coord x = 1
discrete u = 0, n = 0
kinetic x'^2/2
force x = u
event sample: every {T} from 0 {{ u = -{k}*x - {d}*x'; n = n + 1 }}
simulate to {end}""", {"sample": n}, {"x": x, "der(x)": v, "n": n}, step=0.025)


@probe
def listed():
    return Probe("""state x = 0
x' = 1
event hit: at 5, 2.5, -1, 0, 1 { x = x + 1 }
simulate to 5""", {"hit": 4}, {"x": 9}, step=0.3, error=1e-9)


@probe
def commensurable():
    a = b = s = p = 0
    for k in range(1, 601):  # instants k/10; in the order of the file
        if k % 2 == 0:
            a, s = a + 1, s + a + 1
        if k % 3 == 0:
            b, p = b + 1, p + a
    return Probe("""state x = 1
discrete a = 0, b = 0, s = 0, p = 0
x' = -0.1*x
event two: every 0.2 { a = a + 1; s = s + a + 1 }
event three: every 0.3 { b = b + 1; p = p + a }
simulate to 60""", {"two": 300, "three": 200}, {"a": a, "b": b, "s": s, "p": p, "x": math.exp(-6)}, step=0.13)


@probe
def clock_meets_crossing():
    return Probe("""state x = 0
discrete n = 0
x' = 1
event tick: every 1 { n = n + 1 }
event hit: x - 1 rising { x = x - 1 }
simulate to 50.5""", {"tick": 50, "hit": 50}, {"x": 0.5, "n": 50}, step=0.3, error=1e-6, amplification=50)


@probe
def next_instant():
    t, dt, n = 0.5, 0.5, 0
    while t < 20:
        n, dt = n + 1, dt * 1.1
        t += dt
    return Probe("""state x = 1
discrete next = 0.5, dt = 0.5, n = 0
x' = x*0
event fire: t - next rising { n = n + 1; dt = dt*1.1; next = next + dt*1.1 }
simulate to 20""", {"fire": n}, {"n": n, "x": 1}, step=0.3, error=1e-9)


@probe
def stop_by_clock():
    return Probe("""coord x = 1
kinetic x'^2/2
potential x^2/2
event done: every 3 from 3.7 stop
simulate to 50""", {"done": 1}, {"t": 3.7, "x": math.cos(3.7), "der(x)": -math.sin(3.7)}, amplification=4, step=0.01)


@probe
def rows_and_clocks():
    return Probe("""state x = 0
discrete n = 0
x' = n
event tick: every 0.1 { n = n + 1 }
simulate to 10""", {"tick": 100}, {"n": 100, "x": 0.1 * 99 * 100 / 2}, options="--every 0.1", rows=101, step=0.07, error=1e-9)


@probe
def staircase_of_time():
    return Probe("""state x = 0, y = 0
x' = floor(t)
y' = mod(t, 0.7)
simulate to 10.5""", {}, {"x": 50, "y": 15 * 0.7 ** 2 / 2}, step=0.11)


@probe
def floors_compared():
    return Probe("""state x = 0
x' = if(mod(floor(2*t), 3) == 1, 1, 0)
simulate to 30""", {}, {"x": 10}, step=0.11, error=1e-9)


@probe
def sampled_floor():  # a held value with a jump of time at the same instants
    return Probe("""state x = 0
discrete n = 0
x' = if(floor(t) == n, 1, 0)
event tick: every 1 { n = n + 1 }
simulate to 20.5""", {"tick": 20}, {"x": 20.5, "n": 20}, step=0.11, error=1e-9)


# ---- fast and narrow ----

@probe
def rotor():
    return Probe("""coord phi = 0.1 rate 20*pi
kinetic phi'^2/2
discrete n = 0
event turn: sin(phi) rising { n = n + 1 }
event seen: sin(phi) rising
simulate to 100.02""", {"turn": 1000, "seen": 1000}, {"n": 1000}, step=0.02)


@probe
def rotor_read_by_clock():
    total = sum(math.floor((0.1 + 20 * math.pi * 7 * k) / (2 * math.pi)) for k in range(1, 15))
    return Probe("""coord phi = 0.1 rate 20*pi
coord x = 1
kinetic (phi'^2 + x'^2)/2
potential x^2/2
discrete n = 0, m = 0
event read: every 7 { m = m + n }
event turn: sin(phi) rising { n = n + 1 }
simulate to 100.02""", {"turn": 1000, "read": 14}, {"n": 1000, "m": total, "x": math.cos(100.02)}, amplification=100, step=0.02)


@probe
def grazing_pairs():
    return Probe("""state x = 0.5
x' = 1
event near: sin(x)^2 - 1e-6
event clear: sin(x)^2 + 1e-6
event rise: 1 - 1e-7 - sin(x) rising
simulate to 100""", {"near": 2 * 31, "clear": 0, "rise": 16}, {"x": 100.5}, step=0.3, near=True)


@probe
def narrow_in_time():
    return Probe("""state x = 0
coord y = 0
kinetic y'^2/2
force y = if(t > 5000 && t < 5000.000001, 1e6, 0)
x' = exp(-((t - 777)/1e-3)^2)/(1e-3*sqrt(3.141592653589793))
event pulse: exp(-((t - 6000)/1e-6)^2) - 0.5
event pair: (t - 3000)^2 - 1e-10
simulate to 1e4""", {"pulse": 2, "pair": 2}, {"x": 1, "y": 5000, "der(y)": 1}, amplification=100)


# ---- events of events ----

@probe
def chain_of_conditions():
    return Probe("""state x = 0
discrete a = 0, b = 0, c = 0
x' = 1
event fourth: when c > 0.5 { x = x + 10 }
event third: when b > 0.5 { c = 1 }
event second: when a > 4.5 { b = 1 }
event first: every 1 { a = a + 1 }
simulate to 7.5""", {"first": 7, "second": 1, "third": 1, "fourth": 1}, {"x": 17.5, "c": 1}, step=0.3, error=1e-9)


@probe
def loop_of_conditions():
    return Probe("""state x = 0
discrete a = 0
x' = 1
event up: when a < 0.5 && t > 0.75 { a = 1 }
event down: when a > 0.5 { a = 0 }
simulate to 7.5""", refused=r"up.*down.*without end|down.*up.*without end", step=0.3)


@probe
def long_chain():  # 90 conditions, each made true by the one before it, against the order of the file: 90 rounds
    conditions = "\n".join(f"event c{k}: when n > {k - 0.5} {{ n = {k + 1} }}" for k in range(90, 0, -1))
    return Probe(f"""state x = 0
discrete n = 0
x' = n
{conditions}
event first: at 1 {{ n = 1 }}
event ten: x - 91.00000001 rising {{ x = 0 }}
simulate to 2.5""", {"c1": 1, "c90": 1, "ten": 1}, {"x": 91 * 0.5 - 1e-8}, step=0.3, error=1e-6, amplification=10)


@probe
def narrow_switch():  # a switch narrower than ten tolerances of 1e-3, and a counter at its own instants
    ramp = 0.01  # up by 1, down by 1 between 0.5 and 0.51
    return Probe(f"""state x = 0.5
discrete up = 1, n = 0
x' = if(up > 0.5, 1, -1)
event top: x - 0.51 rising {{ up = 0 }}
event low: x - 0.5 falling {{ up = 1 }}
event tick: every 0.0037 {{ n = n + 1 }}
simulate to {200.5 * ramp}""", {"top": 100, "low": 100, "tick": 541}, {"x": 0.505}, step=0.0011, error=1e-6, amplification=100)


@probe
def passive_and_clock():  # counters in the middle of steps that a clock ends, whose action restarts
    return Probe("""coord x = 1, phi = 0.1 rate 40
discrete n = 0, k = 0, m = 0
kinetic (x'^2 + phi'^2)/2
potential x^2/2
event turn: cos(phi) { n = n + 1 }
event beat: sin(phi/3) rising { k = k + 1 }
event kick: every 0.9 from 0.45 { x' = x' + 0; m = m + n }
simulate to 30""", {"turn": round((0.1 + 1200) / math.pi), "beat": math.floor((0.1 + 1200) / (6 * math.pi)), "kick": 33},
                 {"m": sum(math.floor((0.1 + 40 * (0.45 + 0.9 * i)) / math.pi + 0.5) for i in range(33)), "x": math.cos(30)},
                 amplification=30, step=0.01)


@probe
def carried_across():
    return Probe("""state x = 0
x' = 1
event lift: at 1 { x = 5 }
event drop: at 2 { x = 2 }
event level: x - 3 rising
event above: when x > 3
event below: when x < 3
simulate to 4""", {"lift": 1, "drop": 1, "level": 1, "above": 2, "below": 1}, {"x": 4}, step=0.3, error=1e-9)


@probe
def conditions_together():
    # x = cos t, y = sin t: both above 1/2 from pi/6 to pi/3, plus multiples of 2 pi
    return Probe("""coord x = 1, y = 0 rate 1
kinetic (x'^2 + y'^2)/2
potential (x^2 + y^2)/2
discrete n = 0
event in: when x > 0.5 && y > 0.5 { n = n + 1 }
event out: when !(x > 0.5 && y > 0.5) { n = n + 100 }
event either: when x > 0.5 || y > 0.5
simulate to 32""", {"in": 6, "out": 5, "either": 5}, {"n": 506}, step=0.01)


@probe
def balls_together():
    g, h, e, end = 9.81, 1.0, 0.9, 3.0
    fall = math.sqrt(2 * h / g)
    t, v, n = fall, math.sqrt(2 * g * h), 0
    while t < end:
        v, n, since, t = e * v, n + 1, t, t + 2 * e * v / g
    s = end - since
    y, w = v * s - g * s * s / 2, v - g * s
    balls = "\n".join(f"""event b{k}: y[{k}] falling {{ y[{k}]' = -{e}*y[{k}]'; n = n + 1 }}""" for k in (1, 2, 3))
    return Probe(f"""coord y[k in 1..3] = 1
discrete n = 0
kinetic sum(k in 1..3, y[k]'^2)/2
potential 9.81*sum(k in 1..3, y[k])
{balls}
simulate to {end}""", {"b1": n, "b2": n, "b3": n}, {"n": 3 * n, "y[1]": y, "y[3]": y, "der(y[2])": w}, amplification=20,
                 step=0.01)


# ---- actions on constrained mechanisms ----

def rod(action):
    return f"""coord x1 = 0, y1 = 0, x2 = 2*c, y2 = 2*s
param m1 = 2, m2 = 3, c = 0.8, s = 0.6
kinetic m1*(x1'^2 + y1'^2)/2 + m2*(x2'^2 + y2'^2)/2
constraint rod: (x2 - x1)^2 + (y2 - y1)^2 = 4
event kick: at 1 {{ {action} }}
simulate to 3"""


@probe
def rod_kicked():
    m1, m2, c, s, L, T = 2.0, 3.0, 0.8, 0.6, 2.0, 2.0
    p = c / (1 / m2 + s * s / m1)  # impulse along the rod
    v1, v2 = (1.0, -p * s / m1), (p * c / m2, p * s / m2)
    w = (-(v2[0] - v1[0]) * s + (v2[1] - v1[1]) * c) / L
    a = math.atan2(s, c) + w * T
    mean = [(m1 * v1[i] + m2 * v2[i]) / (m1 + m2) for i in (0, 1)]
    centre = [m2 / (m1 + m2) * L * q + mean[i] * T for i, q in enumerate((c, s))]
    ends = {"x1": centre[0] - m2 / 5 * L * math.cos(a), "y1": centre[1] - m2 / 5 * L * math.sin(a),
            "x2": centre[0] + m1 / 5 * L * math.cos(a), "y2": centre[1] + m1 / 5 * L * math.sin(a),
            "der(x1)": mean[0] + m2 / 5 * L * w * math.sin(a), "der(y2)": mean[1] + m1 / 5 * L * w * math.cos(a)}
    return Probe(rod("x1' = 1"), {"kick": 1}, ends, step=0.01, amplification=3)


@probe
def rod_contradicted():
    return Probe(rod("x1' = 1; x2' = -1; y1' = 0; y2' = 0"), refused=r"kick.*x1'.*x2'.*rod|kick.*rod", step=0.01)


@probe
def rod_set_twice():
    return Probe(rod("x1' = 1").replace("simulate", "event other: at 1 { x1' = 2 }\nsimulate"),
                 refused=r"kick.*other.*both set", step=0.01)


# ---- branches ----

@probe
def modes_compared():
    n, x = 0, 0.0
    for _ in range(100):
        x += 0.1 * (1, 2, -1)[n]
        n = (n + 1) % 3
    x += 0.05 * (1, 2, -1)[n]
    return Probe("""state x = 0
discrete n = 0
x' = if(n == 0, 1, if(n == 1, 2, -1))
event turn: every 0.1 { n = mod(n + 1, 3) }
simulate to 10.05""", {"turn": 100}, {"x": x, "n": n}, step=0.03, error=1e-9)


@probe
def jump_in_force():
    # x'' = -sign(x): parabolas, quarter period sqrt(2)
    end = 20 * math.sqrt(2) + 0.5  # five periods and 0.5
    return Probe(f"""coord x = 1
kinetic x'^2/2
force x = -sign(x)
event zero: x
simulate to {end!r}""", {"zero": 10}, {"x": 1 - 0.125, "der(x)": -0.5}, amplification=30, step=0.01)


@probe
def jump_in_energy():
    end = 20 * math.sqrt(2) + 0.5
    return Probe(f"""coord x = 1
kinetic x'^2/2
potential abs(x)
event zero: x falling
simulate to {end!r}""", {"zero": 5}, {"x": 1 - 0.125, "der(x)": -0.5}, amplification=30, step=0.01)


@probe
def bend_in_force():
    period = math.pi * 1.5  # frequencies 1 and 2
    return Probe(f"""coord x = 1
kinetic x'^2/2
force x = -if(x > 0, 1, 4)*x
event zero: x falling
simulate to {6 * period + 1!r}""", {"zero": 6}, {"x": math.cos(1), "der(x)": -math.sin(1)}, amplification=30, step=0.005)


@probe
def bend_in_constraint():
    def arc(x):
        return x * math.sqrt(1 + 4 * x * x) / 2 + math.asinh(2 * x) / 4
    x = bisect(lambda u: arc(u) - 2.0, 0, 3)
    return Probe("""coord x = -1 rate 1, y = 0
kinetic (x'^2 + y'^2)/2
constraint track: y = if(x > 0, x^2, 0)
simulate to 3""", {}, {"x": x, "y": x * x, "der(x)": 1 / math.sqrt(1 + 4 * x * x)}, amplification=3, step=0.01)


@probe
def bend_in_joint():
    # one mass on x, one tied to it: b = a + max(a, 0)^2/2, no force, energy constant
    def arc(a):  # integral of sqrt(1 + (1 + u)^2)
        w = 1 + a
        return (w * math.sqrt(1 + w * w) + math.asinh(w)) / 2
    s0, v = arc(0), math.sqrt(2)
    a = bisect(lambda u: arc(u) - s0 - v * 1.0, 0, 3)
    return Probe("""system A {
  coord a = -1 rate 1
  kinetic a'^2/2
}
system B {
  coord b = -1 rate 1
  kinetic b'^2/2
}
joint tie: B.b = A.a + if(A.a > 0, A.a^2/2, 0)
simulate to 2""", {}, {"A.a": a, "B.b": a + a * a / 2}, amplification=10, step=0.01)


@probe
def staircase_of_state():
    harmonic = sum(1 / k for k in range(1, 11))
    return Probe(f"""state x = 0
x' = 1 + floor(x)
simulate to {harmonic + 0.05!r}""", {}, {"x": 10.55}, amplification=10, step=0.01)


@probe
def friction_sticks():
    return Probe("""coord x = 0 rate 1
kinetic x'^2/2
force x = -sign(x')
simulate to 3""", refused=r"x'.*lead back|lead back", step=0.01)


@probe
def thermostat():
    end = 41 * math.log(2) + 0.3  # from 1 to 2 and back, ln 2 each
    return Probe(f"""state T = 1
discrete on = 1
T' = -T + if(on > 0.5, 3, 0)
event warm: T - 2 rising {{ on = 0 }}
event cold: T - 1 falling {{ on = 1 }}
simulate to {end!r}""", {"warm": 21, "cold": 20}, {"T": 2 * math.exp(-0.3)}, amplification=50, step=0.01)


@probe
def thermostat_by_conditions():
    end = 41 * math.log(2) + 0.3
    return Probe(f"""state T = 1
discrete on = 1
T' = -T + if(on == 1, 3, 0)
event warm: when T > 2 && on == 1 {{ on = 0 }}
event cold: when T < 1 && on == 0 {{ on = 1 }}
simulate to {end!r}""", {"warm": 21, "cold": 20}, {"T": 2 * math.exp(-0.3)}, amplification=50, step=0.01)


@probe
def border_by_discrete():
    t, x, b, k, end = 0.0, 0.0, 0.5, 1, 10.4
    while t < end - 1e-12:
        stop = min(k * 1.0, end)
        rate = 1 if x < b else 2
        cross = t + (b - x) / rate if x < b else math.inf
        if cross < stop:
            x, t = b, cross
        else:
            x, t = x + rate * (stop - t), stop
            if stop == k:
                b, k = b + 1.37, k + 1
    return Probe(f"""state x = 0
discrete b = 0.5
x' = if(x < b, 1, 2)
event shift: every 1 {{ b = b + 1.37 }}
simulate to {end}""", {"shift": 10}, {"x": x, "b": b}, step=0.03)


@probe
def rectifier():
    # v' = i, i = max(sin t - v, 0): charged while sin t > v, then held
    v, t, k, end = 0.0, 0.0, 0, 14.0
    while True:
        def charge(u, t=t, v=v):
            c = (v - (math.sin(t) - math.cos(t)) / 2) * math.exp(t)
            return (math.sin(u) - math.cos(u)) / 2 + c * math.exp(-u)
        top = math.pi / 2 + 2 * math.pi * k
        off = bisect(lambda u: math.sin(u) - charge(u), top, top + math.pi / 2)
        if off > end:
            v = charge(end)
            break
        v, k = charge(off), k + 1
        t = 2 * math.pi * k + math.asin(v)
        if t > end:
            break
    return Probe(f"""state v = 0
alg i = 0
v' = i
0 = if(sin(t) - v > 0, sin(t) - v - i, i)
simulate to {end}""", {}, {"v": v}, amplification=3, step=0.005)


@probe
def full_wave():
    # bridge of ideal diodes in front of R C: v' = |sin t| - v
    v = 0.0
    for _ in range(4):
        v = (1 + math.exp(-math.pi)) / 2 + v * math.exp(-math.pi)
    return Probe(f"""state v = 0
alg i
0 = i - max(sin(t), 0) - max(-sin(t), 0)
v' = i - v
simulate to {4 * math.pi!r}""", {}, {"v": v}, amplification=3, step=0.005)


# ---- scales of time, borders at the start, several at once ----

@probe
def far_from_zero():  # time resolved to 1e-9: instants and crossings a million away from zero
    return Probe("""state x = 0
discrete n = 0
x' = if(t > 1000000.35, 2, 1)
event tick: every 0.125 { n = n + 1 }
event one: x - 1 rising { x = 0 }
simulate to 1000010 from 1e6""", {"tick": 80, "one": 19}, {"n": 80, "x": 0.65}, amplification=20)


@probe
def picoseconds():
    return Probe("""state x = 0 atol 1e-18
discrete n = 0
x' = n
event tick: every 1e-12 { n = n + 1 }
event stop5: at 2.5e-12, 7.5e-12 { x = 0 }
simulate to 1e-11""", {"tick": 10, "stop5": 2}, {"n": 10, "x": 7 * 0.5e-12 + 8e-12 + 9e-12})


@probe
def before_zero():
    return Probe("""state x = 0
discrete n = 0
x' = if(t < 0, 1, -1)
event tick: every 0.5 from -1.75 { n = n + 1 }
simulate to 1 from -3""", {"tick": 6}, {"n": 6, "x": 2}, step=0.11, error=1e-9)


@probe
def start_on_border():  # x = 0 at the start, the border, which both branches leave downwards
    return Probe("""state x = 0, y = 0
x' = if(x < 0, -1, -2)
y' = if(y >= 0, 1, 5)
simulate to 3""", {}, {"x": -3, "y": 3}, step=0.11, error=1e-9)


@probe
def at_rest_on_border():  # at rest on the border until a force begins
    return Probe("""coord x = 0
kinetic x'^2/2
force x = if(t > 1, 1, 0) + if(x > 0, 1, 0)*if(t > 2, 1, 0)
simulate to 3""", {}, {"x": 2 + 0.5, "der(x)": 3}, step=0.01, amplification=10)


@probe
def guards_together():  # three relations that change at one state, one of them by an event
    return Probe("""state x = 0
discrete b = 1
x' = if(x < 1, 1, 2) + if(2*x < 2, 0, 3)*if(x*x < 1, 7, 1) + if(x > b, 0, 0.5)
event hit: x - 1 rising { b = 10 }
simulate to 2""", {"hit": 1}, {"x": 1 + 5.5 * (2 - 1 / 1.5)}, step=0.01, amplification=10)


@probe
def touched():  # the value touches its border and turns back: no crossing, or a near miss
    return Probe("""state x = 0
x' = 1
event near: (x - 3)^2 + 1e-8
event over: (x - 3)^3
event far: 1 - cos(x) + 1e-9 falling
simulate to 20""", {"near": 0, "over": 1, "far": 0}, {"x": 20}, step=0.3, error=1e-9, near=True)


@probe
def quadratic_drag():  # x'' = -x' |x'| - sign of a drive: rises by tan, falls by tanh
    up, v0 = math.atan(1.0), 1.0
    fall = 2.0
    height = 0.5 * math.log(1 + v0 * v0)
    return Probe(f"""coord x = 0 rate 1
kinetic x'^2/2
force x = -1 - x'*abs(x')
event top: x' falling
simulate to {up + fall!r}""", {"top": 1}, {"x": height - math.log(math.cosh(fall)), "der(x)": -math.tanh(fall)},
                 amplification=10, step=0.005)


@probe
def sawtooth():  # a phase that is wrapped by its event, while a clock counts, at the same instants every 10
    w = 7.3
    n = math.floor(w * 20.03)
    return Probe(f"""state p = 0
discrete n = 0, m = 0
p' = {w}
event wrap: p - 1 rising {{ p = p - 1; n = n + 1 }}
event read: every 0.25 {{ m = m + 1 }}
simulate to 20.03""", {"wrap": n, "read": 80}, {"n": n, "m": 80, "p": (w * 20.03) % 1}, amplification=200, step=0.01)


@probe
def wrapped_by_mod():  # mod of a state: a staircase of its floor
    a, T = 2.3, 5.0
    x = a * T
    n = math.floor(x)
    return Probe(f"""state x = 0, y = 0
x' = {a}
y' = mod(x, 1)
simulate to {T}""", {}, {"x": x, "y": (n * 0.5 + (x - n) ** 2 / 2) / a}, amplification=10, step=0.01)


@probe
def clipped_twice():  # min and max in one another, both borders crossed eight times
    # y' = clip(2 sin t, -1, 1): an odd function of period 2 pi, over a half period: 2 (pi/6 ...) exactly
    half = 2 * (2 * (1 - math.cos(math.pi / 6))) + (math.pi - math.pi / 3)
    return Probe(f"""coord x = 0 rate 2
state y = 0
kinetic x'^2/2
potential x^2/2
y' = min(max(x, -1), 1)
simulate to {9 * math.pi!r}""", {}, {"y": half, "x": 0}, amplification=30, step=0.01)


@probe
def blocks_in_a_row():  # equal masses exchange their speeds: one push goes through, two events at some instants
    return Probe("""coord a = 0 rate 1, b = 1, c = 2, d = 1.5 rate 0
kinetic (a'^2 + b'^2 + c'^2 + d'^2)/2
event ab: b - a falling { a' = b'; b' = a' }
event bc: c - b falling { b' = c'; c' = b' }
event wall: c - 3 rising { c' = -c' }
simulate to 7.5""", {"ab": 2, "bc": 2, "wall": 1}, {"a": -1.5, "b": 1, "c": 2, "der(a)": -1, "der(c)": 0}, step=0.01,
                 amplification=10)


@probe
def rolling_kicked():  # a nonholonomic constraint: only the speed along the blade survives a kick across it
    c, s = math.cos(0.3), math.sin(0.3)
    # x' = 1 is held: y' = tan(0.3), so that the speed along the blade is 1/cos(0.3)
    return Probe("""coord x = 0, y = 0, phi = 0.3
kinetic (x'^2 + y'^2 + phi'^2)/2
constraint blade: x'*sin(phi) - y'*cos(phi) = 0
event kick: at 1 { x' = 1 }
simulate to 3""", {"kick": 1}, {"x": 2, "y": 2 * s / c, "der(y)": s / c, "phi": 0.3}, step=0.01, amplification=3)


@probe
def pendulum_stopped():  # rates of a pendulum set to zero at given times: quarter arcs that begin anew
    return Probe("""coord x = 1, y = 0
kinetic (x'^2 + y'^2)/2
constraint rod: x^2 + y^2 = 1
event push: at 1, 2 { x' = -y; y' = x }
event halt: at 3 { x' = 0; y' = 0 }
simulate to 4""", {"push": 2, "halt": 1}, {"x": math.cos(2), "y": math.sin(2), "der(x)": 0}, step=0.01, amplification=10)


@probe
def index_one_switch():  # an algebraic variable in a relation: a limiter whose output is fed back
    # z = 2 - x while x < 1, then 1: x' = z
    t1 = math.log(2)
    return Probe("""state x = 0
alg z = 2
discrete n = 0
z = if(x < 1, 2 - x, 1)
x' = z
event half: z - 1.5 falling { n = n + 1 }
event fast: when z > 1.75
simulate to 3""", {"half": 1, "fast": 0}, {"x": 1 + 3 - t1, "z": 1, "n": 1}, step=0.01, amplification=10)


@probe
def algebraic_guard():  # the relation holds the algebraic variable itself
    # i = u/(1 or 3) by i < 1: u = t; the branch changes where u/1 = 1
    return Probe("""state q = 0
alg i = 0
i*if(i < 1, 1, 1 + 0*i) = t
q' = min(i, 1)
simulate to 3""", {}, {"q": 0.5 + 2, "i": 3}, step=0.01, amplification=10)


@probe
def stopped_by_condition():
    return Probe("""state x = 0
discrete n = 0
x' = 1
event tick: every 0.1 { n = n + 1 }
event over: when n >= 25 && x > 2.45 stop
simulate to 50""", {"tick": 25, "over": 1}, {"t": 2.5, "n": 25, "x": 2.5}, step=0.03, error=1e-9)


# ---- systems ----

@probe
def systems_one_event():
    # A.x = t; at t = 1 both discretes change; B.y' = B.m - y, C.z' = A.m
    return Probe("""system A {
  state x = 0
  discrete m = 0
  x' = 1
}
system B {
  state y = 0
  discrete m = 0
  y' = m - y + 0*A.x
}
system C {
  state z = 0
  z' = A.m + 0*B.y
}
event hit: A.x - 1 rising { A.m = 1; B.m = 2 }
event tick: every 0.25 { A.m = A.m + 1 }
simulate to 3.1""", {"hit": 1, "tick": 12},
                 {"A.x": 3.1, "B.y": 2 * (1 - math.exp(-2.1)), "B.m": 2}, amplification=10, step=0.01)


@probe
def systems_guards():
    a = 1 - math.exp(-1.5)
    return Probe("""system A {
  state a = 0
  a' = -a + if(B.b > 0.5, 1, 0)
}
system B {
  state b = 0
  discrete n = 0
  b' = 1 + 0*A.a
  event tick: every 0.1 { n = n + 1 }
}
simulate to 2""", {"B.tick": 20}, {"A.a": a, "B.b": 2, "B.n": 20}, amplification=10, step=0.01)


# ---- runs ----

Result = collections.namedtuple("Result", "probe method rtol verdict text")


def methods_of(daedal, path):
    out = subprocess.run([daedal, "check", str(path)], capture_output=True, text=True, check=False)
    found = re.findall(r"^    (\S+) +applies", out.stdout, re.M)
    if out.returncode or not found:
        raise SystemExit(f"{path.name}: {out.stderr or out.stdout}")
    return ["auto"] + [m for m in found if m != "auto"]


def last_row(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return dict(zip(rows[0], map(float, rows[-1]))), len(rows) - 1


def judge(p, method, rtol, code, message, summary, row, rows):
    """Verdict and text of a run."""
    if p.refused:
        good = code == 4 and re.search(p.refused, message, re.S)
        return ("right", "") if good else ("WRONG" if code == 0 else "other refusal", f"exit {code} {message}")
    if code:
        return "refused", f"exit {code} {message}"
    wrong = []
    counts = {k: v["count"] for k, v in {**summary["event_list"], **summary["impact_events"]}.items()}
    for name, count in p.counts.items():
        if counts.get(name, 0) != count:
            wrong.append(f"{name} {counts.get(name, 0)} for {count}")
    if wrong and p.near and summary["near_misses"] > 0:
        return "near", "; ".join(wrong)
    if p.rows and rows != p.rows:
        wrong.append(f"{rows} rows for {p.rows}")
    fixed = method in FIXED
    bound = p.error if fixed else WITHIN * float(rtol) * p.amplification
    for name, ref in p.ends.items():
        error = abs(row[name] - ref) / (1 + abs(ref))
        if bound is not None and not error <= max(bound, 1e-11):
            wrong.append(f"{name} {row[name]:.12g} for {ref:.12g}: {error / float(rtol):.3g} rtol")
    trust = summary["trust"]["verdict"]
    return ("WRONG" if trust != "red" else "red", "; ".join(wrong) + f" ({trust})") if wrong else ("right", "")


def run(daedal, folder, name, method, rtol):
    p = PROBES[name]
    stem = folder / f"{name}-{method}-{rtol}"
    command = [daedal, "run", str(folder / f"{name}.dae"), "--method", method, "--out", f"{stem}.csv", "--json", f"{stem}.json",
               "--quiet", *p.options]
    if method in FIXED:
        command += ["--step", repr(p.step)]
    else:
        command += ["--rtol", rtol, "--atol", rtol]
    try:
        out = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    except subprocess.TimeoutExpired:
        return Result(name, method, rtol, "timeout", "120 s")
    row, rows, summary = {}, 0, {}
    if out.returncode == 0:
        row, rows = last_row(f"{stem}.csv")
        summary = json.loads(pathlib.Path(f"{stem}.json").read_text())
    for end in (".csv", ".json"):
        pathlib.Path(f"{stem}{end}").unlink(missing_ok=True)
    verdict, text = judge(p, method, rtol, out.returncode, out.stderr.strip(), summary, row, rows)
    return Result(name, method, rtol, verdict, text)


def tasks_of(args, folder, names):
    tasks, turn = [], 0
    for name in names:
        path = folder / f"{name}.dae"
        path.write_text(f"model {name}\n{PROBES[name].text}\n")
        for method in methods_of(args.daedal, path):
            if args.methods and method not in args.methods or method in FIXED and not PROBES[name].step:
                continue
            turn += 1
            some = TOLERANCES[:1] if method in FIXED else args.rtol or TOLERANCES
            tasks += [(name, method, rtol) for rtol in ([some[turn % len(some)]] if args.short else some)]
    return tasks


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--daedal", required=True)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--methods", nargs="+")
    parser.add_argument("--rtol", nargs="+")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temp, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        folder = pathlib.Path(temp)
        tasks = tasks_of(args, folder, args.only or list(PROBES))
        results = list(pool.map(lambda task: run(args.daedal, folder, *task), tasks))
    for name in dict.fromkeys(r.probe for r in results):
        own = [r for r in results if r.probe == name]
        counts = collections.Counter(r.verdict for r in own)
        print(f"{name:26}" + "  ".join(f"{v} {k}" for k, v in sorted(counts.items())))
        for r in own:
            if r.verdict != "right":
                print(f"    {r.verdict:8} {r.method:14} {r.rtol}  {' '.join(r.text.split())[:300]}")
    bad = [r for r in results if r.verdict not in ("right", "near", "red")]
    print(f"{len(PROBES)} probes, {len(results)} runs, {len(bad)} not right")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
