"""Models and their drafts."""
