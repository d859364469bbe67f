"""The member's calendar: out, as a feed that calendar apps subscribe to."""
