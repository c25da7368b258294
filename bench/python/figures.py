"""Numbers of many rounds to the ones that are shown and judged."""


def at(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def median(values):
    return at(values, 0.5)


def speed(rounds):
    """Of one contestant's rounds. Microseconds, but for `own_work`: nanoseconds of a turn's own work."""
    calls = [call for one in rounds for call in one["calls"]]
    turns = [turn for one in rounds for turn in one["turns"]]
    work = [item for one in rounds for item in one["work"] if item[1] > 0]
    return {
        "call_p50": at(calls, 0.5) / 1e3,
        "call_p99": at(calls, 0.99) / 1e3,
        "call_max": max(calls) / 1e3,
        "turn_wall": median([turn[0] for turn in turns]) / 1e3,
        "turn_cpu": median([turn[1] for turn in turns]) / 1e3,
        "turn_cpu_min": min(turn[1] for turn in turns) / 1e3,
        "process_cpu": median([one["process"] for one in rounds]) / 1e3,
        "work_wall": median([item[0] for item in work]) if work else 0,
        "work_cpu": median([item[1] for item in work]) if work else 0,
    }


def table(rows):
    """Rows of equal keys as aligned text."""
    names = list(rows[0])
    shown = [[_shown(row[name]) for name in names] for row in rows]
    widths = [max(len(name), *(len(line[i]) for line in shown)) for i, name in enumerate(names)]
    lines = [names, ["-" * width for width in widths], *shown]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def _shown(value):
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 10 else f"{value:.0f}"
    return str(value)
