"""What the pages for administrators need."""
