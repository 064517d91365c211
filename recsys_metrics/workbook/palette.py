"""The palette of the workbook's pictures, which is that of the library's plots."""

from recsys_metrics._core.colors import BLUE as BLUE
from recsys_metrics._core.colors import CYCLE as CYCLE
from recsys_metrics._core.colors import GREEN as GREEN
from recsys_metrics._core.colors import GREY as GREY
from recsys_metrics._core.colors import ORANGE as ORANGE
from recsys_metrics._core.colors import PURPLE as PURPLE
from recsys_metrics._core.colors import SKY as SKY
from recsys_metrics._core.colors import VERMILION as VERMILION
