"""Probes of events, clocks and branches together: several clocks, delays, surfaces that move, systems, scales."""
import math

from probe import Probe, bisect, probe


def instants(period, end, first=None):
    """Instants of `every period` after the start at 0."""
    k, found = 1, []
    while k * period <= end:
        found.append(k * period)
        k += 1
    return found


@probe
def incommensurate():
    end, a, b, x, n, last = 50.0, 0, 0, 0.0, 0, 0.0
    marks = sorted([(t, 0) for t in instants(math.sqrt(2), end)] + [(t, 1) for t in instants(math.pi / 3, end)] +
                   [(t, 2) for t in (7.5, 20.25, 33.125)])
    for t, kind in marks:
        x += (a - 0.5 * b) * (t - last)
        last = t
        a, b = (a + 1, b) if kind == 0 else (a, b + 1) if kind == 1 else (0, 0)
    x += (a - 0.5 * b) * (end - last)
    return Probe("""state x = 0
discrete a = 0, b = 0
x' = a - 0.5*b
event first: every sqrt(2) { a = a + 1 }
event second: every pi/3 { b = b + 1 }
event reset: at 33.125, 7.5, 20.25 { a = 0; b = 0 }
simulate to 50""", {"first": 35, "second": 47, "reset": 3}, {"x": x, "a": a, "b": b}, step=0.21)


@probe
def delayed_controller():
    T, end, x, v, u, w, n = 0.2, 12.1, 1.0, 0.0, 0.0, 0.0, 0
    while n * T < end - 1e-9:
        w, u = u, -0.8 * x - 1.1 * v   # the value computed one sample before is applied
        h = min(T, end - n * T)
        x, v, n = x + h * v + h * h * w / 2, v + h * w, n + 1
    return Probe(f"""coord x = 1
discrete u = 0, w = 0
kinetic x'^2/2
force x = w
event sample: every {T} from 0 {{ w = u; u = -0.8*x - 1.1*x' }}
simulate to {end}""", {"sample": n}, {"x": x, "der(x)": v, "u": u, "w": w}, step=0.03, amplification=5)


@probe
def thousand_turns():
    return Probe("""coord phi = 0.1 rate 100*pi
discrete n = 0
kinetic phi'^2/2
event turn: sin(phi) rising { n = n + 1 }
simulate to 20.01""", {"turn": 1000}, {"n": 1000, "phi": 0.1 + 100 * math.pi * 20.01}, step=0.003)


@probe
def surface_moved_by_clock():
    # x = t, level L; hits raise the level by 1.3, the clock lowers it by 0.1, never below x: L - t > 0.1 is asked
    L, n, t, end = 1.0, 0, 0.0, 30.0
    ticks = instants(0.7071, end)
    while True:
        tick = ticks[0] if ticks else math.inf
        t = min(L, tick)
        if t > end:
            break
        if L <= tick:
            L, n = L + 1.3, n + 1
        else:
            ticks.pop(0)
            L = L - 0.1 if L - t > 0.1135 else L
    return Probe("""state x = 0
discrete L = 1, n = 0
x' = 1
event hit: x - L rising { L = L + 1.3; n = n + 1 }
event lower: every 0.7071 { L = if(L - x > 0.1135, L - 0.1, L) }
simulate to 30""", {"hit": n, "lower": 42}, {"x": 30, "n": n, "L": L}, step=0.23, error=1e-7, near=True)


@probe
def clocks_in_systems():
    # A.x' = u, sampled each 0.25: u = 1 - x; B.y' = A.x; B samples y each 0.4 into s
    end, x, u, y, s, t = 6.1, 0.0, 0.0, 0.0, 0.0, 0.0
    marks = sorted([(k * 0.25, 0) for k in range(1, 25)] + [(k * 0.4, 1) for k in range(1, 16)])
    for at, kind in marks + [(end, 2)]:
        h = at - t
        y += h * x + h * h * u / 2
        x += h * u
        t = at
        if kind == 0:
            u = 1 - x
        elif kind == 1:
            s += y
    return Probe("""system A {
  state x = 0
  discrete u = 0
  x' = u + 0*B.y
  event sample: every 0.25 { u = 1 - x }
}
system B {
  state y = 0
  discrete s = 0
  y' = A.x
  event look: every 0.4 { s = s + y }
}
simulate to 6.1""", {"A.sample": 24, "B.look": 15}, {"A.x": x, "A.u": u, "B.y": y, "B.s": s}, amplification=10, step=0.01)


