#!/usr/bin/env python3
"""Edges of the record of `benches/analysis.rs` with NumPy, the way a script does it.

    LATENCY_RECORD=record.bin cargo bench --bench analysis
    python3 benches/numpy_edges.py record.bin

Optional: it needs NumPy and is not part of any test. It finds the two levels by the halves of the histogram, the crossings
of the middle with hysteresis, and interpolates between two samples, as the tool does. Prints milliseconds and bytes a second of the
best of five runs, for a plain sum of the bytes, for the edges from the bytes, and for the edges after the usual
conversion of the whole record to volts.
"""

import sys
import time

import numpy as np

LOW_SHARE, HIGH_SHARE = 0.3, 0.7


def levels(codes):
    counts = np.bincount(codes, minlength=256)
    middle = (int(codes.min()) + int(codes.max())) // 2
    return int(np.argmax(counts[: middle + 1])), middle + 1 + int(np.argmax(counts[middle + 1 :]))


def crossings(samples, low, high):
    """Indices with fraction at which the middle is crossed, once for each passage from one side to the other."""
    amplitude = high - low
    middle = low + amplitude / 2
    decided = np.flatnonzero((samples <= low + LOW_SHARE * amplitude) | (samples >= low + HIGH_SHARE * amplitude))
    side = samples[decided] > middle
    change = np.flatnonzero(side[1:] != side[:-1])
    found = np.empty(len(change))
    for n, (a, b) in enumerate(zip(decided[change], decided[change + 1])):
        piece = samples[a : b + 1].astype(float)
        above = piece > middle
        k = int(np.argmax(above != above[0])) - 1
        found[n] = a + k + (middle - piece[k]) / (piece[k + 1] - piece[k])
    return found


def from_bytes(codes):
    return crossings(codes, *levels(codes))


def from_volts(codes):
    volts = (codes.astype(np.float64) + 75 - 122) * 0.02
    low, high = levels(codes)
    return crossings(volts, (low + 75 - 122) * 0.02, (high + 75 - 122) * 0.02)


def best(function, codes, runs=5):
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        function(codes)
        times.append(time.perf_counter() - begun)
    return min(times)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    codes = np.fromfile(sys.argv[1], dtype=np.uint8)
    cases = (("sum", lambda c: c.sum(dtype=np.uint64)), ("edges from bytes", from_bytes), ("edges from volts", from_volts))
    for name, function in cases:
        seconds = best(function, codes)
        print(f"{name:18} {seconds * 1e3:8.1f} ms {len(codes) / seconds / 1e9:8.2f} GB/s")
    print(f"{len(from_bytes(codes))} edges in {len(codes)} points")


if __name__ == "__main__":
    main()
