"""One file a format. Each has ``write``, which takes a table and the file to fill."""
