"""newton_euler.py DAEDAL ARM QUADRUPED: motions of imported robots against the recursive Newton-Euler equations.

Reads the URDF files by itself, keeps every link a body of its own, in the axes of the links, and every
fixed joint a joint without motion: nothing is shared with the import. Forward dynamics by columns of
unit accelerations, integrated by the classical method of order 4."""

import csv
import math
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

add = lambda a, b: [x + y for x, y in zip(a, b)]
scale = lambda c, a: [c * x for x in a]
dot = lambda a, b: sum(x * y for x, y in zip(a, b))
cross = lambda a, b: [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]
times = lambda R, v: [dot(row, v) for row in R]
transposed = lambda R: [list(column) for column in zip(*R)]
product = lambda A, B: [[dot(row, column) for column in zip(*B)] for row in A]


def numbers(element, name, default):
    return [float(x) for x in (element.get(name) if element is not None else None or default).split()] \
        if element is not None and element.get(name) else [float(x) for x in default.split()]


def about(axis, angle):
    """Rotation about a unit vector [Rodrigues]."""
    c, s = math.cos(angle), math.sin(angle)
    x, y, z = axis
    K = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    return [[(i == k) * c + s * K[i][k] + (1 - c) * axis[i] * axis[k] for k in range(3)] for i in range(3)]


def origin(element):
    o = element.find("origin") if element is not None else None
    r, p, y = numbers(o, "rpy", "0 0 0")
    R = product(about([0, 0, 1], y), product(about([0, 1, 0], p), about([1, 0, 0], r)))
    return numbers(o, "xyz", "0 0 0"), R