@probe
def guard_in_constraint():
    u = bisect(lambda u: (u * math.sqrt(1 + u * u) + math.asinh(u)) / 2 - 2, 0, 3)
    return Probe("""coord x = -1 rate 1, y = 0
kinetic (x'^2 + y'^2)/2
constraint way: y = max(x, 0)^2/2
simulate to 3""", {}, {"x": u, "y": u * u / 2, "der(x)": 1 / math.sqrt(1 + u * u)}, amplification=10, step=0.003)


@probe
def guard_in_potential():
    # |x|: parabolas, period 4 sqrt(2)
    P, t = 4 * math.sqrt(2), 11.0
    r = t % P
    q = P / 4
    x = 1 - r * r / 2 if r < q else -1 + (r - 2 * q) ** 2 / 2 if r < 3 * q else 1 - (r - 4 * q) ** 2 / 2
    return Probe("""coord x = 1
kinetic x'^2/2
potential abs(x)
simulate to 11""", {}, {"x": x}, amplification=20)


@probe
def nested():
    def g(x):
        return max(0.0, min(1.0, abs(abs(x - 3) - 1) - 0.5))
    kinks = sorted({0, 6} | {3 + s * (1 + d) for s in (-1, 1) for d in (-1.5, -0.5, 0, 0.5, 1.5, -1)} | {3})
    kinks = [k for k in kinks if 0 <= k <= 6]
    y = sum((g(a) + g(b)) / 2 * (b - a) for a, b in zip(kinks, kinks[1:]))
    return Probe("""state x = 0, y = 0
x' = 1
y' = max(0, min(1, abs(abs(x - 3) - 1) - 0.5))
simulate to 6""", {}, {"y": y}, step=0.01, error=1e-6)


@probe
def guards_in_sum():
    return Probe("""state x = 0, y = 0
x' = 1
y' = sum(i in 1..5, if(x > i, i, 0))
simulate to 7""", {}, {"y": sum(i * (7 - i) for i in range(1, 6))}, step=0.03, amplification=5)


@probe
def mod_and_floor_of_states():
    end, P = 5.0, 0.7
    full, rest = int(end / P), end - int(end / P) * P
    y = full * P * P / 2 + rest * rest / 2 + sum(k * 0.5 for k in range(10))
    return Probe("""state x = 0, y = 0
x' = 1
y' = mod(x, 0.7) + floor(2*x)
simulate to 5""", {}, {"y": y}, step=0.013, amplification=10)


@probe
def relays():
    # x is a triangle wave between -1 and 1 with slope 1; five relays on at level k/8, off at -k/8
    x, d, t, end, s, last = 0.0, 1.0, 0.0, 20.6, [0] * 5, 0.0
    on, off, y = 0, 0, 0.0
    while True:
        marks = [(1 - x) / 1 if d > 0 else (x + 1) / 1]
        for k in range(5):
            level = (k + 1) / 8
            if d > 0 and not s[k] and x < level: marks.append(level - x)
            if d < 0 and s[k] and x > -level: marks.append(x + level)
        h = min(min(marks), end - t)
        y += h * sum(s)
        x += d * h
        t += h
        if t >= end - 1e-12: break
        if abs(abs(x) - 1) < 1e-12: d = -d
        for k in range(5):
            level = (k + 1) / 8
            if d > 0 and not s[k] and abs(x - level) < 1e-12: s[k] = 1; on += 1
            if d < 0 and s[k] and abs(x + level) < 1e-12: s[k] = 0; off += 1
    events = "\n".join(f"event on{k}: x - {k/8} rising {{ s{k} = 1 }}\nevent off{k}: x + {k/8} falling {{ s{k} = 0 }}" for k in range(1, 6))
    return Probe(f"""state x = 0, y = 0
discrete d = 1, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0
x' = d
y' = s1 + s2 + s3 + s4 + s5
event top: x - 1 rising {{ d = -1 }}
event bottom: x + 1 falling {{ d = 1 }}
{events}
simulate to 20.6""", {"on1": 6, "off1": 5, "top": 5, "bottom": 5}, {"x": x, "y": y}, step=0.03, amplification=50)


