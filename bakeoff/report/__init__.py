"""Reports: `kinds` makes a document of a result, `render` makes what people read of a document."""
