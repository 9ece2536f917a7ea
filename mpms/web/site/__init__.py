"""What every page shares: assets, security, who is signed in."""
