"""Attempts to reach what a submission must not: each is the body of a function.

What it returns it has reached; a refusal is an error of the system's, or nothing. These names are
there for it: `ROOT`, the course's folder; `ANN`, what another student has handed in; `REPOSITORY`,
`PACKAGE`, `TMP`, `HOME` of the grader; `MARK`, a name that nothing else has; `PORT`, where somebody
listens; `GRADER`, the process that grades; `call`, a call of the system by its name; `N`, numbers
of calls; `write`, which makes a file; `everything()`, all folders with the names of their files.
`SOCKET` is one that somebody listens at. A setting of the kernel is opened for writing and closed.
"""

from __future__ import annotations

# Calls of the system: the name, and its number for x86-64 and for the generic table of aarch64.
CALLS: dict[str, tuple[int | None, int | None]] = {
    # Another process, and another view of the system.
    "fork": (57, None),
    "vfork": (58, None),
    "unshare": (272, 97),
    "setns": (308, 268),
    # A look into one.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "perf_event_open": (298, 241),
    # Memory that belongs to no process, or that a pipe keeps when the process has let go of it.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "vmsplice": (278, 75),
    # A namespace holds the internet's addresses; those of a virtual machine's host, it does not.
    "socket": (41, 198),
    # Another file system.
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "quotactl": (179, 60),
    "fanotify_init": (300, 262),
    # What a kernel has had its bugs in, and what is the whole machine's.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    # Memory that the kernel keeps for a process, in queues, timers, buffers and attributes.
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "timer_create": (222, 107),
    "timerfd_create": (283, 85),
    "signalfd4": (289, 74),
    "rt_sigqueueinfo": (129, 138),
    "io_setup": (206, 0),
    "sendmsg": (46, 211),
    "recvmsg": (47, 212),
    "setsockopt": (54, 208),
    "splice": (275, 76),
    "tee": (276, 77),
    "setxattr": (188, 5),
    "mknodat": (259, 33),
    "mlock": (149, 228),
    # What newer kernels tell of the machine.
    "statmount": (457, 457),
    "listmount": (458, 458),
    "landlock_create_ruleset": (444, 444),
    "seccomp": (317, 277),
    "personality": (135, 92),
}

# Allowed calls with an argument that is not.
ARGUMENTS = {
    "lock_on_a_part_of_a_file": """
import fcntl
with open('/tmp/locked', 'wb') as stream:
    fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 5)
return 'locked'
""",
    "larger_pipe": "import fcntl\nreturn fcntl.fcntl(os.pipe()[1], 1031, 1 << 20)",
    "notice_of_changes": "import fcntl\nreturn fcntl.fcntl(os.open('/tmp', 0), 1026, 2) == 0",
    "typing_into_a_terminal": "import fcntl\nfcntl.ioctl(0, 0x5412, b'x')\nreturn 'typed'",
    "copy_of_a_file_by_its_blocks": """
import fcntl
with open('/tmp/one', 'wb') as one, open('/tmp/other', 'wb') as other:
    return fcntl.ioctl(other, 0x40049409, one.fileno()) == 0
""",
    "sight_of_its_memory": """
if libc.prctl(4, 1, 0, 0, 0):
    raise OSError(ctypes.get_errno(), 'prctl')
return 'set'
""",
    "memory_shared_with_nobody": "import mmap\nreturn len(mmap.mmap(-1, 4096))",
    "memory_shared_with_nobody_by_a_device": """
import mmap
with open('/dev/zero', 'r+b', buffering=0) as stream:
    return len(mmap.mmap(stream.fileno(), 4096))
""",
    "lock_on_a_file": """
import fcntl
with open('/usr/bin/env', 'rb') as stream:
    fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
return 'locked'
""",
    "own_table_of_open_files": "return call('close_range', 100, 100, 2) and True",
    "thread_with_own_open_files": "return call('clone', 0x00010000 | 0x900, 0, 0, 0, 0)",
    "second_process_by_clone": "return call('clone', 17, 0, 0, 0, 0)",
}

