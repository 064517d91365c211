"""The one way in: what a caller passes, read once into small frozen values.

`arrays`           arrays of any library, and the array types
`columns`          columns and tables of numbers, checked
`frames`           data frames, recognised without importing their libraries
`encoded`          columns of ids as numbers, by the library that holds the column
`ids`              ids as whole numbers
`users`            users on two sides that should be the same
`events`           pairs of a user and an item
`parse_lists`      ranked lists as they come: their form, and whose each list is
`parse_sets`       sets of items for each list as they come: relevance, histories
`align`            lists and sets brought together: same users, same ids
`hits`             the same of lists and sets of Python's own types, where only hits are needed
`scores`           the best items of many mappings from item to score
`lists`            ranked lists as one table of item numbers
`item_sets`        one set of item numbers for each list, graded or not
`membership`       where the items of the lists stand in those sets
`concatenate`      batches of lists and sets as if they had been read at once
`fingerprint`      digests that tell whether two reports are of the same truth
`tables`           what occurs in a table of item numbers
`scalar_or_batch`  one list or many, said to a type checker
`ties`             what may be done about equal scores
"""
