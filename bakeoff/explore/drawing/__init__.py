"""Pictures as SVG elements of our own: drawn in a millisecond, read by keyboard, light and dark.

A report's pictures are drawn by a library that takes a second to import and half of one for each;
an explorer of ten thousand runs can't wait for it. Colours are attributes, as in those, so that
one style sheet turns both over in the dark, and a picture looks the same as a file of its own.
"""
