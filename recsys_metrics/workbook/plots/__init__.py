"""The workbook's charts.

=============  ==================================================================
file           holds
=============  ==================================================================
`chart`        the style, and how a figure becomes a picture in the page's theme
`general`      bars, lines, intervals, a histogram
`board`        what pictures drawn by hand stand on: a title, axes, letters
`samples`      many draws, users as points, what could be found
=============  ==================================================================

A chart that only one subject needs stands in a file of the subject's name.
"""

from recsys_metrics.workbook.plots.chart import sketch, to_picture
from recsys_metrics.workbook.plots.general import bars, histogram, intervals, lines

__all__ = ["bars", "histogram", "intervals", "lines", "sketch", "to_picture"]
