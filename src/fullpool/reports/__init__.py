"""Figures of the reports: frames in, figures out; nothing is read or saved here."""
