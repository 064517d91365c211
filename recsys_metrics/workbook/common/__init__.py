"""What every other package of the workbook uses."""
