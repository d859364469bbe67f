"""Checks of an installation, each with what to do: `checkinstall`, and the first steps of `checkconnection`."""
