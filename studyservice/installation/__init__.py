"""Checks of an installation, each with advice: for `checkinstall`, and the first steps of `checkconnection`."""
