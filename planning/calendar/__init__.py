"""The member's calendar: exported as a feed for apps, and imported from files of platforms and calendar apps."""
