"""Models as everybody but the engine sees them."""