class Link:
    def __init__(self, element):
        self.name = element.get("name")
        inertial = element.find("inertial")
        self.centre, R = origin(inertial)
        self.mass = numbers(inertial.find("mass"), "value", "0")[0] if inertial is not None else 0
        J = inertial.find("inertia") if inertial is not None else None
        xx, yy, zz, xy, xz, yz = (numbers(J, key, "0")[0] for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
        self.J = product(R, product([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], transposed(R)))


class Joint:
    def __init__(self, element):
        self.name, self.kind = element.get("name"), element.get("type")
        self.parent, self.child = element.find("parent").get("link"), element.find("child").get("link")
        self.r, self.R = origin(element)
        axis = numbers(element.find("axis"), "xyz", "1 0 0")
        self.axis = scale(1 / math.sqrt(dot(axis, axis)), axis)
        self.damping = numbers(element.find("dynamics"), "damping", "0")[0]
        self.place = None  # of its coordinate


class Robot:
    def __init__(self, path):
        root = tree.parse(path).getroot()
        self.links = {e.get("name"): Link(e) for e in root.findall("link")}
        left = [Joint(e) for e in root.findall("joint")]
        known = set(self.links) - {j.child for j in left}
        self.joints = []  # parents first
        while left:
            for joint in [j for j in left if j.parent in known]:
                self.joints.append(joint)
                known.add(joint.child)
                left.remove(joint)
        self.moving = [j for j in self.joints if j.kind != "fixed"]
        for place, joint in enumerate(self.moving):
            joint.place = place

    def forces(self, q, v, a, gravity=(0, 0, -9.81)):
        """Forces of the joints for accelerations a, by the recursion of Luh, Walker and Paul."""
        zero, state = [0.0] * 3, {}
        for joint in self.joints:
            w, dw, acc = state.get(joint.parent, (zero, zero, scale(-1, gravity)))[:3]
            r, R, u, k = joint.r, joint.R, joint.axis, joint.place
            slides = joint.kind == "prismatic"
            if k is not None and not slides:
                R = product(R, about(u, q[k]))
            offset = add(r, times(R, scale(q[k], u))) if slides else r
            acc = add(acc, add(cross(dw, offset), cross(w, cross(w, offset))))
            back = transposed(R)
            w, dw, acc = times(back, w), times(back, dw), times(back, acc)
            if k is not None and slides:
                acc = add(acc, add(scale(a[k], u), scale(2 * v[k], cross(w, u))))
            elif k is not None:
                dw = add(dw, add(scale(a[k], u), scale(v[k], cross(w, u))))
                w = add(w, scale(v[k], u))
            state[joint.child] = (w, dw, acc, R, offset)
        force = {name: [zero, zero] for name in self.links}
        tau = [0.0] * len(self.moving)
        for joint in reversed(self.joints):
            link = self.links[joint.child]
            w, dw, acc, R, offset = state[joint.child]
            c = link.centre
            F = scale(link.mass, add(acc, add(cross(dw, c), cross(w, cross(w, c)))))
            N = add(times(link.J, dw), cross(w, times(link.J, w)))
            f = add(F, force[joint.child][0])
            n = add(add(N, cross(c, F)), force[joint.child][1])
            if joint.place is not None:
                part = f if joint.kind == "prismatic" else n
                tau[joint.place] = dot(part, joint.axis) + joint.damping * v[joint.place]
            up = times(R, f)
            force[joint.parent][0] = add(force[joint.parent][0], up)
            force[joint.parent][1] = add(force[joint.parent][1], add(times(R, n), cross(offset, up)))
        return tau

    def accelerations(self, q, v):
        n, rest = len(q), [0.0] * len(q)
        bias = self.forces(q, v, rest)
        columns = [self.forces(q, rest, [float(i == k) for i in range(n)], (0, 0, 0)) for k in range(n)]
        M = [[columns[k][i] for k in range(n)] + [-bias[i]] for i in range(n)]
        for k in range(n):  # positive definite: no pivots
            M[k] = scale(1 / M[k][k], M[k])
            for i in range(n):
                if i != k:
                    M[i] = add(M[i], scale(-M[i][k], M[k]))
        return [row[n] for row in M]

    def integrate(self, to, steps):
        q = v = [0.0] * len(self.moving)
        h = to / steps
        for _ in range(steps):
            k1v, k1a = v, self.accelerations(q, v)
            k2v = add(v, scale(h / 2, k1a))
            k2a = self.accelerations(add(q, scale(h / 2, k1v)), k2v)
            k3v = add(v, scale(h / 2, k2a))
            k3a = self.accelerations(add(q, scale(h / 2, k2v)), k3v)
            k4v = add(v, scale(h, k3a))
            k4a = self.accelerations(add(q, scale(h, k3v)), k4v)
            mean = lambda a, b, c, d: scale(h / 6, add(add(a, scale(2, b)), add(scale(2, c), d)))
            q, v = add(q, mean(k1v, k2v, k3v, k4v)), add(v, mean(k1a, k2a, k3a, k4a))
        return q, v


def run(daedal, folder, name, joints, *options):
    """Rows of a run: values of the joints, then their rates."""
    subprocess.run([daedal, "run", f"{name}.dae", "--quiet", "--out", f"{name}.csv", *options], cwd=folder, check=True)
    with open(f"{folder}/{name}.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = []
    for joint in joints:
        base = "".join(c if c.isalnum() else "_" for c in joint.name)
        columns.append(f"{base}_{'slide' if joint.kind == 'prismatic' else 'angle'}")
    return [[float(row[c]) for c in columns] for row in rows]


def check(what, values, expected, tolerance):
    worst = max(abs(a - b) / max(1, abs(b)) for a, b in zip(values, expected))
    print(f"{what}: largest difference {worst:.2g}")
    if not worst <= tolerance:
        sys.exit(f"{what}: {values}, expected {expected}")


def main(daedal, *files):
    with tempfile.TemporaryDirectory() as folder:
        for path, name, to, steps in zip(files, ("arm", "quadruped"), (0.3, 0.05), (200, 20)):
            robot = Robot(path)
            subprocess.run([daedal, "new", name, "--from", path], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # accelerations at the start: 2 q/h^2 = a + c1 h + c2 h^2 + ..., extrapolated to h = 0
            h, rest = 2e-4, [0.0] * len(robot.moving)
            rows = run(daedal, folder, name, robot.moving, "--to", str(4 * h), "--every", str(h),
                       "--rtol", "1e-12", "--atol", "1e-15")
            weights = [4.0, -6.0, 4.0, -1.0]
            start = [sum(w * 2 * rows[k + 1][i] / (h * (k + 1))**2 for k, w in enumerate(weights))
                     for i in range(len(rest))]
            check(f"{name}: accelerations at the start", start, robot.accelerations(rest, rest), 1e-6)
            last = run(daedal, folder, name, robot.moving, "--to", str(to), "--rtol", "1e-10")[-1]
            check(f"{name}: joints at t = {to}", last, robot.integrate(to, steps)[0], 1e-7)


main(*sys.argv[1:])
