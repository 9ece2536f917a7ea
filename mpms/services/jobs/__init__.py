"""Work of service tasks: queue, handlers, threads."""