@probe
def kick_with_redundant_rows():
    return Probe("""coord a = 0 rate 1, b = 0 rate 1, c = 0 rate 2
kinetic (a'^2 + b'^2 + c'^2)/2
constraint same: a = b
constraint again: 2*a - 2*b = 0
constraint third: c = a + b
event kick: every 1.5 { a' = a' + 1 }
simulate to 4""", {"kick": 2}, {"a": 1.5 + 2 * 1.5 + 3, "b": 7.5, "c": 15, "der(c)": 6}, step=0.1, amplification=5)


@probe
def start_and_end():
    return Probe("""state x = 0
discrete n = 0, m = 0
x' = 1
event from_start: every 1 from 0 { n = n + 1 }
event hits_end: x - 5 rising { m = m + 1 }
event ends: at 5 { m = m + 10 }
simulate to 5""", {"from_start": 6, "hits_end": 1, "ends": 1}, {"x": 5, "n": 6, "m": 11}, step=0.25, error=1e-9, near=True)


@probe
def from_another_time():
    return Probe("""state x = 0
discrete n = 0, m = 0
x' = n
event tick: every 1 { n = n + 1 }
event grid: every 1 from 0 { m = m + 1 }
simulate from 5.25 to 9.5""", {"tick": 4, "grid": 4}, {"n": 4, "m": 4, "x": 1 + 2 + 3 + 4 * 0.25}, step=0.07, error=1e-9,
                 options="--every 0.5")


@probe
def gigaseconds():
    w = 1e-9
    return Probe("""coord x = 1 atol 1e-9
kinetic x'^2/2
potential 1e-18*x^2/2
event zero: x
event tick: every 1e9
simulate to 20.3e9""", {"zero": 6, "tick": 20}, {"x": math.cos(20.3)}, amplification=20, step=1e7)


@probe
def mega_values():
    return Probe("""coord x = 1e6
discrete n = 0
kinetic x'^2/2
potential x^2/2
force x = if(x > 5e5, -2.5e5, 0)
event half: x - 2.5e5 falling { n = n + 1 }
simulate to 3""", {"half": 1}, {"x": 5e5 * math.cos(3 - math.acos(0.6)) - 1e6 * math.sin(3 - math.acos(0.6))})


@probe
def micro_values():
    # bounces of a ball from a micrometre
    g, h = 9.81, 1e-6
    T = math.sqrt(2 * h / g)
    t, n = 10.5 * T, 0
    n = 5
    r = (t - T) % (2 * T)
    v = math.sqrt(2 * g * h)
    return Probe(f"""coord z = 1e-6 atol 1e-15
kinetic z'^2/2
potential 9.81*z
event floor: z falling {{ z' = -z' }}
output scaled = z*1e6
simulate to {t!r}""", {"floor": 5}, {"scaled": (v * r - g * r * r / 2) * 1e6}, amplification=100)


@probe
def lifted_table():
    # elastic bounces on a table that rises with 0.1: in its frame always with the speed of the first contact
    g, u = 10.0, 0.1
    # relative: z(0) = 1, z' = -u
    v = math.sqrt(u * u + 2 * g)
    t0 = (v - u) / g
    end = 4.0
    n = 1 + int((end - t0) / (2 * v / g))
    r = (end - t0) - (n - 1) * 2 * v / g
    return Probe(f"""coord x = 1
kinetic x'^2/2
potential 10*x
event bounce: x - 0.1*t falling {{ x' = 0.2 - x' }}
simulate to 4""", {"bounce": n}, {"x": v * r - g * r * r / 2 + u * end}, amplification=50)


@probe
def pulse_placed_by_event():
    return Probe("""state x = 0, v = 0
discrete p = -100
x' = v
v' = exp(-((t - p)/0.01)^2)
event place: at 10 { p = 50 }
simulate to 100""", {"place": 1}, {"v": 0.01 * math.sqrt(math.pi)}, amplification=1)


