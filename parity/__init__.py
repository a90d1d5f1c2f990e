"""Agent parity: replay recorded agent traffic through a bridge and compare what comes out."""

__version__ = "0.1.0"
