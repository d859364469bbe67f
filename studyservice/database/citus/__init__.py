"""Members spread over servers by Citus, an extension of PostgreSQL: where each table lives, and how it comes there."""
