"""The report: what a run found as pages for a browser, and as annotations for GitHub.

Knows results of cells, rows, differences and allowances. Must not know how a run was made or which command
asked for the report.
"""

from parity.report.model import CellResult, Masked, ReportData
from parity.report.pages import write_report

__all__ = ["CellResult", "Masked", "ReportData", "write_report"]
