"""A probe: a model in text whose counts of events and end values are known in closed form."""
PROBES = {}


class Probe:
    """text: the model; counts: by event; branches: by prefix of the text of a guard; ends: end values by column."""

    def __init__(self, text, counts=None, ends=None, amplification=1.0, near=False, refused=None, step=None, error=None,
                 options="", rows=None, t_end=None):
        self.text, self.counts, self.ends = text, counts or {}, ends or {}
        self.amplification, self.near, self.refused = amplification, near, refused
        self.step, self.error = step, error  # fixed step, and bounds of the error by method (None: counts alone)
        self.options, self.rows, self.t_end = options.split(), rows, t_end


def probe(make):
    PROBES[make.__name__] = make()
    return make


def bisect(f, a, b):
    rising = f(a) < 0
    for _ in range(200):
        c = (a + b) / 2
        a, b = (c, b) if (f(c) < 0) == rising else (a, c)
    return (a + b) / 2
