"""How Sphinx makes the site of the pages that build.py lays out."""

project = html_title = "bakeoff"
extensions = ["myst_parser"]
root_doc = "index"
# Links are to headings as GitHub names them.
myst_heading_anchors = 6
# "--help" stays two hyphens.
smartquotes = False
html_theme = "furo"
html_theme_options = {"top_of_page_buttons": []}
html_copy_source = html_show_sourcelink = False
html_show_copyright = html_show_sphinx = False
pygments_style = "default"
pygments_dark_style = "github-dark"
# Warnings are errors. Not these: a heading two levels down; what a shell's lexer can't read of a
# session's output.
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
