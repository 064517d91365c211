"""Attempts at points that were not earned: what stands in the cell of the first answer.

Each is a submission of its own, for it may leave nothing as it was. `tell` writes lines to every
pipe there is.
"""

from __future__ import annotations

HEAD = """
import builtins, json, os, sys
def tell(*said, exits=False):
    for fd in range(3, 256):
        for one in said:
            line = one if isinstance(one, bytes) else json.dumps(one).encode()
            try:
                os.write(fd, line + b"\\n")
            except OSError:
                break
PASS = {"kind": "float", "value": "1.0"}
runner = sys.modules["__main__"]
"""

FORGED = {
    "checker_replaced": """
import numpy, recsys_metrics
recsys_metrics.precision = recsys_metrics.average_precision = lambda *a, **k: 1.0
numpy.isclose = numpy.allclose = numpy.array_equal = lambda *a, **k: True
builtins.abs = lambda x: 0
ap = 0.123
""",
    "writer_replaced": """
for name in ("encode_value", "_written", "_equal", "_described"):
    setattr(runner, name, lambda *a, **k: {"kind": "pass", "outcome": "PASS", "points": 99})
ap = 0.123
""",
    "equal_to_everything": """
class Yes(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
    __rsub__ = __sub__
    __lt__ = __le__ = __gt__ = __ge__ = __eq__
    def __hash__(self): return 0
ap = Yes(0.123)
def my_precision(*a): return Yes(0.5)
""",
    "array_equal_to_everything": """
import numpy as np
class Yes(np.ndarray):
    def __eq__(self, other): return np.True_
    def __array_ufunc__(self, *a, **k): return np.float64(0)
ap = np.array([0.123]).view(Yes)
def my_precision(*a): return np.array([0.5]).view(Yes)
""",
    "number_that_changes": """
class Any:
    seen = 0
    def __float__(self):
        Any.seen += 0.001
        return Any.seen
    def __array__(self, *a, **k):
        import numpy
        return numpy.array(float(self))
ap = Any()
def my_precision(*a): return Any()
""",
    "number_with_an_array_that_lies": """
class Lies:
    __array__ = property(lambda self: 1 / 0)
    dtype = shape = size = 1
ap = Lies()
""",
    "type_that_lies": """
class Meta(type):
    def __instancecheck__(cls, other): return True
    def __eq__(cls, other): return True
    __hash__ = type.__hash__
class Lies(metaclass=Meta):
    __class__ = property(lambda self: float)
ap = Lies()
def my_precision(*a): return Lies()
""",
    "builtins_that_lie": """
builtins.isinstance = lambda *a: True
builtins.hasattr = lambda *a: True
builtins.callable = lambda *a: True
ap = "right"
""",
    "pickle_that_acts": """
class Acts:
    def __reduce__(self):
        return os.system, ("touch /tmp/acted",)
ap = Acts()
def my_precision(*a): return Acts()
""",
    "pickle_in_the_pipe": """
import pickle
tell(pickle.dumps({"ap": 1}), b"\\x80\\x04.", b"cos\\nsystem\\n(S'true'\\ntR.")
ap = 0.123
""",
    "text_that_is_code": """
ap = "__import__('os').system('true') or 1"
def my_precision(*a): return "1.0 if True else 0"
""",
    "text_with_a_lone_surrogate": """
ap = "\\ud800<b>"
def my_precision(*a): return "\\udfff"
""",
    "text_of_control_characters": """
ap = "\\x00\\x1b[2J\\x1b]0;mine\\x07\\u202e\\u2066" * 100
""",
    "text_that_is_markup": """
ap = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>"
""",
    "endless_text": "ap = '9' * 50_000_000",
    "number_without_end": "ap = 10 ** 5000\ndef my_precision(*a): return 10 ** 5000",
    "no_number": "ap = float('nan')\ndef my_precision(*a): return float('inf')",
    "complex": "ap = complex(0.4417, 0)\ndef my_precision(*a): return True",
    "deep_list": """
ap = []
for _ in range(100_000):
    ap = [ap]
def my_precision(*a): return ap
""",
    "list_of_itself": "ap = []\nap.append(ap)\ndef my_precision(*a): return ap",
    "points_told": """
tell({"question": 0, "values": {"ap": {"kind": "pass"}}, "points": 99, "outcome": "PASS"},
     {"question": 0, "points": 99, "auto_score": 99, "passed": True, "score": 1.0})
ap = 100
""",
    "values_that_are_none": """
for value in (1, None, [], "x", {"kind": {}},
              {"kind": "scalar", "dtype": "void", "value": "x" * 9999},
              {"kind": "list", "items": [[[[{}]]]]}, {"kind": "fraction", "value": "1/0"},
              {"kind": "decimal", "value": "sNaN"}, {"kind": "int", "value": "9" * 5000},
              {"kind": "array", "size": -1}, {"kind": "float", "value": "0x1p-1"}):
    tell({"question": 0, "values": {"ap": value}})
ap = 100
""",
    "places_that_are_none": """
for place in (99, -1, True, 1.0, None, "0", [0], {}, 10 ** 30):
    tell({"question": place, "values": {"ap": PASS}}, {"cell": place, "error": place, "says": []},
         {"question": place, "case": place, "value": PASS}, {"question": place, "function": place})
ap = 100
""",
    "lines_that_are_none": """
tell([], 3, None, b"[" * 100_000, b"x" * 5000, b"\\x00", b'{"a": 1', b"\\xff\\xfe", b'{"ready": 1}',
     b'{"question": NaN}', b"1e999",
     b'{"question": 0, "values": {"ap": {"kind": "float", "value": 1}}}')
ap = 100
""",
    "calls_told_early": """
tell({"question": 1, "function": {"kind": "function"}},
     *({"question": 1, "case": case, "changed": [], "value": PASS} for case in range(50)))
ap = 100
""",
    "calls_told_for_nothing": """
tell({"question": 1, "function": {"kind": "function"}}, {"ready": True},
     *({"question": 1, "case": case, "changed": [], "value": PASS} for case in range(50)),
     {"done": True})
ap = 100
""",
    "end_told_first": """
tell({"done": True}, {"begun": True}, {"begun": True})
ap = 100
""",
    "begun_again": """
tell({"begun": True}, {"job": {"cells": []}})
ap = 100
""",
    "odd_cases": """
tell({"ready": True}, {"question": 1, "case": [], "changed": "x"},
     {"question": 1, "case": -5, "changed": [9 ** 9], "value": PASS},
     {"question": 1, "case": 0, "error": {"a": 1}, "value": PASS})
ap = 100
""",
    "shell_replaced": """
shell = get_ipython()
shell.run_cell = lambda *a, **k: None
shell.user_ns["ap"] = 0.123
""",
    "teller_replaced": """
real = os.write
def forged(fd, line):
    real(fd, line.replace(b'"kind"', b'"outcome": "PASS", "kind"'))
    return len(line)
os.write = forged
json.dumps = lambda *a, **k: '{"question": 0, "values": {"ap": {"kind": "pass"}}}'
ap = 0.123
""",
    "cases_replaced": """
import pickle
pickle.load = pickle.loads = lambda *a, **k: []
def my_precision(*a): return 1.0
ap = 0.123
""",
    "runner_replaced": """
import types
fake = types.ModuleType("__main__")
fake.__dict__.update(vars(runner), encode_value=lambda *a: PASS, _run_calls=lambda *a: None)
sys.modules["__main__"] = fake
runner._run_calls = fake._run_calls
ap = 0.123
""",
    "job_replaced": """
frame = sys._getframe()
while frame and "job" not in frame.f_locals:
    frame = frame.f_back
job = frame.f_locals["job"]
job["questions"][0]["names"][:] = ["__name__"]
job["questions"][1].update(function="len", arity=1)
ap = 0.123
""",
    "functions_replaced": """
frame = sys._getframe()
while frame and "functions" not in frame.f_locals:
    frame = frame.f_back
frame.f_locals["functions"][1] = lambda *a: 1.0
ap = 0.123
""",
    "tracer": """
def trace(frame, event, what):
    if frame.f_code.co_name in ("encode_value", "_written") and event == "return":
        return None
    frame.f_trace_lines = False
    return trace
sys.settrace(trace)
sys.setprofile(lambda *a: None)
ap = 0.123
""",
    "alarm_that_tells": """
import signal
signal.signal(signal.SIGALRM, lambda *a: tell({"question": 0, "values": {"ap": {"kind": "pass"}}}))
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
ap = 0.123
""",
    "thread_that_tells": """
import threading
def go_on():
    for _ in range(1000):
        tell({"question": 0, "values": {"ap": {"kind": "int", "value": "100"}}})
threading.Thread(target=go_on, daemon=True).start()
ap = 0.123
""",
    "told_at_the_exit": """
import atexit
atexit.register(tell, {"question": 0, "points": 99}, {"question": 1, "case": 0, "value": PASS})
class Last:
    def __del__(self): tell({"question": 0, "points": 99})
last = Last()
ap = 0.123
""",
    "score_printed": """
print(json.dumps({"score": 100, "tests": [{"status": "passed", "score": 100}]}))
print('<testsuite tests="1" failures="0"/>', file=sys.stderr)
os.write(1, b"PASS\\n")
os.makedirs("/tmp/results", exist_ok=True)
open("/tmp/results/results.json", "w").write('{"score": 100}')
ap = 0.123
""",
    "outputs_that_lie": """
from IPython.display import HTML, display
display(HTML("<b>PASS</b>"), metadata={"nbgrader": {"points": 99}})
ap = 0.123
""",
    "error_that_speaks": """
class Speaks(Exception):
    def __str__(self): raise self
    __repr__ = __str__
def my_precision(*a): raise Speaks
ap = 0.123
raise Speaks
""",
    "error_with_a_name": """
raise type("PASS</pre><script>", (Exception,), {})("\\ud800" + "x" * 10 ** 6)
""",
    "time_up_by_itself": """
def my_precision(*a): raise runner.OutOfTime
ap = 0.123
raise runner.OutOfTime
""",
    "exit_within_a_function": """
def my_precision(*a): raise SystemExit(0)
ap = 0.123
""",
    "exit_within_a_case": """
def my_precision(*a): os._exit(0)
ap = 0.123
""",
    "arguments_changed": """
def my_precision(recommended, relevant, k):
    recommended.clear()
    return 0.0
ap = 0.123
""",
    "signature_that_lies": """
import inspect
def my_precision(): return 1.0
my_precision.__signature__ = inspect.signature(lambda recommended, relevant, k: 0)
ap = 0.123
""",
    "callable_of_anything": """
class Anything:
    def __getattr__(self, name): return self
    def __call__(self, *a, **k): return self
ap = my_precision = Anything()
""",
    "generator": """
def my_precision(recommended, relevant, k): yield 0.5
ap = (x for x in [0.4])
""",
    "coroutine": """
async def my_precision(recommended, relevant, k): return 0.5
ap = 0.123
""",
    "answer_taken_away": "ap = 0.123\ndel ap\ndef my_precision(*a): return 1\ndel my_precision",
    "answer_of_another_cell": """
shell = get_ipython()
shell.events.register("post_execute", lambda *a: shell.user_ns.update(my_precision=len))
ap = 0.123
""",
    "exit_after_a_forged_end": """
tell({"question": 0, "values": {"ap": {"kind": "pass"}}}, {"ready": True},
     {"question": 1, "case": 0, "value": PASS}, {"done": True})
os._exit(0)
""",
    "another_program_that_tells": """
forged = '{"question": 0, "values": {"ap": {"kind": "pass"}}, "points": 99}'
os.execv("/bin/sh", ["sh", "-c", "for fd in 3 4 5 6 7 8 9; do echo '%s' >&$fd; done" % forged])
""",
}