KERNEL = (
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/pid_max",
    "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/modprobe",
    "/proc/sys/kernel/randomize_va_space",
    "/proc/sys/kernel/yama/ptrace_scope",
    "/proc/sys/vm/drop_caches",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/vm/swappiness",
    "/proc/sys/fs/file-max",
    "/proc/sys/fs/binfmt_misc/register",
    "/proc/sys/net/ipv4/ip_forward",
    "/proc/sysrq-trigger",
    "/proc/self/oom_score_adj",
    "/proc/1/oom_score_adj",
    "/proc/irq/default_smp_affinity",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/sys/kernel/uevent_helper",
    "/sys/power/state",
    "/sys/fs/cgroup/cgroup.procs",
    "/sys/kernel/debug/tracing/trace_marker",
    "/dev/mem",
    "/dev/kmsg",
    "/dev/kvm",
)

READS = {
    "key_of_the_course": "return open(ROOT + '/course.toml').read()",
    "gradebook": "return open(ROOT + '/gradebook.db', 'rb').read(16)",
    "gradebook_by_sqlite": """
import sqlite3
return sqlite3.connect(f'file:{ROOT}/gradebook.db?mode=ro', uri=True).execute('select 1').fetchall()
""",
    "roster": "return open(ROOT + '/roster.csv').read()",
    "description_of_the_assignment": "return open(ROOT + '/assignments/ps1.json').read()",
    "another_students_work": "return open(ANN).read()",
    "another_students_folder": "return os.listdir(ROOT + '/submitted')",
    "folder_of_the_course": "return os.listdir(ROOT)",
    "folder_around_the_course": "return os.listdir(os.path.dirname(ROOT))",
    "course_by_a_walk": """
return [where for where, files in everything() if {'course.toml', 'gradebook.db'} <= files]
""",
    "notebooks_by_a_walk": """
return [where for where, files in everything() if 'ps1.ipynb' in files]
""",
    "course_through_a_symlink": """
os.symlink(ROOT + '/course.toml', '/tmp/link')
return open('/tmp/link').read()
""",
    "course_through_a_hard_link": "os.link(ROOT + '/course.toml', '/tmp/hard'); return 'linked'",
    "course_through_dots": """
return open('/tmp/student/' + '../' * 9 + ROOT[1:] + '/course.toml').read()
""",
    "course_through_the_parent": "return open('/proc/1/root' + ROOT + '/course.toml').read()",
    "course_through_its_own_folder": """
return open('/proc/self/cwd/../..' + ROOT + '/course.toml').read()
""",
    "course_by_a_descriptor": """
paths = [f'/proc/self/fd/{fd}' for fd in range(256)]
found = [os.readlink(path) for path in paths if os.path.exists(path)]
return [one for one in found if one.startswith(ROOT)]
""",
    "course_below_a_descriptor": """
for fd in range(3, 256):
    try:
        os.close(os.open('course.toml', os.O_RDONLY, dir_fd=fd))
        return fd
    except OSError:
        pass
""",
    "passwords": "return open('/etc/passwd').read()",
    "shadow": "return open('/etc/shadow').read()",
    "home_of_the_grader": """
return [one for one in os.listdir(HOME) if os.path.isfile(HOME + '/' + one)]
""",
    "keys_of_the_grader": "return os.listdir(HOME + '/.ssh')",
    "solutions": "return os.listdir(REPOSITORY + '/solutions')",
    "tests_of_the_project": "return os.listdir(REPOSITORY + '/tests')",
    "history_of_the_project": "return os.listdir(REPOSITORY + '/.git')",
    "files_of_the_exercises": """
return glob.glob(PACKAGE + '/workbook/exercises/**', recursive=True)[1:]
""",
    "files_of_the_checker": "return glob.glob(PACKAGE + '/workbook/checking/*')",
    "files_of_the_course": "return glob.glob(PACKAGE + '/workbook/course/*')",
    "files_of_the_judge": "return glob.glob(PACKAGE + '/workbook/grading/*')",
    "compiled_exercises": "return glob.glob(PACKAGE + '/workbook/exercises/__pycache__/*')",
    "exercises_by_a_walk": """
return [where for where, files in everything() if {'ranking.py', 'bias.py', 'rating.py'} <= files
        and where not in (PACKAGE, PACKAGE + '/workbook/charts')]
""",
    "solutions_by_a_walk": """
return [where for where, files in everything() if {'02_ranking.ipynb', '02_ranking.md'} & files]
""",
    "wheels_by_a_walk": """
return [where for where, files in everything() for one in files
        if one.startswith('recsys_workbook-') and one.endswith(('.whl', '.tar.gz'))]
""",
    "environment_of_the_first_process": "return open('/proc/1/environ', 'rb').read()",
    "command_of_the_first_process": "return open('/proc/1/cmdline', 'rb').read()",
    "environment_of_the_grader": "return open(f'/proc/{GRADER}/environ', 'rb').read()",
    "memory_of_the_grader": "return open(f'/proc/{GRADER}/mem', 'rb')",
    "maps_of_the_grader": "return open(f'/proc/{GRADER}/maps').read()",
    "files_of_the_grader": "return os.listdir(f'/proc/{GRADER}/fd')",
    "own_memory_as_a_file": "return open('/proc/self/mem', 'r+b')",
    "mounts": "return open('/proc/self/mountinfo').read()",
    "other_processes": "return [one for one in os.listdir('/proc') if one.isdigit()]",
    "kernel_messages": "return open('/dev/kmsg').read(1)",
    "kernel_symbols": "return open('/proc/kallsyms').readline()",
    "disks": "return glob.glob('/dev/[svx]d*') + glob.glob('/dev/nvme*') + glob.glob('/dev/dm-*')",
    "sys": "return os.listdir('/sys')",
    "secrets_in_the_environment": """
words = ('KEY', 'TOKEN', 'SECRET', 'SSH', 'USER')
return [name for name in os.environ if any(word in name for word in words)]
""",
    "shared_memory_of_others": "return os.listdir('/dev/shm')",
    "run": "return os.listdir('/run')",
    "var": "return os.listdir('/var')",
    "mail": "return os.listdir('/var/mail')",
}

