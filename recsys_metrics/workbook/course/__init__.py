"""A course that an instructor runs: own numbers for every student, graded in a sandbox.

=============  ==================================================================
file           holds
=============  ==================================================================
`folder`       the course's folder, its settings, its roster
`keys`         what only the instructor can compute: seeds and signatures
`questions`    what an exercise asks for in a notebook, and how it is told from others
`own`          a course's own exercises, from a file of the instructor's
`own_parts`    a course's own parts: texts with cells, exercises, data
`law`          what every exercise is held to
`mutants`      wrong functions made from right ones, which cases have to notice
`sharing`      how likely two students share a right answer
`assignment`   an assignment: its questions, and for whom it was released
`notebook`     the notebook a student gets, and reading what came back
`release`      writes the notebooks
`collect`      brings a folder of downloads into the course, and names what does not fit
`sandbox`      runs a submission where it can do no harm
`bubblewrap`   the command that makes the sandbox
`identity`     who a submission is run as
`syscalls`     which calls of the system a submission cannot make
`processes`    the processes of a submission, and how all of them are ended
`memory`       how much memory they and their files hold
`cgroup`       a control group of the kernel's that holds it
`job`          what is to be run, and what came out
`runner`       runs within the sandbox; knows nothing of the course
`values`       what came out of the sandbox, as values that can be trusted to be values
`replay`       a student's function, played back from what it did in the sandbox
`judge`        the verdict on each question, made outside of the sandbox
`gradebook`    the grades, in nbgrader's database
`feedback`     the page a student gets back, and the notebook nbgrader shows
`similarity`   wrong answers that are right for somebody else
`words`        answers in words, marked without names
`agreement`    two markers of the same answers
`grade`        all of it, for one student after the other
`export`       the gradebook as a table
`summary`      what an instructor reads when a command is done
`kit`          syllabus, slides, notes and exams, from the workbook's own parts
`capstone`     a case for each student, its frozen test, its marking
=============  ==================================================================
"""
