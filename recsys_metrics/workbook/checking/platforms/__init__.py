"""What other systems need to score notebooks of the workbook with `check`.

===================  ==============================================================
file                 holds
===================  ==============================================================
`scoring`            what is scored, how it is installed, and how files are written
`gradescope`         the archive of a Gradescope autograder
`classroom50`        the autograder of a Classroom 50 assignment
`github_workflow`    a workflow of GitHub that needs no other service
`student_notebook`   the notebook to hand out, with a check of each exercise
===================  ==============================================================
"""