WRITES = {
    "root": "return write('/')",
    "usr": "return write('/usr')",
    "etc": "return write('/etc')",
    "lib": "return write('/lib')",
    "dev": "return write('/dev')",
    "shared_memory": "return write('/dev/shm')",
    "course": "return write(ROOT)",
    "submissions": "return write(ROOT + '/submitted')",
    "temporary_folder_of_the_grader": "return write(TMP)",
    "home_of_the_grader": "return write(HOME)",
    "package": "return write(PACKAGE)",
    "hidden_package": "return write(PACKAGE + '/workbook/course')",
    "site_packages": "return write([p for p in sys.path if p.endswith('-packages')][0])",
    "standard_library": "return write(os.path.dirname(os.__file__))",
    "compiled_library": "return write(os.path.dirname(os.__file__) + '/__pycache__')",
    "the_runner": "return open('/runner.py', 'r+b')",
    "the_runner_by_removal": "os.unlink('/runner.py'); return 'gone'",
    "the_runner_by_renaming": "os.rename('/runner.py', '/tmp/r'); return 'gone'",
    "the_interpreter": "return open(os.path.realpath(sys.executable), 'r+b')",
    "startup_of_python": "return write(sys.prefix)",
    "own_grade": """
import sqlite3
base = sqlite3.connect(ROOT + '/gradebook.db')
base.execute('update grade set manual_score = 99')
return 'changed'
""",
    "own_report": "return open(ROOT + '/assignments/ps1.graded.json', 'a')",
    "another_students_work": "return open(ANN, 'a')",
    "a_device": "os.mknod('/tmp/disk', 0o60666, os.makedev(8, 0)); return open('/tmp/disk', 'rb')",
    "owner_of_a_file": "write('/tmp'); os.chown('/tmp/' + MARK, 0, 0); return 'root has it'",
    "a_root_program": """
shutil.copy('/bin/true', '/tmp/true')
os.chown('/tmp/true', 0, 0)
os.chmod('/tmp/true', 0o4755)
return 'there is one'
""",
    "remount": "return call('mount', None, b'/', None, 0x20, None)",
    "mount_proc": "return call('mount', b'proc', b'/tmp/student', b'proc', 0, None)",
    "unmount_a_cover": "return call('umount2', (PACKAGE + '/workbook/exercises').encode(), 2)",
    "new_mount": "return call('fsopen', b'proc', 0)",
    "tree_of_mounts": "return call('open_tree', -100, b'/', 1)",
    "change_root": "os.chroot('/tmp'); return 'changed'",
    "open_by_handle": "return call('open_by_handle_at', -100, b'x' * 16, 0)",
    "clock": "time.clock_settime(time.CLOCK_REALTIME, time.time() + 3600); return 'later'",
    "host_name": "socket.sethostname('mine'); return 'renamed'",
    "priority": "os.nice(-5); return 'first'",
    "own_limits": """
import resource
resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
return 'none left'
""",
    "processor_limit": """
import resource
resource.setrlimit(resource.RLIMIT_CPU, (10**6, 10**6))
return 'none left'
""",
}

