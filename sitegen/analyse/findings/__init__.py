"""Findings: sentences about a run that rules write, each number traceable."""

from sitegen.analyse.findings.finding import SEVERITIES, Evidence, Finding, Rule, Severity, Subject
from sitegen.analyse.findings.rules import RULES, SHOWN, find

__all__ = ["RULES", "SEVERITIES", "SHOWN", "Evidence", "Finding", "Rule", "Severity", "Subject", "find"]
