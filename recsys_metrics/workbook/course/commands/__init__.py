"""`recsys-workbook course …`: the commands of an instructor."""