NETWORK = {
    "listener": "return socket.create_connection(('127.0.0.1', PORT), timeout=2)",
    "listener_by_udp": """
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', PORT))
return 1
""",
    "internet": "return socket.create_connection(('1.1.1.1', 53), timeout=2)",
    "internet_6": "return socket.create_connection(('2606:4700:4700::1111', 53), timeout=2)",
    "names": "return socket.gethostbyname('example.org')",
    "page": "import urllib.request; return urllib.request.urlopen('http://example.org', timeout=2)",
    "metadata_of_a_cloud": "return socket.create_connection(('169.254.169.254', 80), timeout=2)",
    "host_of_a_virtual_machine": "return socket.socket(40, socket.SOCK_STREAM)",
    "raw": "return socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
    "packets": "return socket.socket(17, socket.SOCK_RAW)",
    "netlink": "return socket.socket(16, socket.SOCK_RAW)",
    "crypto_of_the_kernel": "return socket.socket(38, socket.SOCK_SEQPACKET)",
    "path_socket": "socket.socket(socket.AF_UNIX).connect(SOCKET); return SOCKET",
    "abstract_socket": "socket.socket(socket.AF_UNIX).connect('\\0' + MARK); return MARK",
    "interfaces": "return [name for _, name in socket.if_nameindex() if name != 'lo']",
    "server": "return socket.create_server(('0.0.0.0', 0))",
}

PROCESSES = {
    "fork": "return os.fork() + 1",
    "fork_by_number": "return call('fork')",
    "clone_without_a_thread": "return call('clone', 17, 0, 0, 0, 0)",
    "shell": "return os.system('true') == 0",
    "shell_of_ipython": "return get_ipython().system('touch /tmp/x') or os.path.exists('/tmp/x')",
    "program": "return subprocess.Popen(['sleep', '98765'])",
    "python": "return subprocess.run([sys.executable, '-c', '1'], check=True)",
    "spawn": "return os.posix_spawn('/bin/sleep', ['sleep', '98765'], {})",
    "pool": """
import multiprocessing
multiprocessing.get_context('fork').Process(target=print).start()
return 'started'
""",
    "terminal": "import pty; return pty.fork()",
    "new_user": "return call('unshare', 0x10000000)",
    "become_root": "os.setuid(0); return os.getuid() == 0",
    "become_root_group": "os.setgid(0); return os.getgid() == 0",
    "more_groups": "os.setgroups([0]); return os.getgroups()",
    "be_root_already": "return 0 in os.getresuid() + os.getresgid() or 0 in os.getgroups()",
    "capability": "return libc.prctl(24, 21, 0, 0, 0) == 0",
    "ambient_capability": "return libc.prctl(47, 2, 21, 0, 0) == 0",
    "gain_privileges": "return libc.prctl(39, 0, 0, 0, 0) != 1",
    "kill_the_grader": "os.kill(GRADER, 9); return 'killed'",
    "signal_the_first_process": """
os.kill(1, 0)
os.kill(1, 15)
time.sleep(0.05)
return os.getppid() != 1
""",
    "signal_the_group_of_the_grader": "os.killpg(os.getpgid(GRADER), 15); return 'sent'",
    "trace_the_parent": "return call('ptrace', 16, 1, 0, 0)",
    "trace_me": "return call('ptrace', 0, 0, 0, 0)",
    "memory_of_the_parent": "return call('process_vm_readv', 1, 0, 0, 0, 0, 0)",
    "descriptor_of_the_parent": "return call('pidfd_getfd', os.pidfd_open(1), 0, 0)",
    "keyring": "return call('keyctl', 0, -3, 1, 0, 0)",
    "ring": "return call('io_uring_setup', 8, ctypes.create_string_buffer(128))",
    "terminal_input": "import fcntl; return fcntl.ioctl(0, 0x5412, b'x')",
    "controlling_terminal": "return open('/dev/tty')",
}

