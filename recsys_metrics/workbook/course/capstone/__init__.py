"""A capstone that can be graded: a case for each student, and what a machine can say of a report.

===========  ==================================================
file         holds
===========  ==================================================
`case`       a student's case, drawn from a seed, with what is wrong with it
`tables`     its files
`numbers`    each number that a report may cite, and what it is mistaken for
`diagnosis`  what a careful reading of the files finds
`files`      cases in the course's folder
`report`     what a report says by name
`opening`    the frozen test, opened once
`marking`    a report's numbers, faults and plan, computed again
`rubric`     eight criteria with four levels
`page`       the page that a marker reads
`marker`     the pages and the levels of a marker
`reading`    what can be read of a report, for its author
`models`     three reports with their levels, and why
===========  ==================================================
"""
