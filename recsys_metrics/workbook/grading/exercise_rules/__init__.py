"""What every exercise is held to, those of the workbook and those of a course alike.

=============  =====================================================================
module         holds
=============  =====================================================================
`rules`        all rules together
`texts`        each text can be shown with its inputs
`numbers`      exercises that ask for numbers
`choices`      exercises that ask for options
`functions`    exercises that ask for a function
`endless`      what an exercise computes comes to an end
`mistakes`     each mistake is wrong, and is told from the others
`variants`     drawn alike everywhere, and seldom with the same answer
`answering`    those who answer: with the solution, and with each of the mistakes
`wording`      how functions and values are named in a fault
=============  =====================================================================
"""

from recsys_metrics.workbook.grading.exercise_rules.answering import (
    check_mistake,
    check_solution,
    get_answer,
    list_mistakes,
)
from recsys_metrics.workbook.grading.exercise_rules.functions import find_unnoticed_changes, passes
from recsys_metrics.workbook.grading.exercise_rules.rules import find_faults
from recsys_metrics.workbook.grading.exercise_rules.variants import find_unsteady_draws

__all__ = [
    "check_mistake",
    "check_solution",
    "find_faults",
    "find_unnoticed_changes",
    "find_unsteady_draws",
    "get_answer",
    "list_mistakes",
    "passes",
]
