"""Orders by e-mail: raw bytes in, an order or a reason out; nothing else happens."""
