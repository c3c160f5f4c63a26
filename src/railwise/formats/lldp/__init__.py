"""What devices say of their LLDP neighbours, in every shape it comes in, read into one record."""
