"""django-ninja on the same models, as its documentation shows it: schemas, a bearer class, `select_related`.

On the settings of idiomatic DRF, and on the same server. It neither counts requests nor logs them.
"""
