#!/usr/bin/env python3
"""Public clients and latency-cli against one virtual bench with the timing of a real unit.

    cargo build --release
    python3 benches/clients.py [--program target/release/latency-cli] [--rate 1e6] [--latency "5 ms"] [--pairs 12]

Starts `latency-cli simulate --timing realistic`, lets each client take pairs of stimulus and response, one client after
the other, and prints how many pairs a second each of them gets, and how many times longer it takes than `latency-cli`. What is slow is
bounded: the loops take `--pairs` pairs and their time is scaled to 1000.

* latency-cli: `measure --mode direct`, 1000 pairs, whole process; and `--strategy single`, `--pairs` of them.
* pyvisa-py: one pair a `:SINGle`, as published scripts do it: wait for STOP, preamble and data of both channels. It takes a
  stimulus that runs freely, and it does not check that a record is new.
* sigrok-cli: one frame of the screen of both channels, a process for each, since over raw TCP it ends after the first. It gives
  no latencies, from a tenth of the resolution; a frame counts as one pair.

A client that is not installed is said to be skipped. Python needs `pyvisa` and `pyvisa-py` for its row. Only loopback
addresses are used.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATIENCE = 900  # seconds that one client may take


def serve(options, seed):
    """Starts a bench; gives the process and the addresses of scope and board."""
    command = [options.program, "simulate", "--scope-port", "0", "--dut-port", "0", "--timing", "realistic"]
    command += ["--rate", str(options.rate), "--latency", options.latency, "--seed", str(seed), "--mode", "direct"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    ready = process.stdout.readline()
    found = re.match(r"READY scope=(\S+) dut=(\S+)", ready)
    if not found:
        process.kill()
        sys.exit(f"{' '.join(command)} said {ready!r}")
    return process, found[1], found[2]


def on_a_bench(options, client):
    """Runs `client(scope, board)` against a bench of its own."""
    process, scope, board = serve(options, seed=1)
    try:
        return client(scope, board)
    finally:
        process.terminate()
        process.wait(timeout=20)


def measure(options, scope, board, folder, count, strategy):
    """Seconds of the whole process, and the row of its report."""
    text = (ROOT / "profiles" / "virtual.toml").read_text()
    served = f'[bench]\nkind = "hardware"\nscope = "{scope}"\ndut = "tcp://{board}"'
    profile = folder / "served.toml"
    profile.write_text(text.replace('[bench]\nkind = "virtual"', served))
    command = [options.program, "measure", "--profile", profile, "--mode", "direct", "--count", str(count)]
    command += ["--strategy", strategy, "--out", folder / "captures", "--format", "json", "-q"]
    begun = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    seconds = time.monotonic() - begun
    if done.returncode != 0:
        sys.exit(f"measure failed: {done.stderr}")
    return seconds, json.loads(done.stdout)["configurations"][0]


def pyvisa_loop(pairs):
    """A single-shot loop; None where pyvisa is missing."""
    try:
        import pyvisa
        import pyvisa_py  # noqa: F401
    except ImportError:
        return None

    def client(scope, _board):
        host, port = scope.rsplit(":", 1)
        manager = pyvisa.ResourceManager("@py")
        unit = manager.open_resource(f"TCPIP0::{host}::{port}::SOCKET")
        unit.read_termination = unit.write_termination = "\n"
        unit.timeout = 5000
        settings = (":CHAN1:DISP 1", ":CHAN2:DISP 1", ":CHAN1:SCAL 0.5", ":CHAN2:SCAL 0.5", ":CHAN1:OFFS -1.65")
        settings += (":CHAN2:OFFS -1.65", ":TIM:MAIN:SCAL 0.000001", ":TIM:MAIN:OFFS 0.000003", ":RUN", ":ACQ:MDEP 6000")
        settings += (":TRIG:EDG:SOUR CHAN1", ":TRIG:EDG:SLOP POS", ":TRIG:EDG:LEV 1.65")
        for line in settings:
            unit.write(line)
            unit.query("*OPC?")
        begun = time.monotonic()
        for _ in range(pairs):
            unit.write(":SING")
            unit.query("*OPC?")
            # The status is late: without a pause STOP may be that of the record before.
            time.sleep(0.2)
            for _ in range(200):
                if unit.query(":TRIG:STAT?").strip() == "STOP":
                    break
                time.sleep(0.01)
            for channel in ("CHAN1", "CHAN2"):
                for line in (f":WAV:SOUR {channel}", ":WAV:MODE RAW", ":WAV:FORM BYTE", ":WAV:STAR 1", ":WAV:STOP 6000"):
                    unit.write(line)
                    unit.query("*OPC?")
                unit.query(":WAV:PRE?")
                codes = unit.query_binary_values(":WAV:DATA?", datatype="B", container=bytes)
                assert len(codes) == 6000, len(codes)
        seconds = time.monotonic() - begun
        unit.close()
        return seconds

    return client


def sigrok_frames(frames):
    """Frames of the screen; None where sigrok-cli is missing."""
    if not shutil.which("sigrok-cli"):
        return None

    def client(scope, _board):
        host, port = scope.rsplit(":", 1)
        device = ["sigrok-cli", "-d", f"rigol-ds:conn=tcp-raw/{host}/{port}"]
        begun = time.monotonic()
        for _ in range(frames):
            arguments = ["--config", "data_source=Live", "--channels", "CH1,CH2", "--frames", "1", "-O", "analog"]
            done = subprocess.run(device + arguments, capture_output=True, text=True, timeout=60)
            assert "FRAME-END" in done.stdout and "CH2: " in done.stdout, done.stderr
        return time.monotonic() - begun

    return client


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "target" / "release" / "latency-cli"))
    parser.add_argument("--rate", type=float, default=1e6)
    parser.add_argument("--latency", default="5 ms")
    parser.add_argument("--pairs", type=int, default=12, choices=range(1, 201), metavar="1..200")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)

        def tool(count, strategy):
            return on_a_bench(options, lambda s, b: measure(options, s, b, folder, count, strategy))

        seconds, row = tool(1000, "auto")
        rows.append(("latency-cli measure, auto", row["paired"], seconds))
        _, single = tool(options.pairs, "single")
        rows.append(("latency-cli measure, single", single["paired"], single["elapsed_s"]))
    for name, client in (("pyvisa-py, single-shot loop", pyvisa_loop), ("sigrok-cli, frames of the screen", sigrok_frames)):
        ready = client(options.pairs)
        if ready is None:
            print(f"SKIPPED {name}: not installed", file=sys.stderr)
        else:
            rows.append((name, options.pairs, on_a_bench(options, ready)))
    floor = row["bytes_read"] / options.rate
    print(f"link {options.rate / 1e6} MB/s, {options.latency} a query; latency-cli read {row['bytes_read']} bytes ({floor:.1f} s) in {row['shots']} acquisitions\n")
    print("| client | pairs | seconds | seconds for 1000 | times latency-cli |\n|---|---|---|---|---|")
    base = rows[0][2] / rows[0][1] * 1000
    for name, pairs, seconds in rows:
        scaled = seconds / pairs * 1000
        print(f"| {name} | {pairs} | {seconds:.1f} | {scaled:.0f} | {scaled / base:.1f} |")


if __name__ == "__main__":
    main()
