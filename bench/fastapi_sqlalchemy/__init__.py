"""FastAPI with SQLAlchemy's asyncio extension on the same tables, as their documentation shows them.

Declarative models, `select` with `joinedload`, Pydantic models for bodies and answers, dependencies for the session and
the caller, one pool of connections kept, uvicorn with uvloop and httptools. It neither counts requests nor logs them.
"""
