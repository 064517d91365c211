"""A course that an instructor runs: own numbers for every student, graded in a sandbox.

=======================  ==========================================================
module                   holds
=======================  ==========================================================
`course_folder`          the course's folder, its settings, its roster
`custom_parts`           a course's own parts: texts with cells, exercises, data
`assignment`             an assignment: its questions, and for whom it was released
`release_notebook`       the notebook a student gets
`release`                writes the notebooks
`roster_matches`         which students of a platform's table are in the roster
`collect`                brings a folder of downloads into the course, and names what does not fit
`gradebook`              the grades, in nbgrader's database
`feedback`               the page a student gets back, and the notebook nbgrader shows
`similarity`             wrong answers that are right for another student
`open_answer_marking`    answers in words, marked without names
`points_of_texts`        which text the points of an answer in words were given for
`inter_rater_agreement`  two markers of the same answers
`grade`                  all of it, for one student after the other
`export`                 the gradebook as a table
`summary`                what an instructor reads when a command is done
`kit`                    syllabus, slides, notes and exams, from the workbook's own parts
`capstone`               a case for each student, its frozen test, its marking
`commands`               what an instructor types
=======================  ==========================================================
"""
