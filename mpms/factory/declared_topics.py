"""The topics that the factory serves: how far each reaches, what it takes and gives."""

from __future__ import annotations

from mpms.plugins import Reach, Topic

TOPICS = {
    "mail.read": Topic(
        about="Looks for new orders in the mailbox. Throws MailboxUnavailable.",
        gives={"mails": "how many were read", "accepted": "how many became orders"},
        limit_s=120.0,
    ),
    "delivery.check": Topic(
        reach=Reach.INSIDE,
        about="Compares the code that a customer has typed with that of the delivery.",
        takes={
            "delivery_code": "the code of the delivery",
            "typed_code": "what was typed",
            "wrong_codes": "how many were wrong until now",
        },
        gives={
            "code_state": "right, wrong, or locked after every fifth wrong one",
            "wrong_codes": "how many were wrong until now",
        },
    ),
    "delivery.code": Topic(
        reach=Reach.INSIDE,
        about=(
            "Makes a code for a delivery and the page for whoever gets it, and mails"
            " both where there is an address."
        ),
        takes={
            "customer_mail": "the address; nobody is mailed",
            "customer_language": "en, de or es; en",
            "customer": "who gets it, for the mail",
            "goods": "what comes, for the mail",
            "wait_minutes": "how long the robot waits for the code; 10",
            "when_away": "ask a supervisor, or bring the goods back: ask, back; ask",
        },
        gives={
            "delivery_code": "six digits",
            "delivery_page": "the address of the page",
            "delivery_link": "its last part",
            "customer_wait": "the minutes as a duration",
            "when_away": "ask or back",
            "customer_mail": "the address, or an empty text",
            "customer_told": "mail, nobody, or no mail server",
            "code_state": "none",
            "wrong_codes": "0",
        },
    ),
    "fleet.transport": Topic(
        reach=Reach.INSIDE,
        about=(
            "Lets a robot bring a load from a place to another, and waits for it."
            " Throws TransportRefused, TransportFailed."
        ),
        takes={
            "from_place": "where the load is",
            "to_place": "where it goes",
            "package": "its name, if it has one",
            "package_type": "a package type of the world, for who may carry it",
            "priority": "a higher one goes first; 0",
            "deadline_s": "seconds from now until it is to be there",
            "robot": "the robot that shall do it; any",
        },
        gives={"robot": "who did it"},
    ),
    "orders.next": Topic(
        reach=Reach.INSIDE,
        about="Finds the most urgent order that nobody works on.",
        gives={"order_number": "its number, or null if there is none"},
    ),
    "orders.set_status": Topic(
        reach=Reach.INSIDE,
        about="Sets how an order ended. Throws StatusUnknown.",
        takes={"order_number": "the number of the order", "status": "the new status"},
    ),
    "robot.assign": Topic(
        reach=Reach.INSIDE,
        about="Chooses a robot for the order and holds it until it is given back.",
        takes={
            "materials": "what is to be fetched, from where",
            "robot": "this one and no other; any",
            "avoid": "not this one, where there are others; none",
        },
        gives={"robot": "its id", "robot_reasons": "why this one"},
    ),
    "robot.move": Topic(
        reach=Reach.INSIDE,
        about=(
            "Sends the robot to a place and waits until it is there."
            " Throws PlaceUnknown, RobotUnknown, RobotFailed."
        ),
        takes={"robot": "its id", "place": "a place of the world"},
    ),
    "scale.weigh": Topic(
        about=(
            "Reads a weight at rest from the scale at the place, else from the"
            " robot's. Throws ScaleUnavailable, ScaleByHand."
        ),
        takes={
            "robot": "its id",
            "place": "where the load is weighed; on the robot",
            "code": "the material, for the record",
            "so_far_kg": "earlier parts of the same line; 0",
        },
        gives={
            "measured_kg": "the net weight, with the earlier parts",
            "instrument": "for outputs of the step: which scale",
            "raw": "for outputs of the step: what it said",
        },
        limit_s=70.0,
    ),
    "shelf.fetch": Topic(
        reach=Reach.INSIDE,
        about=(
            "Lets a robot bring a shelf to a station, and waits for it."
            " Throws TransportRefused, TransportFailed."
        ),
        takes={
            "shelf": "its name",
            "from_place": "where it stands",
            "station": "where it is wanted",
            "priority": "a higher one goes first; 0",
        },
        gives={"robot": "who did it"},
    ),
    "shelf.return": Topic(
        reach=Reach.INSIDE,
        about=(
            "Lets a robot bring a shelf back from a station, and waits for it."
            " Throws TransportRefused, TransportFailed."
        ),
        takes={
            "shelf": "its name",
            "station": "where it stands",
            "to_place": "where it goes",
            "priority": "a higher one goes first; 0",
        },
        gives={"robot": "who did it"},
    ),
    "stock.carried": Topic(
        reach=Reach.INSIDE,
        about=("Finds what an ended order has left on a robot. Throws NothingCarried."),
        takes={"order_number": "the number of the order"},
        gives={
            "wanted_robot": "who carries it",
            "product": "what was to be made",
            "material": "code, name, lot and amount",
            "materials": "an empty list: nothing is to be fetched",
            "carried_kg": "how much of it",
            "carried_lot": "of which lot",
            "place": "where it came from",
        },
    ),
    "stock.load": Topic(
        reach=Reach.INSIDE,
        about="Books a load from its place onto the robot. Throws LotRefused.",
        takes={
            "order_number": "the number of the order",
            "material": "what was to be loaded",
            "lot": "the lot that was scanned",
            "measured_kg": "the net weight; as planned",
            "robot": "its id",
        },
        gives={"on_robot": "true"},
    ),
    "stock.next": Topic(
        reach=Reach.INSIDE,
        about=(
            "Takes the next material and makes sure that it still lies there; else"
            " another lot is planned. Throws StockMissing."
        ),
        takes={
            "order_number": "the number of the order",
            "materials": "what is to be fetched, from where",
            "index": "which one is next, from 0",
        },
        gives={
            "material": "the next one",
            "materials": "the same, planned anew if it had to be",
            "lot": "an empty text",
            "message": "an empty text",
            "confirmed": "false",
            "weighed_kg": "null",
            "unloaded": "false",
            "on_robot": "false",
            "accepted_kg": "null, for a weight that a supervisor accepts",
        },
    ),
    "stock.receive": Topic(
        reach=Reach.INSIDE,
        about="Books a delivery to its place, in quarantine. Throws ReceiptRefused.",
        takes={
            "material": "its code or name",
            "lot": "the number on its label; no other lot has it",
            "kg": "how much it is",
            "place": "where it is put",
            "supplier": "who delivered it",
            "supplier_lot": "the supplier's own number",
            "expires_on": "the last day on which it may be used",
        },
        gives={"error_message": "null"},
    ),
    "stock.return": Topic(
        reach=Reach.INSIDE,
        about="Books what lies on the robot back to a place. Throws StockMissing.",
        takes={
            "order_number": "the number of the order",
            "material": "what was loaded",
            "place": "where it lies now",
            "returned_kg": "the net weight; as loaded",
        },
        gives={"on_robot": "false"},
    ),
    "stock.set_state": Topic(
        reach=Reach.INSIDE,
        about="Releases or blocks a lot.",
        takes={
            "lot": "its number",
            "state": "quarantine, released, blocked or used up",
            "reason": "why",
        },
    ),
    "stock.use": Topic(
        reach=Reach.INSIDE,
        about="Books what lies on the robot into the tank.",
        takes={
            "order_number": "the number of the order",
            "material": "what was loaded",
            "index": "which one it was, from 0",
            "so_far": "what is in the tank already",
            "lot": "the lot that was scanned",
            "measured_kg": "the net weight",
        },
        gives={
            "loaded": "the same with this one",
            "index": "the next one",
            "on_robot": "false",
        },
    ),
    "storage.confirm": Topic(
        reach=Reach.INSIDE,
        about="Tells the fleet what a person saw at an input or output.",
        takes={
            "place": "the input or output",
            "present": "whether something lies there",
        },
    ),
    "storage.retrieve": Topic(
        reach=Reach.INSIDE,
        about=(
            "Lets a robot bring a package of a type to an output, and waits for it,"
            " for stock too. Throws TransportRefused, TransportFailed."
        ),
        takes={"package_type": "of which type", "place": "the output"},
        gives={
            "package": "which one came",
            "storage_place": "where it lay",
            "robot": "who brought it",
        },
    ),
    "storage.store": Topic(
        reach=Reach.INSIDE,
        about=(
            "Lets a robot store what lies at an input, and waits for it."
            " Throws TransportRefused, TransportFailed."
        ),
        takes={
            "package": "its name",
            "package_type": "of which type it is",
            "place": "the input",
            "placed": "false: a detector says when it lies there; true",
        },
        gives={"storage_place": "where it lies now", "robot": "who stored it"},
    ),
    "tank.cleaned": Topic(
        reach=Reach.INSIDE,
        about="Notes who cleaned the tank, and how.",
        takes={
            "tank": "its place",
            "order_number": "for which order",
            "how": "what it was cleaned with",
        },
    ),
    "tank.mix": Topic(
        about=(
            "Asks the tank to mix and follows it until it has finished. Nothing to do"
            " where the tank is started by hand. Throws TankRefused, TankFault,"
            " TankSilent."
        ),
        takes={
            "tank": "its place",
            "product": "for the mixing programme",
            "order_number": "the number of the order",
        },
        gives={"mixed": "true, if a controller has mixed"},
        limit_s=70.0,
    ),
    "tank.prepare": Topic(
        reach=Reach.INSIDE,
        about="Says whether the tank must be cleaned before this product.",
        takes={"tank": "its place", "product": "what is to be made"},
        gives={
            "clean_needed": "whether another product was in it",
            "last_product": "which one",
        },
    ),
    "warehouse.connect": Topic(
        reach=Reach.INSIDE,
        about=(
            "Says what the order needs, from where and to which tank."
            " Throws WarehouseUnavailable."
        ),
        takes={"order_number": "the number of the order"},
        gives={
            "product": "what is made",
            "tank": "where it goes",
            "materials": "code, name, required_kg and place of each",
            "index": "0, to count them",
            "loaded": "an empty list, for what is loaded",
            "on_robot": "false: nothing lies on the robot",
        },
    ),
    "warehouse.disconnect": Topic(
        reach=Reach.INSIDE,
        about="Gives the robot back.",
    ),
    "warehouse.start": Topic(
        reach=Reach.INSIDE,
        about="Starts the warehouse process of an order, once.",
        takes={
            "order_number": "the number of the order",
            "warehouse_process": "another process than 'warehouse'",
        },
    ),
}
