"""One session of a public VISA client with the virtual scope: identify, arm, read screen and memory, screenshot.

Arguments: host, port, file for the picture. Prints one JSON object; any exception is a failed test.
"""

import json
import sys

import pyvisa


def block(scope, command):
    return scope.query_binary_values(command, datatype="B", container=bytes)


def rises(codes, preamble):
    """Times in nanoseconds at which the codes cross the middle upwards, with hysteresis."""
    increment, origin = float(preamble[4]) * 1e9, float(preamble[5]) * 1e9
    low, high = min(codes), max(codes)
    middle, margin = (low + high) / 2, (high - low) / 5
    found, armed, last = [], False, None
    for i in range(1, len(codes)):
        a, b = codes[i - 1], codes[i]
        armed = armed or a < middle - margin
        if armed and a < middle <= b:
            last = i - 1 + (middle - a) / (b - a)
        if armed and b > middle + margin and last is not None:
            found.append(origin + last * increment)
            armed, last = False, None
    return found


def memory(scope, channel):
    for command in (f":WAV:SOUR {channel}", ":WAV:MODE RAW", ":WAV:FORM BYTE"):
        scope.write(command)
    preamble = scope.query(":WAV:PRE?").split(",")
    points, codes = int(preamble[2]), b""
    while len(codes) < points:
        scope.write(f":WAV:STAR {len(codes) + 1}")
        scope.write(f":WAV:STOP {min(points, len(codes) + 100_000)}")
        codes += block(scope, ":WAV:DATA?")
    return rises(codes, preamble), points


def main():
    host, port, picture = sys.argv[1:4]
    scope = pyvisa.ResourceManager("@py").open_resource(f"TCPIP0::{host}::{port}::SOCKET")
    scope.read_termination = "\n"  # the client's own default for writing, \r\n, stays
    scope.timeout = 20_000
    result = {"identity": scope.query("*IDN?")}
    for command in (
        ":CHAN2:DISP ON", ":TIM:MAIN:SCAL 1e-4", ":ACQ:MDEP 600000", ":TRIG:EDGE:SOUR CHAN1", ":TRIG:EDGE:LEV 1.65",
    ):
        scope.write(command)
        assert scope.query("*OPC?") == "1", command
    result["depth"] = scope.query(":ACQ:MDEP?")
    scope.write(":SING")
    for _ in range(5000):
        if scope.query(":TRIG:STAT?") == "STOP":
            break
    else:
        raise TimeoutError("the single acquisition did not end")
    result["stimuli"], result["points"] = memory(scope, "CHAN1")
    result["responses"], _ = memory(scope, "CHAN2")
    scope.write(":WAV:MODE NORM")
    scope.write(":WAV:STAR 1")
    scope.write(":WAV:STOP 1200")
    result["screen"] = len(block(scope, ":WAV:DATA?"))
    with open(picture, "wb") as file:
        file.write(block(scope, ":DISP:DATA? ON,OFF,PNG"))
    result["error"] = scope.query(":SYST:ERR?")
    print(json.dumps(result))


main()