@probe
def product_of_time_and_state():
    return Probe("""state x = 1
discrete n = 0
x' = 0*x
event hit: t*x - 2 rising { x = x/2; n = n + 1 }
simulate to 40""", {"hit": 5}, {"x": 1 / 32, "n": 5}, step=0.3, error=1e-9)


@probe
def pulses_by_delay():
    # a switch that opens and closes by its own two clocks, a narrow pulse each: 0.001 in 1
    return Probe("""state x = 0
discrete on = 0, n = 0
x' = on
event open: every 1 { on = 1000; n = n + 1 }
event close: every 1 from 1.001 { on = 0 }
simulate to 20.5""", {"open": 20, "close": 20}, {"x": 20, "n": 20}, step=0.3)


@probe
def alg_held():
    x, m, t = 1.0, 0.0, 0.0
    for h, tick in ((1, True), (1, True), (0.5, False)):
        x = -m + (x + m) * math.exp(-h)
        if tick:
            m = (x + m) / 2
    return Probe("""state x = 1
alg y = 1
discrete m = 0
x' = -y
0 = y - x - m
event tick: every 1 { m = y/2 }
simulate to 2.5""", {"tick": 2}, {"x": x, "y": x + m, "m": m}, step=0.01, amplification=3)


@probe
def event_of_rate():
    # turning points of a pendulum-like oscillation by its rate, counted over 50 periods
    return Probe("""coord x = 1
discrete n = 0
kinetic x'^2/2
potential x^2/2
event turn: x'
simulate to 313""", {"turn": 99}, {"x": math.cos(313)}, amplification=500)


@probe
def coupled_kick_in_part():
    # two oscillators coupled by a constant input from the other's discrete; clock inside one, kick of the other's rate
    x, v, t = 1.0, 0.0, 0.0
    y, w = 0.0, 0.5
    for k in range(1, 7):
        h = 0.5
        x, v = x*math.cos(h)+v*math.sin(h), -x*math.sin(h)+v*math.cos(h)
        y, w = y*math.cos(2*h)+w/2*math.sin(2*h), -2*y*math.sin(2*h)+w*math.cos(2*h)
        if k < 7: v = v + 0.1; w = w - 0.2
    h = 0.25
    x, v = x*math.cos(h)+v*math.sin(h), -x*math.sin(h)+v*math.cos(h)
    y = y*math.cos(2*h)+w/2*math.sin(2*h)
    return Probe("""system A {
  coord x = 1
  kinetic x'^2/2
  potential x^2/2
  force x = 0*B.y
  event kick: every 0.5 { x' = x' + 0.1 }
}
system B {
  coord y = 0 rate 0.5
  kinetic y'^2/2
  potential 2*y^2
  force y = 0*A.x
  event kick: every 0.5 { y' = y' - 0.2 }
}
simulate to 3.25""", {"A.kick": 6, "B.kick": 6}, {"A.x": x, "B.y": y}, amplification=30, step=0.005)


@probe
def crossing_in_part_acts_on_other():
    # A.x = t mod; crossing in A raises input of B
    return Probe("""system A {
  state x = 0
  x' = 1 + 0*B.y
  event wrap: x - 1 rising { x = 0 }
}
system B {
  state y = 0
  discrete u = 0
  y' = u + 0*A.x
}
event step: A.x - 0.5 rising { B.u = B.u + 1 }
simulate to 5.25""", {"A.wrap": 5, "step": 5}, {"A.x": 0.25, "B.y": sum(5.25 - (k + 0.5) for k in range(5)), "B.u": 5}, amplification=30, step=0.01)


@probe
def abs_of_rate():
    # x'' = -|x'| x' quadratic drag downwards and upwards with sign changes through a clock kick
    def drag(x, v, h):
        s = 1 if v >= 0 else -1
        a = abs(v)
        return x + s*math.log(1 + a*h), s*a/(1 + a*h)
    x, v = 0.0, 2.0
    for k in range(1, 6):
        x, v = drag(x, v, 1.0)
        v = v - 3 if k % 2 else v + 3
    x, v = drag(x, v, 0.5)
    return Probe("""coord x = 0 rate 2
discrete s = 1
kinetic x'^2/2
force x = -abs(x')*x'
event flip: every 1 { x' = x' - 3*s; s = -s }
simulate to 5.5""", {"flip": 5}, {"x": x, "der(x)": v}, amplification=10)


