import base64
import collections
import json
import math
import struct
import sys
import zlib

Choice = collections.namedtuple("Choice", "kernel block grid params seconds by unsure")
Choice.__doc__ = """What to run. A block or grid of 0 is a choice that the kernel does not have; params is a dict of
texts; seconds is the time that a product is expected to take, or None; by is "ensemble", "features" or "sizes",
and unsure says why the ensemble did not choose, if it was asked."""


def select(matrix, cols=None, precision="float64", cache=None, device=None, accurate=True, hardware=None):
    """Choose for a scipy CSR matrix, or for row offsets and a number of columns.

    device and cache ("warm", "cold") are needed where the rule knows several. hardware is
    (bytes of the last-level cache, warps that run at a time) of another device than the rule's.
    """
    if cols is None:
        matrix, cols = matrix.indptr, matrix.shape[1]
    return choose(features(matrix, cols), precision, cache, device, accurate, hardware)


def features(offsets, cols):
    """The features that follow from the row offsets of a matrix in CSR. numpy arrays are faster than lists."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(offsets, numpy.ndarray):
        lengths = numpy.sort(numpy.diff(offsets.astype(numpy.int64)))
        total = int(lengths.sum())
        rows = len(lengths)
        square = float(((lengths - (total / rows if rows else 0)) ** 2).sum())
        ranked = float((numpy.arange(1 - rows, rows + 1, 2) * lengths.astype(float)).sum())
        above = lambda length: int(lengths[numpy.searchsorted(lengths, length, "right"):].sum())
        empty = int(numpy.searchsorted(lengths, 0, "right"))
    else:
        lengths = sorted(offsets[i + 1] - offsets[i] for i in range(len(offsets) - 1))
        total, rows = sum(lengths), len(lengths)
        mean = total / rows if rows else 0
        square = sum((n - mean) ** 2 for n in lengths)
        ranked = float(sum((2 * k + 1 - rows) * n for k, n in enumerate(lengths)))
        above = lambda length: sum(n for n in lengths if n > length)
        empty = lengths.count(0)

    over = lambda a, b: a / b if b else 0.0
    at = lambda percent: int(lengths[max(0, -(-percent * rows // 100) - 1)]) if rows else 0
    mean, std = over(total, rows), math.sqrt(over(square, rows))
    return {
        "row_mean": mean, "nonzeros": total, "rows": rows, "cols": cols,
        "row_max_over_mean": over(at(100), mean), "row_max_share": over(at(100), total),
        "row_p99_over_mean": over(at(99), mean), "row_std_over_mean": over(std, mean),
        "row_max": at(100), "row_gini": over(ranked, rows * total),
        "share_above_32": over(above(32), total), "share_above_256": over(above(256), total),
        "share_above_1024": over(above(1024), total), "empty_share": over(empty, rows),
        "row_std": std, "row_min": at(0), "row_median": at(50), "row_p25": at(25), "row_p75": at(75),
        "row_p90": at(90), "row_p99": at(99), "empty_rows": empty,
    }


def choose(f, precision="float64", cache=None, device=None, accurate=True, hardware=None):
    """Choose for features, a dict by the names of docs/features.md. Those that are missing are not known:
    rows, cols and nonzeros are needed."""
    s = _selector(precision, cache, device)
    of = s.get("hardware", {})
    of, warps = hardware or (of.get("cache_bytes", 0), of.get("warps", 0))
    f = {name: x for name, x in f.items() if math.isfinite(x)}
    if of:
        f["cache_share"] = (12 * f["nonzeros"] + 12 * f["rows"] + 8 * f["cols"]) / of
        f["x_cache_share"] = 8 * f["cols"] / of
    if warps:
        f["nonzeros_per_warp"], f["rows_per_warp"] = f["nonzeros"] / warps, f["rows"] / warps

    e, unsure = s.get("ensemble"), ""
    if accurate and e:
        unsure = _unsure(e, f)
        if not unsure:
            return _boosted(s, e, f)
    leaf, by = _walk(s["tree"], f), "features"
    if leaf is None and s.get("tree_over_sizes"):
        leaf, by = _walk(s["tree_over_sizes"], f), "sizes"
    if leaf is None:
        raise ValueError("the rule asks for a feature that is not known")
    ranking = [leaf["choice"]] + leaf.get("next", [])
    first = next((i for i, c in enumerate(ranking) if _legal(c, f)), 0)
    seconds = _forecast(leaf, f)
    if first and seconds:
        seconds = seconds * (leaf.get("next_times") or [0] * first)[first - 1] or None
    return _choice(ranking[first], seconds, by, unsure)


def _key(c):
    params = " ".join("%s=%s" % item for item in sorted((c.get("params") or {}).items()))
    return "%s %s %d %d %s" % (c["kernel"], c["precision"], c["block"], c["grid"], params)


def _legal(c, f):
    """Whether a matrix is known to be within the limits of a configuration."""
    of = lambda name: f.get(name, math.nan)
    total = lambda terms: sum(t["Factor"] * math.prod(map(of, t["Features"] or ())) for t in terms)
    return all(any(total(terms) <= 0 for terms in limit) for limit in _LIMITS.get(_key(c), ()))


def _selector(precision, cache, device):
    found = [s for s in _RULE["selectors"] if s["precision"] == precision
             and cache in (None, s["cache"]) and device in (None, s["device"])]
    if len(found) != 1:
        known = ", ".join("%s %s %s" % (s["device"], s["precision"], s["cache"]) for s in _RULE["selectors"])
        raise ValueError("%d trees match; the rule has: %s" % (len(found), known))
    return found[0]


def _walk(node, f):
    """The leaf for a matrix, or None where a feature is not known."""
    while "choice" not in node:
        if node["feature"] not in f:
            return None
        node = node["below" if f[node["feature"]] <= node.get("threshold", 0) else "above"]
    return node


def _choice(c, seconds, by, unsure):
    return Choice(c["kernel"], c["block"], c["grid"], c.get("params") or {}, seconds, by, unsure)


def _forecast(leaf, f):
    """The time at the median speed of the nine matrices of the leaf that are nearest in size."""
    speeds, value = leaf.get("speeds"), {"float32": 4, "float64": 8}[leaf["choice"]["precision"]]
    traffic = f["nonzeros"] * (value + 4) + (f["rows"] + 1) * 4 + (f["rows"] + f["cols"]) * value
    if not speeds or not speeds[0]["bytes"] / 4 <= traffic <= speeds[-1]["bytes"] * 4:
        return None
    near = sorted(speeds, key=lambda s: abs(math.log(s["bytes"] / traffic)))[:9]
    rates = sorted(s["gbps"] for s in near)
    return traffic / ((rates[(len(rates) - 1) // 2] + rates[len(rates) // 2]) / 2) / 1e9


def _unsure(e, f):
    for name, low, high in zip(e["features"], e["low"], e["high"]):
        if name not in f:
            return name + " is not known of the matrix"
        if not low / 40 <= f[name] <= high * 20:
            return "%s is %g, and between %g and %g on what the ensemble was learned from" % (name, f[name], low, high)
    return ""


def _forest(e):
    """The trees of an ensemble: features, thresholds, scale and leaves of each."""
    if isinstance(e["trees"], str):
        data, at, trees = zlib.decompress(base64.b64decode(e["trees"]), -15), 1, []
        while at < len(data):
            n = data[at]
            head = struct.unpack_from("<B15B15ff", data, at)
            leaves = struct.unpack_from("<%db" % (16 * n), data, at + 80)
            trees.append((head[1:16], head[16:31], head[31], [leaves[i * n:i * n + n] for i in range(16)]))
            at += 80 + 16 * n
        e["trees"] = trees
    return e["trees"]


def _boosted(s, e, f):
    values, lost = [f[name] for name in e["features"]], list(e["base"])
    for split, threshold, scale, leaves in _forest(e):
        i = 0
        while i < 15:
            i = 2 * i + (1 if values[split[i]] <= threshold[i] else 2)
        for c, x in enumerate(leaves[i - 15]):
            lost[c] += x * scale
    legal = [i for i, c in enumerate(e["configs"]) if _legal(c, f)] or range(len(lost))
    best = min(legal, key=lost.__getitem__)
    leaf = _walk(s["tree"], f)
    seconds = leaf and _forecast(leaf, f)
    if seconds:
        seconds *= leaf.get("fraction", 0) / _expected(lost[best])
    return _choice(e["configs"][best], seconds, "ensemble", "")


def _expected(cost):
    """The share of the best speed that is left where so much is lost."""
    low, high = 0.0, 4.0
    for _ in range(50):
        middle = (low + high) / 2
        if 1 - math.exp(-middle) + 0.2 * min(middle, 4.0) < cost:
            low = middle
        else:
            high = middle
    return math.exp(-low)


