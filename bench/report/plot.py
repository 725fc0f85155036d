"""Usage: plot.py RESULT FOLDER

Plots a result of bench/compare as SVG: throughput.svg has the medians of requests a second in a closed loop, and of each
metric in the open loop latency-METRIC.svg has percentiles at shares of the own maximum, on a scale of tenfolds.
"""
import json
import math
import sys
from html import escape
from pathlib import Path

COLOURS = {"pixledger": "#0a6", "peer": "#c50", "bare": "#888", "nginx": "#46b", "lmdb": "#a4a"}
DASHES = {"p50": "1 3", "p99": "", "p999": "7 4"}
NAMES = {"p50": "p50", "p99": "p99", "p999": "p99.9"}
LINE = 22


def svg(width, height, parts):
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>', *parts, "</svg>", ""])


def text(x, y, words, anchor="start", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(words)}</text>'


def throughput(closed, rounds):
    """A bar each, with the range of its rounds."""
    left, bars, top = 150, 480, 40
    parts = [text(12, 22, f"requests a second in a closed loop: medians (rounds: {rounds}), lowest to highest", more='font-weight="bold"')]
    y = top
    for metric in sorted({each["metric"] for each in closed}):
        rows = sorted((each for each in closed if each["metric"] == metric), key=lambda each: each["rate"])
        most = max(each["highest"] for each in rows)
        for each in rows:
            at = lambda rate: left + bars * rate / most
            middle = y + LINE / 2
            parts += [
                text(left - 8, middle + 4, f"{metric} {each['server']}", "end"),
                f'<rect x="{left}" y="{y + 3}" width="{at(each["rate"]) - left:.1f}" height="{LINE - 6}" '
                f'fill="{COLOURS.get(each["server"], "#555")}"/>',
                f'<path d="M{at(each["lowest"]):.1f} {middle}H{at(each["highest"]):.1f}" stroke="#000"/>',
                text(at(each["highest"]) + 6, middle + 4, f"{each['rate']:,.0f}")]
            y += LINE
        y += LINE
    return svg(left + bars + 90, y, parts)


def latency(metric, rows):
    left, top, wide, high = 70, 46, 480, 320
    values = [each[percentile] for each in rows for percentile in NAMES if each[percentile] > 0]
    low, most = (math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))) if values else (0, 1)
    most = max(most, low + 1)
    shares = sorted({each["share"] for each in rows})

    def at(share, value):
        x = left + wide * (shares.index(share) + 0.5) / len(shares)
        return x, top + high * (1 - (math.log10(max(value, 10.0 ** low)) - low) / (most - low))

    parts = [text(12, 22, f"{metric}: latency in milliseconds at shares of the own maximum, from when each was due",
                  more='font-weight="bold"')]
    for exponent in range(low, most + 1):
        y = at(shares[0], 10.0 ** exponent)[1]
        parts += [f'<path d="M{left} {y:.1f}h{wide}" stroke="#ddd"/>', text(left - 8, y + 4, f"{10.0 ** exponent:g}", "end")]
    parts += [text(at(share, 1)[0], top + high + 20, f"{share} %", "middle") for share in shares]
    legend = 0
    servers = sorted({each["server"] for each in rows})
    for server in servers:
        mine = sorted((each for each in rows if each["server"] == server), key=lambda each: each["share"])
        for percentile, name in NAMES.items():
            style = (f'stroke="{COLOURS.get(server, "#555")}" stroke-width="2" '
                     f'stroke-dasharray="{DASHES[percentile]}" fill="none"')
            points = [at(each["share"], each[percentile]) for each in mine]
            y = top + 14 + legend * LINE
            legend += 1
            parts += [
                '<path d="M' + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + f'" {style}/>',
                f'<path d="M{left + wide + 14} {y - 4}h30" {style}/>', text(left + wide + 52, y, f"{server} {name}")]
        # The rates, below the shares.
        row = top + high + 20 + LINE * (1 + servers.index(server))
        parts += [text(at(each["share"], 1)[0], row, f"{each['rate']:,.0f}/s", "middle",
                       f'fill="{COLOURS.get(server, "#555")}"') for each in mine]
    return svg(left + wide + 190, top + high + 36 + LINE * len(servers), parts)


def main():
    result, folder = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    (folder / "throughput.svg").write_text(throughput(result["closed"], result["rounds"]))
    for metric in sorted({each["metric"] for each in result["open"]}):
        rows = [each for each in result["open"] if each["metric"] == metric]
        (folder / f"latency-{metric}.svg").write_text(latency(metric, rows))


main()
