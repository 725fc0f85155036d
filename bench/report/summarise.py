"""Usage: summarise.py maximum RAW METRIC SERVER    the median rate of that metric and server
       summarise.py line METRIC SERVER SHARE FILE   what bench_open_loop printed, as a line of RAW
       summarise.py result RAW ROUNDS SECONDS       the result as JSON
       summarise.py tables RESULT                   the result as text

RAW has what bench/compare measured, a line a measurement:

  closed METRIC SERVER rate p50 p99
  open METRIC SERVER share rate p50 p99 p999 max failed
"""
import json
import os
import statistics
import sys
import time
from pathlib import Path

CLOSED = ("rate", "p50", "p99")
OPEN = ("rate", "p50", "p99", "p999", "max", "failed")
RATIOS = [("create", "pixledger", "peer"), ("create", "pixledger", "lmdb"), ("status", "pixledger", "peer"),
          ("status", "pixledger", "bare"), ("status", "pixledger", "nginx")]


def read(raw):
    """Key → the figures of its rounds. A key is ("closed", metric, server) or ("open", metric, server, share)."""
    found = {}
    for line in Path(raw).read_text().splitlines():
        words = line.split()
        keys = 3 if words[0] == "closed" else 4
        figures = dict(zip(CLOSED if keys == 3 else OPEN, map(float, words[keys:]), strict=True))
        found.setdefault(tuple(words[:keys]), []).append(figures)
    return found


def of_rounds(rounds):
    told = {name: statistics.median(each[name] for each in rounds) for name in rounds[0] if name != "failed"}
    rates = [each["rate"] for each in rounds]
    told.update(lowest=min(rates), highest=max(rates), rounds=rounds)
    if "failed" in rounds[0]:
        told["failed"] = sum(each["failed"] for each in rounds)
    return told


def result(raw, rounds, seconds):
    measured = read(raw)
    closed = [{"metric": key[1], "server": key[2], **of_rounds(value)}
              for key, value in measured.items() if key[0] == "closed"]
    opened = [{"metric": key[1], "server": key[2], "share": int(key[3]), **of_rounds(value)}
              for key, value in measured.items() if key[0] == "open"]
    rate = {(each["metric"], each["server"]): each["rate"] for each in closed}
    models = [line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
              if line.startswith("model name")]
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "processor": models[0] if models else os.uname().machine,
        "processors": len(os.sched_getaffinity(0)),
        "system": f"{os.uname().sysname} {os.uname().release}",
        "rounds": int(rounds),
        "seconds": float(seconds),
        "closed": closed,
        "open": opened,
        "ratios": [{"metric": metric, "over": over, "under": under, "ratio": rate[metric, over] / rate[metric, under]}
                   for metric, over, under in RATIOS if (metric, over) in rate and (metric, under) in rate],
    }


def tables(told):
    print(told["date"], told["processor"], sep="\n")
    print(f"{told['processors']} processors shared with the load, {told['system']}; "
          f"{told['rounds']} rounds of {told['seconds']:.0f} s\n")
    print(f"{'median of rounds':<20} {'requests/s':>10} {'(lowest–highest)':>19} {'p50 ms':>8} {'p99 ms':>8}")
    for each in sorted(told["closed"], key=lambda each: (each["metric"], each["server"])):
        span = f"({each['lowest']:.0f}–{each['highest']:.0f})"
        # What takes no requests has no latency.
        p50, p99 = (f"{each[name]:.2f}" if each[name] else "" for name in ("p50", "p99"))
        print(f"{each['metric'] + ' ' + each['server']:<20} {each['rate']:>10.0f} {span:>19} {p50:>8} {p99:>8}".rstrip())
    print()
    for each in told["ratios"]:
        print(f"{each['metric']}, {each['over']} / {each['under']}".ljust(28), f"{each['ratio']:.2f}")
    if told["open"]:
        print(f"\n{'open loop':<20} {'% of max':>8} {'requests/s':>10} {'p50 ms':>8} {'p99 ms':>8} {'p99.9 ms':>9} "
              f"{'max ms':>8} {'failed':>6}")
    for each in sorted(told["open"], key=lambda each: (each["metric"], each["server"], each["share"])):
        print(f"{each['metric'] + ' ' + each['server']:<20} {each['share']:>8} {each['rate']:>10.0f} {each['p50']:>8.2f} "
              f"{each['p99']:>8.2f} {each['p999']:>9.2f} {each['max']:>8.1f} {each['failed']:>6.0f}")


def main():
    what, *arguments = sys.argv[1:]
    if what == "maximum":
        raw, metric, server = arguments
        print(of_rounds(read(raw)["closed", metric, server])["rate"])
    elif what == "line":
        *key, file = arguments
        told = json.loads(Path(file).read_text())
        print("open", *key, *(told[name] for name in OPEN))
    elif what == "result":
        print(json.dumps(result(*arguments), indent=1))
    elif what == "tables":
        tables(json.loads(Path(arguments[0]).read_text()))
    else:
        sys.exit(__doc__)


main()
