"""The palette of the workbook's pictures, which is that of the library's plots."""

from recsys_metrics._palette import BLUE as BLUE
from recsys_metrics._palette import CYCLE as CYCLE
from recsys_metrics._palette import GREEN as GREEN
from recsys_metrics._palette import GREY as GREY
from recsys_metrics._palette import ORANGE as ORANGE
from recsys_metrics._palette import PURPLE as PURPLE
from recsys_metrics._palette import SKY as SKY
from recsys_metrics._palette import VERMILION as VERMILION
