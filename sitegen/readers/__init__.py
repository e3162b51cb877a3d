"""One module per log format. The only parsing of run files happens here; `READERS` is the whole list."""
