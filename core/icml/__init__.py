"""Papers of ICML 2025 as a library: one package a system, shared services beside them.

Importing ``icml`` costs milliseconds; every system imports what it needs when it is used.
"""

__version__ = "0.1.0"
__date__ = "2026-12-01"
