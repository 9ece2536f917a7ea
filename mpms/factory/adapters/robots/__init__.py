"""Robots over rosbridge."""
