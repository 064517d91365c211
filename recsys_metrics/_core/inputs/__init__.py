"""The one way in: what a caller passes, read once into small frozen values.

`arrays`           arrays of any library, and the array types
`columns`          columns and tables of numbers, checked
`frames`           data frames, recognised without importing their libraries
`ids`              ids as whole numbers
`users`            users on two sides that should be the same
`events`           pairs of a user and an item
`hits`             which recommended items are relevant, of lists and sets of Python's own types
`scores`           the best items of many mappings from item to score
`lists`            ranked lists of any form as one table of item numbers
`item_sets`        one set of items for each list, graded or not: relevance, histories
`membership`       where the items of the lists stand in those sets
`concatenate`      batches of lists and sets as if they had been read at once
`fingerprint`      digests that tell whether two reports are of the same truth
`tables`           what occurs in a table of item numbers
`scalar_or_batch`  one list or many, said to a type checker
`ties`             what may be done about equal scores
"""
