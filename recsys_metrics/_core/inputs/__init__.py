"""The one way in: what a caller passes, read once into small frozen values.

`arrays`       arrays of any library, and the array types
`columns`      columns and tables of numbers, checked
`frames`       data frames, recognised without importing their libraries
`ids`          ids as whole numbers
`users`        users on two sides that should be the same
`pairs`        pairs of a user and an item
`lists`        ranked lists, score dictionaries included, as one table of item numbers
`item_sets`    one set of items for each list, graded or not: relevance, histories
`matching`     where the items of the lists stand in those sets
`joining`      batches of lists and sets as if they had been read at once
`digests`      a number that tells whether lists and sets are the same as another time
`tables`       what occurs in a table of item numbers
`one_or_many`  which of the two it is, said to a type checker
`ties`         what may be done about equal scores
"""
