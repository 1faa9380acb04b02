"""The colours of all pictures, whoever draws them."""

# The page's style sheet turns INK, QUIET and GRID over in the dark: it finds them by their value.
INK, QUIET, GRID = "#1f2328", "#59636e", "#d8dee4"
TWIN = "#818b98"
# Okabe and Ito's colours without yellow and black, then three that keep apart from them: all of
# middle lightness, so that they read on white and on near-black.
PALETTE = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
    "#56b4e9", "#8b6fd1", "#a6761d", "#6b8e23",
)  # fmt: skip
