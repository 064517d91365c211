"""Attempts to take more than there is for one: time, memory, processes, words.

Each is a submission of its own, in a cell of no question; a right answer stands above it. What it
is ended with is a pattern for what the grader says of it.
"""

from __future__ import annotations

TIME = r"it did not end within \d+ s"
CELL = "it took too long"
ENDED = "its process ended by itself, as after os\\._exit or a crash"
MEMORY = r"it took more than \d+ MB of memory"
TALK = r"its answers are larger than \d+ MB"
LINES = r"its answers have more than [\d,]+ lines"
VALUES = r"its answers contain more than [\d,]+ values"
THREADS = r"it started more than \d+ threads"
NOTHING = ""

DEAF = "import ctypes, os, signal, threading, time\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\n"

# Puts an answer in place of the one that the next cell gives.
LATER = """
shell = get_ipython()
shell.events.register("post_execute", lambda *a: shell.user_ns.update(last=Slow()))
"""

# Those that would go on for ever: they get a few seconds, however busy the machine is.
ENDLESS = {
    "sleeps_deaf": (TIME, DEAF + "time.sleep(98765)"),
    "sleeps_with_the_alarm_blocked": (
        TIME,
        "import signal, time\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n"
        "time.sleep(98765)",
    ),
    "sleeps_without_the_alarm": (
        TIME,
        "import signal, time\nsignal.setitimer(signal.ITIMER_REAL, 0)\ntime.sleep(98765)",
    ),
    "sleeps_outside_of_python": (TIME, DEAF + "ctypes.CDLL(None).sleep(int(98765))"),
    "turns_deaf": (TIME, DEAF + "while True: pass"),
    "turns_outside_of_python": (f"{TIME}|{ENDED}", "sum(iter(int, 1))"),
    "computes_outside_of_python": (f"{TIME}|{ENDED}|", "x = 7 ** (7 ** 9)"),
    "matches_for_ever": (f"{TIME}|{ENDED}|{CELL}", "import re\nre.match('(a*)*b', 'a' * 40)"),
    "waits_for_itself": (TIME, DEAF + "lock = threading.Lock()\nlock.acquire()\nlock.acquire()"),
    "waits_for_a_word": (
        TIME,
        DEAF + "for fd in range(3, 256):\n    try: os.read(fd, 1)\n    except OSError: pass",
    ),
    "stops_itself": (
        TIME,
        "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\nimport time\ntime.sleep(9999)",
    ),
    "becomes_another_program": (TIME, "import os\nos.execv('/bin/sleep', ['sleep', '98765'])"),
    "becomes_the_runner_again": (
        f"{TIME}|{ENDED}",
        "import os, sys\nos.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])",
    ),
    "recurses_and_catches": (
        TIME,
        "def again():\n    try: again()\n    finally: again()\nagain()",
    ),
    "answer_that_never_ends": (
        TIME,
        "import time\nclass Slow:\n    def __float__(self): time.sleep(98765)\n" + LATER,
    ),
    "answer_that_never_shows_itself": (
        TIME,
        "import time\nclass Slow:\n    @property\n    def __array__(self): time.sleep(98765)\n"
        + LATER,
    ),
}

# Those that a cell's own time ends; the rest of the submission counts.
CELLS = {
    "loops": "while True: pass",
    "loops_and_catches": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    ),
    "sleeps": "import time\ntime.sleep(98765)",
    "prints_errors": "import os\nwhile True: os.write(2, b'x' * 65536)",
    "forks": (
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
    ),
    "starts_programs": (
        "import subprocess\nwhile True:\n    try: subprocess.Popen(['sleep', '98765'])\n"
        "    except OSError: pass"
    ),
    "joins_a_thread": (
        "import threading, time\n"
        "t = threading.Thread(target=time.sleep, args=(98765,), daemon=True)\n"
        "t.start()\nt.join()"
    ),
    "awaits": "import asyncio\nawait asyncio.sleep(98765)",
    "selects": "import select\nselect.select([], [], [])",
    "counts": "n = 1\nwhile n: n += 1",
}  # fmt: skip

