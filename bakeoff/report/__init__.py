"""Reports: `kinds` makes a document of a result, and `render` makes pages and text of a
document."""
