"""Grades what a learner hands in: questions, a sandbox that runs code, a judge of answers.

====================  ==================================================================
module                holds
====================  ==================================================================
`limits`              what a submission may take, and the error of everything that grades
`signatures`          what only the instructor can compute: seeds and signatures
`questions`           what an exercise asks for in a notebook, and how it is told from others
`submissions`         a notebook that was handed in, and where its answers are
`custom_exercises`    a course's own exercises, from a file of the instructor's
`exercise_rules`      what every exercise has to satisfy
`mutants`             wrong functions made from right ones, which cases have to notice
`copy_probability`    how likely two students share a right answer
`sandbox`             runs a submission where it can do no harm
`untrusted_text`      text from a submission, made safe to read
`untrusted_values`    what came out of the sandbox, as values that can be trusted to be values
`recorded_function`   a student's function, played back from what it did in the sandbox
`judge`               the outcome of each question, decided outside of the sandbox
`points`              exercises with points
`atomic_files`        files that are written whole or not at all
`static_page`         a page of HTML that needs nothing else
====================  ==================================================================
"""