# Where there is no more space it holds what it has: a fast machine is full before it is looked at.
FILES = """
try:
    for number in range(10):
        with open(f"/tmp/{number}", "wb") as stream: stream.write(bytes(9_000_000))
except OSError:
    pass
time.sleep(98765)
"""

# Those that end themselves, or are ended for what they take.
GREEDY = {
    "exits": (ENDED, "import os\nos._exit(0)"),
    "exits_by_a_thread": (
        ENDED,
        "import os, threading, time\n"
        "threading.Thread(target=os._exit, args=(0,)).start()\ntime.sleep(9)",
    ),
    "kills_itself": (ENDED, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"),
    "kills_everybody": (ENDED, "import os, signal\nos.kill(0, signal.SIGKILL)"),
    "aborts": (ENDED, "import os\nos.abort()"),
    "reads_nowhere": (ENDED, "import ctypes\nctypes.string_at(0)"),
    "breaks_the_interpreter": (
        f"{ENDED}|{NOTHING}",
        "import sys\nsys.setrecursionlimit(10 ** 9)\ndeep = []\n"
        "for _ in range(10 ** 5): deep = [deep]\nrepr(deep)",
    ),
    "makes_a_forbidden_call": (
        ENDED,
        "import ctypes, mmap\nown = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS\n"
        "code = mmap.mmap(-1, 4096, own, prot=7)\n"
        "code.write(bytes.fromhex('b814000000cd80c3'))\n"
        "at = ctypes.addressof(ctypes.c_char.from_buffer(code))\n"
        "ctypes.CFUNCTYPE(ctypes.c_int)(at)()",
    ),
    "closes_the_pipes": (f"{ENDED}|{NOTHING}", "import os\nos.closerange(3, 128)"),
    "asks_to_leave": (NOTHING, "exit()"),
    "leaves": (NOTHING, "import sys\nsys.exit(3)"),
    "interrupts": (NOTHING, "raise KeyboardInterrupt"),
    "recurses": (NOTHING, "def f(): return f()\nf()"),
    "nests": (f"{NOTHING}|{ENDED}", "eval('(' * 10_000 + ')' * 10_000)"),
    "thread_that_stays": (
        NOTHING,
        "import threading, time\nthreading.Thread(target=time.sleep, args=(98765,)).start()",
    ),
    "exit_that_waits": (NOTHING, "import atexit, time\natexit.register(time.sleep, 98765)"),
    "end_that_waits": (
        NOTHING,
        "import time\nclass Slow:\n    def __del__(self): time.sleep(98765)\nslow = Slow()",
    ),
    "memory_until_there_is_none": (
        NOTHING,
        "held = []\nwhile True: held.append(bytearray(40_000_000))",
    ),
    "text_until_there_is_no_memory": (NOTHING, "x = 'x' * 1_000_000\nwhile True: x += x"),
    "array_without_end": (NOTHING, "import numpy as np\nx = np.ones(10 ** 9)"),
    "prints": (NOTHING, "while True: print('x' * 1_000_000)"),
    "archive_that_unfolds": (
        NOTHING,
        "import zlib\npacked = zlib.compressobj(1, zlib.DEFLATED, -15)\n"
        "block = packed.compress(bytes(10 ** 7)) + packed.flush(zlib.Z_FULL_FLUSH)\n"
        "zlib.decompressobj(-15).decompress(block * 60)",
    ),
    "files_until_there_is_no_space": (
        NOTHING,
        "for number in range(1000):\n"
        "    with open(f'/tmp/{number}', 'wb') as stream: stream.write(bytes(10_000_000))",
    ),
    "memory_and_files": (
        MEMORY,
        "import time\nheld = bytearray(b'x') * 300_000_000\n" + FILES,
    ),
    "memory_and_empty_files": (
        MEMORY,
        "import os, time\nheld = bytearray(b'x') * 310_000_000\nname = 'x' * 200\n"
        "for number in range(80_000): os.close(os.open(f'/tmp/{name}{number}', 64))\n"
        "time.sleep(98765)",
    ),
    "shared_pages_and_files": (
        MEMORY,
        "import mmap, time\nown = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS\n"
        "held = mmap.mmap(-1, 300_000_000, own)\n"
        "for _ in range(30): held.write(bytes(10_000_000))\n" + FILES,
    ),
    "mapped_file_and_memory": (
        MEMORY,
        "import mmap, time\nstream = open('/tmp/x', 'w+b')\nstream.truncate(60_000_000)\n"
        "shared = mmap.mmap(stream.fileno(), 60_000_000)\n"
        "for _ in range(6): shared.write(bytes(10_000_000))\n"
        "shared.close()\nstream.close()\nheld = bytearray(b'x') * 300_000_000\n" + FILES,
    ),
    "the_first_thread_ends": (
        MEMORY,
        "import ctypes, platform, threading, time\nlibc = ctypes.CDLL(None)\n"
        "def hold():\n    time.sleep(0.5)\n    held = bytearray(b'x') * 300_000_000\n"
        f"    exec({FILES!r}, globals())\n"
        "threading.Thread(target=hold).start()\n"
        "libc.syscall({'x86_64': 60, 'aarch64': 93}[platform.machine()], 0)",
    ),
    "links_with_long_names": (
        MEMORY,
        "import os\nfor n in range(10**7): os.symlink('x', f'/tmp/{n:0200}')",
    ),
    "queues_of_file_events": (
        NOTHING,
        "import ctypes, os\nlibc = ctypes.CDLL(None)\n"
        "queues = [libc.inotify_init1(0) for _ in range(100)]\n"
        "assert queues == [-1] * 100\n",
    ),
    "unmapped_pages_of_a_device": (
        NOTHING,
        "import os\ntry: os.open('/dev/zero', os.O_RDWR)\nexcept PermissionError: pass\n"
        "else: raise SystemExit",
    ),
    "locks_on_bytes": (
        NOTHING,
        "import fcntl\nstream = open('/tmp/locked', 'wb')\n"
        "for place in range(0, 10_000_000, 2):\n"
        "    try: fcntl.lockf(stream, fcntl.LOCK_EX, 1, place)\n"
        "    except PermissionError: break\nelse: raise SystemExit",
    ),
    "threads": (
        THREADS,
        "import threading, time\nthreading.stack_size(32768)\n"
        "for _ in range(600):\n"
        "    threading.Thread(target=time.sleep, args=(98765,), daemon=True).start()\n"
        "time.sleep(98765)",
    ),
    "talks": (
        TALK,
        "import os\nfor fd in range(3, 256):\n    try:\n"
        "        while True: os.write(fd, b'x' * 65536 + b'\\n')\n    except OSError: pass",
    ),
    "talks_in_one_line": (
        TALK,
        "import os\nfor fd in range(3, 256):\n    try:\n"
        "        while True: os.write(fd, b'x' * 65536)\n    except OSError: pass",
    ),
    "talks_of_lists": (
        VALUES,
        "import os\nline = b'[' + b'[],' * 1_000_000 + b'[]]\\n'\n"
        "for fd in range(3, 256):\n    try: os.write(fd, line)\n    except OSError: pass",
    ),
    "talks_of_lists_in_many_lines": (
        VALUES,
        "import os\nline = (b'[' + b'[],' * 2_000 + b'[]]\\n') * 1_000\n"
        "for fd in range(3, 256):\n    try: os.write(fd, line)\n    except OSError: pass",
    ),
    "talks_of_line_ends": (
        LINES,
        "import os\nfor fd in range(3, 256):\n    try: os.write(fd, b'\\n' * 15_000_000)\n"
        "    except OSError: pass",
    ),
    "talks_of_errors": (
        f"{TALK}|{NOTHING}",
        "import os\nline = b'{\"cell\": 1, \"error\": \"' + b'e' * 60_000 + b'\"}\\n'\n"
        "for fd in range(3, 256):\n    try:\n        while True: os.write(fd, line)\n"
        "    except OSError: pass",
    ),
}
