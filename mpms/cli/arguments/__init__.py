"""The arguments of each group of commands; light, for every start parses them."""
