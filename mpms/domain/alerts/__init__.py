"""Who is told of incidents, when and how."""
