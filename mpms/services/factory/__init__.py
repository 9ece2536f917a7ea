"""What the factory's models call by topic: one handler a file, a verb each."""

TOPICS = frozenset(
    {
        "mail.read",
        "orders.next",
        "orders.set_status",
        "robot.assign",
        "robot.move",
        "scale.weigh",
        "warehouse.connect",
        "warehouse.disconnect",
        "warehouse.start",
    }
)
"""What a worker of this product serves; known before the first worker runs."""
