#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Everything about the Zephyr application that can be checked without a board; most of it without Zephyr.

Needs a C compiler and Python 3. What cannot be done here is printed as SKIPPED and counted as that, never as passed:
the overlay lint without cpp and dtc, the compilation of the image without ZEPHYR_BASE. The last line is
`N passed, N failed, N skipped`; the exit code is 1 when something failed.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

APP = Path(__file__).resolve().parent.parent
VECTORS = APP.parent / "protocol" / "vectors.txt"
CC = os.environ.get("CC", "cc")
TIMEOUT = 120
BUILD_TIMEOUT = 1800

STUBBED = """zephyr/kernel.h zephyr/device.h zephyr/irq.h zephyr/drivers/gpio.h zephyr/drivers/uart.h
zephyr/drivers/i2c.h zephyr/logging/log.h zephyr/drivers/clock_control.h
zephyr/drivers/clock_control/nrf_clock_control.h version.h hal/nrf_gpio.h hal/nrf_gpiote.h hal/nrf_dppi.h
hal/nrf_timer.h hal/nrf_clock.h hal/nrf_reset.h hal/nrf_wdt.h nrfx_clock.h""".split()

SOURCES = "console protocol modes loads vector bench_nrf edge_nrf chip_nrf".split()

COMMON = """CONFIG_SOC_NRF5340_CPUAPP CONFIG_UART_INTERRUPT_DRIVEN CONFIG_LATENCY_HARDWARE_TRAIN
CONFIG_LATENCY_VECTOR_PATHS CONFIG_ZERO_LATENCY_IRQS CONFIG_LATENCY_LOAD_I2C CONFIG_FPU CONFIG_FPU_SHARING
CONFIG_LOG_DEFAULT_LEVEL CONFIG_THREAD_ANALYZER""".split()

# Name of the image, its options, the modes it must have.
IMAGES = [
    ("vector exchange", ["CONFIG_LATENCY_DRIVER_PATHS", "CONFIG_LATENCY_VECTOR_EXCHANGE", "CONFIG_GPIO_NRFX_INTERRUPT"],
     "direct,thread,workqueue,dedicated-queue,irq-direct,zero-latency,hw"),
    ("direct connect", ["CONFIG_LATENCY_DIRECT_CONNECT"], "irq-direct,zero-latency,hw"),
]

BASE_DTS = """/dts-v1/;
/ {
\t#address-cells = <1>;
\t#size-cells = <1>;
\tinterrupt-parent = <&nvic>;
\tnvic: interrupt-controller { interrupt-controller; #interrupt-cells = <2>; };
\tgpio0: gpio { gpio-controller; #gpio-cells = <2>; };
\tgpiote: gpiote { interrupts = <13 5>; };
\tuart0: uart { interrupts = <8 1>; };
\ti2c1: i2c { };
};
"""

passed = failed = skipped = 0


def check(ok, what, detail=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(f"{'ok     ' if ok else 'FAILED '} {what}" + (f"\n{detail.rstrip()}" if detail and not ok else ""))
    return ok


def skip(what, why):
    global skipped
    skipped += 1
    print(f"SKIPPED {what}: {why}")


def run(command, timeout=TIMEOUT, **more):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout, **more)
    except subprocess.TimeoutExpired:
        return 124, f"{command[0]} did not end within {timeout} s"
    return done.returncode, done.stdout + done.stderr


def stub_headers(folder):
    for name in STUBBED:
        header = folder / name
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text('#include "stub.h"\n')


def compiler(folder, options):
    defines = [f"-D{name}=1" for name in COMMON + options]
    return [CC, "-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{folder}", f"-I{APP / 'tests'}",
            '-DFIRMWARE_BUILD="test"', *defines]


def host_test(folder, name, options, modes):
    global passed, failed
    exe, main = folder / "host-test", folder / "main.o"
    command = compiler(folder, options) + [f'-DMODES="{modes}"', f'-DFIRST_MODE="{modes.split(",")[0]}"']
    code, out = run(command + ["-Dmain=app_main", "-c", str(APP / "src/main.c"), "-o", str(main)])
    if code == 0:
        files = [str(APP / f"src/{s}.c") for s in SOURCES] + [str(APP / f"tests/{t}.c") for t in ("model", "test")]
        code, out = run(command + [str(main), *files, "-o", str(exe)])
    if not check(code == 0, f"host test compiles ({name})", out):
        return
    code, out = run([str(exe), str(VECTORS)])
    counts = re.findall(r"^(\d+) passed, (\d+) failed$", out, re.M)
    if check(len(counts) == 1, f"host test runs to its end ({name})", f"exit code {code}\n{out}"):
        print(out.rstrip())
        passed, failed = passed + int(counts[0][0]), failed + int(counts[0][1])


