"""The ports of the factory made real: mail servers, robots, scales, its tables."""
