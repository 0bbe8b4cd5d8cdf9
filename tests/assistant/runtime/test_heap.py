import platform
import subprocess
import sys
from pathlib import Path

import pytest

COUNT_HEAPS = """
import ctypes, sys, threading
if sys.argv[1] == "one":
    from assistant.runtime.heap import share_one_heap
    share_one_heap()
met = threading.Barrier(5)
def hold():
    held = [bytearray(50_000) for _ in range(20)]
    met.wait()
    met.wait()
threads = [threading.Thread(target=hold) for _ in range(4)]
for thread in threads: thread.start()
met.wait()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
file = libc.fopen(sys.argv[2].encode(), b"w")
libc.malloc_info(0, ctypes.c_void_p(file))
libc.fclose(ctypes.c_void_p(file))
met.wait()
"""
"""Writes what the C library says of its heaps while four threads hold something."""


FREE_BETWEEN = """
import sys
from assistant.runtime import heap
from tests.pages.waiting import wait_for
from tests.soak.resources import read_memory_mb
heap.share_one_heap()
heap.TRIM_EVERY_S = 0.01
held = [bytearray(40_000) for _ in range(4_000)]
del held[::2]
before_mb = read_memory_mb()
if sys.argv[1] == "kept":
    with heap.keep_trimmed():
        wait_for(lambda: before_mb - read_memory_mb() > 50)
print(before_mb - read_memory_mb() > 50)
"""
"""Frees eighty megabytes between what it goes on holding, and says whether they went back to the system."""


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="only the GNU C library keeps what is free between others"
)
@pytest.mark.parametrize(("how", "goes_back"), [("left", False), ("kept", True)])
def test_what_is_free_goes_back_to_the_system_meanwhile(how: str, goes_back: bool) -> None:
    said = subprocess.run([sys.executable, "-c", FREE_BETWEEN, how], check=True, capture_output=True, text=True)
    assert said.stdout.split() == [str(goes_back)]


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only the GNU C library gives threads their own heaps")
@pytest.mark.parametrize(("how", "are_one"), [("many", False), ("one", True)])
def test_threads_share_one_heap(how: str, are_one: bool, tmp_path: Path) -> None:
    told = tmp_path / "heaps.xml"
    subprocess.run([sys.executable, "-c", COUNT_HEAPS, how, str(told)], check=True)
    assert (told.read_text(encoding="ascii").count("<heap nr=") == 1) is are_one