def clash_guard(folder):
    """IRQ_DIRECT_CONNECT together with the driver's interrupt must not compile, and must say why."""
    clash = ["CONFIG_LATENCY_DIRECT_CONNECT", "CONFIG_GPIO_NRFX_INTERRUPT"]
    code, out = run(compiler(folder, clash) + ["-fsyntax-only", str(APP / "src/vector.c")])
    check(code != 0 and "silently share one vector" in out, "the vector clash does not compile", out)
    kconfig = (APP / "Kconfig").read_text()
    block = kconfig.split("config LATENCY_DIRECT_CONNECT", 1)[1].split("config ", 1)[0]
    check("!GPIO_NRFX_INTERRUPT" in block, "Kconfig refuses the vector clash too", block)


def overlay_lint(folder):
    if not (shutil.which("cpp") and shutil.which("dtc")):
        skip("overlay lint", "cpp or dtc is not installed (Debian: device-tree-compiler)")
        return
    binding = folder / "zephyr/dt-bindings/gpio/gpio.h"
    binding.parent.mkdir(parents=True, exist_ok=True)
    binding.write_text("")
    for overlay in sorted((APP / "boards").glob("*.overlay")):
        whole = folder / "whole.dts"
        whole.write_text(BASE_DTS + overlay.read_text())
        code, text = run(["cpp", "-P", "-nostdinc", "-undef", "-x", "assembler-with-cpp", f"-I{folder}",
                          "-DGPIO_ACTIVE_HIGH=0", str(whole)])
        if code == 0:
            code, text = run(["dtc", "-q", "-E", "gpios_property", "-I", "dts", "-O", "dtb", "-o", os.devnull, "-"],
                             input=text)
        check(code == 0, f"overlay {overlay.name}", text)


def used_symbols():
    """Every Kconfig symbol the application names, with the file that does."""
    used = {}
    for path in [*APP.glob("src/*"), *APP.glob("conf/*"), *APP.glob("boards/*"), APP / "prj.conf",
                 APP / "CMakeLists.txt"]:
        for symbol in re.findall(r"\bCONFIG_([A-Z0-9_]+)", path.read_text()):
            used.setdefault(symbol, path.name)
    for line in (APP / "Kconfig").read_text().splitlines():
        if re.match(r"\s*(depends on|select|default|def_bool)\b", line):
            for symbol in re.findall(r"\b[A-Z][A-Z0-9_]{2,}\b", line):
                used.setdefault(symbol, "Kconfig")
    return used


def kconfig_symbols():
    allowed, dead = set(), set()
    for line in (APP / "tests/kconfig-symbols.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            kind, symbol = line.split("\t")[:2]
            (allowed if kind == "known" else dead).add(symbol)
    allowed |= set(re.findall(r"^config (\w+)", (APP / "Kconfig").read_text(), re.M))
    used = used_symbols()
    check(len(used) > 20, "Kconfig symbols are found in the sources", str(used))
    for symbol, where in sorted(used.items()):
        if symbol in dead:
            check(False, f"CONFIG_{symbol} is a dead name ({where})")
        else:
            check(symbol in allowed, f"CONFIG_{symbol} is on the list ({where})")
    unused = sorted(allowed - set(used) - {s for s in allowed if s.startswith("LATENCY_")})
    check(not unused, "nothing on the list is unused", ", ".join(unused))


def zephyr_board(base):
    numbers = dict(re.findall(r"^(VERSION_M\w+)\s*=\s*(\d+)", (base / "VERSION").read_text(), re.M))
    version = int(numbers["VERSION_MAJOR"]), int(numbers["VERSION_MINOR"])
    return "nrf5340dk/nrf5340/cpuapp" if version >= (3, 7) else "nrf5340dk_nrf5340_cpuapp"


def compile_image(folder):
    base = os.environ.get("ZEPHYR_BASE")
    if not base:
        skip("Zephyr image", "ZEPHYR_BASE is not set. The Zephyr image was NOT compiled.")
        return
    board = zephyr_board(Path(base))
    conditions = [str(APP / f"conf/{c}.conf") for c in ("log-dbg", "thread-analyzer", "fpu-sharing", "i2c")]
    extra = shlex.split(os.environ.get("ZEPHYR_CMAKE_ARGS", ""))
    for name, conf in (("all modes", []), ("all conditions", conditions),
                       ("direct connect", [str(APP / "conf/direct-connect.conf")])):
        build = folder / name.replace(" ", "-")
        fragment = [f"-DEXTRA_CONF_FILE={';'.join(conf)}"] if conf else []
        code, out = run(["cmake", "-GNinja", "-B", str(build), "-S", str(APP), f"-DBOARD={board}", *fragment, *extra],
                        BUILD_TIMEOUT)
        if code == 0:
            code, out = run(["ninja", "-C", str(build)], BUILD_TIMEOUT)
        check(code == 0, f"image for {board} ({name})", "\n".join(out.splitlines()[-40:]))


def main():
    with tempfile.TemporaryDirectory(prefix="latency-zephyr-") as name:
        folder = Path(name)
        stub_headers(folder)
        for image in IMAGES:
            host_test(folder, *image)
        clash_guard(folder)
        overlay_lint(folder)
        kconfig_symbols()
        compile_image(folder)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
