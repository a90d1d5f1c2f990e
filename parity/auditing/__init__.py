"""Audit: what today's lanes make of traffic that an older translator stored as unhandled."""
