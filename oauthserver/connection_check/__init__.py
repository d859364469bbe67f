"""Whether an assistant out there can connect: what `checkconnection` tries, one step after the other."""
