"""What nbgrader reads in a course's folder: the course's name, and which of its steps are refused.

nbgrader's Autograde runs a submission with the rights of whoever clicks, writes over our scores,
and begins by removing what it graded before. So a step is refused when its exporter is made, which
is before it touches a file or the gradebook. The file imports nothing of ours: an error while it is
loaded would only be logged, and the step would run.
"""

from __future__ import annotations

from recsys_metrics._core.package_names import COMMAND

FILE = "nbgrader_config.py"

_TEMPLATE = """\
# For nbgrader: `nbgrader formgrader` and `jupyter lab` in this folder open the course.
from pathlib import Path

from nbconvert.exporters import Exporter
from nbgrader.converters.base import NbGraderException

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = {name!r}
# nbgrader itself takes the path of the folder for a URL as it is: a `?` would end it.
gradebook = str(Path(__file__).resolve().with_name("gradebook.db"))
c.CourseDirectory.db_url = "sqlite:///" + gradebook.replace("%", "%25").replace("?", "%3F")


# Grades and comments are given in nbgrader. Do not remove what follows: it keeps nbgrader from
# running submissions outside of the sandbox and from writing over their scores.
def refused(step, why, command):
    class Refused(Exporter):
        def __init__(self, parent=None, **options):
            name = parent.coursedir.assignment_id if parent else "NAME"
            says = (
                f"{{step}} of nbgrader is switched off in this course: {{why}}. Nothing was "
                "changed. Type in a terminal, in the course's folder: "
                f"{command} course {{command.format(name)}}"
            )
            if parent:
                parent.log.error(says)
            raise NbGraderException(says)

    return Refused


c.Autograde.exporter_class = refused(
    "Autograde",
    "it would run the submission outside of the sandbox and replace its score",
    "grade {{0}}",
)
c.GenerateAssignment.exporter_class = refused(
    "Generate", "every student has a notebook with numbers of their own", "release {{0}}"
)
c.GenerateFeedback.exporter_class = refused(
    "Generate Feedback",
    "the pages of this course name the likely mistakes and have your points and comments",
    "feedback {{0}} feedback.zip",
)
"""


def render(name: str) -> str:
    """Return the settings of nbgrader for a course of this name."""
    return _TEMPLATE.format(name=name, command=COMMAND)
