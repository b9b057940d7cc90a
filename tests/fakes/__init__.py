"""Stand-ins in memory for the ports; each passes the contract of its port."""
