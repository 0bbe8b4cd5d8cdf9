"""The guest: Debian's kernel with its video drivers in QEMU, over this machine's own files, for tests with a camera.

Nothing is installed into an image: the guest's root is this machine's, read-only, with what is written to it kept in
memory.  So the tests run in this checkout and its `.venv`, only on another kernel.
"""

import gzip
import lzma
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
KEPT = ROOT / ".tools" / "devices"
"""Where Debian's packages are unpacked, once."""
IN_GUEST = "OVERTABLE_GUEST"
MODULES = Path("/run/modules")
"""In the guest: its kernel's modules that tests load, and busybox."""
NEEDED = ("virtio_pci", "9pnet_virtio", "9p", "overlay", "vivid", "v4l2loopback")
LOADED_BY_TESTS = ("vivid", "v4l2loopback")
LOOPBACK = "v4l2loopback-dkms"
"""Debian's package of a driver's source, which is compiled here for the guest's kernel."""
UNAVAILABLE = 3
"""The exit status where there can be no guest, so that who runs everything can go on."""
LONGEST_S = 900
CPU = "Nehalem"
"""The oldest that NumPy and OpenCV run on: what is newer takes longer to do without."""


class Unavailable(Exception):
    """This machine cannot start a guest; the message says why."""


def main() -> int:
    """Run the tests of devices in a guest; their exit status, or 3 where there cannot be one."""
    try:
        kernel = fetch_kernel()
        return run_guest(kernel, sys.argv[1:])
    except Unavailable as fault:
        print(f"make devices: {fault}", file=sys.stderr)
        return UNAVAILABLE


def fetch_kernel() -> Path:
    """Return the folder that holds Debian's newest kernel and busybox, unpacked.

    Raises:
        Unavailable: this is no Debian on x86-64, or its packages cannot be had.

    """
    if platform.machine() != "x86_64" or shutil.which("apt-get") is None:
        raise Unavailable("the guest takes its kernel from Debian's packages for x86-64, with apt")
    if shutil.which("qemu-system-x86_64") is None:
        raise Unavailable("QEMU is not there: install it with 'sudo apt-get install qemu-system-x86'")
    depends = _tell("apt-cache", "depends", "linux-image-amd64")
    name = re.search(r"Depends: (linux-image-\S+)", depends)
    if name is None:
        raise Unavailable("apt knows no linux-image-amd64: run 'sudo apt-get update'")
    folder = KEPT / name[1]
    if not (folder / "ready").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _unpack(folder, name[1], "busybox-static")
        try:
            _build_loopback(folder, name[1].removeprefix("linux-image-"))
        except Unavailable as fault:
            print(f"make devices: cameras that a program feeds are left out: {fault}", file=sys.stderr)
        (folder / "ready").touch()
    return folder


def _unpack(folder: Path, *packages: str) -> None:
    for package in packages:
        _tell("apt-get", "download", "-q", package, cwd=folder)
    for archive in folder.glob("*.deb"):
        _tell("dpkg-deb", "-x", archive, folder)
        archive.unlink()


def _build_loopback(folder: Path, release: str) -> None:
    """Compile the driver of cameras that a program feeds.

    Raises:
        Unavailable: the kernel's headers cannot be had, or there is no compiler.

    """
    if not (shutil.which("make") and shutil.which("gcc")):
        raise Unavailable("they need make and gcc")
    headers = folder / "usr" / "src" / f"linux-headers-{release}"
    common = f"linux-headers-{release.rpartition('-')[0]}-common"
    version = ".".join(release.split(".")[:2])
    _unpack(folder, headers.name, common, f"linux-kbuild-{version}", LOOPBACK)
    makefile = headers / "Makefile"
    makefile.write_text(makefile.read_text(encoding="utf-8").replace("/usr/src", str(headers.parent)), encoding="utf-8")
    (source,) = headers.parent.glob("v4l2loopback-*")
    _tell("make", "-C", headers, f"M={source}", f"CC={_find_compiler(headers)}", "modules")


def _find_compiler(headers: Path) -> str:
    """Return the compiler that the kernel was made with, where it is there."""
    named = re.search(r"gcc-\d+", (headers / ".kernelvariables").read_text(encoding="utf-8"))
    return named[0] if named and shutil.which(named[0]) else "gcc"


