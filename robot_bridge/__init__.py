"""The wire between MPMS and mobile robots: one port, drivers, profiles of makes."""
