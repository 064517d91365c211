"""A capstone that can be graded: a case for each student, and what a machine can say of a report.

==================  =======================================================
file                holds
==================  =======================================================
`scenario`          a student's case, drawn from a seed, with what is wrong
`tables`            its files
`expected_numbers`  each number that a report may cite, and its mistakes
`diagnosis`         what a careful reading of the files finds
`files`             cases in the course's folder
`report`            what a report says by name
`report_check`      what can be read of a report, for its author
`frozen_test`       the frozen test, opened once
`marking`           a report's numbers, faults and plan, computed again
`rubric`            eight criteria with four levels
`marker_page`       the page that a marker reads
`marker`            the pages and the levels of a marker
`marks`             the marks, and what goes back to students
`student_page`      the page that a student gets back
`models`            three reports with their levels, and why
==================  =======================================================
"""
