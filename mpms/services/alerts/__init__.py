"""Who is told of incidents, and telling them."""
