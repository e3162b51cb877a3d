"""The site in a real browser: Chromium, over http and from file://, under its own Content-Security-Policy."""