MEMORY = {
    "memory_file": "return os.memfd_create('x')",
    "secret_memory": "return call('memfd_secret', 0)",
    "shared_segment": "return call('shmget', 0, 2**20, 0o1600)",
    "semaphores": "return call('semget', 0, 250, 0o1600)",
    "messages": "return call('msgget', 0, 0o1600)",
    "message_queue": "return call('mq_open', b'x', 0o102, 0o600, None)",
    "named_shared_memory": """
from multiprocessing import shared_memory
return shared_memory.SharedMemory(create=True, size=4096)
""",
    "pages_given_to_a_pipe": "return call('vmsplice', os.pipe()[1], 0, 0, 8)",
    "large_file": """
with open('/tmp/large', 'wb') as stream:
    stream.truncate(65 * 2**20)
return 'there is one'
""",
    "many_files_open": "return [open('/dev/null') for _ in range(200)]",
    "more_than_its_address_space": "return bytearray(800 * 2**20)",
    "huge_pages": "import mmap; return mmap.mmap(-1, 800 * 2**20, flags=0x40022)",
}

IMPORTS = {
    f"{name.rpartition('.')[2]}_{number}": f"return importlib.import_module({name!r}).__file__"
    for number, name in enumerate((
        "recsys_metrics.workbook.exercises.ranking",
        "recsys_metrics.workbook.exercises.base",
        "recsys_metrics.workbook.exercises.function",
        "recsys_metrics.workbook.checking.grade",
        "recsys_metrics.workbook.checking.worker",
        "recsys_metrics.workbook.source_checks",
        "recsys_metrics.workbook.grading.signatures",
        "recsys_metrics.workbook.grading.judge",
        "recsys_metrics.workbook.grading.recorded_function",
        "solutions",
        "tests.exercises.simulated_learners",
        "tests.course.simulated_people",
    ))
} | {
    "exercises_by_their_path": """
import importlib.util
spec = importlib.util.spec_from_file_location('x', PACKAGE + '/workbook/exercises/ranking.py')
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
return module
""",
    "registry": "from recsys_metrics.workbook.exercises import REGISTRY; return REGISTRY",
    "runner_again": "import runner; return runner.main",
}  # fmt: skip

FRAMES = {
    "cases_in_any_frame": """
frame, found = sys._getframe(), []
while frame:
    found += [name for name in frame.f_locals if name in ('cases', 'calls', 'expected', 'answer')
              and frame.f_code.co_filename.endswith('runner.py') and frame.f_locals[name]]
    frame = frame.f_back
return found
""",
    "cases_in_any_object": """
import gc
key = 'course' + '.key'
# From Python 3.13 on, `ast.Match` says the types of its fields, of which one is named `cases`.
fields = getattr(__import__('ast').Match, '_field_types', None)
return [one for one in gc.get_objects()
        if isinstance(one, dict) and one is not fields and (key in one or 'cases' in one)]
""",
    "cases_in_the_job": """
frame = sys._getframe()
while frame and 'job' not in frame.f_locals:
    frame = frame.f_back
job = frame.f_locals['job']
told = {'cells', 'questions', 'cell_seconds', 'seconds', 'memory_mb'}
return set(job) - told or [q for q in job['questions'] if set(q) - {'names', 'function', 'arity'}]
""",
    "cases_in_the_arguments": "return [one for one in sys.argv if 'course' in one or 'ps1' in one]",
    "cases_in_the_pipe": """
import select, stat
for fd in range(3, 256):
    try:
        is_pipe = stat.S_ISFIFO(os.fstat(fd).st_mode)
        if is_pipe and select.select([fd], [], [], 0)[0] and os.read(fd, 1):
            return fd
    except OSError:
        pass
""",
}

GROUPS = {
    "reads": READS,
    "writes": WRITES,
    "network": NETWORK,
    "processes": PROCESSES,
    "memory": MEMORY,
    "imports": IMPORTS,
    "frames": FRAMES,
    "kernel": {
        path: f"os.close(os.open({path!r}, os.O_WRONLY)); return {path!r}" for path in KERNEL
    },
}