def run_guest(kernel: Path, arguments: list[str]) -> int:
    """Start the guest, let it run the tests, and print what they say; returns their exit status."""
    told = KEPT / "told"
    shutil.rmtree(told, ignore_errors=True)
    told.mkdir(parents=True)
    tests = " ".join(f"'{each}'" for each in arguments or ["tests/devices"])
    (told / "run.sh").write_text(
        f"""export PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root {IN_GUEST}=1 PYTHONUNBUFFERED=1
        export PYTHONPYCACHEPREFIX='{ROOT}/.tools/bytecode' PYTEST_DISABLE_PLUGIN_AUTOLOAD=1
        {MODULES}/busybox ifconfig lo up
        cd '{ROOT}'
        .venv/bin/python -m pytest -o addopts= -q --import-mode=importlib -p no:cacheprovider {tests} \\
            > /run/told/tests.txt 2>&1
        echo $? > /run/told/status
        echo o > /proc/sysrq-trigger
        sleep 60
        """,
        encoding="utf-8",
    )
    disk = KEPT / "initrd.gz"
    disk.write_bytes(gzip.compress(b"".join(_build_root(kernel)), compresslevel=1))
    machine = ["-accel", "tcg,thread=multi", "-cpu", CPU, "-smp", "2", "-m", "2048", "-nic", "none", "-vga", "none"]
    files = [
        *("-virtfs", "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap"),
        *("-virtfs", f"local,path={told},mount_tag=told,security_model=none"),
    ]
    start: list[str | Path] = ["-kernel", next((kernel / "boot").glob("vmlinuz-*")), "-initrd", disk]
    line = "console=ttyS0 panic=-1 cryptomgr.notests=1"
    with (told / "console.txt").open("wb") as console:
        try:
            subprocess.run(
                ["qemu-system-x86_64", *machine, *files, *start, "-append", line, "-nographic", "-no-reboot"],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                check=False,
                timeout=LONGEST_S,
            )
        except subprocess.TimeoutExpired:
            print(f"The guest did not end within {LONGEST_S} s.")
    for each in ("tests.txt", "status"):
        if not (told / each).exists():
            raise Unavailable(f"the guest did not come to the tests; what it said is in {told}/console.txt")
    print((told / "tests.txt").read_text(encoding="utf-8", errors="replace"))
    return int((told / "status").read_text(encoding="ascii"))


def _build_root(kernel: Path) -> Iterator[bytes]:
    """Yield the guest's first files, as the archive that Linux unpacks into memory (cpio, "newc")."""
    yield from (_pack(name, 0o040755) for name in ("bin", "dev", "proc", "sys", "modules"))
    yield _pack("bin/busybox", 0o100755, (kernel / "bin" / "busybox").read_bytes())
    yield _pack("init", 0o100755, (ROOT / "tests" / "devices" / "init.sh").read_bytes())
    order = list(_list_modules(kernel))
    for name, module in order:
        yield _pack(f"modules/{name}.ko", 0o100644, module)
    at_start = "".join(f"{name}.ko\n" for name, _ in order if name not in LOADED_BY_TESTS)
    yield _pack("modules/order", 0o100644, at_start.encode())
    yield _pack("TRAILER!!!", 0)


def _pack(name: str, mode: int, content: bytes = b"") -> bytes:
    fields = (0, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
    return b"".join(part + bytes(-len(part) % 4) for part in (head, content))


def _list_modules(kernel: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the modules that the guest needs by name, each after those that it depends on."""
    paths = {path.name.split(".ko")[0].replace("-", "_"): path for path in kernel.rglob("*.ko*")}
    done: set[str] = set()

    def load(name: str) -> Iterator[tuple[str, bytes]]:
        if name in done or name not in paths:  # what is no file is built into the kernel
            return
        done.add(name)
        raw = paths[name].read_bytes()
        module = lzma.decompress(raw) if paths[name].suffix == ".xz" else raw
        found = re.search(rb"\0depends=([^\0]*)\0", module)
        for other in found[1].decode().split(",") if found else []:
            yield from load(other.replace("-", "_"))
        yield name, module

    for name in NEEDED:
        yield from load(name)


def _tell(*command: str | Path, cwd: Path | None = None) -> str:
    """Return what a command prints."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, cwd=cwd)
    if done.returncode:
        raise Unavailable(f"'{' '.join(map(str, command))}' failed: {done.stderr.strip()[-300:]}")
    return done.stdout


if __name__ == "__main__":
    raise SystemExit(main())
