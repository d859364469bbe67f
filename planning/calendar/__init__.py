"""The member's calendar: out, as a feed that apps subscribe to; in, as files of learning platforms and calendars."""
