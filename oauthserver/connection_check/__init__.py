"""`checkconnection`: check step by step whether an assistant can connect from outside."""
