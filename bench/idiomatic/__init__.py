"""Idiomatic Django REST framework on the same tables: what a good developer writes first.

ModelSerializers, ModelViewSets, an authentication class, `select_related` and `prefetch_related` where they belong,
keyset pagination, the middleware of `startproject`, connections kept. It neither counts requests nor logs them.
"""