@probe
def dead_zone():
    # force -k*(|x|-1)+ outside of a dead zone: free flight inside, half harmonic outside
    k = 100.0; w = math.sqrt(k); v0 = 2.0
    T = math.pi / w + 2 / v0   # half a cycle
    t = 10.3
    t1 = 1 / v0  # from x=0 to x=1
    tau = t - t1; n = int(tau // T); r = tau - n * T
    s = 1 if n % 2 == 0 else -1
    x = s * (1 + v0 / w * math.sin(w * r)) if r < math.pi / w else s * (1 - v0 * (r - math.pi / w))
    return Probe("""coord x = 0 rate 2
kinetic x'^2/2
force x = -100*sign(x)*max(abs(x) - 1, 0)
simulate to 10.3""", {}, {"x": x}, amplification=200)


@probe
def stop_watch():
    # stop at the third crossing by a condition, in the middle of a long step
    return Probe("""coord x = 1
discrete n = 0
kinetic x'^2/2
potential x^2/2
event zero: x { n = n + 1 }
event third: when n >= 3 stop
simulate to 100""", {"zero": 3, "third": 1}, {"t": 2.5*math.pi}, amplification=10)


@probe
def rows_at_events():
    return Probe("""state x = 0
discrete n = 0
x' = 1
event a: at 1, 2, 3 { n = n + 1; x = x + 1 }
event b: x - 4.5 rising { n = n + 10 }
simulate to 4""", {"a": 3, "b": 1}, {"x": 7, "n": 13}, options="--every 1", step=0.1, error=1e-9, rows=5)


@probe
def sine_of_clock_phase():
    # a force switched by sign(sin(w t)), w incommensurate with the end; relations of t are clocks
    w = 3.3
    t, v, x = 0.0, 0.0, 0.0
    end, k = 10.0, 1
    marks = [j*math.pi/w for j in range(1, 100) if j*math.pi/w < end] + [end]
    s = 1
    for m in marks:
        h = m - t
        x += v*h + s*h*h/2; v += s*h; t = m; s = -s
    return Probe("""coord x = 0
kinetic x'^2/2
force x = sign(sin(3.3*t))
simulate to 10""", {}, {"x": x, "der(x)": v}, amplification=10, step=0.01)


@probe
def two_levels_at_once():
    # two guards and an event at one crossing; the event's action re-enters the first branch
    return Probe("""state x = 0, y = 0
discrete n = 0
x' = if(x < 1, 1, 2)
y' = if(x < 1, 0, 1)
event reset: x - 1 rising { x = 0; n = n + 1 }
simulate to 5.5""", {"reset": 5}, {"x": 0.5, "y": 0, "n": 5}, amplification=30, step=0.07, error=1e-6)


@probe
def microseconds():
    # a converter at 1 MHz for 100 us: x' = 1e6*(u - x), u toggles every 1e-6
    x, u, T = 0.0, 1, 1e-6
    for k in range(1, 101):
        x = u + (x - u)*math.exp(-1.0); u = 1 - u
    return Probe("""state x = 0
discrete u = 1
x' = 1e6*(u - x)
event toggle: every 1e-6 { u = 1 - u }
simulate to 100e-6""", {"toggle": 100}, {"x": x}, amplification=10, step=1e-8)


@probe
def lists_and_grid_meet():
    return Probe("""state x = 0
discrete n = 0, m = 0
x' = n - m
event grid: every 0.3 { n = n + 1 }
event list: at 0.9, 0.6, 0.6, 1.2 { m = m + 1 }
simulate to 1.5""", {"grid": 5, "list": 3}, {"x": 0.3*(1 + 2 - 1 + 3 - 2 + 4 - 3), "n": 5, "m": 3}, step=0.05, error=1e-9)
