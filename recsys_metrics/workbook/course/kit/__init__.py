"""What an instructor teaches with, made from the workbook's own parts and exercises.

===========  ==================================================
file         holds
===========  ==================================================
`exam`       questions with a key, from variants, their mistakes as wrong options
`paper`      an exam as a page to print, without and with its key
`moodle`     the same as Moodle XML
`qti`        the same as a QTI 2.1 package
`syllabus`   the parts spread over weeks, with their load
`notes`      each named mistake, and what to ask back
`slides`     a part's own pictures, prediction and summary
===========  ==================================================
"""
