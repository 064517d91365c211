"""The arrow of what unfolds, which JupyterLab's style takes away.

It begins the line that is pressed. Where there is an arrow anyway it is left out: by the styles
of a card in Jupyter, and by the book.
"""

ARROW = '<span class="unfold">▸ </span>'
