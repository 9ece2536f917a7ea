"""Deployed models and their drafts."""
