"""Loading, checking and looking up the explanations of metrics, settings and terms."""
